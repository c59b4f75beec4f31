//! Markdown for a chat thread or an issue.

use holdover_judge::{Finding, Inconclusive, Verdict};

use crate::formats::markdown::inline;
use crate::lines::Lines;
use crate::words::{coverage_line, finding_counts, location};

/// A verdict as Markdown: a bold line, a bullet a finding, the coverage last.
pub fn verdict_markdown(name: &str, verdict: &Verdict) -> String {
    let Verdict {
        outcome,
        coverage,
        findings,
        inconclusive,
    } = verdict;
    let mut text = Lines::default();
    text.line(format!(
        "**{}: {}** ({})\n",
        inline(name),
        outcome.as_str(),
        finding_counts(verdict)
    ));
    for finding in findings {
        text.block(finding_bullet(finding));
    }
    for open in inconclusive {
        text.line(inconclusive_bullet(open));
    }
    if !(findings.is_empty() && inconclusive.is_empty()) {
        text.line("");
    }
    text.line(format!("Judged: {}", inline(&coverage_line(coverage))));
    text.into_string()
}

/// One finding as a bullet, its members as bullets under it.
pub(crate) fn finding_bullet(finding: &Finding) -> String {
    let place = location(finding);
    let place = if place.is_empty() {
        String::new()
    } else {
        format!(" ({})", inline(&place))
    };
    let severity = finding.severity.as_str();
    let mut text = Lines::default();
    text.line(format!(
        "- **{severity}** `{}`{place}: {}",
        finding.rule,
        inline(&finding.message)
    ));
    let help = (!finding.help.is_empty()).then_some(finding.help.as_str());
    let members = [
        ("sent", finding.sent.as_deref()),
        ("expected", finding.expected.as_deref()),
        ("help", help),
    ];
    for (name, value) in members {
        if let Some(value) = value {
            text.line(format!("  - {name}: {}", inline(value)));
        }
    }
    text.into_string()
}

/// What could not be decided, as a bullet.
pub(crate) fn inconclusive_bullet(open: &Inconclusive) -> String {
    format!(
        "- inconclusive: {}; missing: {}",
        inline(&open.what),
        inline(&open.missing)
    )
}

#[cfg(test)]
mod tests {
    use holdover_judge::{Class, Severity};

    use super::*;
    use crate::testing::{finding, verdict};

    #[test]
    fn a_verdict_in_a_thread() {
        let altered = Finding {
            expected: Some("`gAAA…`, 856 characters".to_owned()),
            ..finding("encrypted-content-altered", Severity::Error, Class::Carry)
        };
        let mut verdict = verdict(vec![altered]);
        verdict.inconclusive.push(Inconclusive {
            what: "turn 2".to_owned(),
            missing: "turn 1".to_owned(),
            exchange: None,
        });
        assert_eq!(
            verdict_markdown("my_session", &verdict),
            r"**my\_session: findings** (1 error)

- **error** `encrypted-content-altered` (exchange 2): encrypted-content-altered fired
  - expected: `gAAA…`, 856 characters
- inconclusive: turn 2; missing: turn 1

Judged: 2 turns in 1 conversation; reasoning items: 1 issued, 1 carried, 1 judged; 0 exports, 0 audit records
"
        );
    }
}
