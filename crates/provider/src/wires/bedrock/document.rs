//! Envelope, usage, and the choice between a document and a stream.

use holdover_wire::Plan;
use holdover_wire::neutral::Delivery;
use serde_json::{Value, json};

use super::{content, stream};
use crate::ask::Ask;
use crate::said::{Finish, Said};
use crate::wires::Pen;
use crate::wires::messages::content::Content;

/// The answer.
pub(crate) fn answer(ask: &Ask, said: &Said, pen: &Pen<'_>) -> Plan {
    let written = Content::new(ask, said, pen, "");
    let blocks: Vec<Value> = written.blocks.iter().map(content::block).collect();
    let stop = match said.finish {
        Finish::Length => "max_tokens",
        Finish::Done if said.calls() => "tool_use",
        Finish::Done => "end_turn",
    };
    let texts: u64 = ask.billed.iter().map(|text| (pen.count)(text)).sum();
    let input = texts + ask.billed_unseen;
    let usage = json!({
        "inputTokens": input,
        "outputTokens": written.tokens,
        "totalTokens": input + written.tokens,
        "cacheReadInputTokens": 0,
        "cacheWriteInputTokens": 0,
    });
    // No clock is looked at: an answer takes as long as it has tokens.
    let metrics = json!({"latencyMs": written.tokens});
    if ask.history.delivery == Delivery::Stream {
        return stream::stream(&blocks, stop, &usage, &metrics);
    }
    let message = json!({"role": "assistant", "content": blocks});
    let body =
        json!({"output": {"message": message}, "stopReason": stop, "usage": usage, "metrics": metrics});
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    Plan::json(200, headers, body)
}
