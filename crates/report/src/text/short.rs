//! A line a finding, for an editor or a grep.

use holdover_judge::Verdict;

use crate::clean::one_line;
use crate::words::location;

/// `name: place: severity[rule]: message`, a line a finding; then what is inconclusive; empty for a clean verdict.
pub fn short_lines(name: &str, verdict: &Verdict) -> String {
    let name = one_line(name);
    let findings = verdict.findings.iter().map(|finding| {
        let place = location(finding);
        let place = if place.is_empty() {
            String::new()
        } else {
            format!("{}: ", one_line(&place))
        };
        let severity = finding.severity.as_str();
        format!(
            "{name}: {place}{severity}[{}]: {}\n",
            finding.rule,
            one_line(&finding.message)
        )
    });
    let open = verdict.inconclusive.iter().map(|open| {
        format!(
            "{name}: inconclusive: {}: missing {}\n",
            one_line(&open.what),
            one_line(&open.missing)
        )
    });
    findings.chain(open).collect()
}

#[cfg(test)]
mod tests {
    use holdover_judge::{Class, Finding, Inconclusive, Severity};

    use super::*;
    use crate::testing::{finding, verdict};

    #[test]
    fn a_line_a_finding() {
        let dropped = Finding {
            pointer: Some("/input/1".to_owned()),
            message: "two\nlines".to_owned(),
            ..finding("reasoning-dropped", Severity::Error, Class::Carry)
        };
        let leak = Finding {
            exchange: None,
            place: Some("audit.log:3".to_owned()),
            ..finding("id-in-export", Severity::Note, Class::Leak)
        };
        let mut verdict = verdict(vec![dropped, leak]);
        verdict.inconclusive.push(Inconclusive {
            what: "turn 2".to_owned(),
            missing: "turn 1".to_owned(),
            exchange: None,
        });
        assert_eq!(
            short_lines("a.jsonl", &verdict),
            "a.jsonl: exchange 2, /input/1: error[reasoning-dropped]: two\\nlines\n\
             a.jsonl: audit.log:3: note[id-in-export]: id-in-export fired\n\
             a.jsonl: inconclusive: turn 2: missing turn 1\n"
        );
    }
}
