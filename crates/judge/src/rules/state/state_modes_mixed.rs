//! `state-modes-mixed`: two ways of keeping state in one conversation.

use holdover_wire::recording::Transport;

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::lineage::{Endpoint, Mode, Node, Refusal};
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "state-modes-mixed", class: State, severity: Error,
    summary: "one conversation uses more than one state mode",
    what: "The request has both `previous_response_id` and `conversation`; or an anchor together with items that were issued after it; or the conversation changes its mode in the middle.",
    why: "Both anchors at once are refused (E17). The others leave it to chance what the model remembers: part is on the server, part is in the client.",
    fix: "choose one mode for the application: `previous_response_id`, `conversation`, or replay under `store: false`",
    clients: {
        AgentsPython: "a session, `previous_response_id` and `conversation_id` exclude one another: use one of them",
        Meai: "a non-null `ConversationId` switches to server state: set `StoredOutputEnabled = false` for replay",
    },
}

/// More than one way of keeping state.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    let found = both(turn)
        .or_else(|| newer_items(turn))
        .or_else(|| switched(turn));
    found.into_iter().collect()
}

fn both(turn: &Turn<'_>) -> Option<Draft> {
    if turn.mode != Mode::BothAnchors {
        return None;
    }
    let message =
        "the request has `previous_response_id` and `conversation`; the API takes one of them (E17)";
    let draft = Draft::of(&RULE, message).at("/conversation").once(Once::Lineage);
    Some(draft.sent("both anchors").expected("one anchor"))
}

/// Items that were issued after the anchor: part of the history is here, part is there.
fn newer_items(turn: &Turn<'_>) -> Option<Draft> {
    let anchor = turn.link.parent.filter(|_| turn.mode.is_server_side())?;
    let lineage = turn.world.lineages.node(anchor).lineage;
    let newer = turn.input.iter().find(|sent| {
        let found = sent.found.filter(|found| found.how.is_strong());
        let node = found.map(|found| turn.world.ledger.item(found.item).node);
        node.is_some_and(|node| node > anchor && turn.world.lineages.node(node).lineage == lineage)
    })?;
    let message = format!(
        "the anchor is exchange {}, and the input holds items that were issued after it; what the model remembers is left to chance",
        turn.world.lineages.node(anchor).exchange
    );
    let draft = Draft::of(&RULE, message).at(newer.pointer()).once(Once::Lineage);
    Some(
        draft
            .sent("an old anchor and newer items")
            .expected("the newest anchor and what is new"),
    )
}

fn switched(turn: &Turn<'_>) -> Option<Draft> {
    let parent = turn.parent()?;
    let lost_anchor = |node: &Node| node.refused_after.iter().any(Refusal::is_about_anchor);
    let recovered = lost_anchor(parent);
    let is_exempt = turn.exchange.transport == Transport::Ws
        || parent.transport == Transport::Ws
        || parent.endpoint == Endpoint::Compact
        || turn.endpoint == Endpoint::Compact
        || recovered
        || turn.is_handoff();
    // After a recovery with the full context the client anchors its turns again.
    let before = parent.parent.map(|ix| turn.world.lineages.node(ix));
    let is_back = turn.mode.is_server_side() && before.is_some_and(lost_anchor);
    if is_exempt || is_back || parent.mode == Mode::Root || parent.mode == turn.mode {
        return None;
    }
    // The newest response is stored, and with it everything that was replayed up to it: the server loses nothing.
    let is_whole = parent.mode == Mode::ClientReplay && turn.mode == Mode::ServerChain && parent.stored;
    let (severity, outlook) = if is_whole {
        (
            Severity::Note,
            "nothing is lost, since the anchor holds all that was replayed",
        )
    } else {
        (Severity::Warning, "what the model remembers is left to chance")
    };
    let message = format!(
        "exchange {} kept its state by {}, this request by {}; {outlook}",
        parent.exchange,
        parent.mode.as_str(),
        turn.mode.as_str()
    );
    let draft = Draft::of(&RULE, message)
        .severity(severity)
        .at("/input")
        .once(Once::Lineage);
    Some(draft.sent(turn.mode.as_str()).expected(parent.mode.as_str()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::{Talk, msg, rs, user};

    #[test]
    fn both_anchors_are_an_error() {
        let mut talk = Talk::stored();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let anchor = talk.response_id(1);
        talk.set("previous_response_id", anchor)
            .set("conversation", "conv_1");
        talk.refused(
            &[user("b")],
            400,
            "Mutually exclusive parameters: ''.",
            Some("mutually_exclusive_parameters"),
        );
        assert_eq!(talk.found(), ["state-modes-mixed:error"]);
    }

    #[test]
    fn an_old_anchor_with_newer_items_is_an_error() {
        let mut talk = Talk::stored();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let anchor = talk.response_id(1);
        talk.set("previous_response_id", anchor);
        talk.turn(&[user("b")], &[rs(2), msg(2, "two")]);
        talk.turn(&[user("b"), rs(2), msg(2, "two"), user("c")], &[msg(3, "three")]);
        assert_eq!(talk.found(), ["state-modes-mixed:error"]);
    }

    #[test]
    fn a_change_in_the_middle_is_a_warning() {
        let mut talk = Talk::stored();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let anchor = talk.response_id(1);
        talk.set("previous_response_id", anchor);
        talk.turn(&[user("b")], &[rs(2), msg(2, "two")]);
        talk.unset("previous_response_id");
        let replay = [
            user("a"),
            rs(1),
            msg(1, "one"),
            user("b"),
            rs(2),
            msg(2, "two"),
            user("c"),
        ];
        talk.turn(&replay, &[msg(3, "three")]);
        assert_eq!(talk.found(), ["state-modes-mixed:warning"]);
    }

    /// The Agents SDK within a run whose first request has no `previous_response_id` yet.
    #[test]
    fn a_chain_that_begins_behind_a_replay_is_a_note() {
        let mut talk = Talk::stored();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let replay = [user("a"), rs(1), msg(1, "one"), user("b")];
        talk.turn(&replay, &[rs(2), msg(2, "two")]);
        let anchor = talk.response_id(2);
        talk.set("previous_response_id", anchor);
        talk.turn(&[user("c")], &[msg(3, "three")]);
        assert_eq!(talk.found(), ["state-modes-mixed:note"]);
    }

    #[test]
    fn full_context_after_a_lost_anchor_is_the_right_recovery() {
        let mut talk = Talk::stored();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let anchor = talk.response_id(1);
        talk.set("previous_response_id", anchor);
        talk.turn(&[user("b")], &[rs(2), msg(2, "two")]);
        let anchor = talk.response_id(2);
        talk.set("previous_response_id", json!(anchor));
        let message = format!("Previous response with id '{anchor}' not found.");
        talk.refused(&[user("c")], 400, &message, Some("previous_response_not_found"));
        talk.unset("previous_response_id");
        let replay = [
            user("a"),
            rs(1),
            msg(1, "one"),
            user("b"),
            rs(2),
            msg(2, "two"),
            user("c"),
        ];
        talk.turn(&replay, &[msg(3, "three")]);
        let anchor = talk.response_id(4);
        talk.set("previous_response_id", anchor);
        talk.turn(&[user("d")], &[msg(4, "four")]);
        assert_eq!(talk.found(), ["stale-anchor:note"]);
    }
}
