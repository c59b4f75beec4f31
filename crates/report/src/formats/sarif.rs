//! `holdover.sarif`: findings for code scanning, in SARIF 2.1.0, each at a path of the repository where one is known.

use std::fmt::Write as _;

use holdover_judge::{Finding, Severity, rules};
use serde_json::{Value, json};

use crate::case::CaseReport;
use crate::clean::visible;
use crate::place::{fingerprint, place_of};
use crate::run::Run;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The file.
pub(crate) fn write(run: &Run) -> Vec<u8> {
    // Taken apart by member: a new one has to be decided about here.
    let Run {
        started: _,
        cases,
        notes: _,
    } = run;
    // What a scenario planted says nothing about anybody's code.
    let own = cases.iter().filter(|case| !case.planted);
    let results: Vec<Value> = own.flat_map(results).collect();
    let rules: Vec<Value> = rules::all()
        .iter()
        .filter(|rule| results.iter().any(|result| result["ruleId"] == rule.name))
        .map(|rule| {
            json!({
                "id": rule.name,
                "shortDescription": {"text": rule.summary},
                "help": {"text": format!("{}\nholdover explain {}", rule.page, rule.name)},
                "defaultConfiguration": {"level": rule.severity.as_str()},
            })
        })
        .collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "holdover",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    });
    let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
    text.push('\n');
    text.into_bytes()
}

fn results(case: &CaseReport) -> Vec<Value> {
    let findings = case.verdict.findings.iter().enumerate();
    findings
        .filter(|(_, finding)| finding.severity > Severity::Note || finding.known.is_some())
        .map(|(at, finding)| result(case, at, finding))
        .collect()
}

fn result(case: &CaseReport, at: usize, finding: &Finding) -> Value {
    let mut result = json!({
        "ruleId": finding.rule,
        "level": finding.severity.as_str(),
        "message": {"text": message(case, finding)},
        "partialFingerprints": {"holdover/v1": fingerprint(case, at)},
    });
    if let Some(place) = place_of(case, finding) {
        result["locations"] = json!([{"physicalLocation": {
            "artifactLocation": {"uri": uri(&place.file)},
            "region": {"startLine": place.line},
        }}]);
    }
    if let Some(known) = &finding.known {
        result["suppressions"] = json!([{"kind": "external", "justification": known}]);
    }
    result
}

fn message(case: &CaseReport, finding: &Finding) -> String {
    let test = case.test.as_ref().map(|test| format!(" (test {})", test.id));
    let sent = finding.sent.as_ref().map(|sent| format!("\nsent: {sent}"));
    let expected = finding
        .expected
        .as_ref()
        .map(|expected| format!("\nexpected: {expected}"));
    let parts = [test, sent, expected].into_iter().flatten().collect::<String>();
    visible(&format!("{}{parts}\nhelp: {}", finding.message, finding.help))
}

/// A path as a URI reference: signs that a URI cannot hold as they are get escaped.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a `String` cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use holdover_judge::Class;

    use super::*;
    use crate::case::Table;
    use crate::place::{CodePlace, Look};
    use crate::testing::{HOSTILE, WITH_ID, case, finding, run};

    fn written(case: CaseReport) -> Value {
        serde_json::from_slice(&write(&run(vec![case]))).expect("JSON")
    }

    fn lost() -> CaseReport {
        let lost = finding("reasoning-dropped", Severity::Error, Class::Carry);
        case("lost", Table::CarryOver, WITH_ID, vec![lost])
    }

    #[test]
    fn a_finding_stands_at_the_line_to_change() {
        let mut case = lost();
        case.looks = vec![Look {
            rule: "reasoning-dropped".to_owned(),
            place: CodePlace {
                file: "src/my agent.py".to_owned(),
                line: 7,
            },
        }];
        let log = written(case);
        let result = &log["runs"][0]["results"][0];
        assert_eq!(result["ruleId"], "reasoning-dropped");
        assert_eq!(result["level"], "error");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "src/my%20agent.py");
        assert_eq!(place["region"]["startLine"], 7);
        assert_eq!(
            log["runs"][0]["tool"]["driver"]["rules"][0]["id"],
            "reasoning-dropped"
        );
    }

    #[test]
    fn planted_mistakes_are_not_reported_and_known_ones_are_suppressed() {
        let planted = CaseReport {
            planted: true,
            ..lost()
        };
        assert_eq!(written(planted)["runs"][0]["results"], json!([]));
        let mut known = lost();
        known.verdict.findings[0].severity = Severity::Note;
        known.verdict.findings[0].known = Some("in the baseline".to_owned());
        let result = &written(known)["runs"][0]["results"][0];
        assert_eq!(result["suppressions"][0]["justification"], "in the baseline");
    }

    #[test]
    fn hostile_text_stays_text() {
        let mut case = lost();
        case.verdict.findings[0].message = HOSTILE.to_owned();
        let text = written(case)["runs"][0]["results"][0]["message"]["text"].to_string();
        assert!(!text.contains('\u{1b}'));
    }
}
