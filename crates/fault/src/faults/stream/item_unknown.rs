//! `item-unknown`: an output item of a type that nobody knows.

use holdover_wire::{Item, Object, Reply, ReplyPart};

use crate::card::{Act, FaultCard, Group, card};
use crate::edit::reply::or_default;
use crate::options::{OptionDefault, text};
use crate::scene::Scene;
use crate::session::Said;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[text(
        "type",
        OptionDefault::Text("future_call"),
        "type of the item",
    )],
    ..card(
        Group::Stream,
        "item-unknown",
        "an output item of an unknown type stands before the answer",
        "the API gains item types; they must be kept or fail safely, never dropped (M5, classes.md N26)",
        Act::say(say),
    )
};

fn say(scene: &mut Scene<'_>, scripted: Option<&Reply>) -> Said {
    let mut reply = or_default(scripted);
    let members = [("type", scene.word("type")), ("note", "planted")];
    let item: Object = members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect();
    let at = reply
        .parts
        .iter()
        .position(|part| !matches!(part, ReplyPart::Reasoning { .. }))
        .unwrap_or(reply.parts.len());
    reply.parts.insert(at, ReplyPart::Item(Item::new(item)));
    Said::Changed(reply)
}

#[cfg(test)]
mod tests {
    use holdover_wire::{Reply, ReplyPart};

    use crate::session::Said;
    use crate::testing::Scripted;

    #[test]
    fn the_item_stands_after_the_reasoning() {
        let scripted = Reply {
            parts: vec![
                ReplyPart::Reasoning { summary: None },
                ReplyPart::Refusal("No.".to_owned()),
            ],
        };
        let (said, _) = Scripted::new(&["item-unknown:type=x_call"]).reply(Some(&scripted));
        let Said::Changed(reply) = said else {
            panic!("{said:?}");
        };
        let ReplyPart::Item(item) = &reply.parts[1] else {
            panic!("{reply:?}");
        };
        assert_eq!(item.view().type_name(), Some("x_call"));
        assert_eq!(reply.parts[0], scripted.parts[0]);
        assert_eq!(reply.parts[2], scripted.parts[1]);
    }
}
