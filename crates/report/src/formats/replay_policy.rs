//! `replay_policy.csv`: the replay experiment across providers (R8). No case has rows for it yet: the header stands.

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

/// The file.
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
