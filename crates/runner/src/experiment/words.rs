//! What the user says, and how an answer shows whether the model knows what it thought.
//!
//! Our own fake puts a nonce into each piece of reasoning, and names it where it is asked `holdover:recall`. A real model
//! is asked to think of a number and to keep it to itself: where the number of its reasoning comes back in a later answer,
//! and no visible text had it, the reasoning was read.

use holdover_wire::neutral::AssistantTurn;

use crate::experiment::task::{Line, Task};

const THINK: &str = "Think of a random number of six digits and keep it to your thoughts: do not write it into any answer yet. ";
const TELL: &str = "which number did you think of? Answer with one line: number=<the number, or unknown>.";

/// What our own fake is told.
pub(crate) fn for_fake(line: Line) -> &'static str {
    match line {
        Line::Write => "Write a line.",
        Line::Edit => "Edit it.",
        Line::LookUp => "Look it up.",
        Line::Probe => "holdover:recall",
    }
}

/// What a real model is told.
pub(crate) fn for_model(task: Task, line: Line, is_first: bool) -> String {
    let think = if is_first { THINK } else { "" };
    match line {
        Line::Write => format!("{think}Write one line about the sea."),
        Line::Edit => "Make the line shorter. Answer with the line only.".to_owned(),
        Line::LookUp => format!("{think}Call the tool `lookup` once, and tell me what it said."),
        Line::Probe if is_first => format!("{think}{} {TELL_AFTER_CALLS}", calls(task)),
        Line::Probe => format!("Now, {TELL}"),
    }
}

const TELL_AFTER_CALLS: &str = "Then answer with one line: number=<the number you thought of, or unknown>, and after it \
     `; NAME=<what it said last>` for each tool that you called.";

/// The calls that a task wants.
fn calls(task: Task) -> &'static str {
    match task {
        Task::SequentialCalls => "Call the tool `lookup`, and when you have its answer the tool `fetch`.",
        Task::ParallelCalls => "Call the tools `lookup` and `fetch`, both at once.",
        Task::RetryAfterFailure => "Call the tool `lookup`; where it fails, call it once more.",
        Task::MultiTurnEdit | Task::QuestionAfterTools | Task::AfterCompaction | Task::ProviderSwitch => "",
    }
}

/// The tools.
pub(crate) const TOOLS: [&str; 2] = ["lookup", "fetch"];

/// What a tool of this name says.
pub(crate) fn output(tool: &str) -> &'static str {
    if tool == "fetch" { "17" } else { "42" }
}

/// What is known of a model's thoughts and of what it said.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard {
    /// Numbers of its reasoning, but for the last answer's.
    thought: Vec<String>,
    /// Numbers of its visible text, but for the last answer's.
    said: Vec<String>,
    /// Those of the last answer.
    last: Option<AssistantTurn>,
}

impl Heard {
    /// Takes in the next answer.
    pub(crate) fn hear(&mut self, turn: AssistantTurn) {
        if let Some(turn) = self.last.replace(turn) {
            let thoughts = turn.parts.iter().filter(|part| part.carrier().is_some());
            self.thought.extend(thoughts.flat_map(|part| numbers(&part.text)));
            self.said.extend(numbers(&turn.text()));
        }
    }

    /// Whether the last answer names a number of earlier reasoning, which nothing visible had; `None` where none can be
    /// read.
    pub(crate) fn recalls(&self) -> Option<bool> {
        let text = self.last.as_ref()?.text();
        let secret: Vec<&String> = self
            .thought
            .iter()
            .filter(|number| !self.said.contains(number))
            .collect();
        if secret.is_empty() {
            return None;
        }
        Some(numbers(&text).any(|number| secret.contains(&&number)))
    }

    /// Whether the last answer gives a tool what another one said; `None` where it names no tool.
    pub(crate) fn confuses(&self) -> Option<bool> {
        let text = self.last.as_ref()?.text().replace(' ', "");
        let told = TOOLS.iter().filter_map(|tool| {
            let (_, told) = text.rsplit_once(&format!("{tool}="))?;
            let end = told.find(|letter: char| !letter.is_ascii_digit());
            Some((*tool, &told[..end.unwrap_or(told.len())]))
        });
        let of_another =
            |tool: &str, told: &str| TOOLS.iter().any(|other| *other != tool && output(other) == told);
        let confused: Vec<bool> = told.map(|(tool, told)| of_another(tool, told)).collect();
        (!confused.is_empty()).then(|| confused.contains(&true))
    }
}

/// The numbers of six digits in a text.
fn numbers(text: &str) -> impl Iterator<Item = String> {
    let runs = text.split(|letter: char| !letter.is_ascii_digit());
    runs.filter(|run| run.len() == 6).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use holdover_wire::neutral::chat;
    use serde_json::json;

    use super::*;

    fn heard(answers: &[(&str, &str)]) -> Heard {
        let mut heard = Heard::default();
        for (reasoning, text) in answers {
            let message = json!({"role": "assistant", "content": text, "reasoning_content": reasoning});
            heard.hear(chat::assistant(message.as_object().expect("an object")));
        }
        heard
    }

    #[test]
    fn a_number_of_earlier_reasoning_proves_that_it_was_read() {
        let known = heard(&[("I take 480215.", "OK."), ("It was 480215.", "number=480215")]);
        assert_eq!(known.recalls(), Some(true));
        let made_up = heard(&[("I take 480215.", "OK."), ("", "number=111111")]);
        assert_eq!(made_up.recalls(), Some(false));
    }

    #[test]
    fn what_was_visible_or_cannot_be_read_proves_nothing() {
        let blurted = heard(&[("I take 480215.", "It is 480215."), ("", "number=480215")]);
        assert_eq!(blurted.recalls(), None);
        assert_eq!(heard(&[("", "OK."), ("480215", "number=480215")]).recalls(), None);
    }

    #[test]
    fn outputs_belong_to_their_tools() {
        let said = |text| heard(&[("", text)]).confuses();
        assert_eq!(said("number=unknown; lookup=42; fetch=17"), Some(false));
        assert_eq!(said("number=unknown; lookup=17; fetch=42"), Some(true));
        assert_eq!(said("lookup=error: the tool timed out"), Some(false));
        assert_eq!(said("number=unknown"), None);
    }
}
