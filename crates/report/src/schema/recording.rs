//! Schema of one line of a recording.

use serde_json::{Value, json};

use super::{count, member, one_of};

/// The schema. A recording is a file of JSON lines: the header first, then an exchange a line.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Line of a Holdover recording",
        "description": "JSON lines: the header first, then one exchange a line. A reader needs no more of an exchange than `request.body` and `response.body` or `response.events`.",
        "oneOf": [{"$ref": "#/$defs/header"}, {"$ref": "#/$defs/exchange"}],
        "$defs": {
            "header": header(),
            "exchange": exchange(),
            "request": request(),
            "response": response(),
        },
    })
}

fn header() -> Value {
    let text = json!("string");
    json!({
        "type": "object",
        "required": ["recording"],
        "properties": {
            "recording": {"const": holdover_wire::recording::FORMAT, "description": "Name and version of the format."},
            "seed": count("Seed of the run."),
            "profile": member(&text, "Profile of the server."),
            "session": member(&text, "Session."),
        },
    })
}

fn exchange() -> Value {
    json!({
        "type": "object",
        "required": ["request"],
        "not": {"required": ["recording"]},
        "properties": {
            "exchange": count("Number within the session, from 1; 0 or absent: by its place in the file."),
            "transport": one_of(&["json", "sse", "ws"], "One JSON document, server-sent events, or frames of a WebSocket."),
            "at_ms": count("Virtual milliseconds since the first exchange; real ones under `--clock wall`."),
            "request": {"$ref": "#/$defs/request"},
            "response": {"anyOf": [{"$ref": "#/$defs/response"}, {"type": "null"}]},
        },
    })
}

fn request() -> Value {
    let text = json!("string");
    json!({
        "type": "object",
        "properties": {
            "method": member(&text, "`POST` when absent."),
            "path": member(&text, "Path with its query; `/v1/responses` when absent."),
            "headers": {"type": "object", "description": "Headers of an allow-list, names in lower case; never a credential."},
            "body": {"description": "Parsed body; null where there was none, a string where it was no JSON."},
        },
    })
}

fn response() -> Value {
    json!({
        "type": "object",
        "properties": {
            "status": {"type": "integer", "minimum": 0, "maximum": 599, "description": "HTTP status; 200 when absent, 0 where not even a status line was sent."},
            "headers": {"type": "object", "description": "Headers, names in lower case."},
            "body": {"description": "Parsed JSON body; null for a stream."},
            "events": {"type": ["array", "null"], "items": {"type": "object"}, "description": "Events of a stream, as far as they left; null for a JSON answer."},
            "end": one_of(&["complete", "cut", "half-close", "reset", "timeout", "client-gone"], "How the answer ended."),
        },
    })
}
