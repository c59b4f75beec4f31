//! What a session remembers for its faults: how far it is, and what was issued when.

use std::collections::BTreeMap;

use holdover_wire::{Event, Object, Plan, PlanBody};
use serde_json::Value;

/// A hash that stands for a long text: a token, a body, a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark(u128);

impl Mark {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut head = [0; 16];
        head.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
        Self(u128::from_le_bytes(head))
    }
}

/// What a session remembers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    /// Create calls so far.
    pub(crate) calls: u64,
    /// Create calls whose answer arrived whole.
    pub(crate) answered: u64,
    /// The key of the last call.
    pub(crate) key: Option<Mark>,
    /// Ids and tokens, with the create call after which they were first issued.
    issued: BTreeMap<Mark, u64>,
}

impl Memory {
    /// The create call that issued an id or a token; `None` for what was not issued here.
    pub(crate) fn issued_at(&self, text: &str) -> Option<u64> {
        self.issued.get(&Mark::of(text.as_bytes())).copied()
    }

    /// Remembers what a plan issues.
    pub(crate) fn learn(&mut self, plan: &Plan) {
        match &plan.body {
            PlanBody::Json(body) => body
                .as_object()
                .into_iter()
                .for_each(|body| self.learn_object(body)),
            PlanBody::Nothing => {}
            PlanBody::Stream(steps) => steps
                .iter()
                .filter_map(|step| step.event())
                .for_each(|event| self.learn_event(event)),
        }
    }

    fn learn_event(&mut self, event: &Event) {
        let members = ["item", "response"]
            .into_iter()
            .filter_map(|name| event.object().get(name));
        members
            .filter_map(Value::as_object)
            .for_each(|object| self.learn_object(object));
    }

    /// An item, a response or a conversation.
    fn learn_object(&mut self, object: &Object) {
        for name in ["id", "encrypted_content"] {
            if let Some(text) = object.get(name).and_then(Value::as_str) {
                let now = self.calls;
                self.issued.entry(Mark::of(text.as_bytes())).or_insert(now);
            }
        }
        if let Some(conversation) = object.get("conversation").and_then(Value::as_object) {
            self.learn_object(conversation);
        }
        let output = object.get("output").and_then(Value::as_array);
        output
            .into_iter()
            .flatten()
            .filter_map(Value::as_object)
            .for_each(|item| self.learn_object(item));
    }
}
