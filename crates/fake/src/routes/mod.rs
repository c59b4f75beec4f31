//! One file for each family of endpoints; here is only the choice among them.

pub(crate) mod background;
pub(crate) mod compact;
pub(crate) mod conversations;
pub(crate) mod create;
pub(crate) mod input;
pub(crate) mod list;
pub(crate) mod models;
pub(crate) mod provider;
pub(crate) mod retrieve;
pub(crate) mod stubs;

use holdover_wire::Method::{Delete, Get, Post};
use holdover_wire::{ApiError, Call, Wire};

use crate::refusal;

/// Which endpoint a call means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// `POST /responses`
    Create,
    /// `GET /responses/{id}`
    Retrieve(String),
    /// `DELETE /responses/{id}`
    Delete(String),
    /// `GET /responses/{id}/input_items`
    InputItems(String),
    /// `POST /responses/{id}/cancel`
    Cancel(String),
    /// `POST /responses/compact`
    Compact,
    /// `POST /responses/input_tokens`
    InputTokens,
    /// `POST /conversations`
    ConversationCreate,
    /// `GET /conversations/{id}`
    Conversation(String),
    /// `POST /conversations/{id}`
    ConversationUpdate(String),
    /// `DELETE /conversations/{id}`
    ConversationDelete(String),
    /// `GET /conversations/{id}/items`
    Items(String),
    /// `POST /conversations/{id}/items`
    ItemsCreate(String),
    /// `GET /conversations/{id}/items/{item_id}`
    Item(String, String),
    /// `DELETE /conversations/{id}/items/{item_id}`
    ItemDelete(String, String),
    /// `GET /models`
    Models,
    /// `GET /models/{id}`
    Model(String),
    /// `POST /embeddings`
    Embeddings,
    /// `POST /moderations`
    Moderations,
    /// A turn on the wire of another provider.
    Provider(Wire),
}

/// The endpoint of a call, or the refusal of a path or method that there is not (`tests/facts/endpoints.md`, Errors).
pub(crate) fn route(call: &Call) -> Result<Route, ApiError> {
    let wire = Wire::of_path(&call.path).filter(|wire| holdover_provider::serves(*wire));
    if let (Post, Some(wire)) = (call.method, wire) {
        return Ok(Route::Provider(wire));
    }
    let Some(path) = call.path.strip_prefix("/v1/") else {
        return Err(refusal::unknown_path(call.method, &call.path));
    };
    let segments: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    if let Some(base) = doubled(&call.path) {
        return Err(refusal::doubled_path(call.method, &call.path, base));
    }
    let own = |text: &str| text.to_owned();
    let route = match (call.method, segments.as_slice()) {
        (Post, ["responses"]) => Route::Create,
        (Post, ["responses", "compact"]) => Route::Compact,
        (Post, ["responses", "input_tokens"]) => Route::InputTokens,
        (Get, ["responses", id]) => Route::Retrieve(own(id)),
        (Delete, ["responses", id]) => Route::Delete(own(id)),
        (Get, ["responses", id, "input_items"]) => Route::InputItems(own(id)),
        (Post, ["responses", id, "cancel"]) => Route::Cancel(own(id)),
        (Post, ["conversations"]) => Route::ConversationCreate,
        (Get, ["conversations", id]) => Route::Conversation(own(id)),
        (Post, ["conversations", id]) => Route::ConversationUpdate(own(id)),
        (Delete, ["conversations", id]) => Route::ConversationDelete(own(id)),
        (Get, ["conversations", id, "items"]) => Route::Items(own(id)),
        (Post, ["conversations", id, "items"]) => Route::ItemsCreate(own(id)),
        (Get, ["conversations", id, "items", item]) => Route::Item(own(id), own(item)),
        (Delete, ["conversations", id, "items", item]) => Route::ItemDelete(own(id), own(item)),
        (Get, ["models"]) => Route::Models,
        (Get, ["models", id]) => Route::Model(own(id)),
        (Post, ["embeddings"]) => Route::Embeddings,
        (Post, ["moderations"]) => Route::Moderations,
        (method, segments) if is_known(segments) => return Err(refusal::wrong_method(method, &call.path)),
        (method, _) => return Err(refusal::unknown_path(method, &call.path)),
    };
    Ok(route)
}

/// Whether some method has this path.
fn is_known(segments: &[&str]) -> bool {
    matches!(
        segments,
        ["responses" | "conversations" | "models" | "embeddings" | "moderations"]
            | ["responses" | "conversations" | "models", _]
            | ["responses", _, "input_items" | "cancel"]
            | ["conversations", _, "items"]
            | ["conversations", _, "items", _]
    )
}

/// The base URL that a client should have been given, when its own holds `/v1` or `/responses` twice.
fn doubled(path: &str) -> Option<&'static str> {
    let twice = path.starts_with("/v1/v1/") || path.starts_with("/v1/responses/responses");
    (twice || path.starts_with("/v1/responses/v1/")).then_some("/v1")
}

#[cfg(test)]
mod tests {
    use holdover_wire::Method;

    use super::*;

    fn refused(method: Method, path: &str) -> (u16, String) {
        let call = Call {
            method,
            ..Call::get(path)
        };
        let error = route(&call).expect_err("no such route");
        (error.status, error.message)
    }

    #[test]
    fn unknown_paths_and_methods_have_the_bodies_of_the_facts() {
        assert_eq!(
            refused(Get, "/v1/foo"),
            (404, "Invalid URL (GET /v1/foo)".to_owned())
        );
        let text =
            "Not allowed to GET on /v1/responses. (HINT: Perhaps you meant to use a different HTTP method?)";
        assert_eq!(refused(Get, "/v1/responses"), (405, text.to_owned()));
    }

    #[test]
    fn a_doubled_path_names_the_right_base_url() {
        for path in ["/v1/responses/responses", "/v1/v1/responses"] {
            let (status, message) = refused(Post, path);
            assert_eq!(status, 404);
            assert!(message.contains("base URL"), "{message}");
        }
    }

    #[test]
    fn ids_are_taken_from_paths() {
        assert_eq!(
            route(&Call::get("/v1/responses/resp_1")),
            Ok(Route::Retrieve("resp_1".to_owned()))
        );
        assert_eq!(
            route(&Call::get("/v1/conversations/conv_1/items/msg_1")),
            Ok(Route::Item("conv_1".to_owned(), "msg_1".to_owned()))
        );
    }
}
