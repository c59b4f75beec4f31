//! The events of hosted tools between `added` and `done`, by the table of [`crate::render::hosted`].

use holdover_wire::Members as _;
use holdover_wire::Object;
use serde_json::{Value, json};

use crate::render::events::{At, Stream, event};
use crate::render::hosted::{Hosted, Pieces, Step, text_at};
use crate::tokens;

impl Stream<'_, '_> {
    /// What happens between the two forms of a hosted item.
    pub(crate) fn hosted(&mut self, at: At<'_>, hosted: &Hosted, item: &Object) {
        for step in hosted.steps {
            match step {
                Step::Progress(word) => self.progress(at, hosted.name, word),
                Step::Outcome => self.progress(at, hosted.name, outcome(item)),
                Step::Text { event, path, pieces } => {
                    if let Some(text) = text_at(item, path) {
                        let member = path.last().copied().unwrap_or_default();
                        self.text(at, event, member, text, *pieces);
                    }
                }
                Step::PartialImages => self.partial_images(at, item),
                Step::Commands => self.commands(at, item),
                Step::Outputs => self.shell_outputs(at, item),
            }
        }
    }

    fn progress(&mut self, at: At<'_>, name: &str, word: &str) {
        let mut event = at.event(&format!("response.{name}.{word}"), 4);
        event.insert("output_index".to_owned(), at.output_index.into());
        self.push(event, &[]);
    }

    fn text(&mut self, at: At<'_>, name: &str, member: &'static str, text: &str, pieces: Pieces) {
        let delta = format!("{name}.delta");
        match pieces {
            Pieces::Tokens => self.deltas(&delta, at, text),
            Pieces::Whole => self.whole(&delta, at, text),
        }
        self.finished(&format!("{name}.done"), at, member, text);
    }

    /// One delta with everything, which is not filled up.
    fn whole(&mut self, name: &str, at: At<'_>, text: &str) {
        let mut event = event(name, 6);
        event.insert("delta".to_owned(), text.into());
        event.insert("item_id".to_owned(), at.item_id.into());
        if self.obfuscates() {
            event.insert("obfuscation".to_owned(), "".into());
        }
        event.insert("output_index".to_owned(), at.output_index.into());
        self.push(event, &[]);
    }

    fn partial_images(&mut self, at: At<'_>, item: &Object) {
        let member = |name: &str, default: &str| item.member(name).cloned().unwrap_or_else(|| default.into());
        for index in 0..self.partial_images {
            let mut event = event("response.image_generation_call.partial_image", 10);
            event.insert("background".to_owned(), member("background", "auto"));
            event.insert("item_id".to_owned(), at.item_id.into());
            event.insert("output_format".to_owned(), member("output_format", "png"));
            event.insert("output_index".to_owned(), at.output_index.into());
            event.insert("partial_image_b64".to_owned(), member("result", ""));
            event.insert("partial_image_index".to_owned(), index.into());
            event.insert("quality".to_owned(), member("quality", "auto"));
            let size = member("size", "auto");
            self.push(event, &[("size", size)]);
        }
    }

    /// These events have no `item_id` (`tests/facts/streaming.md` section 5).
    fn commands(&mut self, at: At<'_>, item: &Object) {
        let commands = item.member("action").and_then(|action| action.member("commands"));
        let commands = commands.and_then(Value::as_array).into_iter().flatten();
        for (index, command) in commands.filter_map(Value::as_str).enumerate() {
            self.command("added", at, index, command);
            for piece in tokens::pieces(command) {
                let mut event = event("response.shell_call_command.delta", 6);
                event.insert("command_index".to_owned(), index.into());
                event.insert("delta".to_owned(), piece.into());
                if let Some(filler) = self.filler(piece) {
                    event.insert("obfuscation".to_owned(), filler.into());
                }
                event.insert("output_index".to_owned(), at.output_index.into());
                self.push(event, &[]);
            }
            self.command("done", at, index, command);
        }
    }

    fn command(&mut self, word: &str, at: At<'_>, index: usize, command: &str) {
        let mut event = event(&format!("response.shell_call_command.{word}"), 5);
        let text = if word == "added" { "" } else { command };
        event.insert("command".to_owned(), text.into());
        event.insert("command_index".to_owned(), index.into());
        event.insert("output_index".to_owned(), at.output_index.into());
        self.push(event, &[]);
    }

    fn shell_outputs(&mut self, at: At<'_>, item: &Object) {
        let outputs = item.member("output").and_then(Value::as_array);
        for (index, output) in outputs.into_iter().flatten().enumerate() {
            for stream in ["stdout", "stderr"] {
                let text = output.get(stream).and_then(Value::as_str).unwrap_or("");
                if !text.is_empty() {
                    self.shell_output("delta", at, index, ("delta", json!({stream: text})));
                }
            }
            self.shell_output("done", at, index, ("output", json!([output])));
        }
    }

    fn shell_output(&mut self, word: &str, at: At<'_>, index: usize, (name, value): (&str, Value)) {
        let mut event = event(&format!("response.shell_call_output_content.{word}"), 6);
        event.insert("command_index".to_owned(), index.into());
        if name == "delta" {
            event.insert("delta".to_owned(), value.clone());
        }
        event.insert("item_id".to_owned(), at.item_id.into());
        if name == "output" {
            event.insert("output".to_owned(), value);
        }
        event.insert("output_index".to_owned(), at.output_index.into());
        self.push(event, &[]);
    }
}

fn outcome(item: &Object) -> &'static str {
    let has_error = item.member("error").is_some_and(|error| !error.is_null());
    if has_error { "failed" } else { "completed" }
}
