//! Findings between the moment in which a rule fires and the end of the session.
//!
//! A finding stays pending until its conversation's next request. One that rests on equal words, in a request that may
//! be a side call, stays pending until that request itself is continued, and is withdrawn when it never is. One whose
//! group is carried whole by a later request of another branch is withdrawn too.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::draft::{Draft, Once, UnderOmit};
use crate::finding::{Finding, Severity};
use crate::ledger::{GroupIx, NodeIx};
use crate::rules;

/// Where a finding was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) node: NodeIx,
    pub(crate) exchange: u64,
    pub(crate) lineage: u32,
    pub(crate) client: crate::Client,
    pub(crate) trust: Trust,
}

/// What it takes for findings of a request to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The conversation's next request, or the end.
    Firm,
    /// As firm, but another branch may prove it wrong.
    Words,
    /// The request itself must be continued.
    MayBeSideCall,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Pending,
    Settled,
    Withdrawn,
}

#[derive(Debug)]
struct Entry {
    draft: Draft,
    site: Site,
    trust: Trust,
    state: State,
}

/// All findings of exchanges.
#[derive(Debug, Default)]
pub(crate) struct Board {
    entries: Vec<Entry>,
    said: BTreeSet<(&'static str, u32, Once)>,
    open_by_lineage: BTreeMap<u32, Vec<usize>>,
    side_calls: BTreeMap<NodeIx, Vec<usize>>,
    by_group: BTreeMap<GroupIx, Vec<usize>>,
    /// The first error in a request that was refused with this wording, by conversation.
    causes: BTreeMap<(u32, String), usize>,
}

impl Board {
    /// Puts up the findings of one request: one primary finding for each group, the others of it in `also`.
    ///
    /// `refusal` is the wording with which the API refused the request. A later finding about that very wording
    /// (`Draft::follows`) stands behind the finding that was made here: the loss is the cause, the refusals follow.
    pub(crate) fn put(&mut self, drafts: Vec<Draft>, site: Site, refusal: Option<&str>) {
        for draft in fold(drafts) {
            let once = draft.once.clone().unwrap_or(Once::Exchange(site.exchange));
            let repeated = !self.said.insert((draft.rule.name, site.lineage, once));
            if repeated {
                continue;
            }
            let cause = draft
                .follows
                .as_ref()
                .and_then(|wording| self.causes.get(&(site.lineage, wording.clone())));
            if let Some(place) = cause {
                stand_behind(&mut self.entries[*place].draft, draft);
                continue;
            }
            if let Some(wording) = refusal.filter(|_| draft.severity == Severity::Error) {
                self.causes
                    .entry((site.lineage, wording.to_owned()))
                    .or_insert(self.entries.len());
            }
            self.add(draft, site);
        }
    }

    fn add(&mut self, draft: Draft, site: Site) {
        let place = self.entries.len();
        if let Some(group) = draft.group {
            self.by_group.entry(group).or_default().push(place);
        }
        match site.trust {
            Trust::MayBeSideCall => self.side_calls.entry(site.node).or_default().push(place),
            Trust::Firm | Trust::Words => self.open_by_lineage.entry(site.lineage).or_default().push(place),
        }
        self.entries.push(Entry {
            draft,
            site,
            trust: site.trust,
            state: State::Pending,
        });
    }

    /// Puts up a finding of an exchange that belongs to no conversation; it stands at once.
    pub(crate) fn put_alone(&mut self, draft: Draft, client: crate::Client, exchange: u64) {
        let once = draft.once.clone().unwrap_or(Once::Exchange(exchange));
        if !self.said.insert((draft.rule.name, 0, once)) {
            return;
        }
        let site = Site {
            node: NodeIx(usize::MAX),
            exchange,
            lineage: 0,
            client,
            trust: Trust::Firm,
        };
        self.entries.push(Entry {
            draft,
            site,
            trust: Trust::Firm,
            state: State::Settled,
        });
    }

    /// The next request of a conversation came, and continues this node.
    pub(crate) fn continued(&mut self, lineage: u32, parent: Option<NodeIx>) {
        let open = self.open_by_lineage.remove(&lineage).unwrap_or_default();
        let confirmed = parent
            .and_then(|node| self.side_calls.remove(&node))
            .unwrap_or_default();
        for place in open.into_iter().chain(confirmed) {
            let entry = &mut self.entries[place];
            if entry.state == State::Pending {
                entry.state = State::Settled;
            }
            // Whoever is continued was no side call.
            if entry.trust == Trust::MayBeSideCall {
                entry.trust = Trust::Firm;
            }
        }
    }

    /// A later request carried this group whole: what was said of it by words alone does not stand.
    pub(crate) fn intact(&mut self, group: GroupIx) {
        for place in self.by_group.get(&group).into_iter().flatten() {
            let entry = &mut self.entries[*place];
            if entry.trust != Trust::Firm {
                entry.state = State::Withdrawn;
            }
        }
    }

    /// What stands now. `omit` says whether an audit record has that policy; `last` whether nothing more will come.
    pub(crate) fn standing(&self, omit: Omit, moment: Moment) -> Vec<Finding> {
        let stands = |entry: &&Entry| match (entry.state, moment) {
            (State::Settled, _) => true,
            (State::Pending, Moment::End) => entry.trust != Trust::MayBeSideCall,
            (State::Pending, Moment::Live) | (State::Withdrawn, _) => false,
        };
        let standing = self.entries.iter().filter(stands);
        standing.filter_map(|entry| under(entry, omit)).collect()
    }
}

/// Whether an audit record of the session has the policy `omit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Omit {
    Recorded,
    NotRecorded,
}

/// Whether more may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    Live,
    End,
}

fn under(entry: &Entry, omit: Omit) -> Option<Finding> {
    let draft = match omit {
        Omit::NotRecorded => entry.draft.clone(),
        Omit::Recorded => recorded_as_omit(entry.draft.clone())?,
    };
    let site = entry.site;
    let lineage = Some(site.lineage).filter(|lineage| *lineage > 0);
    Some(draft.finding(site.client, Some(site.exchange), lineage))
}

/// What an audit record with `omit` leaves of a finding and of those behind it.
fn recorded_as_omit(mut draft: Draft) -> Option<Draft> {
    draft
        .also
        .retain(|other| !matches!(other.under_omit, UnderOmit::Silent));
    match draft.under_omit {
        UnderOmit::Same => Some(draft),
        UnderOmit::Silent if draft.also.is_empty() => None,
        UnderOmit::Silent => {
            let also = draft.also.split_off(1);
            Some(Draft {
                also,
                ..draft.also.remove(0)
            })
        }
        UnderOmit::Becomes(rule) => {
            let mut also = std::mem::take(&mut draft.also);
            also.retain(|other| other.rule.name != rule.name);
            also.insert(0, draft.clone());
            Some(Draft {
                rule,
                severity: draft.severity.max(Severity::Warning),
                message: format!(
                    "the audit record says `omit`, which strips ids only: {}",
                    draft.message
                ),
                also,
                ..draft
            })
        }
    }
}

/// One draft for each group: the worst, and among equals the one whose rule comes first. A group that is gone as a
/// whole, while another one of its response has a finding of the same weight, went the same way: one cut, one draft.
pub(crate) fn fold(drafts: Vec<Draft>) -> Vec<Draft> {
    let (whole, mut folded): (Vec<_>, Vec<_>) = by_group(drafts)
        .into_iter()
        .partition(|draft| draft.whole_group_of.is_some());
    for draft in whole {
        let same_cut =
            |held: &&mut Draft| held.response == draft.whole_group_of && held.severity >= draft.severity;
        match folded.iter_mut().find(same_cut) {
            Some(held) => stand_behind(held, draft),
            None => folded.push(draft),
        }
    }
    folded
}

fn by_group(drafts: Vec<Draft>) -> Vec<Draft> {
    let mut primary: BTreeMap<GroupIx, usize> = BTreeMap::new();
    let mut folded: Vec<Draft> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        if let Some(place) = draft.group.and_then(|group| primary.get(&group).copied()) {
            join(&mut folded[place], draft);
            continue;
        }
        if let Some(group) = draft.group {
            primary.insert(group, folded.len());
        }
        folded.push(draft);
    }
    folded
}

fn join(held: &mut Draft, mut draft: Draft) {
    if outranks(&draft, held) {
        std::mem::swap(held, &mut draft);
    }
    stand_behind(held, draft);
}

/// Puts a draft, and those behind it, into `also`.
fn stand_behind(held: &mut Draft, mut draft: Draft) {
    let behind = std::mem::take(&mut draft.also);
    let mut others = std::mem::take(&mut held.also);
    others.push(draft);
    others.extend(behind);
    others.sort_by_key(|other| (Reverse(other.severity), rules::rank(other.rule)));
    others.dedup_by(|left, right| left.rule.name == right.rule.name);
    others.retain(|other| other.rule.name != held.rule.name);
    held.also = others;
}

fn outranks(left: &Draft, right: &Draft) -> bool {
    let key = |draft: &Draft| (draft.severity, Reverse(rules::rank(draft.rule)));
    key(left) > key(right)
}
