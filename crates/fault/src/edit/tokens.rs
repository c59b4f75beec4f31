//! The tokens of reasoning items at the three places where they stand (`tests/facts/streaming.md` section 7).

use holdover_wire::{ItemKind, Plan};
use serde_json::Value;

use super::items::{self, Stage};
use crate::card::Acted;
use crate::scene::Scene;

/// What becomes of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// It stays.
    Kept,
    /// The member is not there.
    Removed,
    /// It is the empty string.
    Empty,
    /// It is null.
    Null,
}

/// Changes the tokens of all items that are meant: reasoning, unless the trigger names another type.
pub(crate) fn change(scene: &Scene<'_>, plan: &mut Plan, token: impl Fn(Stage) -> Token) -> Acted {
    const MEMBER: &str = "encrypted_content";
    let changed = items::change(plan, |stage, item| {
        let view = items::view(item);
        if view.encrypted_content().is_none() || !scene.concerns(view, Some(ItemKind::Reasoning)) {
            return false;
        }
        match token(stage) {
            Token::Kept => false,
            Token::Removed => items::remove(item, MEMBER),
            Token::Empty => items::set(item, MEMBER, "".into()),
            Token::Null => items::set(item, MEMBER, Value::Null),
        }
    });
    Acted::when(changed)
}
