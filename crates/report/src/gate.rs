//! The release gate: five questions, all of which must pass (P15).

use holdover_wire::audit::{AuditRecord, Exported, IdPolicy, ResumeKey};
use holdover_wire::fragment::ids_present;
use serde::Serialize;

use crate::case::CaseReport;
use crate::reading::{exchange, state};

/// One of the five questions, in the order of the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// Could a public payload carry an internal id?
    InternalIdInPublicPayload,
    /// Is the resume key a reasoning id, and if so under `preserve`, in one tenant, with exports closed or redacted?
    ResumeKey,
    /// Is there a policy snapshot?
    PolicySnapshot,
    /// Was the dump made under the live policy?
    ExportPolicy,
    /// Is the compaction snapshot bound to its policy?
    CompactionPolicy,
}

impl Question {
    /// All five, in order.
    pub const ALL: [Self; 5] = [
        Self::InternalIdInPublicPayload,
        Self::ResumeKey,
        Self::PolicySnapshot,
        Self::ExportPolicy,
        Self::CompactionPolicy,
    ];

    /// The question as a user reads it.
    pub fn text(self) -> &'static str {
        match self {
            Self::InternalIdInPublicPayload => "no public payload can carry an internal id",
            Self::ResumeKey => "nothing resumes by a reasoning id that is not there to stay",
            Self::PolicySnapshot => "every run records the id policy it ran under",
            Self::ExportPolicy => "every dump was made under the live policy",
            Self::CompactionPolicy => "every compaction snapshot is bound to its policy",
        }
    }

    /// The rules of the judge that answer it with no.
    fn rules(self) -> &'static [&'static str] {
        match self {
            Self::InternalIdInPublicPayload => {
                &["id-in-export", "protected-data-in-export", "id-in-foreign-field"]
            }
            Self::ResumeKey => &["resume-by-stripped-id", "resume-key-forbidden"],
            Self::PolicySnapshot => &["no-policy-snapshot", "policy-snapshot-wrong"],
            Self::ExportPolicy => &["export-policy-differs"],
            Self::CompactionPolicy => &["compaction-policy-changed"],
        }
    }
}

/// Answer to one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Yes, by the evidence that was seen.
    Pass,
    /// No.
    Fail,
    /// There is no evidence either way; that is no pass.
    NotAssessed,
}

impl Answer {
    /// The answer as a user reads it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::NotAssessed => "not assessed",
        }
    }
}

/// One question with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answered {
    /// Which question.
    pub question: Question,
    /// The answer over all sessions: one no is a no, else one without evidence is without evidence.
    pub answer: Answer,
    /// What the answer rests on, one fragment.
    pub why: String,
    /// The sessions that the answer was decided by, by case name; empty for a pass.
    pub cases: Vec<String>,
}

/// The gate over the cases of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gate {
    /// Pass only when all five pass; fail when one fails.
    pub release: Answer,
    /// The five answers, in order.
    pub questions: Vec<Answered>,
}

/// Answers the gate for real clients and twins. Planted cases are left out: their mistakes are nobody's release.
/// `None` when nothing else is there.
pub fn gate<'a>(cases: impl IntoIterator<Item = &'a CaseReport>) -> Option<Gate> {
    let cases: Vec<_> = cases.into_iter().filter(|case| !case.planted).collect();
    if cases.is_empty() {
        return None;
    }
    let questions: Vec<_> = Question::ALL
        .into_iter()
        .map(|question| over_all(question, &cases))
        .collect();
    let release = worst(questions.iter().map(|answered| answered.answer));
    Some(Gate { release, questions })
}

fn worst(answers: impl Iterator<Item = Answer>) -> Answer {
    let order = |answer: &Answer| match answer {
        Answer::Pass => 0,
        Answer::NotAssessed => 1,
        Answer::Fail => 2,
    };
    answers.max_by_key(order).unwrap_or(Answer::NotAssessed)
}

fn over_all(question: Question, cases: &[&CaseReport]) -> Answered {
    let answers: Vec<_> = cases.iter().map(|case| (case, of_case(question, case))).collect();
    let answer = worst(answers.iter().map(|(_, (answer, _))| *answer));
    let mut decided = answers.iter().filter(|(_, (this, _))| *this == answer).peekable();
    let why = decided.peek().map_or("", |(_, (_, why))| why).to_owned();
    let named = decided.map(|(case, _)| case.name().to_string());
    let cases = if answer == Answer::Pass {
        Vec::new()
    } else {
        named.collect()
    };
    Answered {
        question,
        answer,
        why,
        cases,
    }
}

fn of_case(question: Question, case: &CaseReport) -> (Answer, &'static str) {
    let fired = |rule: &str| question.rules().contains(&rule);
    if case.verdict.findings.iter().any(|finding| fired(finding.rule)) {
        return (Answer::Fail, "the judge has a finding");
    }
    if case.audit.is_empty() {
        return (Answer::NotAssessed, "there is no audit record");
    }
    match question {
        Question::InternalIdInPublicPayload => internal_id(case),
        Question::ResumeKey => resume_key(&case.audit),
        Question::PolicySnapshot => policy_snapshot(&case.audit),
        Question::ExportPolicy => export_policy(&case.audit),
        Question::CompactionPolicy => compaction_policy(case),
    }
}

fn internal_id(case: &CaseReport) -> (Answer, &'static str) {
    let all_inside = case
        .audit
        .iter()
        .all(|record| record.exported == Some(Exported::No));
    let raw = case
        .audit
        .iter()
        .any(|record| record.exported == Some(Exported::Raw));
    let last = exchange::last_create(&case.recording);
    let has_ids = last.and_then(|(_, request)| ids_present(request)) == Some(true);
    match (raw, case.exports_scanned) {
        (true, _) if has_ids => (Answer::Fail, "an input fragment with ids went out as it was"),
        (_, 1..) => (Answer::Pass, "the exports were scanned and hold no id"),
        (_, 0) if all_inside => (Answer::Pass, "every audit record says that nothing was exported"),
        (_, 0) => (Answer::NotAssessed, "no export was scanned"),
    }
}

fn resume_key(audit: &[AuditRecord]) -> (Answer, &'static str) {
    let by_id = |record: &&AuditRecord| record.resume_key_type == Some(ResumeKey::ReasoningId);
    let allowed = |record: &AuditRecord| {
        record.reasoning_item_id_policy == Some(IdPolicy::Preserve)
            && matches!(record.exported, Some(Exported::No | Exported::Redacted))
    };
    if audit.iter().filter(by_id).any(|record| !allowed(record)) {
        return (
            Answer::Fail,
            "a run resumes by reasoning id without `preserve` and closed or redacted exports",
        );
    }
    if audit.iter().any(|record| record.resume_key_type.is_none()) {
        return (
            Answer::NotAssessed,
            "an audit record does not say what the run is resumed by",
        );
    }
    (
        Answer::Pass,
        "every audit record names a resume key that is allowed under its policy",
    )
}

fn policy_snapshot(audit: &[AuditRecord]) -> (Answer, &'static str) {
    if audit
        .iter()
        .any(|record| record.reasoning_item_id_policy.is_none())
    {
        return (Answer::Fail, "an audit record has no policy snapshot");
    }
    (Answer::Pass, "every audit record has a policy snapshot")
}

fn export_policy(audit: &[AuditRecord]) -> (Answer, &'static str) {
    let differs = |record: &AuditRecord| {
        record.export_policy.is_some() && record.export_policy != record.reasoning_item_id_policy
    };
    let unbound =
        |record: &AuditRecord| record.export_policy.is_none() && record.exported != Some(Exported::No);
    if audit.iter().any(differs) {
        return (
            Answer::Fail,
            "a dump was made under another policy than the live one: freeze it",
        );
    }
    if audit.iter().any(unbound) {
        return (
            Answer::NotAssessed,
            "an audit record does not say which policy its dump was made under",
        );
    }
    (
        Answer::Pass,
        "every dump was made under the live policy, or nothing was exported",
    )
}

fn compaction_policy(case: &CaseReport) -> (Answer, &'static str) {
    let differs = |record: &AuditRecord| {
        record.compaction_policy.is_some() && record.compaction_policy != record.reasoning_item_id_policy
    };
    let bound = case.audit.iter().any(|record| record.compaction_policy.is_some());
    let compacted = state::columns(&case.recording).compacted == Some(true);
    if case.audit.iter().any(differs) {
        return (
            Answer::Fail,
            "a compaction snapshot was made under another policy than the live one",
        );
    }
    match (compacted, bound) {
        (true, false) => (
            Answer::NotAssessed,
            "history was compacted and no audit record names the policy",
        ),
        (true | false, true) => (
            Answer::Pass,
            "every compaction snapshot is bound to the live policy",
        ),
        (false, false) => (Answer::Pass, "nothing was compacted"),
    }
}

#[cfg(test)]
mod tests {
    use holdover_judge::{Class, Severity};

    use super::*;
    use crate::case::Table;
    use crate::testing::{WITH_ID, WITHOUT_ID, case, finding};

    fn with_audit(lines: &str, records: &[&str]) -> CaseReport {
        let audit = records
            .iter()
            .map(|record| serde_json::from_str(record).expect("an audit record"));
        CaseReport {
            audit: audit.collect(),
            ..case("a", Table::ReasoningIdPolicy, lines, vec![])
        }
    }

    fn answers(case: &CaseReport) -> Vec<&'static str> {
        let gate = gate([case]).expect("a gate");
        gate.questions
            .iter()
            .map(|answered| answered.answer.as_str())
            .collect()
    }

    const GOOD: &str = r#"{"reasoning_item_id_policy":"omit","exported":"no","resume_key_type":"run_state"}"#;

    #[test]
    fn all_five_pass() {
        let case = with_audit(WITHOUT_ID, &[GOOD, GOOD]);
        assert_eq!(answers(&case), ["pass"; 5]);
        assert_eq!(gate([&case]).map(|gate| gate.release), Some(Answer::Pass));
    }

    #[test]
    fn without_audit_records_nothing_is_assessed() {
        let case = with_audit(WITHOUT_ID, &[]);
        assert_eq!(answers(&case), ["not assessed"; 5]);
        assert_eq!(gate([&case]).map(|gate| gate.release), Some(Answer::NotAssessed));
    }

    #[test]
    fn planted_cases_are_never_asked() {
        let planted = CaseReport {
            planted: true,
            ..with_audit(WITHOUT_ID, &[GOOD])
        };
        assert_eq!(gate([&planted]), None);
    }

    #[test]
    fn each_question_can_fail() {
        let raw = r#"{"reasoning_item_id_policy":"preserve","exported":"raw","resume_key_type":"run_state","export_policy":"preserve"}"#;
        assert_eq!(
            answers(&with_audit(WITH_ID, &[raw])),
            ["fail", "pass", "pass", "pass", "pass"]
        );
        let by_id = r#"{"reasoning_item_id_policy":"omit","exported":"no","resume_key_type":"reasoning_id"}"#;
        assert_eq!(
            answers(&with_audit(WITHOUT_ID, &[by_id])),
            ["pass", "fail", "pass", "pass", "pass"]
        );
        let silent = r#"{"exported":"no","resume_key_type":"run_state"}"#;
        assert_eq!(
            answers(&with_audit(WITHOUT_ID, &[silent])),
            ["pass", "pass", "fail", "pass", "pass"]
        );
        let dump = r#"{"reasoning_item_id_policy":"omit","exported":"no","resume_key_type":"run_state","export_policy":"preserve"}"#;
        assert_eq!(
            answers(&with_audit(WITHOUT_ID, &[dump])),
            ["pass", "pass", "pass", "fail", "pass"]
        );
        let compacted = r#"{"reasoning_item_id_policy":"omit","exported":"no","resume_key_type":"run_state","compaction_policy":"preserve"}"#;
        assert_eq!(
            answers(&with_audit(WITHOUT_ID, &[compacted])),
            ["pass", "pass", "pass", "pass", "fail"]
        );
    }

    #[test]
    fn a_reasoning_id_may_resume_under_preserve_with_exports_closed() {
        let allowed = r#"{"reasoning_item_id_policy":"preserve","exported":"redacted","resume_key_type":"reasoning_id","export_policy":"preserve"}"#;
        let case = CaseReport {
            exports_scanned: 1,
            ..with_audit(WITH_ID, &[allowed])
        };
        assert_eq!(answers(&case), ["pass"; 5]);
        let unset = allowed.replace("preserve", "none");
        assert_eq!(
            answers(&CaseReport {
                exports_scanned: 1,
                ..with_audit(WITH_ID, &[&unset])
            })[1],
            "fail"
        );
    }

    #[test]
    fn what_no_record_says_is_not_assessed() {
        let bare = r#"{"reasoning_item_id_policy":"omit"}"#;
        let compacts = r#"{"request":{"body":{"input":[{"type":"compaction","encrypted_content":"x"}]}}}"#;
        assert_eq!(
            answers(&with_audit(compacts, &[bare])),
            [
                "not assessed",
                "not assessed",
                "pass",
                "not assessed",
                "not assessed"
            ]
        );
    }

    #[test]
    fn one_no_of_many_sessions_is_a_no_and_is_named() {
        let good = with_audit(WITHOUT_ID, &[GOOD]);
        let leak = finding("id-in-export", Severity::Error, Class::Leak);
        let mut bad = case("bad", Table::ReasoningIdPolicy, WITHOUT_ID, vec![leak]);
        bad.audit = good.audit.clone();
        let gate = gate([&good, &bad]).expect("a gate");
        assert_eq!(gate.release, Answer::Fail);
        assert_eq!(gate.questions[0].cases, ["bad"]);
        assert_eq!(gate.questions[0].why, "the judge has a finding");
        assert_eq!(gate.questions[1].answer, Answer::Pass);
    }
}
