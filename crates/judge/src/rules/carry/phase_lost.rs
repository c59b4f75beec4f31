//! `phase-lost`: a message was issued with `phase` and came back without it.

use crate::draft::Draft;
use crate::finding::Severity;
use crate::rules::rule;
use crate::sighting::Sighting;

rule! {
    name: "phase-lost", class: Carry, severity: Error,
    summary: "a message came back without the `phase` it was issued with",
    what: "The message was issued as `commentary` or `final_answer`; the carried one does not say which.",
    why: "Newer models read a commentary as an answer and stop early. While the token of the group verifies this is a note.",
    fix: "carry `phase` of assistant messages as issued; never put it on other items",
    clients: {
        Meai: "a message rebuilt from text has no phase: keep `RawRepresentation`",
    },
}

/// A kept message of the group lost its phase.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    let lost = |(issued, sent): &(&crate::ledger::IssuedItem, &crate::sent::Sent<'_>)| {
        issued.phase.is_some() && sent.view.phase().is_none() && !sent.is_reference()
    };
    let (issued, sent) = seen.kept().find(lost)?;
    let severity = match seen.head {
        None => Severity::Warning,
        Some(_) if seen.token_verifies() => Severity::Note,
        Some(_) => seen.loss(),
    };
    let phase = issued.phase.clone().unwrap_or_default();
    let message = format!(
        "{} was issued with phase `{phase}` and came back without it; newer models take a commentary for the answer",
        issued.label()
    );
    let draft = seen
        .draft(&RULE, message)
        .severity(severity)
        .item(issued.id.as_deref());
    Some(
        draft
            .at(sent.member("phase"))
            .sent("no `phase`")
            .expected(format!("`{phase}`")),
    )
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, easy, msg, rs, user, with};

    fn spoken() -> serde_json::Value {
        with(&msg(1, "one"), "phase", "final_answer")
    }

    #[test]
    fn it_is_a_note_while_the_token_verifies() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), spoken()]);
        talk.turn(&[user("a"), rs(1), msg(1, "one"), user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), ["phase-lost:note"]);
    }

    #[test]
    fn it_is_told_with_the_loss_of_the_reasoning() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), spoken()]);
        talk.turn(&[user("a"), easy("one"), user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), ["text-only-rebuild:error+phase-lost"]);
    }

    #[test]
    fn a_carried_phase_is_clean() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), spoken()]);
        talk.turn(&[user("a"), rs(1), spoken(), user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
