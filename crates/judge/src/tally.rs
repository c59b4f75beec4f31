//! What is counted while exchanges pass.

use crate::ledger::{GroupIx, Ledger, Progress};
use crate::verdict::{Coverage, ReasoningOff};

/// Counts of a session.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) turns: u32,
    pub(crate) turns_without_effort: u32,
    pub(crate) creates: u32,
    pub(crate) reasoning_issued: u32,
}

impl Tally {
    /// Counts the finished reasoning items of these groups.
    pub(crate) fn issued(&mut self, ledger: &Ledger, groups: &[GroupIx]) {
        let heads = groups.iter().filter_map(|group| ledger.group(*group).head);
        let done = heads.filter(|head| ledger.item(*head).progress == Progress::Done);
        self.reasoning_issued += u32::try_from(done.count()).unwrap_or(u32::MAX);
    }

    /// The coverage at the end.
    pub(crate) fn coverage(&self, ledger: &Ledger, conversations: u32) -> Coverage {
        let with_head = || ledger.groups().iter().filter(|group| group.head.is_some());
        let count = |amount: usize| u32::try_from(amount).unwrap_or(u32::MAX);
        let reasoning_off = match self.turns_without_effort {
            0 => ReasoningOff::No,
            all if all == self.creates => ReasoningOff::Always,
            _ => ReasoningOff::Sometimes,
        };
        Coverage {
            conversations,
            turns: self.turns,
            reasoning_issued: self.reasoning_issued,
            reasoning_carried: count(with_head().filter(|group| group.fate.carried).count()),
            judged: count(with_head().filter(|group| group.fate.judged).count()),
            exports_scanned: 0,
            audit_records: 0,
            reasoning_off,
        }
    }
}
