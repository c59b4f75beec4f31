//! `gl-code-quality-report.json`: findings for the code quality widget of GitLab.

use holdover_judge::Severity;
use serde_json::{Value, json};

use crate::case::CaseReport;
use crate::clean::visible;
use crate::place::{CodePlace, fingerprint, place_of};
use crate::run::Run;

/// Where a finding stands of which no line is known: the widget takes none without a path.
const NOWHERE: &str = "holdover.toml";

/// The file.
pub(crate) fn write(run: &Run) -> Vec<u8> {
    // Taken apart by member: a new one has to be decided about here.
    let Run {
        started: _,
        cases,
        notes: _,
    } = run;
    let own = cases.iter().filter(|case| !case.planted);
    let issues: Vec<Value> = own.flat_map(issues).collect();
    let mut text = serde_json::to_string_pretty(&issues).unwrap_or_default();
    text.push('\n');
    text.into_bytes()
}

fn issues(case: &CaseReport) -> Vec<Value> {
    let findings = case.verdict.findings.iter().enumerate();
    findings
        .filter(|(_, finding)| finding.severity > Severity::Note)
        .map(|(at, finding)| {
            let nowhere = || CodePlace {
                file: NOWHERE.to_owned(),
                line: 1,
            };
            let place = place_of(case, finding).unwrap_or_else(nowhere);
            json!({
                "description": visible(&format!("{}: {}", finding.rule, finding.message)),
                "check_name": finding.rule,
                "fingerprint": fingerprint(case, at),
                "severity": if finding.severity == Severity::Error { "critical" } else { "minor" },
                "location": {"path": place.file, "lines": {"begin": place.line}},
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use holdover_judge::Class;

    use super::*;
    use crate::case::Table;
    use crate::testing::{WITH_ID, case, finding, run};

    #[test]
    fn an_issue_has_what_the_widget_asks_for() {
        let findings = vec![
            finding("reasoning-dropped", Severity::Error, Class::Carry),
            finding("reasoning-dropped", Severity::Error, Class::Carry),
            finding("phase-lost", Severity::Note, Class::Carry),
        ];
        let bytes = write(&run(vec![case("lost", Table::CarryOver, WITH_ID, findings)]));
        let issues: Vec<Value> = serde_json::from_slice(&bytes).expect("JSON");
        assert_eq!(issues.len(), 2);
        assert_eq!(issues[0]["check_name"], "reasoning-dropped");
        assert_eq!(issues[0]["severity"], "critical");
        assert_eq!(
            issues[0]["location"],
            json!({"path": "holdover.toml", "lines": {"begin": 1}})
        );
        assert_ne!(issues[0]["fingerprint"], issues[1]["fingerprint"]);
    }
}
