//! Which endpoint an exchange called, as far as the judge cares.

use holdover_wire::recording::{Exchange, Transport};
use holdover_wire::{Members as _, Wire};
use serde_json::Value;

use crate::lineage::Endpoint;

/// What an exchange is to the judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route<'a> {
    /// It makes a response or a compaction.
    Turn(Endpoint),
    /// It reads a response or its items.
    Read(&'a str),
    /// It deletes a response.
    Delete(&'a str),
    /// It lists or adds items elsewhere.
    Items,
    /// A turn on the wire of another provider.
    Foreign(Wire),
    /// Nothing the judge looks at: models, health checks, other APIs.
    Other,
}

impl<'a> Route<'a> {
    /// The route of this exchange.
    pub(crate) fn of(exchange: &'a Exchange) -> Self {
        let request = &exchange.request;
        if exchange.transport == Transport::Ws {
            let kind = request.body.member("type").and_then(Value::as_str);
            return match kind {
                None | Some("response.create") => Self::Turn(Endpoint::Create),
                Some(_) => Self::Other,
            };
        }
        let path = request.path_only();
        match Wire::of_path(path) {
            Some(wire) if wire != Wire::Responses && request.method == "POST" => return Self::Foreign(wire),
            Some(_) | None => {}
        }
        let Some((_, rest)) = path.split_once("/responses") else {
            let is_items = path.contains("/conversations/") && path.ends_with("/items");
            return if is_items { Self::Items } else { Self::Other };
        };
        let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
        match (request.method.as_str(), parts.as_slice()) {
            ("POST", []) => Self::Turn(Endpoint::Create),
            ("POST", ["compact"]) => Self::Turn(Endpoint::Compact),
            ("DELETE", [id]) => Self::Delete(id),
            ("GET", [id] | [id, "input_items"]) | ("POST", [id, "cancel"]) => Self::Read(id),
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn route(method: &str, path: &str) -> String {
        let line = json!({"request": {"method": method, "path": path, "body": {}}});
        let exchange: Exchange = serde_json::from_value(line).expect("an exchange");
        format!("{:?}", Route::of(&exchange))
    }

    #[test]
    fn paths_are_read_with_and_without_a_session() {
        assert_eq!(route("POST", "/v1/responses"), "Turn(Create)");
        assert_eq!(route("POST", "/s/t.1/v1/responses"), "Turn(Create)");
        assert_eq!(route("POST", "/v1/responses/compact"), "Turn(Compact)");
        assert_eq!(
            route("GET", "/v1/responses/resp_1?include[]=x"),
            "Read(\"resp_1\")"
        );
        assert_eq!(route("DELETE", "/v1/responses/resp_1"), "Delete(\"resp_1\")");
        assert_eq!(route("GET", "/v1/conversations/conv_1/items"), "Items");
        assert_eq!(
            route("POST", "/api/v1/chat/completions"),
            "Foreign(ChatCompletions)"
        );
        assert_eq!(route("GET", "/v1/models"), "Other");
    }
}
