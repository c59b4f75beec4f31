//! What the requests of a recording brought, in words: item types in order, with what each had.

use holdover_wire::Recording;
use holdover_wire::item::ItemView;
use holdover_wire::recording::{Exchange, Transport};
use holdover_wire::request::CreateRequest;

/// One text for each create: `user reasoning+id+token message+id+phase user`.
pub fn carried(recording: &Recording) -> Vec<String> {
    creates(recording).map(|(_, request)| input(request)).collect()
}

/// The creates of a recording.
pub fn creates(recording: &Recording) -> impl Iterator<Item = (&Exchange, CreateRequest<'_>)> {
    recording.exchanges.iter().filter_map(|exchange| {
        let request = &exchange.request;
        let asks = request.method == "POST" || exchange.transport == Transport::Ws;
        let here = request.path_only().trim_end_matches('/').ends_with("/responses");
        (asks && here)
            .then(|| Some((exchange, request.create()?)))
            .flatten()
    })
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
