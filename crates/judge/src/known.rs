//! Findings that a team knows already: those of its baseline, and those that it suppressed with a reason.
//!
//! A known finding stays in the verdict as a `note` that says why, so that it is seen and fails nothing.

use crate::finding::{Finding, Severity};
use crate::verdict::Verdict;

/// What is known before the first exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Old findings, from a baseline.
    pub baseline: Vec<KnownFinding>,
    /// Findings that were looked at and left.
    pub suppressions: Vec<Suppression>,
}

/// So many findings of one rule in one session. Ids, exchanges and lines change with the code; these do not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KnownFinding {
    /// Session.
    pub session: String,
    /// Rule.
    pub rule: String,
    /// Export file that a finding of a leak is about; empty for the others.
    pub file: String,
    /// How many there are.
    pub count: usize,
}

/// One decision to leave findings of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// Rule.
    pub rule: String,
    /// Session, or its beginning before a `*`.
    pub session: String,
    /// Why.
    pub reason: String,
}

impl Known {
    /// Turns the known findings of a session's verdict into notes.
    pub(crate) fn apply(&self, session: &str, verdict: &mut Verdict) {
        let mut left: Vec<(&KnownFinding, usize)> = self
            .baseline
            .iter()
            .filter(|known| known.session == session)
            .map(|known| (known, known.count))
            .collect();
        for finding in &mut verdict.findings {
            let why = self.suppressed(session, finding).or_else(|| {
                let (_, room) = left.iter_mut().find(|(known, room)| {
                    *room > 0 && known.rule == finding.rule && known.file == file_of(finding)
                })?;
                *room -= 1;
                Some("in the baseline".to_owned())
            });
            if why.is_some() {
                finding.severity = Severity::Note;
                finding.known = why;
            }
        }
        verdict.draw_again();
    }

    fn suppressed(&self, session: &str, finding: &Finding) -> Option<String> {
        let covers = |entry: &&Suppression| {
            let named = match entry.session.split_once('*') {
                Some((start, _)) => session.starts_with(start),
                None => session == entry.session,
            };
            named && entry.rule == finding.rule
        };
        let entry = self.suppressions.iter().find(covers)?;
        Some(format!("suppressed: {}", entry.reason))
    }
}

/// The export file of a finding, without its line; empty where there is none.
pub fn file_of(finding: &Finding) -> &str {
    let place = finding.place.as_deref().unwrap_or_default();
    match place.rsplit_once(':') {
        Some((file, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) => file,
        _ => place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Class;
    use crate::verdict::{Coverage, Outcome};

    fn finding(rule: &'static str, place: Option<&str>) -> Finding {
        Finding {
            rule,
            severity: Severity::Error,
            class: Class::Carry,
            exchange: Some(2),
            lineage: None,
            item: None,
            pointer: None,
            message: String::new(),
            help: String::new(),
            also: Vec::new(),
            sent: None,
            expected: None,
            place: place.map(str::to_owned),
            known: None,
        }
    }

    fn verdict(findings: Vec<Finding>) -> Verdict {
        Verdict::draw(Coverage::default(), findings, Vec::new())
    }

    fn known(rule: &str, file: &str, count: usize) -> Known {
        Known {
            baseline: vec![KnownFinding {
                session: "s".to_owned(),
                rule: rule.to_owned(),
                file: file.to_owned(),
                count,
            }],
            suppressions: Vec::new(),
        }
    }

    #[test]
    fn as_many_as_the_baseline_counts_are_known() {
        let mut three = verdict(vec![finding("order-broken", None); 3]);
        known("order-broken", "", 2).apply("s", &mut three);
        let severities: Vec<_> = three.findings.iter().map(|finding| finding.severity).collect();
        assert_eq!(severities, [Severity::Note, Severity::Note, Severity::Error]);
        assert_eq!(three.outcome, Outcome::Findings);
        let mut two = verdict(vec![finding("order-broken", None); 2]);
        known("order-broken", "", 2).apply("s", &mut two);
        assert_eq!(two.outcome, Outcome::Clean);
    }

    #[test]
    fn another_session_rule_or_file_is_not_known() {
        for (session, rule, file) in [
            ("t", "id-in-export", "a.log"),
            ("s", "order-broken", "a.log"),
            ("s", "id-in-export", "b.log"),
        ] {
            let mut verdict = verdict(vec![finding("id-in-export", Some("a.log:7"))]);
            known(rule, file, 1).apply(session, &mut verdict);
            assert_eq!(verdict.outcome, Outcome::Findings, "{session} {rule} {file}");
        }
        let mut same = verdict(vec![finding("id-in-export", Some("a.log:7"))]);
        known("id-in-export", "a.log", 1).apply("s", &mut same);
        assert_eq!(same.outcome, Outcome::Clean);
    }

    #[test]
    fn a_suppression_says_why() {
        let known = Known {
            baseline: Vec::new(),
            suppressions: vec![Suppression {
                rule: "order-broken".to_owned(),
                session: "tests.*".to_owned(),
                reason: "ticket 12".to_owned(),
            }],
        };
        let mut verdict = verdict(vec![finding("order-broken", None)]);
        known.apply("tests.a", &mut verdict);
        assert_eq!(
            verdict.findings[0].known.as_deref(),
            Some("suppressed: ticket 12")
        );
        assert_eq!(verdict.outcome, Outcome::Clean);
    }
}
