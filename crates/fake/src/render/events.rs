//! The events of a stream, in the orders of `tests/facts/streaming.md` section 7; keys in the order of section 3.

use std::sync::Arc;

use holdover_profile::{ErrorEvent, EventKeys, KeepAlive};
use holdover_wire::Members as _;
use holdover_wire::item::ItemView;
use holdover_wire::{ApiError, Event, Object, Outline};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::config::ItemOrder;
use crate::derive::{self, push_base62};
use crate::fake::Job;
use crate::render::build;
use crate::render::draft::{Cell, Draft, in_order};
use crate::render::item::{Cut, Flow, Output};
use crate::seal::Stage;
use crate::tokens;

/// Deltas are filled up to a multiple of this many characters (`tests/facts/streaming.md` section 4).
const OBFUSCATION_STEP: usize = 16;

/// Whether deltas carry `obfuscation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obfuscation {
    /// The default.
    On,
    /// `stream_options.include_obfuscation` is false.
    Off,
}

/// Writes a stream; each event takes the next sequence number.
pub(crate) struct Stream<'a, 'b> {
    pub(crate) job: &'b Job<'a>,
    /// How many partial images its request asks for.
    pub(crate) partial_images: u64,
    events: Vec<Event>,
    random: Option<ChaCha8Rng>,
}

impl<'a, 'b> Stream<'a, 'b> {
    /// An empty stream.
    pub(crate) fn new(job: &'b Job<'a>, obfuscation: Obfuscation, partial_images: u64) -> Self {
        let random = match obfuscation {
            Obfuscation::On => Some(job.draw.stream(derive::Flow::Obfuscation)),
            Obfuscation::Off => None,
        };
        Self {
            job,
            partial_images,
            events: Vec::with_capacity(32),
            random,
        }
    }

    /// The events, in order.
    pub(crate) fn finish(self) -> Vec<Event> {
        self.events
    }

    /// Whether deltas carry `obfuscation`.
    pub(crate) fn obfuscates(&self) -> bool {
        self.random.is_some()
    }

    /// The `error` event before `response.failed` (`tests/facts/streaming.md` section 8).
    pub(crate) fn error(&mut self, error: &ApiError) {
        let mut event = event("error", 5);
        let members =
            json!({"type": error.kind, "code": error.code, "message": error.message, "param": error.param});
        match self.job.fake.config.profile.switches.error_event {
            ErrorEvent::Nested => {
                event.insert("error".to_owned(), members);
            }
            ErrorEvent::Flat => {
                for name in ["code", "message", "param"] {
                    event.insert(name.to_owned(), members[name].clone());
                }
            }
        }
        self.push(event, &[]);
    }

    /// A life-cycle event before the end, with its response as JSON.
    pub(crate) fn begun(&mut self, name: &str, response: &[u8]) {
        let mut event = Draft::new(name);
        event.put("response", Cell::Json(response));
        self.write(event, &[]);
    }

    /// The life-cycle event that ends the stream, with its response as JSON.
    pub(crate) fn over(&mut self, name: &str, response: &[u8], outline: Outline) {
        let mut event = Draft::new(name);
        event.put("response", Cell::Json(response));
        let text = self.next(event, &[]);
        self.events.push(Event::written_of_response(text, outline));
    }

    /// The event that keeps a connection alive, where the profile has one (`tests/facts/streaming.md` section 1).
    pub(crate) fn keep_alive(&mut self) {
        if self.job.fake.config.profile.switches.keep_alive == KeepAlive::Event {
            self.push(event("keepalive", 2), &[]);
        }
    }

    /// Items of the output.
    pub(crate) fn outputs(&mut self, outputs: &[Output]) {
        let mut outputs = outputs.iter().enumerate().peekable();
        while let Some((index, output)) = outputs.next() {
            self.added(index, output);
            self.flow(index, output);
            let nests =
                self.job.fake.config.order == ItemOrder::ReasoningDoneLast && output.flow == Flow::Summary;
            if let Some((follower_index, follower)) = outputs.next_if(|_| nests) {
                self.added(follower_index, follower);
                self.flow(follower_index, follower);
                self.done(follower_index, follower);
            }
            self.done(index, output);
        }
    }

    fn added(&mut self, index: usize, output: &Output) {
        let item = output.added(self.job);
        self.item("response.output_item.added", index, item);
    }

    fn done(&mut self, index: usize, output: &Output) {
        let item = output.at(self.job, Stage::Done, output.second);
        self.item("response.output_item.done", index, item);
    }

    fn item(&mut self, name: &str, index: usize, item: Arc<Object>) {
        let mut event = Draft::new(name);
        event.put("item", Cell::Object(&item));
        event.put("output_index", Cell::Number(index));
        let text = self.next(event, &[]);
        self.events.push(Event::written_of_item(text, index as u64, item));
    }

    fn flow(&mut self, index: usize, output: &Output) {
        let at = At {
            item_id: &output.id,
            output_index: index,
        };
        let text = |name: &str| output.bare.member(name).and_then(Value::as_str).unwrap_or("");
        match output.flow {
            Flow::Summary => self.reasoning(at, output),
            Flow::Content => self.content(at, &output.bare),
            Flow::Arguments => {
                let name = "response.function_call_arguments.delta";
                if build::is_nested(&output.bare) {
                    self.delta(name, at, text("arguments"));
                } else {
                    self.deltas(name, at, text("arguments"));
                }
                let name = "response.function_call_arguments.done";
                self.finished(name, at, "arguments", text("arguments"));
            }
            Flow::Input => {
                self.deltas("response.custom_tool_call_input.delta", at, text("input"));
                let name = "response.custom_tool_call_input.done";
                self.finished(name, at, "input", text("input"));
            }
            Flow::Compaction => {
                let mut event = at.event("response.compaction.compacting", 4);
                event.insert("output_index".to_owned(), index.into());
                self.push(event, &[]);
            }
            Flow::Hosted(hosted) => self.hosted(at, hosted, &output.bare),
            Flow::Whole => {}
        }
    }

    fn reasoning(&mut self, at: At<'_>, output: &Output) {
        let texts: Vec<&str> = ItemView::new(&output.bare).summary_texts().collect();
        let last = texts.len().saturating_sub(1);
        for (index, text) in texts.into_iter().enumerate() {
            let cut = if index == last { output.cut } else { Cut::No };
            self.summary_text(at, index, text, cut);
        }
        self.content(at, &output.bare);
    }

    fn summary_text(&mut self, at: At<'_>, index: usize, text: &str, cut: Cut) {
        let place = ("summary_index", Cell::Number(index));
        let empty = json!({"type": "summary_text", "text": ""});
        let whole = json!({"type": "summary_text", "text": text});
        self.summary_part("response.reasoning_summary_part.added", at, &empty, &[place]);
        for piece in tokens::pieces(text) {
            let filler = self.filler(piece);
            let mut event = Draft::new("response.reasoning_summary_text.delta");
            event.put("delta", Cell::Text(piece));
            event.put("item_id", Cell::Text(at.item_id));
            event.obfuscate(filler.as_deref());
            event.put("output_index", Cell::Number(at.output_index));
            self.write(event, &[place]);
        }
        let mut event = at.draft("response.reasoning_summary_text.done");
        event.put("output_index", Cell::Number(at.output_index));
        self.write(event, &[place, ("text", Cell::Text(text))]);
        let name = "response.reasoning_summary_part.done";
        match cut {
            Cut::No => self.summary_part(name, at, &whole, &[place]),
            Cut::Yes => {
                let status = ("status", Cell::Text("incomplete"));
                self.summary_part(name, at, &whole, &[status, place]);
            }
        }
    }

    fn summary_part(&mut self, name: &str, at: At<'_>, part: &Value, tail: &[(&'static str, Cell<'_>)]) {
        let mut event = at.draft(name);
        event.put("output_index", Cell::Number(at.output_index));
        event.put("part", Cell::Value(part));
        self.write(event, tail);
    }

    fn content(&mut self, at: At<'_>, item: &Object) {
        let parts = item.member("content").and_then(Value::as_array);
        for (index, part) in parts.into_iter().flatten().enumerate() {
            let Some(part) = part.as_object() else { continue };
            match part.member("type").and_then(Value::as_str) {
                Some("refusal") => self.part(at, index, part, &REFUSAL),
                Some("reasoning_text") => self.part(at, index, part, &REASONING),
                _ => self.part(at, index, part, &TEXT),
            }
        }
    }

    fn part(&mut self, at: At<'_>, index: usize, part: &Object, names: &PartNames) {
        let text = part.get(names.member).and_then(Value::as_str).unwrap_or("");
        let mut empty = part.clone();
        empty.insert(names.member.to_owned(), "".into());
        if let Some(annotations) = empty.get_mut("annotations") {
            *annotations = json!([]);
        }
        if names.is_framed {
            self.content_part("response.content_part.added", at, index, &empty);
        }
        self.cited(at, index, text, part, names);
        let mut done = Draft::new(names.done);
        done.put("content_index", Cell::Number(index));
        done.put("item_id", Cell::Text(at.item_id));
        if names.logprobs {
            done.put("logprobs", Cell::EmptyList);
        }
        done.put("output_index", Cell::Number(at.output_index));
        if names.member == "refusal" {
            done.put("refusal", Cell::Text(text));
            self.write(done, &[]);
        } else {
            self.write(done, &[(names.member, Cell::Text(text))]);
        }
        if names.is_framed {
            self.content_part("response.content_part.done", at, index, part);
        }
    }

    /// The deltas of a text; each citation is one delta, and its annotation comes right after it
    /// (`tests/facts/examples/17_web_search_stream.sse`).
    fn cited(&mut self, at: At<'_>, index: usize, text: &str, part: &Object, names: &PartNames) {
        let annotations = part.member("annotations").and_then(Value::as_array);
        let mut rest = text;
        let mut said = 0;
        for (number, annotation) in annotations.into_iter().flatten().enumerate() {
            let place = |name: &str| annotation.member(name).and_then(Value::as_u64);
            if let (Some(start), Some(end)) = (place("start_index"), place("end_index")) {
                let start = usize::try_from(start).unwrap_or(usize::MAX);
                let end = usize::try_from(end).unwrap_or(usize::MAX);
                let (before, tail) = split_at(rest, start.saturating_sub(said));
                let (citation, tail) = split_at(tail, end.saturating_sub(said + before.chars().count()));
                said += before.chars().count() + citation.chars().count();
                rest = tail;
                // The space before a citation is part of its token.
                let plain = before.trim_end_matches(' ');
                self.part_deltas(at, index, plain, names);
                let citation = format!("{}{citation}", &before[plain.len()..]);
                if !citation.is_empty() {
                    self.part_delta(at, index, &citation, names);
                }
            }
            self.annotation(at, index, number, annotation);
        }
        self.part_deltas(at, index, rest, names);
    }

    fn annotation(&mut self, at: At<'_>, index: usize, number: usize, annotation: &Value) {
        let mut event = Draft::new("response.output_text.annotation.added");
        event.put("annotation", Cell::Value(annotation));
        event.put("annotation_index", Cell::Number(number));
        event.put("content_index", Cell::Number(index));
        event.put("item_id", Cell::Text(at.item_id));
        event.put("output_index", Cell::Number(at.output_index));
        self.write(event, &[]);
    }

    fn part_deltas(&mut self, at: At<'_>, index: usize, text: &str, names: &PartNames) {
        for piece in tokens::pieces(text) {
            self.part_delta(at, index, piece, names);
        }
    }

    fn part_delta(&mut self, at: At<'_>, index: usize, piece: &str, names: &PartNames) {
        let filler = self.filler(piece);
        let mut event = Draft::new(names.delta);
        event.put("content_index", Cell::Number(index));
        event.put("delta", Cell::Text(piece));
        event.put("item_id", Cell::Text(at.item_id));
        if names.logprobs {
            event.put("logprobs", Cell::EmptyList);
        }
        event.obfuscate(filler.as_deref());
        event.put("output_index", Cell::Number(at.output_index));
        self.write(event, &[]);
    }

    fn content_part(&mut self, name: &str, at: At<'_>, index: usize, part: &Object) {
        let mut event = Draft::new(name);
        event.put("content_index", Cell::Number(index));
        event.put("item_id", Cell::Text(at.item_id));
        event.put("output_index", Cell::Number(at.output_index));
        event.put("part", Cell::Object(part));
        self.write(event, &[]);
    }

    pub(crate) fn deltas(&mut self, name: &str, at: At<'_>, text: &str) {
        for piece in tokens::pieces(text) {
            self.delta(name, at, piece);
        }
    }

    fn delta(&mut self, name: &str, at: At<'_>, piece: &str) {
        let filler = self.filler(piece);
        let mut event = Draft::new(name);
        event.put("delta", Cell::Text(piece));
        event.put("item_id", Cell::Text(at.item_id));
        event.obfuscate(filler.as_deref());
        event.put("output_index", Cell::Number(at.output_index));
        self.write(event, &[]);
    }

    pub(crate) fn finished(&mut self, name: &str, at: At<'_>, member: &'static str, text: &str) {
        let mut event = Draft::new(name);
        event.put(member, Cell::Text(text));
        event.put("item_id", Cell::Text(at.item_id));
        event.put("output_index", Cell::Number(at.output_index));
        self.write(event, &[]);
    }

    /// `obfuscation` of a delta, where deltas carry it.
    pub(crate) fn filler(&mut self, delta: &str) -> Option<String> {
        let random = self.random.as_mut()?;
        let length = obfuscation_length(delta);
        let mut text = String::with_capacity(length);
        push_base62(random, length, &mut text);
        Some(text)
    }

    fn keys(&self) -> EventKeys {
        self.job.fake.config.profile.switches.event_keys
    }

    /// Takes the next sequence number; `tail` are the members that come after it in the order of the alphabet.
    pub(crate) fn write<'c>(&mut self, event: Draft<'c>, tail: &[(&'static str, Cell<'c>)]) {
        let text = self.next(event, tail);
        self.events.push(Event::written(text));
    }

    /// The text of the next event.
    fn next<'c>(&self, mut event: Draft<'c>, tail: &[(&'static str, Cell<'c>)]) -> Vec<u8> {
        event.put("sequence_number", Cell::Number(self.events.len()));
        for (name, cell) in tail {
            event.put(name, *cell);
        }
        event.finish(self.keys())
    }

    /// The same for an event of values.
    pub(crate) fn push(&mut self, mut event: Object, tail: &[(&str, Value)]) {
        event.insert("sequence_number".to_owned(), self.events.len().into());
        for (name, value) in tail {
            event.insert((*name).to_owned(), value.clone());
        }
        self.events.push(Event::new(in_order(event, self.keys())));
    }
}

/// Where an event belongs.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub(crate) item_id: &'a str,
    pub(crate) output_index: usize,
}

impl At<'_> {
    fn draft<'c>(&'c self, name: &'c str) -> Draft<'c> {
        let mut draft = Draft::new(name);
        draft.put("item_id", Cell::Text(self.item_id));
        draft
    }

    pub(crate) fn event(self, name: &str, members: usize) -> Object {
        let mut event = event(name, members);
        event.insert("item_id".to_owned(), self.item_id.into());
        event
    }
}

/// Names of the events of one kind of content part.
struct PartNames {
    member: &'static str,
    delta: &'static str,
    done: &'static str,
    logprobs: bool,
    is_framed: bool,
}

const TEXT: PartNames = PartNames {
    member: "text",
    delta: "response.output_text.delta",
    done: "response.output_text.done",
    logprobs: true,
    is_framed: true,
};

const REFUSAL: PartNames = PartNames {
    member: "refusal",
    delta: "response.refusal.delta",
    done: "response.refusal.done",
    logprobs: false,
    is_framed: true,
};

/// Of models with open weights.
const REASONING: PartNames = PartNames {
    member: "text",
    delta: "response.reasoning_text.delta",
    done: "response.reasoning_text.done",
    logprobs: false,
    is_framed: false,
};

/// A text cut after so many characters, or at its end.
fn split_at(text: &str, characters: usize) -> (&str, &str) {
    let end = text.char_indices().nth(characters);
    text.split_at(end.map_or(text.len(), |(end, _)| end))
}

/// An event with its type.
pub(crate) fn event(name: &str, members: usize) -> Object {
    let mut event = Object::with_capacity(members + 2);
    event.insert("type".to_owned(), name.into());
    event
}

/// The smallest n with `(characters + n) % 16 == 0`.
fn obfuscation_length(delta: &str) -> usize {
    let characters = delta.chars().count();
    characters.next_multiple_of(OBFUSCATION_STEP) - characters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_obfuscation_rule_holds_for_characters() {
        // `tests/facts/examples/02_text_stream.sse`: "Tea" has 13, " °C" has 13; a full delta has none.
        assert_eq!(obfuscation_length("Tea"), 13);
        assert_eq!(obfuscation_length(" °C"), 13);
        assert_eq!(obfuscation_length("0123456789abcdef"), 0);
        assert_eq!(obfuscation_length(""), 0);
    }
}
