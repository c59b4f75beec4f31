//! Outputs answer calls: each output has one open call of an earlier turn, and no id is used twice.

use crate::problem::{Code, Span};
use crate::read::fields::Reader;
use crate::read::turn::{MadeCall, Script};
use crate::spec::{AutoTools, Scenario, ToolOutput, Turn};
use crate::suggest::quoted;

/// A call that an earlier turn made, and whether it has its output.
struct Made<'s> {
    call: &'s MadeCall,
    answered: Option<Span>,
}

pub(crate) fn check(reader: &mut Reader<'_>, scenario: &Scenario, script: &Script) {
    unique_ids(reader, script);
    if scenario.client.is_some() {
        return;
    }
    let mut made: Vec<Made<'_>> = script
        .calls
        .iter()
        .map(|call| Made { call, answered: None })
        .collect();
    for turn in &scenario.turns {
        let unknown = calls_are_unknown(scenario, turn.number);
        for output in &turn.tool_outputs {
            match_output(reader, turn, output, &mut made, unknown);
        }
    }
}

fn unique_ids(reader: &mut Reader<'_>, script: &Script) {
    for (index, one) in script.calls.iter().enumerate() {
        let Some(id) = &one.call.id else {
            continue;
        };
        let earlier = script.calls[..index]
            .iter()
            .find(|other| other.call.id.as_ref() == Some(id));
        if let Some(earlier) = earlier {
            let message = format!("the call id `{id}` is used twice");
            let problem = reader.problem(Code::DuplicateCall, &one.call.span, message);
            let problem = problem
                .label("used again")
                .other(earlier.call.span.clone(), "first used here");
            reader.report(problem.help("a call id names one call of the whole scenario"));
        }
    }
}

/// Whether an earlier turn may have made calls that the file does not show: an unscripted one with automatic tools.
fn calls_are_unknown(scenario: &Scenario, turn: u32) -> bool {
    let automatic = !matches!(scenario.server.auto_tools, None | Some(AutoTools::Off));
    automatic
        && scenario
            .turns
            .iter()
            .any(|earlier| earlier.number < turn && earlier.reply.is_none())
}

fn match_output(
    reader: &mut Reader<'_>,
    turn: &Turn,
    output: &ToolOutput,
    made: &mut [Made<'_>],
    unknown: bool,
) {
    let key = &output.key.value;
    let earlier = |made: &Made<'_>| made.call.turn < turn.number;
    let by_id = |made: &Made<'_>| made.call.call.id.as_deref() == Some(key);
    let has_id = made.iter().any(|made| earlier(made) && by_id(made));
    let candidates: Vec<usize> = (0..made.len())
        .filter(|&index| {
            let made = &made[index];
            earlier(made)
                && if has_id {
                    by_id(made)
                } else {
                    made.call.call.name == *key
                }
        })
        .collect();
    let open: Vec<usize> = candidates
        .iter()
        .copied()
        .filter(|&index| made[index].answered.is_none())
        .collect();
    match (open.as_slice(), candidates.last()) {
        ([one], _) => made[*one].answered = Some(output.key.span.clone()),
        ([first, second, ..], _) => ambiguous(reader, turn, output, &made[*first], &made[*second]),
        ([], Some(answered)) => twice(reader, turn, output, &made[*answered]),
        ([], None) if unknown => {}
        ([], None) => missing(reader, turn, output, made),
    }
}

fn ambiguous(reader: &mut Reader<'_>, turn: &Turn, output: &ToolOutput, first: &Made<'_>, second: &Made<'_>) {
    let name = &output.key.value;
    let message = format!(
        "turn {} gives an output for `{name}`, but more than one open call has that name",
        turn.number
    );
    let problem = reader.problem(Code::AmbiguousOutput, &output.key.span, message);
    let problem = problem
        .label("which call?")
        .other(second.call.call.span.clone(), "another call of that name");
    let help = match (&first.call.call.id, &second.call.call.id) {
        (Some(one), Some(other)) => format!("answer `{one}` and `{other}`"),
        _ => "give the calls an `id`, and answer the ids".to_owned(),
    };
    reader.report(problem.help(help));
}

fn twice(reader: &mut Reader<'_>, turn: &Turn, output: &ToolOutput, made: &Made<'_>) {
    let message = format!(
        "turn {} gives a second output for `{}`",
        turn.number, output.key.value
    );
    let problem = reader
        .problem(Code::OutputTwice, &output.key.span, message)
        .label("given again");
    let problem = match &made.answered {
        Some(span) => problem.other(span.clone(), "given here"),
        None => problem,
    };
    reader.report(problem.help("a call has one output"));
}

fn missing(reader: &mut Reader<'_>, turn: &Turn, output: &ToolOutput, made: &[Made<'_>]) {
    let key = &output.key.value;
    let number = turn.number;
    let message = format!("turn {number} gives an output for `{key}`, but no earlier turn made that call");
    let problem = reader
        .problem(Code::OutputWithoutCall, &output.key.span, message)
        .label("asked for here");
    let earlier: Vec<_> = made.iter().filter(|made| made.call.turn < number).collect();
    let names: Vec<&str> = earlier.iter().map(|made| shown(made)).collect();
    let problem = match (earlier.first(), earlier.as_slice()) {
        (Some(only), [_]) => {
            let label = format!("the only call made before turn {number} is `{}`", shown(only));
            let help = format!(
                "give the call an id in turn {}, or answer `{}`",
                only.call.turn,
                shown(only)
            );
            problem.other(only.call.call.span.clone(), label).help(help)
        }
        (Some(first), _) => {
            let help = format!("the calls made before turn {number} are: {}", quoted(&names));
            problem
                .other(first.call.call.span.clone(), "the first call")
                .help(help)
        }
        (None, _) => problem.help("let an earlier `reply` make the call: `{ call = { name = \"…\" } }`"),
    };
    reader.report(problem);
}

fn shown<'s>(made: &Made<'s>) -> &'s str {
    made.call.call.id.as_deref().unwrap_or(&made.call.call.name)
}
