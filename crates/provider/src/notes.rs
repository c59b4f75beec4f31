//! What an answer says about its request: blocks that were dropped, turns that were cleared, an answer that is declined.

use holdover_profile::provider::engine::Carried;
use holdover_profile::provider::{Display, Endpoint, Outcome};
use holdover_wire::Object;
use holdover_wire::neutral::{History, Part};
use serde_json::{Value, json};

use crate::clear::{self, Cleared};

/// Beta with which an answer says what became of blocks (`tests/facts/providers.md` section 1.4).
const BETA: &str = "thinking-binding-controls-2026-08-01";
/// Code of a silent violation: the answer is declined, and its type says why.
const DECLINED: &str = "refusal";

/// What an answer says about its request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// What became of blocks; `None` where the request does not want to know.
    pub transformations: Option<Vec<Value>>,
    /// What `clear_thinking` took away; `None` where the request has no such edit.
    pub cleared: Option<Cleared>,
    /// Why the answer is declined.
    pub declined: Option<String>,
    /// Whether the text of thinking is shown.
    pub display: Display,
    /// Whether the request wants a summary, and nothing else.
    pub wants: Wants,
}

/// What a request wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wants {
    /// That the model goes on.
    #[default]
    Answer,
    /// A summary of its messages, which stands for them later.
    Summary,
}

impl Notes {
    /// Of a request that is not refused. What is cleared is shown no longer.
    pub(crate) fn new(
        endpoint: &Endpoint,
        body: &Object,
        betas: &[String],
        outcome: &Outcome<'_>,
        (history, shown): (&History, &mut Vec<&Carried<'_>>),
        tokens: &dyn Fn(&Part) -> u64,
    ) -> Self {
        let cleared = clear::kept_turns(body, betas).map(|kept| {
            let (first, turns) = clear::first_kept(history, shown, kept);
            let gone = shown.iter().filter(|carried| carried.message < first);
            let tokens = gone.map(|carried| tokens(carried.part)).sum();
            shown.retain(|carried| carried.message >= first);
            Cleared { turns, tokens }
        });
        let asks = betas.iter().any(|beta| beta == BETA);
        Self {
            transformations: asks.then(|| transformations(outcome)),
            cleared,
            declined: declined(outcome),
            display: display(endpoint, body),
            wants: match &endpoint.speech.compacts {
                Some(condition) if condition.holds_for(body) => Wants::Summary,
                Some(_) | None => Wants::Answer,
            },
        }
    }

    /// `context_management` of the answer.
    pub(crate) fn context_management(&self) -> Option<Value> {
        let cleared = self.cleared?;
        let edit = json!({
            "type": clear::EDIT,
            "cleared_thinking_turns": cleared.turns,
            "cleared_input_tokens": cleared.tokens,
        });
        let edits = if cleared.turns == 0 {
            json!([])
        } else {
            json!([edit])
        };
        Some(json!({"applied_edits": edits}))
    }
}

fn transformations(outcome: &Outcome<'_>) -> Vec<Value> {
    let transformed = outcome.carried.iter().filter_map(|carried| {
        let how = carried.rule?.transformation.as_ref()?;
        let path = format!("messages.{}.content.{}", carried.message, carried.at);
        Some(json!({"type": how.kind.as_str(), "path": path, "reason": how.reason}))
    });
    transformed.collect()
}

fn declined(outcome: &Outcome<'_>) -> Option<String> {
    let mut silent = outcome
        .breaches
        .iter()
        .filter_map(|breach| breach.rule.violation.as_ref());
    let how = silent.find(|how| how.status == 200 && how.code.as_deref() == Some(DECLINED))?;
    how.kind.clone()
}

fn display(endpoint: &Endpoint, body: &Object) -> Display {
    let asked = body.get("thinking").and_then(|thinking| thinking.get("display"));
    match asked.and_then(Value::as_str) {
        Some("summarized") => Display::Summarized,
        Some("omitted") => Display::Omitted,
        _ => endpoint.speech.display,
    }
}
