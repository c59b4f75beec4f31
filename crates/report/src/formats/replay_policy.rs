//! `replay_policy.csv`: the replay experiment across providers (R8). `holdover experiment` writes its rows; no
//! case of a run has any, so the header stands.

use super::sheet::sheet;
use crate::run::Run;

/// Columns, in order.
pub(crate) const COLUMNS: [&str; 25] = [
    "profile",
    "as_of",
    "endpoint",
    "mode",
    "thinking",
    "reasoning",
    "action",
    "transport",
    "tier",
    "task",
    "http_status",
    "accepted",
    "effective",
    "continuity",
    "tool_call_completed",
    "first_pass",
    "wrong_association",
    "input_tokens",
    "cached_tokens",
    "latency_ms",
    "cost",
    "repetitions",
    "evidence",
    "result",
    "note",
];

/// The file of an experiment: rows as wide as the header, cells as they stand there.
pub fn rows(rows: impl Iterator<Item = [String; 25]>) -> Vec<u8> {
    sheet(COLUMNS, rows.map(|row| row.map(|cell| super::sheet::text(&cell))))
}

/// The file of a run, which has no rows: `holdover experiment` writes them.
pub(crate) fn write(run: &Run) -> Vec<u8> {
    // Taken apart by member: a new one has to be decided about here.
    let Run {
        started: _,
        cases: _,
        notes: _,
    } = run;
    sheet(COLUMNS, std::iter::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_stands_alone() {
        assert_eq!(
            crate::testing::text(&write(&Run::default())),
            "profile,as_of,endpoint,mode,thinking,reasoning,action,transport,tier,task,http_status,accepted,effective,\
             continuity,tool_call_completed,first_pass,wrong_association,input_tokens,cached_tokens,latency_ms,cost,\
             repetitions,evidence,result,note\n"
        );
    }
}
