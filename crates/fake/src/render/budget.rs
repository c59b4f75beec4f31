//! Where an output ends: at `max_output_tokens`, or where a script says (`tests/facts/streaming.md` section 7,
//! Incomplete and Failed).

use std::sync::Arc;

use holdover_profile::Shape;
use holdover_wire::Members as _;
use holdover_wire::item::ItemView;
use holdover_wire::{ApiError, ItemKind, Object};
use serde_json::{Value, json};

use crate::derive::Purpose;
use crate::fake::Job;
use crate::render::item::{Cut, Flow, Output};
use crate::tokens;
use crate::turn::{Reasons, Turn};

/// How a response ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// `completed`
    Completed,
    /// `incomplete`, with its reason.
    Incomplete(String),
    /// `failed`
    Failed(ApiError),
}

/// The items of a response and what they cost.
pub(crate) struct Spent {
    /// Items, of which the last may be cut.
    pub(crate) outputs: Vec<Output>,
    /// Tokens that are not reasoning.
    pub(crate) visible: u64,
    /// Tokens of reasoning.
    pub(crate) reasoning: u64,
    /// How the response ends.
    pub(crate) outcome: Outcome,
}

/// Spends the budget of the request on the items, in order. Nothing is written after the item in which it ends.
pub(crate) fn spend(job: &Job<'_>, turn: &Turn<'_>, outputs: Vec<Output>, scripted: Outcome) -> Spent {
    let limit = turn.request.member("max_output_tokens").and_then(Value::as_u64);
    let mut left = limit.unwrap_or(u64::MAX);
    let mut spent = Spent {
        outputs: Vec::with_capacity(outputs.len()),
        visible: 0,
        reasoning: 0,
        outcome: scripted,
    };
    for output in outputs {
        let price = price(job, turn, spent.reasoning, &output);
        if price > left {
            spent.end_in(output, left);
            return spent;
        }
        left -= price;
        spent.count(&output, price);
        spent.outputs.push(output);
    }
    if let (Outcome::Incomplete(_), Some(last)) = (&spent.outcome, spent.outputs.last_mut()) {
        last.stop();
    }
    spent
}

impl Spent {
    fn count(&mut self, output: &Output, price: u64) {
        if is_reasoning(output) {
            self.reasoning += price;
        } else {
            self.visible += price;
        }
    }

    /// The budget ends in this item. One of which not a token fits is never begun.
    fn end_in(&mut self, mut output: Output, left: u64) {
        self.outcome = Outcome::Incomplete("max_output_tokens".to_owned());
        if left == 0 {
            return;
        }
        self.count(&output, left);
        output.cut_to(left);
        self.outputs.push(output);
    }
}

/// What one item costs. Reasoning has no text here; its size follows the effort.
fn price(job: &Job<'_>, turn: &Turn<'_>, before: u64, output: &Output) -> u64 {
    if !is_reasoning(output) {
        return output.tokens;
    }
    if turn.reasons == Reasons::No {
        return 0;
    }
    let base: u64 = match turn.effort {
        Some("minimal" | "low") => 64,
        Some("high") => 512,
        Some("xhigh" | "max") => 1_024,
        _ => 192,
    };
    match turn.model.shape {
        Shape::Newest if before == 0 => base + job.draw.number(Purpose::Effort) % 64,
        // Older models count in multiples of 64 (`tests/facts/state.md`).
        Shape::Newest | Shape::Older => base,
    }
}

fn is_reasoning(output: &Output) -> bool {
    ItemView::new(&output.bare).kind() == ItemKind::Reasoning
}

impl Output {
    /// Ends the item where it stands. Reasoning has no status.
    fn stop(&mut self) {
        self.cut = Cut::Yes;
        if let Some(status) = Arc::make_mut(&mut self.bare).get_mut("status") {
            *status = "incomplete".into();
        }
    }

    /// Keeps what so many tokens hold, and ends the item.
    fn cut_to(&mut self, left: u64) {
        let mut left = usize::try_from(left).unwrap_or(usize::MAX);
        match self.flow {
            Flow::Summary => cut_parts(Arc::make_mut(&mut self.bare), "summary", &mut left),
            Flow::Content => cut_parts(Arc::make_mut(&mut self.bare), "content", &mut left),
            Flow::Arguments => self.cut_call("arguments", left),
            Flow::Input => self.cut_call("input", left),
            Flow::Compaction | Flow::Hosted(_) | Flow::Whole => {}
        }
        self.tokens = self.tokens.min(left as u64);
        self.stop();
    }

    /// A call writes its name first. What is left of the arguments is no JSON.
    fn cut_call(&mut self, member: &str, left: usize) {
        let name = self.bare.member("name").and_then(Value::as_str).unwrap_or("");
        let left = left.saturating_sub(tokens::count(name) as usize);
        if let Some(Value::String(text)) = Arc::make_mut(&mut self.bare).get_mut(member) {
            text.truncate(tokens::prefix(text, left).len());
        }
    }
}

/// Cuts the texts of parts. What comes after the part in which the budget ends was never written.
fn cut_parts(item: &mut Object, member: &str, left: &mut usize) {
    let Some(Value::Array(parts)) = item.get_mut(member) else {
        return;
    };
    let mut kept = 0;
    for part in parts.iter_mut() {
        if *left == 0 {
            break;
        }
        kept += 1;
        let name = if part.member("refusal").is_some() {
            "refusal"
        } else {
            "text"
        };
        let Some(Value::String(text)) = part.get_mut(name) else {
            continue;
        };
        text.truncate(tokens::prefix(text, *left).len());
        *left = left.saturating_sub(tokens::count(text) as usize);
        let characters = text.chars().count() as u64;
        if let Some(Value::Array(annotations)) = part.get_mut("annotations") {
            annotations.retain(|annotation| {
                let end = annotation.member("end_index").and_then(Value::as_u64);
                end.is_none_or(|end| end <= characters)
            });
        }
    }
    parts.truncate(kept);
    if member == "content" && parts.is_empty() {
        parts.push(json!({"type": "output_text", "annotations": [], "logprobs": [], "text": ""}));
    }
}
