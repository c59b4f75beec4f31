//! `reasoning-only`: a turn of reasoning and nothing else.

use holdover_wire::Reply;

use crate::card::{Act, Decides, FaultCard, Group, card};
use crate::edit::reply::reasoning;
use crate::scene::Scene;
use crate::session::Said;

pub(crate) static CARD: FaultCard = FaultCard {
    decides: Decides::Reply,
    ..card(
        Group::Reasoning,
        "reasoning-only",
        "the output is one reasoning item; the response is completed",
        "clients crash on an answer without a message, go on for ever, or send a trailing reasoning item (classes.md N24)",
        Act::say(say),
    )
};

/// What the model was going to say waits for the next call.
pub(super) fn say(_: &mut Scene<'_>, _: Option<&Reply>) -> Said {
    Said::Instead(Reply {
        parts: vec![reasoning()],
    })
}

#[cfg(test)]
mod tests {
    use holdover_wire::{Reply, ReplyPart};

    use crate::session::Said;
    use crate::testing::Scripted;

    #[test]
    fn the_script_waits() {
        let scripted = Reply {
            parts: vec![ReplyPart::Refusal("No.".to_owned())],
        };
        let (said, _) = Scripted::new(&["reasoning-only"]).reply(Some(&scripted));
        let parts = vec![ReplyPart::Reasoning { summary: None }];
        assert_eq!(said, Said::Instead(Reply { parts }));
    }
}
