//! `content-type`: the header says something else.

use holdover_wire::Plan;

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::options::{OptionDefault, text};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[text(
        "to",
        OptionDefault::Text("application/json"),
        "what the header says",
    )],
    decides: Decides::ContentType,
    ..card(
        Group::Stream,
        "content-type",
        "`content-type` does not fit what comes",
        "a gateway sets its own header: clients that choose their parser by it read a stream as one document",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let to = scene.word("to");
    let changed = plan.header("content-type") != Some(to);
    plan.headers.retain(|(name, _)| name != "content-type");
    plan.headers.insert(0, ("content-type".to_owned(), to.to_owned()));
    Acted::when(changed)
}

#[cfg(test)]
mod tests {
    use crate::testing::{changes, document, play, stream};

    #[test]
    fn only_the_header_changes() {
        assert_eq!(
            changes(&["content-type"], stream()),
            [
                "- 200 content-type=text/event-stream; charset=utf-8",
                "+ 200 content-type=application/json"
            ]
        );
        assert_eq!(play(&["content-type"], document()), document());
    }
}
