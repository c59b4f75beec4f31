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
