//! What the requests of a recording brought, in words: item types in order, with what each had; on the wires of other
//! providers the parts of each message.

use holdover_wire::item::ItemView;
use holdover_wire::neutral::{History, Message, Part, PartKind, Role};
use holdover_wire::recording::{Exchange, Transport};
use holdover_wire::request::CreateRequest;
use holdover_wire::{Recording, Wire};

/// One text for each create: `user reasoning+id+token message+id+phase user`, or on another wire
/// `user thinking-block+signature text user`.
pub fn carried(recording: &Recording) -> Vec<String> {
    recording.exchanges.iter().filter_map(sent).collect()
}

fn sent(exchange: &Exchange) -> Option<String> {
    let request = &exchange.request;
    let asks = request.method == "POST" || exchange.transport == Transport::Ws;
    let path = request.path_only();
    if path.trim_end_matches('/').ends_with("/responses") {
        return request.create().filter(|_| asks).map(input);
    }
    let wire = Wire::of_path(path).filter(|_| asks)?;
    let history = History::read(wire, path, request.body.as_object()?)?;
    let words: Vec<String> = history.messages.iter().flat_map(message).collect();
    Some(words.join(" "))
}

/// A message on the wire of another provider: its parts, if the assistant wrote it.
fn message(message: &Message) -> Vec<String> {
    let word = match (&message.turn, message.role) {
        (Some(turn), _) => return turn.parts.iter().map(part).collect(),
        (None, Role::System) => "system",
        (None, Role::User) => "user",
        (None, Role::Tool) => return vec!["tool-output".to_owned(); message.answers.len().max(1)],
        (None, Role::Assistant) => "assistant",
    };
    vec![word.to_owned()]
}

/// A part; reasoning by the name that its carrier has in data files.
fn part(part: &Part) -> String {
    let mut word = match &part.kind {
        PartKind::Text => "text".to_owned(),
        PartKind::Call(_) => "tool-call".to_owned(),
        PartKind::Other => "other".to_owned(),
        PartKind::Reasoning(carrier) => carrier.as_str().to_owned(),
    };
    if part.signature.as_ref().is_some_and(|text| !text.is_empty()) {
        word.push_str("+signature");
    }
    word
}

/// The refusals of a recording in order: `400 invalid_encrypted_content`.
pub fn refusals(recording: &Recording) -> Vec<String> {
    let answered = recording.exchanges.iter().filter_map(|exchange| {
        let response = exchange.response.as_ref()?;
        Some((response.status, response.error()))
    });
    let refused = answered.filter(|(status, error)| *status >= 400 || error.is_some());
    refused
        .map(|(status, error)| {
            let word = |name: &str| {
                error
                    .and_then(|error| error.get(name))
                    .and_then(|value| value.as_str())
            };
            let word = word("code")
                .or_else(|| word("type"))
                .or_else(|| word("status"))
                .unwrap_or("without a reason");
            format!("{status} {word}")
        })
        .collect()
}

fn input(request: CreateRequest<'_>) -> String {
    let mut words = Vec::new();
    words.extend(
        request
            .previous_response_id()
            .map(|_| "previous_response_id".to_owned()),
    );
    words.extend(request.conversation().map(|_| "conversation".to_owned()));
    words.extend(request.input_text().map(|_| "user".to_owned()));
    words.extend(request.items().map(|(_, item)| word(item)));
    words.join(" ")
}

fn word(item: ItemView<'_>) -> String {
    let kind = match (item.type_name(), item.role()) {
        (None | Some("message"), Some(role)) if role != "assistant" => role,
        // An assistant's message without a type was written by the client.
        (None, Some(role)) => role,
        (Some(name), _) => name,
        (None, None) => "item_reference",
    };
    let mut word = kind.to_owned();
    let has = |name: &str| {
        item.object()
            .get(name)
            .and_then(|value| value.as_str())
            .is_some_and(|text| !text.is_empty())
    };
    let marks = [
        ("id", "+id"),
        ("encrypted_content", "+token"),
        ("phase", "+phase"),
    ];
    for (_, mark) in marks.iter().filter(|(member, _)| has(member)) {
        word.push_str(mark);
    }
    word
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Shapes of `tests/facts/providers.md` sections 1.1, 2.1 and 3.1.
    #[test]
    fn a_message_of_another_wire_is_its_parts() {
        let said = |path: &str, body: serde_json::Value| {
            let line = json!({"request": {"method": "POST", "path": path, "body": body}});
            sent(&serde_json::from_value(line).unwrap())
        };
        let messages = json!({"system": "Be brief.", "messages": [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "", "signature": "s"},
                {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "42"}]}]});
        let words = "system user thinking-block+signature tool-call tool-output";
        assert_eq!(said("/s/t/v1/messages", messages).as_deref(), Some(words));
        let messages = json!({"messages": [{"role": "user", "content": "a"},
            {"role": "assistant", "content": "b", "reasoning_content": "c"}, {"role": "user", "content": "d"}]});
        // Members have no order: reasoning comes first, then text, then calls.
        let words = "user reasoning-content text user";
        assert_eq!(said("/v1/chat/completions", messages).as_deref(), Some(words));
        let contents = json!({"contents": [{"role": "user", "parts": [{"text": "a"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "s"}]}]});
        let words = "user tool-call+signature";
        assert_eq!(
            said("/v1beta/models/gemini-3-pro:generateContent", contents).as_deref(),
            Some(words)
        );
        assert_eq!(said("/v1/models", json!({})), None);
    }

    #[test]
    fn an_item_is_its_type_with_what_it_has() {
        let said = |value: serde_json::Value| {
            let object = value.as_object().unwrap().clone();
            word(ItemView::new(&object))
        };
        assert_eq!(said(json!({"role": "user", "content": "a"})), "user");
        assert_eq!(
            said(json!({"type": "message", "role": "developer", "content": "a"})),
            "developer"
        );
        assert_eq!(said(json!({"role": "assistant", "content": "a"})), "assistant");
        assert_eq!(
            said(json!({"type": "message", "role": "assistant", "id": "msg_1", "phase": "final_answer"})),
            "message+id+phase"
        );
        assert_eq!(
            said(json!({"type": "reasoning", "id": "", "encrypted_content": "gAAAAAB"})),
            "reasoning+token"
        );
        assert_eq!(said(json!({"id": "rs_1"})), "item_reference+id");
    }
}
