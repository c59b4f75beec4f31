//! `wires.csv`: one behaviour of a client over the wires of many providers: right here, wrong there.

use holdover_judge::Severity;
use holdover_wire::Wire;
use holdover_wire::neutral::{Part, answered};
use holdover_wire::recording::ResponseRecord;
use serde_json::Value;

use super::sheet::{note, number, rows_of, sheet, text};
use crate::case::{Behaviour, CaseReport, Table, Treated};
use crate::result::worst;
use crate::run::Run;

/// Columns, in order.
pub(crate) const COLUMNS: [&str; 8] = [
    "case",
    "profile",
    "wire",
    "behaviour",
    "result",
    "finding",
    "status",
    "note",
];

/// Every word of `result`.
pub(crate) const WORDS: [&str; 4] = ["right", "wrong", "unsure", "not_expressible"];

/// The file.
pub(crate) fn write(run: &Run) -> Vec<u8> {
    sheet(COLUMNS, rows_of(run, Table::Wires).map(row))
}

fn row(case: &CaseReport) -> [String; 8] {
    let refusal = answers(case).find_map(|answer| header(answer, "x-holdover-refusal"));
    let finding = worst(case).map(|finding| finding.rule);
    [
        text(case.name().as_str()),
        text(&profiles(case)),
        wires(case),
        text(&case.behaviour.name),
        result(case).to_owned(),
        text(finding.or(refusal).unwrap_or_default()),
        number(answers(case).map(|answer| answer.status).max()),
        note(case),
    ]
}

/// Whether the behaviour is right on this wire. What the wire has nothing of, nobody can treat wrongly; what a server
/// decides by chance is no verdict.
fn result(case: &CaseReport) -> &'static str {
    let [right, wrong, unsure, not_expressible] = WORDS;
    let is_probed = answers(case).any(|answer| header(answer, "x-holdover-probe").is_some());
    if !can_show(case) {
        not_expressible
    } else if case.findings_from(Severity::Warning).next().is_some() {
        wrong
    } else if is_probed {
        unsure
    } else if answers(case).any(|answer| answer.status >= 400) {
        wrong
    } else {
        right
    }
}

/// Whether some answer brought what the behaviour treats.
fn can_show(case: &CaseReport) -> bool {
    let Behaviour { name: _, treated } = &case.behaviour;
    let exchanges = case.recording.exchanges.iter();
    let mut answers = exchanges.filter_map(|exchange| {
        let wire = Wire::of_path(exchange.request.path_only())?;
        Some((wire, exchange.response.as_ref()?))
    });
    answers.any(|(wire, answer)| match wire {
        // Reasoning of the Responses API is an item, and its payload is sealed.
        Wire::Responses => answer.status < 400,
        _ => answered(wire, answer)
            .is_some_and(|turn| turn.parts.iter().any(|part| is_treated(part, *treated))),
    })
}

fn is_treated(part: &Part, treated: Treated) -> bool {
    let is_signed = part.signature.as_ref().is_some_and(|text| !text.is_empty());
    match treated {
        Treated::Reasoning => part.carrier().is_some() || is_signed,
        Treated::Signatures => is_signed,
    }
}

fn answers(case: &CaseReport) -> impl Iterator<Item = &ResponseRecord> {
    let exchanges = case.recording.exchanges.iter();
    exchanges.filter_map(|exchange| exchange.response.as_ref())
}

fn header<'a>(answer: &'a ResponseRecord, name: &str) -> Option<&'a str> {
    answer.headers.get(name).and_then(Value::as_str)
}

/// The profiles that answered, in order; that of the session where an answer does not say its name.
fn profiles(case: &CaseReport) -> String {
    in_order(answers(case).map(|answer| {
        let own = header(answer, "x-holdover-profile");
        let refused = || {
            let refusal = header(answer, "x-holdover-refusal")?;
            refusal.split_once('/').map(|(profile, _)| profile)
        };
        own.or_else(refused).unwrap_or(&case.recording.header.profile)
    }))
}

fn wires(case: &CaseReport) -> String {
    let exchanges = case.recording.exchanges.iter();
    let wires = exchanges.filter_map(|exchange| Wire::of_path(exchange.request.path_only()));
    in_order(wires.map(Wire::as_str))
}

/// Each once where it follows another, joined by `>`.
fn in_order<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.collect();
    names.dedup();
    names.join(">")
}

#[cfg(test)]
mod tests {
    use holdover_judge::{Class, Severity};

    use super::*;
    use crate::testing::{case, finding, run, text as utf8};

    const PLAIN: &str = r#"{"request":{"path":"/v1/chat/completions","body":{"messages":[]}},"response":{"status":200,"headers":{"x-holdover-profile":"deepseek-v4"},"body":{"choices":[{"message":{"role":"assistant","reasoning_content":"t","content":"a"}}]}}}"#;
    const REFUSED: &str = r#"{"request":{"path":"/v1/chat/completions","body":{"messages":[]}},"response":{"status":400,"headers":{"x-holdover-refusal":"deepseek-v4/tool-loop-omitted"},"body":{}}}"#;
    const PROBED: &str = r#"{"request":{"path":"/v1/messages","body":{"messages":[]}},"response":{"status":400,"headers":{"x-holdover-probe":"kimi-k3/ordinary-omitted=refused","x-holdover-refusal":"kimi-k3/ordinary-omitted"},"body":{}}}"#;
    const SILENT: &str = r#"{"request":{"path":"/v1/chat/completions","body":{"messages":[]}},"response":{"status":200,"headers":{"x-holdover-profile":"openai-chat"},"body":{"choices":[{"message":{"role":"assistant","content":"a"}}]}}}"#;

    fn cell(lines: &[&str], treated: Treated, findings: Vec<holdover_judge::Finding>) -> CaseReport {
        CaseReport {
            behaviour: Behaviour {
                name: "drop-all".to_owned(),
                treated,
            },
            ..case("a", Table::Wires, &lines.join("\n"), findings)
        }
    }

    #[test]
    fn the_whole_file() {
        let missing = || {
            vec![finding(
                "required-reasoning-missing",
                Severity::Error,
                Class::Provider,
            )]
        };
        let cases = vec![
            cell(&[PLAIN], Treated::Reasoning, vec![]),
            cell(&[PLAIN, REFUSED], Treated::Reasoning, missing()),
            cell(&[PLAIN, REFUSED], Treated::Reasoning, vec![]),
            cell(&[PLAIN, PROBED], Treated::Reasoning, vec![]),
            cell(&[PLAIN], Treated::Signatures, vec![]),
            cell(&[SILENT], Treated::Reasoning, vec![]),
        ];
        assert_eq!(
            utf8(&write(&run(cases))),
            "\
case,profile,wire,behaviour,result,finding,status,note
a,deepseek-v4,chat-completions,drop-all,right,,200,
a,deepseek-v4,chat-completions,drop-all,wrong,required-reasoning-missing,400,required-reasoning-missing
a,deepseek-v4,chat-completions,drop-all,wrong,deepseek-v4/tool-loop-omitted,400,
a,deepseek-v4>kimi-k3,chat-completions>anthropic-messages,drop-all,unsure,kimi-k3/ordinary-omitted,400,
a,deepseek-v4,chat-completions,drop-all,not_expressible,,200,
a,openai-chat,chat-completions,drop-all,not_expressible,,200,
"
        );
    }
}
