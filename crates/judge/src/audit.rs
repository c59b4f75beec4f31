//! The audit records of a session, and what the wire says of them.

use std::collections::BTreeMap;

use holdover_wire::audit::{AuditRecord, IdPolicy};
use holdover_wire::fragment::{frag_hash, ids_present};
use holdover_wire::item::ItemKind;

use crate::draft::Draft;
use crate::hash::{ByHash, Hash, Hasher};
use crate::provider::Handover;
use crate::rules::Rule;
use crate::turn::Turn;

/// The reasoning that one request carried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fragment {
    pub(crate) exchange: u64,
    pub(crate) ids_present: bool,
    pub(crate) answered: bool,
}

/// The reasoning that the requests of a session carried.
#[derive(Debug, Default)]
pub(crate) struct Fragments(ByHash<(String, Fragment)>);

impl Fragments {
    /// Takes a create call. The hash that audit records name is worked out once for each fragment.
    pub(crate) fn take(&mut self, turn: &Turn<'_>) {
        let Some(key) = fragment_key(turn) else { return };
        let is_answered = turn.refusal.is_none();
        if let Some((_, known)) = self.0.get_mut(&key) {
            known.answered |= is_answered;
        } else if let Some(hash) = frag_hash(turn.body) {
            let fragment = Fragment {
                exchange: turn.number,
                ids_present: ids_present(turn.body).unwrap_or(false),
                answered: is_answered,
            };
            self.0.insert(key, (hash, fragment));
        }
    }
}

/// What tells the reasoning items of one request from those of another; `None` where there are none.
fn fragment_key(turn: &Turn<'_>) -> Option<Hash> {
    let mut items = turn
        .input
        .iter()
        .filter(|sent| sent.kind == ItemKind::Reasoning)
        .peekable();
    items.peek()?;
    let mut hasher = Hasher::new("fragment");
    items.for_each(|sent| hasher.object(sent.view.object()));
    Some(hasher.finish())
}

/// All records of a session and all fragments of its requests.
pub(crate) struct Records<'a> {
    all: &'a [AuditRecord],
    fragments: BTreeMap<&'a str, Fragment>,
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
        fragments: &'a Fragments,
        source: crate::Source,
        history: HistoryFrom,
    ) -> Self {
        Self {
            all: records,
            fragments: fragments
                .0
                .values()
                .map(|(hash, fragment)| (hash.as_str(), *fragment))
                .collect(),
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
