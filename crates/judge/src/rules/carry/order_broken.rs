//! `order-broken`: all members are there, in another order.

use crate::draft::Draft;
use crate::finding::Severity;
use crate::rules::rule;
use crate::sighting::Sighting;

rule! {
    name: "order-broken", class: Carry, severity: Error,
    summary: "the items of a group came back in another order, or others stand between them",
    what: "A reasoning item stands after what it led to, another issued item stands between them, or the followers changed places.",
    why: "Pairs are read from the order: the API refuses a reasoning item without its following item (E01) or a message without its reasoning (E03).",
    fix: "append output items in the order of `output_index` and do not sort them by type",
    clients: {},
}

/// The carried members are not in the order in which they were issued.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    let places: Vec<usize> = seen.kept().map(|(_, sent)| sent.index).collect();
    let first = *places.iter().min()?;
    let sorted = places.is_sorted();
    let (what, severity) = match seen.carried {
        Some(head) if head.index > first => ("the reasoning stands after what it led to", Severity::Error),
        Some(head) if intruder(seen, head.index, first) => (
            "another issued item stands between the reasoning and what it led to",
            Severity::Error,
        ),
        _ if !sorted => ("what the reasoning led to changed places", Severity::Warning),
        _ => return None,
    };
    let labels = seen
        .head
        .into_iter()
        .chain(seen.followers.iter().map(|follower| follower.issued));
    let expected = labels
        .map(crate::ledger::IssuedItem::label)
        .collect::<Vec<_>>()
        .join(", ");
    let message = format!("{what}; pairs are read from the order");
    Some(
        seen.draft(&RULE, message)
            .severity(severity)
            .sent(what)
            .expected(expected),
    )
}

/// Whether an item of another group stands between these two places.
fn intruder(seen: &Sighting<'_>, from: usize, to: usize) -> bool {
    let between = seen.turn.between(from, to).iter();
    let mut groups = between.filter_map(|sent| seen.turn.world.ledger.item(sent.item()?).group);
    groups.any(|group| group != seen.ix)
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, fc, fo, msg, rs, user};

    #[test]
    fn reasoning_after_its_message_is_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(&[user("a"), msg(1, "one"), rs(1), user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), ["order-broken:error"]);
    }

    #[test]
    fn two_groups_in_one_another_are_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), fc(1, "call_1"), rs(2), fc(2, "call_2")]);
        let input = [
            user("a"),
            rs(1),
            rs(2),
            fc(1, "call_1"),
            fc(2, "call_2"),
            fo("call_1", "x"),
            fo("call_2", "y"),
        ];
        talk.turn(&input, &[msg(3, "three")]);
        assert!(talk.found().contains(&"order-broken:error".to_owned()));
    }

    #[test]
    fn outputs_between_parallel_calls_are_clean() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), fc(1, "call_1"), fc(2, "call_2")]);
        let input = [
            user("a"),
            rs(1),
            fc(1, "call_1"),
            fo("call_1", "x"),
            fc(2, "call_2"),
            fo("call_2", "y"),
        ];
        talk.turn(&input, &[msg(3, "three")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn calls_that_changed_places_are_a_warning() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), fc(1, "call_1"), fc(2, "call_2")]);
        let input = [
            user("a"),
            rs(1),
            fc(2, "call_2"),
            fc(1, "call_1"),
            fo("call_1", "x"),
            fo("call_2", "y"),
        ];
        talk.turn(&input, &[msg(3, "three")]);
        assert_eq!(talk.found(), ["order-broken:warning"]);
    }
}
