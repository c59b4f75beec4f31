//! The detection matrix: every slip in every client where it can exist, over both transports, in four programs; and
//! every pair of slips. It measures recall (each slip is found) and precision (nothing else is, and twins are clean).

mod program;
mod setting;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use holdover_agent::{Preset, Slip, Streaming};
use holdover_judge::{PatternError, Severity, Verdict};

use crate::play;

pub use program::Program;

/// One cell: a client with one slip or two, in one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// One slip, or a pair.
    pub slips: Vec<Slip>,
    /// The client.
    pub preset: Preset,
    /// How answers come.
    pub transport: Streaming,
    /// What is said.
    pub program: Program,
}

/// What the judge said of a cell and of its twin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The cell.
    pub cell: Cell,
    /// Rules of the findings above `note`.
    pub found: BTreeSet<&'static str>,
    /// Rules of the findings above `note` of the twin: none, if the judge is right.
    pub twin: BTreeSet<&'static str>,
}

/// The finding that a slip shows an outsider, by `docs/architecture.md` ("What each slip of the first issue shows an
/// outsider"). Several, where the document names several.
pub fn expected(slip: Slip) -> &'static [&'static str] {
    match slip {
        Slip::TextOnlyAppend | Slip::StreamTextOnly | Slip::RoleAndTextRecord => &["text-only-rebuild"],
        Slip::FirstOutputOnly => &["orphan-reasoning"],
        Slip::UnknownItemDropped => &["item-dropped"],
        Slip::StreamLastUpdateLost => &["late-part-dropped"],
        Slip::IdTypeChanged => &["reasoning-id-lost"],
        Slip::TokenTruncated | Slip::TokenReEncoded => &["encrypted-content-altered"],
        Slip::LogWholeResponse => &["protected-data-in-export"],
        Slip::LogInputFragment => &["id-in-export"],
        Slip::ResumeByReasoningId => &["resume-by-stripped-id"],
        Slip::PolicyNotRecorded => &["no-policy-snapshot"],
        Slip::DedupeById => &["dedupe-by-stripped-id"],
        Slip::InstructionsOnce => &["instructions-not-resent"],
        Slip::IncludeForgotten => &["encrypted-content-missing"],
        Slip::MixedModes => &["double-send", "state-modes-mixed"],
        Slip::TrimSplitsPair => &["call-without-output", "output-without-call"],
        Slip::HalfStrip => &["half-stripped-group"],
        Slip::PolicyChangedAfterCompaction => &["compaction-policy-changed"],
        Slip::ExportUnderOtherPolicy => &["export-policy-differs"],
        Slip::PolicyAsContentSwitch => &["policy-used-as-content-switch"],
        Slip::RefusalRetried => &["not-retryable-retried"],
        Slip::RetryAtOnce => &["retry-after-ignored"],
        Slip::RefusalNotRepaired => &["poisoned-history-resent"],
        Slip::RepairMisses => &["recovery-blind"],
        Slip::AnchorKept => &["stale-anchor"],
        Slip::CutAnswerKept => &["terminal-misread"],
        Slip::BrokenReasoningKept => &["partial-reasoning-kept"],
        Slip::EventAppendedTwice => &["replay-duplicate"],
        Slip::IdOfAdded => &["foreign-token"],
        Slip::IdAsCacheKey => &["id-in-foreign-field"],
        Slip::RetrieveAfterStoreFalse => &["retrieve-of-unstored"],
        Slip::BlindTrim => &["orphan-follower", "output-without-call"],
        Slip::CompactionItemParsed => &["compaction-altered"],
        Slip::CompactEveryTurn => &["compaction-every-turn"],
        Slip::LatestOverwritten => &["branch-overwritten"],
        Slip::ForeignReasoningSent => &["reasoning-of-another-provider"],
    }
}

/// What a pair shows besides the findings of its two, by hand: the one changes what is there for the other to break.
const JOINT: &[(Slip, Slip, &str)] = &[
    // One takes the reasoning and the other what is left: the group is gone as a whole.
    (Slip::FirstOutputOnly, Slip::TextOnlyAppend, "item-dropped"),
    (Slip::FirstOutputOnly, Slip::StreamTextOnly, "item-dropped"),
    (Slip::FirstOutputOnly, Slip::RoleAndTextRecord, "item-dropped"),
    (Slip::FirstOutputOnly, Slip::PolicyAsContentSwitch, "item-dropped"),
    // The run is refused in the loop; what the record then keeps of it has neither reasoning nor call.
    (
        Slip::RoleAndTextRecord,
        Slip::StreamLastUpdateLost,
        "item-dropped",
    ),
    (Slip::RoleAndTextRecord, Slip::IncludeForgotten, "item-dropped"),
    (Slip::RoleAndTextRecord, Slip::HalfStrip, "item-dropped"),
    // Without include no token is issued: what the log holds of the response is its ids.
    (Slip::LogWholeResponse, Slip::IncludeForgotten, "id-in-export"),
    // The response echoes the cache key: its log holds the id of an item of an earlier response.
    (Slip::LogWholeResponse, Slip::IdAsCacheKey, "id-in-export"),
    // Without the record nobody can tell what the policy was used for.
    (
        Slip::PolicyNotRecorded,
        Slip::PolicyAsContentSwitch,
        "reasoning-dropped",
    ),
    // The cut takes the call from a group, or from its duplicate.
    (Slip::TrimSplitsPair, Slip::DedupeById, "orphan-reasoning"),
    (
        Slip::TrimSplitsPair,
        Slip::PolicyChangedAfterCompaction,
        "item-dropped",
    ),
];

/// Whether a rule is what this pair shows together.
fn is_joint(slips: &[Slip], rule: &str) -> bool {
    let both = |left, right| slips.contains(&left) && slips.contains(&right);
    JOINT
        .iter()
        .any(|(left, right, shown)| *shown == rule && both(*left, *right))
}

impl Row {
    /// Slips of the cell whose finding did not come: in a pair, the other one masks it.
    pub fn masked(&self) -> Vec<Slip> {
        let shown = |slip: &Slip| expected(*slip).iter().any(|rule| self.found.contains(rule));
        self.cell
            .slips
            .iter()
            .copied()
            .filter(|slip| !shown(slip))
            .collect()
    }

    /// Findings that no slip of the cell explains.
    pub fn unexplained(&self) -> Vec<&'static str> {
        let slips = &self.cell.slips;
        let explained =
            |rule: &&str| slips.iter().any(|slip| expected(*slip).contains(rule)) || is_joint(slips, rule);
        self.found
            .iter()
            .copied()
            .filter(|rule| !explained(rule))
            .collect()
    }

    /// Its line in the table.
    fn line(&self) -> String {
        let cell = &self.cell;
        let join = |names: Vec<&str>| names.join(" ");
        [
            join(cell.slips.iter().map(|slip| slip.name()).collect()),
            cell.preset.as_str().to_owned(),
            cell.transport.as_str().to_owned(),
            cell.program.as_str().to_owned(),
            join(self.found.iter().copied().collect()),
            join(self.masked().iter().map(|slip| slip.name()).collect()),
            if self.twin.is_empty() {
                "clean".to_owned()
            } else {
                join(self.twin.iter().copied().collect())
            },
        ]
        .join(",")
    }
}

/// Every cell with one slip.
pub fn singles() -> Vec<Cell> {
    let slips = Slip::all().iter().map(|slip| vec![*slip]);
    slips.flat_map(|slips| cells(&slips, &Program::ALL)).collect()
}

/// Every cell with two slips, in the program that most of them can exist in. A slip that shows under a fault only is
/// played alone: the fault would change what there is for the other one to break.
pub fn pairs() -> Vec<Cell> {
    let plain = Slip::all().iter().filter(|slip| setting::fault(**slip).is_none());
    let all: Vec<&Slip> = plain.collect();
    let pairs = all
        .iter()
        .enumerate()
        .flat_map(|(index, first)| all[index + 1..].iter().map(|second| vec![**first, **second]));
    pairs
        .flat_map(|slips| cells(&slips, &[Program::ToolLoop]))
        .collect()
}

fn cells(slips: &[Slip], programs: &[Program]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for preset in Preset::ALL {
        for transport in Streaming::ALL {
            for program in programs {
                let cell = Cell {
                    slips: slips.to_vec(),
                    preset: *preset,
                    transport: *transport,
                    program: *program,
                };
                if setting::exists(&cell) {
                    cells.push(cell);
                }
            }
        }
    }
    cells
}

/// Plays a cell and its twin.
pub fn play(cell: &Cell) -> Result<Row, PatternError> {
    let verdict = |setup| play::play(&setup).map(|played| found(&played.verdict));
    Ok(Row {
        cell: cell.clone(),
        found: verdict(setting::setup(cell))?,
        twin: verdict(setting::twin(cell))?,
    })
}

fn found(verdict: &Verdict) -> BTreeSet<&'static str> {
    let above = verdict
        .findings
        .iter()
        .filter(|finding| finding.severity > Severity::Note);
    above.map(|finding| finding.rule).collect()
}

/// The table: a row a cell.
pub fn table(rows: &[Row]) -> String {
    let mut text = "slips,preset,transport,program,found,masked,twin\n".to_owned();
    for row in rows {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{}", row.line());
    }
    text
}
