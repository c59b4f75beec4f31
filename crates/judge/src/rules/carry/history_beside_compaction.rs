//! `history-beside-compaction`: a compaction item, and the history it stands for, in one input.

use holdover_wire::item::ItemKind;

use crate::draft::{Draft, Once};
use crate::ledger::{IssuedItem, NodeIx};
use crate::rules::rule;
use crate::sent::Sent;
use crate::turn::Turn;

rule! {
    name: "history-beside-compaction", class: Carry, severity: Note,
    summary: "a compaction item came back together with the history that it replaces",
    what: "The input holds a compaction item and, before it, items of exchanges that the compaction covers.",
    why: "The API takes both: what was compacted is paid for once more, and the context is as long as before.",
    fix: "after a compaction send its output and what is new; what stands before the newest compaction item may go",
    clients: {},
}

/// Issued items before the newest compaction item that are older than its exchange.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    found(turn).into_iter().collect()
}

fn found(turn: &Turn<'_>) -> Option<Draft> {
    let newest = turn
        .input
        .iter()
        .rfind(|sent| sent.kind == ItemKind::Compaction)?;
    let compaction = issued(turn, newest)?;
    let mut covered = turn
        .input
        .iter()
        .filter(|sent| sent.index < newest.index && sent.kind != ItemKind::Compaction)
        .filter(|sent| is_covered(turn, sent, compaction.node));
    let first = covered.next()?;
    let count = 1 + covered.count();
    let message = format!(
        "{count} items of the history stand before the compaction item {}, which replaces them; they are paid for once more",
        compaction.label()
    );
    let draft = Draft::of(&RULE, message)
        .item(compaction.id.as_deref())
        .at(first.pointer());
    Some(
        draft
            .sent("the compaction item and what it replaces")
            .expected("the compaction item and what came after it")
            .once(Once::Thing(compaction.label())),
    )
}

fn issued<'t>(turn: &'t Turn<'_>, sent: &Sent<'_>) -> Option<&'t IssuedItem> {
    let found = sent.found.filter(|found| found.how.is_strong())?;
    Some(turn.world.ledger.item(found.item))
}

fn is_covered(turn: &Turn<'_>, sent: &Sent<'_>, compacted_in: NodeIx) -> bool {
    issued(turn, sent).is_some_and(|item| item.node < compacted_in)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::{Talk, id, msg, rs, token, user};

    fn compaction() -> Value {
        json!({"id": id("cmp", "01", 7), "type": "compaction", "encrypted_content": token(7, "done")})
    }

    fn after_compaction(input: &[Value]) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(
            &[user("a"), rs(1), msg(1, "one"), user("b")],
            &[compaction(), rs(2), msg(2, "two")],
        );
        talk.turn(input, &[msg(3, "three")]);
        talk.found()
    }

    #[test]
    fn the_old_history_beside_its_compaction_is_a_note() {
        let history = [user("a"), rs(1), msg(1, "one"), user("b")];
        let newer = [compaction(), rs(2), msg(2, "two"), user("c")];
        assert_eq!(
            after_compaction(&[&history[..], &newer[..]].concat()),
            ["history-beside-compaction:note"]
        );
    }

    #[test]
    fn the_compaction_and_what_is_new_is_clean() {
        let newer = [compaction(), rs(2), msg(2, "two"), user("c")];
        assert_eq!(after_compaction(&newer), Vec::<String>::new());
    }

    #[test]
    fn user_messages_that_are_kept_before_it_are_clean() {
        let newer = [user("b"), compaction(), rs(2), msg(2, "two"), user("c")];
        assert_eq!(after_compaction(&newer), Vec::<String>::new());
    }
}
