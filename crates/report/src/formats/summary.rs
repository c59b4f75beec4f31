//! `summary.json`: the run in one document, for programs.

use holdover_judge::Severity;
use serde_json::{Value, json};

use super::recordings;
use crate::case::{CaseEnd, CaseReport, Table};
use crate::closing::{closing, tally};
use crate::event::RunStarted;
use crate::gate::gate;
use crate::result::result_of;
use crate::run::Run;
use crate::words::of_severity;

/// Value of the first member.
pub(crate) const FORMAT: &str = "holdover.summary/1";

/// The file.
pub(crate) fn write(run: &Run) -> Vec<u8> {
    // Taken apart by member: a new one has to be decided about here.
    let Run {
        started,
        cases,
        notes,
    } = run;
    let RunStarted {
        seed,
        profile,
        fail_on,
        cases: selected,
    } = started;
    let files = recordings::names(run);
    let listed: Vec<_> = cases
        .iter()
        .zip(files)
        .map(|(case, file)| case_value(case, *fail_on, &file))
        .collect();
    let document = json!({
        "summary": FORMAT,
        "seed": seed,
        "profile": profile,
        "fail_on": fail_on.as_str(),
        "selected": selected,
        "counts": counts(run),
        "closing": closing(run),
        "gate": gate(cases),
        "cases": listed,
        "notes": notes,
    });
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text.into_bytes()
}

fn counts(run: &Run) -> Value {
    let tally = tally(run);
    json!({
        "planted": tally.planted,
        "planted_found": tally.found,
        "twins": tally.twins,
        "twins_clean": tally.twins_clean,
        "others": tally.others,
        "failed": tally.failed,
        "unjudged": tally.unjudged,
    })
}

fn case_value(case: &CaseReport, fail_on: Severity, recording: &str) -> Value {
    let unmet: Vec<_> = case.unmet.iter().map(|unmet| unmet.message.as_str()).collect();
    json!({
        "case": case.name().as_str(),
        "session": case.session,
        "table": case.table.map(Table::as_str),
        "planted": case.planted,
        "result": result_of(case),
        "end": end_word(case.end(fail_on)),
        "errors": of_severity(&case.verdict, Severity::Error),
        "warnings": of_severity(&case.verdict, Severity::Warning),
        "notes": of_severity(&case.verdict, Severity::Note),
        "unmet": unmet,
        "recording": recording,
        "judged": case.verdict,
    })
}

fn end_word(end: CaseEnd) -> &'static str {
    match end {
        CaseEnd::Passed => "passed",
        CaseEnd::Failed => "failed",
        CaseEnd::Unjudged => "unjudged",
    }
}

#[cfg(test)]
mod tests {
    use holdover_judge::Class;

    use super::*;
    use crate::case::Unmet;
    use crate::testing::{HOSTILE, WITH_ID, case, finding, run};

    fn document(run: &Run) -> Value {
        serde_json::from_slice(&write(run)).expect("JSON")
    }

    #[test]
    fn the_whole_document() {
        let mut failed = case(HOSTILE, Table::CarryOver, WITH_ID, vec![]);
        failed.unmet = vec![Unmet {
            message: "x".to_owned(),
        }];
        let mut planted = case(
            "p",
            Table::CarryOver,
            WITH_ID,
            vec![finding("id-in-export", Severity::Error, Class::Leak)],
        );
        planted.order = 1;
        planted.planted = true;
        let coverage = json!({
            "conversations": 1, "turns": 2, "reasoning_issued": 1, "reasoning_carried": 1, "judged": 1,
            "exports_scanned": 0, "audit_records": 0, "reasoning_off": "no",
        });
        let clean = json!({"verdict": "clean", "coverage": coverage, "findings": [], "inconclusive": []});
        let leak = json!({"verdict": "findings", "coverage": coverage, "findings": [{
            "rule": "id-in-export", "severity": "error", "class": "leak", "exchange": 2, "lineage": 1, "item": null,
            "pointer": null, "message": "id-in-export fired", "help": "", "also": [],
        }], "inconclusive": []});
        let mut document = document(&run(vec![failed, planted]));
        let gate = document
            .as_object_mut()
            .and_then(|members| members.remove("gate"))
            .expect("a gate");
        assert_eq!(gate["release"], "not_assessed");
        assert_eq!(
            document,
            json!({
                "summary": "holdover.summary/1", "seed": 7, "profile": "openai", "fail_on": "error", "selected": 2,
                "counts": {"planted": 1, "planted_found": 1, "twins": 0, "twins_clean": 0, "others": 1, "failed": 1, "unjudged": 0},
                "closing": "1 planted mistake found, 0 twins clean; this says nothing about your code: holdover test -- CMD does",
                "cases": [
                    {"case": HOSTILE, "session": "default", "table": "carry_over", "planted": false, "result": "kept", "end": "failed",
                     "errors": 0, "warnings": 0, "notes": 0, "unmet": ["x"],
                     "recording": "recordings/_1_1__q___a___script_alert_1___script______31m______x__y_.jsonl", "judged": clean},
                    {"case": "p", "session": "default", "table": "carry_over", "planted": true, "result": "leak", "end": "passed",
                     "errors": 1, "warnings": 0, "notes": 0, "unmet": [], "recording": "recordings/p.jsonl", "judged": leak},
                ],
                "notes": [],
            })
        );
    }

    #[test]
    fn planted_cases_alone_have_no_gate() {
        let mut planted = case("p", Table::CarryOver, WITH_ID, vec![]);
        planted.planted = true;
        assert_eq!(document(&run(vec![planted]))["gate"], Value::Null);
    }
}
