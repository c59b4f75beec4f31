//! The end of a session: what is pending settles, exports and audit records are judged.

use holdover_wire::AuditRecord;

use crate::audit::Records;
use crate::board::Moment;
use crate::config::Source;
use crate::draft::Draft;
use crate::finding::{Finding, Severity};
use crate::judge::Judge;
use crate::rules::{self, audit::dedupe_by_stripped_id, carry::history_absent, carry::replay_duplicate};
use crate::verdict::Verdict;

/// The verdict of a judge that will see nothing more.
pub(crate) fn close(judge: Judge) -> Verdict {
    let mut findings = judge.board.standing(judge.omit(), Moment::End);
    if judge.audit.iter().any(is_reset) {
        findings.retain(|finding| {
            finding.rule != history_absent::RULE.name || finding.severity == Severity::Note
        });
    }
    let audited = audit(&judge);
    if let Some(dedupe) = audited
        .iter()
        .find(|draft| draft.rule.name == dedupe_by_stripped_id::RULE.name)
    {
        let absorbed = absorb_duplicates(&mut findings);
        let mut finding = dedupe.finding(judge.client, None, None);
        finding.also.extend(absorbed);
        findings.push(finding);
    }
    let others = audited
        .iter()
        .filter(|draft| draft.rule.name != dedupe_by_stripped_id::RULE.name);
    findings.extend(others.map(|draft| draft.finding(judge.client, None, None)));
    findings.extend(
        crate::exports::scan(&judge)
            .iter()
            .map(|draft| draft.finding(judge.client, None, None)),
    );
    // What a source leaves out may be the turn that was sent again.
    if judge.world.source != Source::Lossy {
        let lost = judge.waiting.lost();
        findings.extend(
            lost.map(|(exchange, lineage, draft)| draft.finding(judge.client, Some(exchange), lineage)),
        );
    }
    let count = |amount: usize| u32::try_from(amount).unwrap_or(u32::MAX);
    let mut coverage = judge
        .tally
        .coverage(&judge.world.ledger, judge.world.lineages.count());
    let foreign = judge.foreign.counts();
    coverage.conversations += foreign.conversations;
    coverage.turns += foreign.turns;
    coverage.reasoning_issued += foreign.issued;
    coverage.reasoning_carried += foreign.carried;
    coverage.judged += foreign.judged;
    coverage.exports_scanned = count(judge.exports.len());
    coverage.audit_records = count(judge.audit.len());
    let mut inconclusive = judge.inconclusive;
    inconclusive.extend(judge.refused.close());
    inconclusive.sort_by_key(|gap| gap.exchange);
    Verdict::draw(coverage, findings, inconclusive)
}

fn audit(judge: &Judge) -> Vec<Draft> {
    if judge.audit.is_empty() {
        return Vec::new();
    }
    let records = Records::new(&judge.audit, &judge.fragments, judge.world.source, judge.history)
        .moved(judge.world.elsewhere.handover.as_ref());
    rules::AUDIT_CHECKS
        .iter()
        .filter_map(|check| check(&records))
        .collect()
}

/// Whether a record says that a conversation was started anew on purpose (R7).
fn is_reset(record: &AuditRecord) -> bool {
    record
        .other
        .keys()
        .any(|name| name.starts_with("reset") || name.ends_with("reset_reason"))
}

/// Takes the duplicates out: a key that is not there is their cause.
fn absorb_duplicates(findings: &mut Vec<Finding>) -> Vec<String> {
    let name = replay_duplicate::RULE.name;
    let before = findings.len();
    findings.retain(|finding| finding.rule != name || finding.severity == Severity::Note);
    if findings.len() < before {
        vec![name.to_owned()]
    } else {
        Vec::new()
    }
}
