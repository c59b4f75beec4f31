//! What the model says, part by part.

use holdover_wire::{Reply, ReplyPart};

/// The script's reply; without one, what the model says by default: it reasons and answers.
pub(crate) fn or_default(scripted: Option<&Reply>) -> Reply {
    match scripted {
        Some(reply) if !reply.parts.is_empty() => reply.clone(),
        Some(_) | None => Reply {
            parts: vec![
                reasoning(),
                ReplyPart::Message {
                    text: None,
                    phase: None,
                },
            ],
        },
    }
}

/// A reasoning item with the default summary.
pub(crate) fn reasoning() -> ReplyPart {
    ReplyPart::Reasoning { summary: None }
}
