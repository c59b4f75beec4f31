//! `state_modes.csv`: how a session kept state, and what of it reached the last turn (M1, M2, M6-M8, M11).

use super::sheet::{flag, note, number, optional, rows_of, sheet, text};
use crate::case::{CaseReport, Table};
use crate::reading::state::columns;
use crate::result::result_of;
use crate::run::Run;

/// Columns, in order.
pub(crate) const COLUMNS: [&str; 12] = [
    "case",
    "mode",
    "store",
    "transport",
    "marker_recalled",
    "nonce_recalled",
    "tool_state",
    "instructions_seen",
    "retrieve_status",
    "compacted",
    "result",
    "note",
];

/// The file.
pub(crate) fn write(run: &Run) -> Vec<u8> {
    sheet(COLUMNS, rows_of(run, Table::StateModes).map(row))
}

fn row(case: &CaseReport) -> [String; 12] {
    let read = columns(&case.recording);
    [
        text(case.name().as_str()),
        optional(read.mode),
        flag(read.store),
        read.transport,
        flag(read.marker_recalled),
        flag(read.nonce_recalled),
        optional(read.tool_state),
        flag(read.instructions_seen),
        number(read.retrieve_status),
        flag(read.compacted),
        result_of(case).to_owned(),
        note(case),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{case, run, text as utf8};

    /// Marker and a tool call in turn 1, its output in turn 2, the question in turn 3; the server holds the state.
    const CHAIN: &str = r#"
{"request":{"body":{"model":"m","instructions":"Be brief.","input":"Remember marker-7Q2."}},"response":{"body":{"id":"resp_1","store":true,"output":[{"type":"reasoning","id":"rs_1","summary":[]},{"type":"function_call","call_id":"call_1","name":"lookup","arguments":"{}"}]}}}
{"request":{"body":{"model":"m","previous_response_id":"resp_1","input":[{"type":"function_call_output","call_id":"call_1","output":"42"}]}},"response":{"body":{"id":"resp_2","store":true,"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}]}}}
{"transport":"sse","request":{"body":{"model":"m","previous_response_id":"resp_2","input":[{"role":"user","content":"holdover:recall"}]}},"response":{"events":[{"type":"response.completed","response":{"id":"resp_3","store":true,"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"nonce-5f"}]}]}}]}}
{"request":{"method":"GET","path":"/v1/responses/resp_1"},"response":{"status":200,"body":{}}}
"#;

    /// The client replays, forgot the call of turn 1 and the marker, and was answered `unknown`.
    const REPLAY: &str = r#"
{"request":{"body":{"model":"m","store":false,"input":[{"role":"developer","content":"x"},{"role":"user","content":"MARKER-1 please"}]}},"response":{"body":{"id":"resp_1","store":false,"output":[{"type":"function_call","call_id":"call_1","name":"lookup","arguments":"{}"}]}}}
{"request":{"body":{"model":"m","store":false,"input":[{"role":"user","content":"holdover:recall"}]}},"response":{"body":{"id":"resp_2","store":false,"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"unknown"}]}]}}}
{"request":{"method":"GET","path":"/v1/responses/resp_1/input_items"},"response":{"status":200,"body":{}}}
{"request":{"method":"GET","path":"/v1/responses/resp_1?x=1"},"response":{"status":404,"body":{}}}
"#;

    const MIXED: &str = r#"
{"request":{"body":{"conversation":"conv_1","input":"a"}},"response":{"body":{"id":"resp_1","output":[]}}}
{"request":{"body":{"previous_response_id":"resp_1","input":"b"}},"response":{"body":{"id":"resp_2","output":[]}}}
{"request":{"path":"/v1/responses/compact","body":{"input":"b"}},"response":{"status":200,"body":{"id":"resp_3","object":"response.compaction","output":[]}}}
"#;

    fn state_case(order: usize, name: &str, lines: &str) -> CaseReport {
        CaseReport {
            order,
            ..case(name, Table::StateModes, lines, vec![])
        }
    }

    #[test]
    fn the_whole_file() {
        let cases = vec![
            state_case(0, "chain", CHAIN),
            state_case(1, "replay", REPLAY),
            state_case(2, "mixed", MIXED),
            state_case(3, "nothing", ""),
        ];
        assert_eq!(
            utf8(&write(&run(cases))),
            "\
case,mode,store,transport,marker_recalled,nonce_recalled,tool_state,instructions_seen,retrieve_status,compacted,result,note
chain,server-chain,true,json+sse,true,true,kept,false,200,false,kept,
replay,client-replay,false,json,false,false,lost,false,404,false,kept,
mixed,mixed,true,json,,,,,,true,kept,
nothing,,,,,,,,,,not_judged,
"
        );
    }
}
