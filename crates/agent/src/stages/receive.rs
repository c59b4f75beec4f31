//! Stage `receive`: the bytes of a body become an answer, or the reason why there is none.

use holdover_wire::item::ItemView;
use holdover_wire::response::ResponseView;
use holdover_wire::sse::Decoder;
use holdover_wire::{Event, Item, ItemKind, Object, Response};
use serde_json::Value;

use crate::config::AgentConfig;
use crate::slip::Slip;
use crate::slips;
use crate::turn::{Received, Refusal};
use crate::wires;

/// A response that ended as a response ends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    /// The final response object.
    pub(crate) response: Response,
    /// Its output items.
    pub(crate) items: Vec<Item>,
    /// The events it came in; none for a JSON document.
    pub(crate) updates: Vec<Event>,
    /// How it ended.
    pub(crate) ending: Ending,
    /// Whether the response brought a reasoning token, whatever the client keeps of it.
    pub(crate) has_protected: bool,
}

/// How a response ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// `completed`
    Completed,
    /// `incomplete`
    Incomplete,
}

/// The error of a response that failed after it had begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// `error.code`
    pub(crate) code: Option<String>,
    /// `error.message`
    pub(crate) message: String,
}

/// What a body was.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// A response.
    Answered(Box<Answer>),
    /// A refusal of the API.
    Refused(Refusal),
    /// A response that failed after it had begun.
    Failed(Failure),
    /// An answer that broke off or could not be read, with the reason.
    Broken(String),
}

/// Reads the answer to a create request, on whatever wire it was asked. A stream without its terminal event is no answer (N15 of
/// `tests/facts/cases/classes.md`): nothing of it may reach the history.
pub(crate) fn answer(received: &Received, config: &AgentConfig) -> Outcome {
    let outcome = match refusal(received) {
        Some(refusal) => Outcome::Refused(refusal),
        None => taken(received, config),
    };
    match outcome {
        Outcome::Answered(answer) if config.has(Slip::StreamTextOnly) => {
            Outcome::Answered(Box::new(slips::stream_text_only::apply(*answer)))
        }
        Outcome::Answered(answer) if config.has(Slip::EventAppendedTwice) => {
            Outcome::Answered(Box::new(slips::event_appended_twice::apply(*answer)))
        }
        Outcome::Answered(answer) if config.has(Slip::IdOfAdded) => {
            Outcome::Answered(Box::new(slips::id_of_added::apply(*answer)))
        }
        outcome => outcome,
    }
}

fn taken(received: &Received, config: &AgentConfig) -> Outcome {
    let updates = is_stream(received).then(|| events([received.body.as_slice()]));
    match (config.elsewhere(), updates) {
        (None, Some(updates)) => streamed(updates),
        (None, None) => document(&received.body),
        (Some(peer), Some(updates)) => wires::answer::streamed(peer, updates),
        (Some(peer), None) => wires::answer::document(peer, &received.body),
    }
}

/// Reads a JSON object that is no response: a conversation, a list, a compaction.
pub(crate) fn object(received: &Received) -> Result<Object, Refusal> {
    if let Some(refusal) = refusal(received) {
        return Err(refusal);
    }
    serde_json::from_slice(&received.body).map_err(|error| Refusal {
        status: 0,
        message: format!("the answer is no JSON object: {error}"),
    })
}

/// The events in the chunks of a body, however it was split.
pub(crate) fn events<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Event> {
    let mut decoder = Decoder::new();
    let frames = chunks.into_iter().flat_map(|chunk| decoder.push(chunk));
    frames.filter_map(|frame| frame.event()).collect()
}

fn refusal(received: &Received) -> Option<Refusal> {
    if received.status < 400 {
        return None;
    }
    let body: Option<Value> = serde_json::from_slice(&received.body).ok();
    let message = body
        .as_ref()
        .and_then(|body| body.get("error")?.get("message")?.as_str());
    Some(Refusal {
        status: received.status,
        message: message.map_or_else(|| format!("status {}", received.status), str::to_owned),
    })
}

fn is_stream(received: &Received) -> bool {
    received
        .header("content-type")
        .is_some_and(|kind| kind.starts_with("text/event-stream"))
}

fn document(body: &[u8]) -> Outcome {
    match serde_json::from_slice::<Object>(body) {
        Ok(object) => finished(Response::new(object), Vec::new()),
        Err(error) => Outcome::Broken(format!("the answer is no JSON object: {error}")),
    }
}

fn streamed(updates: Vec<Event>) -> Outcome {
    if let Some(terminal) = updates.iter().find(|event| event.is_terminal()) {
        let response = terminal
            .response()
            .map(|response| Response::new(response.object().clone()));
        return match response {
            Some(response) => finished(response, updates),
            None => Outcome::Broken("the terminal event has no response".to_owned()),
        };
    }
    match updates.iter().find(|event| event.name() == "error") {
        Some(error) => Outcome::Failed(failure(error.object())),
        None => Outcome::Broken("the stream ended without a terminal event".to_owned()),
    }
}

fn finished(response: Response, updates: Vec<Event>) -> Outcome {
    let ending = match response.view().status() {
        Some("failed") => return Outcome::Failed(failure(response.object())),
        Some("incomplete") => Ending::Incomplete,
        // A response without a status is one of a compatible server; its output is what counts.
        Some("completed") | None => Ending::Completed,
        Some(other) => return Outcome::Broken(format!("the response is `{other}`")),
    };
    let items = output(response.view(), &updates);
    let has_protected = items.iter().any(|item| is_protected(item.view()));
    Outcome::Answered(Box::new(Answer {
        response,
        items,
        updates,
        ending,
        has_protected,
    }))
}

/// The output of the final object; where a server leaves it empty, the items of `output_item.done`. A token that the
/// final object lacks is taken from the item's events, the finished one first (E35).
fn output(response: ResponseView<'_>, updates: &[Event]) -> Vec<Item> {
    let mut output: Vec<Item> = response.output().map(|(_, item)| item.to_item()).collect();
    if output.is_empty() {
        output = items_of(updates, "response.output_item.done").collect();
    }
    for item in &mut output {
        if item.kind() == ItemKind::Reasoning && item.encrypted_content().is_none_or(str::is_empty) {
            take_late_token(item, updates);
        }
    }
    output
}

fn take_late_token(item: &mut Item, updates: &[Event]) {
    let names = ["response.output_item.done", "response.output_item.added"];
    let mut seen = names.iter().flat_map(|name| items_of(updates, name));
    let same = seen.find(|other| {
        item.id().is_some()
            && other.id() == item.id()
            && other.encrypted_content().is_some_and(|token| !token.is_empty())
    });
    if let Some(token) = same.as_ref().and_then(Item::encrypted_content) {
        item.object_mut()
            .insert("encrypted_content".to_owned(), token.into());
    }
}

fn items_of<'a>(updates: &'a [Event], name: &'a str) -> impl Iterator<Item = Item> + 'a {
    let named = updates.iter().filter(move |event| event.name() == name);
    named.filter_map(|event| Some(event.item()?.to_item()))
}

fn is_protected(item: ItemView<'_>) -> bool {
    item.kind() == ItemKind::Reasoning && item.encrypted_content().is_some()
}

/// The error of a failed response or of an `error` event, nested or flat (`tests/facts/streaming.md` section 8).
fn failure(object: &Object) -> Failure {
    let nested = object.get("error").and_then(Value::as_object);
    let text = |name: &str| {
        let value = nested
            .and_then(|error| error.get(name))
            .or_else(|| object.get(name));
        value.and_then(Value::as_str).map(str::to_owned)
    };
    Failure {
        code: text("code"),
        message: text("message").unwrap_or_else(|| "the response failed".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{example, json, sse};

    use super::*;

    fn read(received: &Received) -> Outcome {
        answer(received, &AgentConfig::default())
    }

    #[test]
    fn a_stream_is_its_terminal_object() {
        let Outcome::Answered(answer) = read(&sse(&example("03_reasoning_summary_encrypted_stream.sse")))
        else {
            panic!("no answer");
        };
        let types: Vec<_> = answer.items.iter().map(|item| item.view().type_name()).collect();
        assert_eq!(types, [Some("reasoning"), Some("message")]);
        assert!(answer.has_protected);
        assert_eq!(answer.ending, Ending::Completed);
    }

    #[test]
    fn a_cut_stream_is_no_answer() {
        let text = example("03_reasoning_summary_encrypted_stream.sse");
        let cut = text.split("event: response.completed").next().expect("head");
        let expected = "the stream ended without a terminal event".to_owned();
        assert_eq!(read(&sse(cut)), Outcome::Broken(expected));
    }

    #[test]
    fn an_error_event_is_a_failure() {
        let message = "You exceeded your current quota";
        let Outcome::Failed(Failure { message: text, .. }) = read(&sse(&example("10_error_then_failed.sse")))
        else {
            panic!("no failure");
        };
        assert!(text.starts_with(message), "{text}");
    }

    #[test]
    fn a_refusal_keeps_status_and_message() {
        let mut received =
            json(&serde_json::json!({"error": {"message": "No.", "type": "x", "param": null, "code": null}}));
        received.status = 404;
        let expected = Refusal {
            status: 404,
            message: "No.".to_owned(),
        };
        assert_eq!(read(&received), Outcome::Refused(expected));
    }
}
