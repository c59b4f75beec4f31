//! `handover-unchecked`: history goes to another vendor with a question left open.

use holdover_wire::audit::Handover;
use serde_json::Value;

use crate::audit::{Records, draft};
use crate::draft::Draft;
use crate::rules::rule;

rule! {
    name: "handover-unchecked", class: Audit, severity: Error,
    summary: "history was handed to another vendor without answering all three questions",
    what: "A record has a `handover` and leaves open whether the peer needs the id, what the run is resumed by, or whether the export is public; or the wires show that history went to another provider, and no record has a `handover`.",
    why: "An unanswered question is a leak or a lost resume that nobody looked for.",
    fix: "answer `peer_needs_id`, `resume_key` and `export_public` before history is handed over",
    clients: {},
}

/// The first record whose handover leaves a question open; else a move between providers that no record tells of.
pub(crate) fn check(records: &Records<'_>) -> Option<Draft> {
    left_open(records).or_else(|| unrecorded(records))
}

fn unrecorded(records: &Records<'_>) -> Option<Draft> {
    let moved = records.handover()?;
    if records.all().iter().any(|record| record.handover.is_some()) {
        return None;
    }
    let first = records.first(|_| ANY)?;
    let message = format!(
        "exchange {} brings history of `{}` to `{}`, and no audit record answers the questions of a handover",
        moved.exchange, moved.from, moved.to
    );
    Some(
        draft(&RULE, first, message)
            .sent("no `handover` in any record")
            .expected("a `handover` with an answer to all three questions"),
    )
}

const ANY: bool = true;

fn left_open(records: &Records<'_>) -> Option<Draft> {
    let first = records.first(|record| {
        record
            .handover
            .as_ref()
            .is_some_and(|handover| !open(handover).is_empty())
    })?;
    let open = open(first.record().handover.as_ref()?).join(", ");
    let message = format!(
        "{} hands history over and leaves open: {open}; each is a leak or a lost resume that nobody looked for",
        first.label()
    );
    Some(
        draft(&RULE, first, message)
            .sent(format!("no answer to {open}"))
            .expected("an answer to all three questions"),
    )
}

fn open(handover: &Handover) -> Vec<&'static str> {
    let questions = [
        ("peer_needs_id", &handover.peer_needs_id),
        ("resume_key", &handover.resume_key),
        ("export_public", &handover.export_public),
    ];
    let unanswered = questions.into_iter().filter(|(_, answer)| {
        answer
            .as_ref()
            .is_none_or(|answer| answer.is_null() || answer == &Value::String(String::new()))
    });
    unanswered.map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::Talk;

    fn audited(handover: &Value) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.audit(
            json!({"reasoning_item_id_policy": "preserve", "ids_present": true, "handover": handover}),
        );
        talk.found()
    }

    #[test]
    fn an_open_question_is_an_error() {
        assert_eq!(
            audited(&json!({"peer_needs_id": false, "resume_key": "order-7"})),
            ["handover-unchecked:error"]
        );
    }

    #[test]
    fn three_answers_are_clean() {
        let answers = json!({"peer_needs_id": false, "resume_key": "order-7", "export_public": false});
        assert_eq!(audited(&answers), Vec::<String>::new());
    }

    #[test]
    fn an_empty_answer_is_none() {
        let answers = json!({"peer_needs_id": false, "resume_key": "", "export_public": false});
        assert_eq!(audited(&answers), ["handover-unchecked:error"]);
    }
}
