//! `merged-reasoning`: two reasoning items of a response came back as one.

use crate::draft::Draft;
use crate::rules::rule;
use crate::sent::TokenSeen;
use crate::sighting::Sighting;

rule! {
    name: "merged-reasoning", class: Carry, severity: Error,
    summary: "two reasoning items of one response were joined into one",
    what: "A carried reasoning item has the id or the summary of one issued item and the token or the summary of another one of the same response.",
    why: "Each item is sealed by itself. The pair is refused (E12), and the other item is gone.",
    fix: "join streamed pieces by `item_id` and only within one item",
    clients: {
        Meai: "coalescing does not compare item ids: keep the reasoning contents of different items apart before `ToChatResponse`",
    },
}

/// The carried reasoning holds parts of another item of the same response, which is itself gone.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    let (head, sent) = seen.carried_head()?;
    let ledger = &seen.turn.world.ledger;
    let TokenSeen::Issued(owner, _) = sent.token else {
        return None;
    };
    let owner = ledger.item(owner);
    if owner.ix == head.ix || owner.node != head.node || seen.turn.carried(owner.ix).next().is_some() {
        return None;
    }
    let message = format!(
        "{} came back with the token of {}, which is gone: two reasoning items were joined, and the API refuses the pair (E12)",
        head.label(),
        owner.label()
    );
    let draft = seen.draft(&RULE, message).at(sent.pointer());
    Some(
        draft
            .sent("one reasoning item")
            .expected(format!("{} and {}", head.label(), owner.label())),
    )
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, fc, fo, msg, rs, token, user, with};

    #[test]
    fn the_id_of_the_first_with_the_token_of_the_second_is_an_error() {
        let mut talk = Talk::stateless();
        talk.stream(&[user("a")], &[rs(1), fc(1, "call_1"), rs(2), fc(2, "call_2")]);
        let joined = with(&rs(1), "encrypted_content", token(2, "done"));
        let input = [
            user("a"),
            joined,
            fc(1, "call_1"),
            fc(2, "call_2"),
            fo("call_1", "x"),
            fo("call_2", "y"),
        ];
        talk.turn(&input, &[msg(3, "three")]);
        assert_eq!(talk.found(), ["merged-reasoning:error+foreign-token"]);
    }

    #[test]
    fn both_items_are_clean() {
        let mut talk = Talk::stateless();
        talk.stream(&[user("a")], &[rs(1), fc(1, "call_1"), rs(2), fc(2, "call_2")]);
        let input = [
            user("a"),
            rs(1),
            fc(1, "call_1"),
            rs(2),
            fc(2, "call_2"),
            fo("call_1", "x"),
            fo("call_2", "y"),
        ];
        talk.turn(&input, &[msg(3, "three")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn a_swap_of_two_items_that_are_both_there_is_another_rule() {
        let mut talk = Talk::stateless();
        talk.stream(&[user("a")], &[rs(1), fc(1, "call_1"), rs(2), fc(2, "call_2")]);
        let first = with(&rs(1), "encrypted_content", token(2, "done"));
        let input = [
            user("a"),
            first,
            fc(1, "call_1"),
            rs(2),
            fc(2, "call_2"),
            fo("call_1", "x"),
            fo("call_2", "y"),
        ];
        talk.turn(&input, &[msg(3, "three")]);
        assert_eq!(talk.found(), ["foreign-token:error"]);
    }
}
