//! `reasoning-twice`: two reasoning items before one answer.

use holdover_wire::{Reply, ReplyPart};

use crate::card::{Act, Decides, FaultCard, Group, card};
use crate::edit::reply::{or_default, reasoning};
use crate::scene::Scene;
use crate::session::Said;

pub(crate) static CARD: FaultCard = FaultCard {
    decides: Decides::Reply,
    ..card(
        Group::Reasoning,
        "reasoning-twice",
        "two reasoning items in a row before the answer",
        "the service emits it itself; clients that key by turn keep one of the two (errors.md E01d, classes.md N9)",
        Act::say(say),
    )
};

fn say(_: &mut Scene<'_>, scripted: Option<&Reply>) -> Said {
    Said::Changed(doubled(scripted))
}

/// The reply with one more reasoning item before its first.
pub(super) fn doubled(scripted: Option<&Reply>) -> Reply {
    let mut reply = or_default(scripted);
    let first = reply
        .parts
        .iter()
        .position(|part| matches!(part, ReplyPart::Reasoning { .. }));
    match first {
        Some(first) => reply.parts.insert(first, reasoning()),
        None => drop(reply.parts.splice(0..0, [reasoning(), reasoning()])),
    }
    reply
}

#[cfg(test)]
mod tests {
    use holdover_wire::{Reply, ReplyPart};

    use super::*;
    use crate::testing::Scripted;

    fn parts(scripted: Option<&Reply>) -> Vec<ReplyPart> {
        match Scripted::new(&["reasoning-twice"]).reply(scripted).0 {
            Said::Changed(reply) => reply.parts,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_default_reply_has_a_second_one() {
        let message = ReplyPart::Message {
            text: None,
            phase: None,
        };
        assert_eq!(parts(None), [reasoning(), reasoning(), message]);
    }

    #[test]
    fn so_has_a_reply_that_had_none() {
        let no = ReplyPart::Refusal("No.".to_owned());
        let scripted = Reply {
            parts: vec![no.clone()],
        };
        assert_eq!(parts(Some(&scripted)), [reasoning(), reasoning(), no]);
    }
}
