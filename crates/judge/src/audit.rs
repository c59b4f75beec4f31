//! The audit records of a session, and what the wire says of them.

use std::collections::BTreeMap;

use holdover_wire::audit::{AuditRecord, IdPolicy};

use crate::draft::Draft;
use crate::provider::Handover;
use crate::rules::Rule;

/// The reasoning that one request carried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fragment {
    pub(crate) exchange: u64,
    pub(crate) ids_present: bool,
    pub(crate) answered: bool,
}

/// All records of a session and all fragments of its requests.
pub(crate) struct Records<'a> {
    all: &'a [AuditRecord],
    fragments: &'a BTreeMap<String, Fragment>,
    sees_all: bool,
    history: HistoryFrom,
    handover: Option<&'a Handover>,
}

/// Where a client reads its history from, as far as an outsider sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum HistoryFrom {
    /// From itself.
    #[default]
    Client,
    /// From the items of a conversation: the Agents SDK exempts that session from its id policy
    /// (`tests/facts/clients/agents_sdk.md`).
    Conversation,
}

/// The first of the records that a rule is about, and how many there are.
#[derive(Clone, Copy)]
pub(crate) struct First<'a> {
    record: &'a AuditRecord,
    number: usize,
    count: usize,
}

impl<'a> First<'a> {
    /// The record.
    pub(crate) fn record(self) -> &'a AuditRecord {
        self.record
    }

    /// "the audit record of run `r1`", and how many more are like it.
    pub(crate) fn label(self) -> String {
        let record = match &self.record.run_id {
            Some(run_id) => format!("the audit record of run `{run_id}`"),
            None => format!("audit record {}", self.number),
        };
        match self.count {
            0 | 1 => record,
            count => format!("{record} (and {} more)", count - 1),
        }
    }
}

impl<'a> Records<'a> {
    pub(crate) fn new(
        records: &'a [AuditRecord],
        fragments: &'a BTreeMap<String, Fragment>,
        source: crate::Source,
        history: HistoryFrom,
    ) -> Self {
        Self {
            all: records,
            fragments,
            sees_all: source == crate::Source::Whole,
            history,
            handover: None,
        }
    }

    /// The same, of a session that moved to another provider.
    pub(crate) fn moved(self, handover: Option<&'a Handover>) -> Self {
        Self { handover, ..self }
    }

    /// The first move from one provider to another that the wires show.
    pub(crate) fn handover(&self) -> Option<&'a Handover> {
        self.handover
    }

    /// Where the client reads its history from.
    pub(crate) fn history(&self) -> HistoryFrom {
        self.history
    }

    /// All records in the order in which they came.
    pub(crate) fn all(&self) -> &'a [AuditRecord] {
        self.all
    }

    /// The first record of which this holds.
    pub(crate) fn first(&self, holds: impl Fn(&AuditRecord) -> bool) -> Option<First<'a>> {
        let (index, record) = self.all.iter().enumerate().find(|(_, record)| holds(record))?;
        Some(First {
            record,
            number: index + 1,
            count: self.all.iter().filter(|record| holds(record)).count(),
        })
    }

    /// The fragment with this hash.
    pub(crate) fn fragment(&self, hash: &str) -> Option<Fragment> {
        self.fragments.get(hash).copied()
    }

    /// Whether a hash that is not there was never sent.
    pub(crate) fn sees_all_requests(&self) -> bool {
        self.sees_all && !self.fragments.is_empty()
    }

    /// Whether any request that was answered carried reasoning: a refused one may have been repaired since.
    pub(crate) fn reasoning_was_sent(&self) -> bool {
        self.fragments.values().any(|fragment| fragment.answered)
    }
}

/// A finding of this rule about these records.
pub(crate) fn draft(rule: &'static Rule, first: First<'_>, message: String) -> Draft {
    let run = first.record.run_id.as_ref();
    let place = run.map_or_else(
        || format!("audit record {}", first.number),
        |run| format!("run {run}"),
    );
    Draft::of(rule, message).place(place)
}

/// Whether this record's policy strips ids.
pub(crate) fn strips_ids(record: &AuditRecord) -> bool {
    record.reasoning_item_id_policy.is_some_and(IdPolicy::strips_ids)
}

/// Whether both policies are there and do different things; `none` and `preserve` do the same (P1).
pub(crate) fn differ(left: Option<IdPolicy>, right: Option<IdPolicy>) -> bool {
    matches!((left, right), (Some(left), Some(right)) if left.strips_ids() != right.strips_ids())
}
