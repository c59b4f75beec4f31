//! `result`: the one word of a row, by a fixed map of finding to word.

use holdover_judge::{Finding, Outcome, Severity};
use holdover_wire::fragment::ids_present;

use crate::case::{CaseReport, Table};
use crate::reading::exchange::last_create;

/// Rule and word, in order of precedence: of several findings of the same severity, the one that stands higher here
/// names the result. What went out of the house stands first, because it cannot be taken back; then what makes a
/// session impossible to resume or to audit; then what the model lost; then form.
pub const RESULTS: [(&str, &str); 66] = [
    ("credential-in-export", "leak"),
    ("protected-data-in-export", "leak"),
    ("reasoning-text-in-export", "leak"),
    ("id-in-export", "leak"),
    ("reasoning-as-visible-text", "leak"),
    ("protected-data-as-text", "leak"),
    ("id-in-foreign-field", "leak"),
    ("resume-by-stripped-id", "resume_miss"),
    ("dedupe-by-stripped-id", "dedupe_miss"),
    ("resume-key-forbidden", "resume_forbidden"),
    ("compaction-policy-changed", "compaction_unbound"),
    ("export-policy-differs", "export_frozen"),
    ("policy-used-as-content-switch", "policy_misused"),
    ("handover-unchecked", "handover_unchecked"),
    ("policy-snapshot-wrong", "unauditable"),
    ("no-policy-snapshot", "unauditable"),
    ("history-absent", "lost"),
    ("reasoning-dropped", "lost"),
    ("text-only-rebuild", "lost"),
    ("late-part-dropped", "lost"),
    ("encrypted-content-missing", "lost"),
    ("required-reasoning-missing", "lost"),
    ("item-dropped", "lost"),
    ("encrypted-content-altered", "altered"),
    ("signature-altered", "altered"),
    ("compaction-altered", "altered"),
    ("merged-reasoning", "altered"),
    ("issued-member-altered", "altered"),
    ("summary-altered", "altered"),
    ("foreign-token", "foreign"),
    ("reasoning-of-another-provider", "foreign"),
    ("half-stripped-group", "split"),
    ("orphan-reasoning", "split"),
    ("orphan-follower", "split"),
    ("partial-reasoning-kept", "split"),
    ("adjacency-broken", "split"),
    ("reasoning-id-lost", "id_lost"),
    ("phase-lost", "phase_lost"),
    ("order-broken", "disordered"),
    ("replay-duplicate", "duplicated"),
    ("history-beside-compaction", "duplicated"),
    ("call-fabricated", "fabricated"),
    ("output-reassociated", "misassociated"),
    ("call-id-altered", "misassociated"),
    ("call-without-output", "unpaired"),
    ("output-without-call", "unpaired"),
    ("state-modes-mixed", "mixed"),
    ("double-send", "mixed"),
    ("retrieve-of-unstored", "retrieve_miss"),
    ("branch-overwritten", "overwritten"),
    ("concurrent-turn", "overwritten"),
    ("stale-anchor", "overwritten"),
    ("compaction-every-turn", "compacted_often"),
    ("instructions-not-resent", "instructions_lost"),
    ("tools-not-resent", "tools_lost"),
    ("forbidden-reasoning-sent", "forbidden"),
    ("prefix-not-byte-stable", "cache_lost"),
    ("terminal-misread", "misread"),
    ("poisoned-history-resent", "poisoned"),
    ("not-retryable-retried", "retried"),
    ("retry-after-ignored", "retried"),
    ("recovery-blind", "unrecovered"),
    ("unknown-field-sent", "malformed"),
    ("required-field-missing", "malformed"),
    ("id-grammar", "malformed"),
    ("null-id", "malformed"),
];

/// The word of a rule; `None` for a rule that the map does not know.
pub fn word(rule: &str) -> Option<&'static str> {
    place(rule).map(|place| RESULTS[place].1)
}

/// What `result` says where no finding above `note` names it.
const GOOD_ENDS: [&str; 6] = [
    "id_present",
    "id_stripped",
    "no_leak",
    "kept",
    "inconclusive",
    "not_judged",
];

/// Every word that a `result` may be, each once: those of a good end, then those of [`RESULTS`] in its order.
pub fn results() -> Vec<&'static str> {
    let mut words = GOOD_ENDS.to_vec();
    for (_, word) in RESULTS {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

fn place(rule: &str) -> Option<usize> {
    RESULTS.iter().position(|(name, _)| *name == rule)
}

/// `result` of a case: the word of its worst finding above `note`; without one, what its table calls a good end.
pub fn result_of(case: &CaseReport) -> &'static str {
    match worst(case) {
        Some(finding) => word(finding.rule).unwrap_or("finding"),
        None => without_finding(case),
    }
}

/// The finding that names the result: the most severe above `note`, then the first by [`RESULTS`].
pub(crate) fn worst(case: &CaseReport) -> Option<&Finding> {
    case.findings_from(Severity::Warning).min_by_key(|finding| {
        let severity = std::cmp::Reverse(finding.severity);
        (severity, place(finding.rule).unwrap_or(RESULTS.len()))
    })
}

fn without_finding(case: &CaseReport) -> &'static str {
    if case.verdict.outcome == Outcome::Inconclusive {
        return "inconclusive";
    }
    if case.judged_nothing() {
        return "not_judged";
    }
    match case.table {
        Some(Table::ReasoningIdPolicy) => policy_word(case),
        Some(Table::CarryOver) => carry_word(case),
        Some(Table::StateModes | Table::ReplayPolicy | Table::Wires) | None => kept(case),
    }
}

/// Read off the last request on the wire; a request that carries no reasoning shows nothing.
fn policy_word(case: &CaseReport) -> &'static str {
    match last_create(&case.recording).and_then(|(_, request)| ids_present(request)) {
        Some(true) => "id_present",
        Some(false) => "id_stripped",
        None => "not_judged",
    }
}

/// A note that an id was lost is still what the carry table is about: the reasoning came back, and its id did not.
fn carry_word(case: &CaseReport) -> &'static str {
    let id_lost = case
        .verdict
        .findings
        .iter()
        .any(|finding| finding.rule == "reasoning-id-lost");
    if id_lost { "id_lost" } else { kept(case) }
}

fn kept(case: &CaseReport) -> &'static str {
    if case.exports_scanned > 0 {
        "no_leak"
    } else {
        "kept"
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use holdover_judge::{Class, rules};

    use super::*;
    use crate::case::CaseEnd;
    use crate::files::{ReportKind, tables_of};
    use crate::run::Run;
    use crate::testing::{WITH_ID, WITHOUT_ID, case, finding, verdict};

    #[test]
    fn every_rule_of_the_judge_has_a_word() {
        let missing: Vec<_> = rules::all()
            .iter()
            .map(|rule| rule.name)
            .filter(|rule| word(rule).is_none())
            .collect();
        assert_eq!(missing, Vec::<&str>::new());
    }

    #[test]
    fn every_rule_of_the_architecture_has_a_word() {
        let document = include_str!("../../../docs/architecture.md");
        let section = document
            .split("## Rules of the judge")
            .nth(1)
            .expect("the section of rules");
        let bullets = section.split("Default severity:").next().expect("its bullets");
        let text = bullets.split_once("- carry").map_or("", |(_, list)| list);
        // A parenthesis names fields of the wire, not rules.
        let outside: String = text
            .split('(')
            .map(|part| part.rsplit(')').next().unwrap_or(""))
            .collect();
        let named: BTreeSet<_> = outside
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|name| !name.contains('_'))
            .collect();
        let mapped: BTreeSet<_> = RESULTS.iter().map(|(rule, _)| *rule).collect();
        let forgotten: Vec<_> = named.difference(&mapped).collect();
        assert_eq!(forgotten, Vec::<&&str>::new());
        assert_eq!(mapped.len(), RESULTS.len(), "a rule stands twice");
    }

    #[test]
    fn the_worst_finding_names_the_result() {
        let dropped = || finding("reasoning-dropped", Severity::Error, Class::Carry);
        let leaked = || finding("id-in-export", Severity::Error, Class::Leak);
        let warned = || finding("credential-in-export", Severity::Warning, Class::Leak);
        let unknown = || finding("a-rule-of-next-year", Severity::Error, Class::Carry);
        let result = |findings| result_of(&case("a", Table::CarryOver, WITH_ID, findings));
        assert_eq!(result(vec![dropped(), leaked()]), "leak");
        assert_eq!(result(vec![dropped(), warned()]), "lost");
        assert_eq!(result(vec![unknown()]), "finding");
        assert_eq!(result(vec![unknown(), dropped()]), "lost");
    }

    #[test]
    fn a_good_end_is_read_off_the_wire() {
        let policy = |lines| result_of(&case("a", Table::ReasoningIdPolicy, lines, vec![]));
        assert_eq!(policy(WITH_ID), "id_present");
        assert_eq!(policy(WITHOUT_ID), "id_stripped");
        assert_eq!(policy(""), "not_judged");
        let mut carry = case("a", Table::CarryOver, WITH_ID, vec![]);
        assert_eq!(result_of(&carry), "kept");
        carry.exports_scanned = 1;
        assert_eq!(result_of(&carry), "no_leak");
    }

    #[test]
    fn a_note_changes_no_result_but_the_lost_id() {
        let note = |rule| finding(rule, Severity::Note, Class::Carry);
        let carry = |rule| result_of(&case("a", Table::CarryOver, WITH_ID, vec![note(rule)]));
        assert_eq!(carry("phase-lost"), "kept");
        assert_eq!(carry("reasoning-id-lost"), "id_lost");
        let policy = case(
            "a",
            Table::ReasoningIdPolicy,
            WITHOUT_ID,
            vec![note("reasoning-id-lost")],
        );
        assert_eq!(result_of(&policy), "id_stripped");
    }

    #[test]
    fn missing_evidence_is_no_success() {
        let mut open = case("a", Table::CarryOver, WITH_ID, vec![]);
        open.verdict = verdict(vec![]);
        open.verdict.outcome = Outcome::Inconclusive;
        assert_eq!(result_of(&open), "inconclusive");
        assert_eq!(result_of(&case("a", Table::StateModes, "", vec![])), "not_judged");
        let mut alone = case("a", Table::CarryOver, WITH_ID, vec![]);
        alone.verdict.coverage.judged = 0;
        assert_eq!(result_of(&alone), "not_judged");
        assert_eq!(alone.end(Severity::Error), CaseEnd::Unjudged);
        // A scenario's expectations are a judgement.
        alone.file = Some("scenarios/a.toml".to_owned());
        assert_eq!(result_of(&alone), "kept");
        assert_eq!(alone.end(Severity::Error), CaseEnd::Passed);
    }

    #[test]
    fn every_word_and_every_column_is_explained() {
        let page = include_str!("../../../out/README.md");
        for word in results() {
            assert!(page.contains(&format!("`{word}`")), "{word}");
        }
        let csv = tables_of(&Run::default(), &[ReportKind::Csv]);
        for file in tables_of(&Run::default(), &ReportKind::ALL) {
            assert!(page.contains(&format!("{}`", file.name)), "{}", file.name);
            let header = crate::testing::text(&file.bytes).lines().next().unwrap_or("");
            let columns = header.split(',').filter(|_| csv.contains(&file));
            for column in columns {
                assert!(page.contains(&format!("`{column}`")), "{}: {column}", file.name);
            }
        }
    }

    #[test]
    fn a_word_stands_once_in_the_list() {
        let words = results();
        let once: BTreeSet<_> = words.iter().collect();
        assert_eq!(once.len(), words.len());
        for word in [
            "id_present",
            "id_stripped",
            "leak",
            "resume_miss",
            "unauditable",
            "dedupe_miss",
            "lost",
            "id_lost",
        ] {
            assert!(words.contains(&word), "{word}");
        }
    }
}
