//! Small words that several writers share.

use holdover_judge::{Coverage, Finding, ReasoningOff, Severity, Verdict};

/// A number with its noun: `1 turn`, `2 turns`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}

/// How many findings of each severity: `1 error, 2 notes`; `no finding` without any.
pub(crate) fn finding_counts(verdict: &Verdict) -> String {
    let words: Vec<_> = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .map(|severity| (severity, of_severity(verdict, severity)))
        .filter(|(_, number)| *number > 0)
        .map(|(severity, number)| counted(number, severity.as_str()))
        .collect();
    if words.is_empty() {
        "no finding".to_owned()
    } else {
        words.join(", ")
    }
}

/// Number of findings of one severity.
pub(crate) fn of_severity(verdict: &Verdict, severity: Severity) -> usize {
    verdict
        .findings
        .iter()
        .filter(|finding| finding.severity == severity)
        .count()
}

/// What was looked at, so that silence cannot pass for success (law 8).
pub(crate) fn coverage_line(coverage: &Coverage) -> String {
    let Coverage {
        conversations,
        turns,
        reasoning_issued,
        reasoning_carried,
        judged,
        exports_scanned,
        audit_records,
        reasoning_off,
    } = coverage;
    let off = match reasoning_off {
        ReasoningOff::No => "",
        ReasoningOff::Sometimes => "; some requests sent effort `none`",
        ReasoningOff::Always => "; every request sent effort `none`, so there was no reasoning to carry",
    };
    format!(
        "{} in {}; reasoning items: {reasoning_issued} issued, {reasoning_carried} carried, {judged} judged; {}, {}{off}",
        counted(*turns as usize, "turn"),
        counted(*conversations as usize, "conversation"),
        counted(*exports_scanned as usize, "export"),
        counted(*audit_records as usize, "audit record"),
    )
}

/// Where a finding is: `exchange 3, /input/1`, or the place in an export.
pub(crate) fn location(finding: &Finding) -> String {
    let exchange = finding.exchange.map(|number| format!("exchange {number}"));
    let parts = [exchange, finding.pointer.clone(), finding.place.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
