//! What the model says: a scripted reply, or the default one.

use holdover_wire::Members as _;
use holdover_wire::id::Persistence;
use holdover_wire::{ApiError, Item, ItemKind, Reply, ReplyEnd, ReplyPart};
use serde_json::Value;

use crate::auto_tools;
use crate::fake::Job;
use crate::refusal::failure::{self, Told};
use crate::render::budget::Outcome;
use crate::render::headers;
use crate::schema_args;
use crate::turn::{Reasons, Turn};

/// One item to be said.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    /// A reasoning item with its summary.
    Reasoning(Vec<String>),
    /// A message.
    Message {
        /// Its one text.
        text: String,
        /// `commentary` or `final_answer`, on models that have it.
        phase: Option<String>,
    },
    /// A refusal in a message.
    Refusal(String),
    /// A call of a function.
    Function {
        /// `call_id`; derived when absent.
        call_id: Option<String>,
        /// Name of the function.
        name: String,
        /// Arguments as JSON text.
        arguments: String,
    },
    /// A call of a custom tool.
    Custom {
        /// `call_id`; derived when absent.
        call_id: Option<String>,
        /// Name of the tool.
        name: String,
        /// Its free text.
        input: String,
    },
    /// An item as pasted.
    Raw(Item),
    /// A compaction item.
    Compaction(Cause),
}

/// Why a context is compacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// A `compaction_trigger`: a progress event tells that a summary is sampled.
    Trigger,
    /// The threshold of `context_management`: no event between its two forms.
    Threshold,
}

/// What the model says, and how it ends.
pub(crate) struct Said {
    /// Parts in output order.
    pub(crate) parts: Vec<Part>,
    /// The end that a script wants.
    pub(crate) outcome: Outcome,
}

/// The parts of a response, in output order.
pub(crate) fn parts(job: &Job<'_>, turn: &Turn<'_>) -> Said {
    let completed = |parts| Said {
        parts,
        outcome: Outcome::Completed,
    };
    if turn.is_warm_up() {
        return completed(Vec::new());
    }
    if is_triggered(turn) {
        return completed(vec![Part::Compaction(Cause::Trigger)]);
    }
    let mut said = match job.reply {
        Some(reply) if !reply.parts.is_empty() => scripted(job, turn, reply),
        // An empty reply of a script asks for the default one.
        Some(_) | None => completed(unscripted(job, turn)),
    };
    if is_over_threshold(turn) && said.outcome == Outcome::Completed {
        said.parts.push(Part::Compaction(Cause::Threshold));
    }
    said
}

/// A `compaction_trigger` as last item of the input (`tests/facts/state.md`, Compaction C).
fn is_triggered(turn: &Turn<'_>) -> bool {
    let last = turn.entries.last();
    last.is_some_and(|entry| entry.kind == ItemKind::CompactionTrigger)
}

/// Server-side compaction: after the message, as last item, as in both captures (`tests/facts/state.md`, Compaction A).
fn is_over_threshold(turn: &Turn<'_>) -> bool {
    let rules = turn
        .request
        .member("context_management")
        .and_then(Value::as_array);
    let mut rules = rules.into_iter().flatten();
    rules.any(|rule| {
        let threshold = rule.member("compact_threshold").and_then(Value::as_u64);
        rule.member("type").and_then(Value::as_str) == Some("compaction")
            && threshold.is_some_and(|threshold| turn.chain.tokens > threshold)
    })
}

fn scripted(job: &Job<'_>, turn: &Turn<'_>, reply: &Reply) -> Said {
    let end = reply
        .parts
        .iter()
        .position(|part| matches!(part, ReplyPart::End(_)));
    let (said, rest) = reply.parts.split_at(end.unwrap_or(reply.parts.len()));
    let outcome = match rest.first() {
        Some(ReplyPart::End(end)) => outcome(job, turn, end),
        Some(_) | None => Outcome::Completed,
    };
    let mut parts = Vec::with_capacity(said.len());
    for (index, part) in said.iter().enumerate() {
        let after = said.get(index + 1..).unwrap_or_default();
        parts.extend(scripted_part(turn, part, after));
    }
    within_max_tool_calls(turn, &mut parts);
    // A script that says only how it ends wants the default answer before an `incomplete`, and nothing before a failure.
    if said.is_empty() && matches!(outcome, Outcome::Incomplete(_)) {
        parts = unscripted(job, turn);
    }
    Said { parts, outcome }
}

/// Calls of tools that the API itself runs.
const BUILT_IN_CALLS: [&str; 5] = [
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
];

/// `max_tool_calls` counts calls of built-in tools over the whole response; further ones are ignored
/// (`tests/facts/endpoints.md`, Request).
fn within_max_tool_calls(turn: &Turn<'_>, parts: &mut Vec<Part>) {
    let limit = turn.request.member("max_tool_calls").and_then(Value::as_u64);
    let Some(mut left) = limit else { return };
    parts.retain(|part| {
        let Part::Raw(item) = part else { return KEPT };
        let name = item.view().type_name();
        if !name.is_some_and(|name| BUILT_IN_CALLS.contains(&name)) {
            return KEPT;
        }
        let is_within = left > 0;
        left = left.saturating_sub(1);
        is_within
    });
}

const KEPT: bool = true;

fn outcome(job: &Job<'_>, turn: &Turn<'_>, end: &ReplyEnd) -> Outcome {
    match end {
        ReplyEnd::Incomplete { reason } => Outcome::Incomplete(reason.clone()),
        ReplyEnd::Failed { code, message } => {
            let account = &job.fake.config.account;
            let told = Told {
                model: &turn.model.snapshot,
                organisation: &account.organisation,
                request_id: &headers::request_id(job),
            };
            let error = failure::of_code(code, &told);
            Outcome::Failed(match message {
                Some(message) => ApiError {
                    message: message.clone(),
                    ..error
                },
                None => error,
            })
        }
    }
}

/// Reasoning of a script is not said by a model that does not reason, or was told not to. `after` are the parts that
/// follow: a message before a call is commentary.
fn scripted_part(turn: &Turn<'_>, part: &ReplyPart, after: &[ReplyPart]) -> Option<Part> {
    Some(match part {
        ReplyPart::Reasoning { summary } => {
            if turn.reasons == Reasons::No {
                return None;
            }
            Part::Reasoning(summary_parts(turn, summary.as_deref()))
        }
        ReplyPart::Message { text, phase } => Part::Message {
            text: text.clone().unwrap_or_else(|| default_text(turn)),
            phase: phase.clone().or_else(|| phase_before(turn, after)),
        },
        ReplyPart::Call { id, name, arguments } => Part::Function {
            call_id: id.clone(),
            name: name.clone(),
            arguments: arguments
                .clone()
                .unwrap_or_else(|| auto_tools::arguments(turn, name)),
        },
        ReplyPart::CustomCall { id, name, input } => Part::Custom {
            call_id: id.clone(),
            name: name.clone(),
            input: input.clone().unwrap_or_else(|| asked(turn).to_owned()),
        },
        ReplyPart::Refusal(text) => Part::Refusal(text.clone()),
        ReplyPart::Item(item) => Part::Raw(item.clone()),
        ReplyPart::End(_) => return None,
    })
}

/// `commentary` before tools, `final_answer` else (`tests/facts/items.md`, Message).
fn phase_before(turn: &Turn<'_>, after: &[ReplyPart]) -> Option<String> {
    let calls = after.iter().any(|part| match part {
        ReplyPart::Call { .. } | ReplyPart::CustomCall { .. } => true,
        ReplyPart::Item(item) => match item.kind() {
            ItemKind::FunctionCall | ItemKind::CustomToolCall | ItemKind::OtherCall => true,
            ItemKind::Message
            | ItemKind::Reasoning
            | ItemKind::FunctionCallOutput
            | ItemKind::CustomToolCallOutput
            | ItemKind::Compaction
            | ItemKind::CompactionTrigger
            | ItemKind::ItemReference
            | ItemKind::OtherOutput
            | ItemKind::Unknown => false,
        },
        ReplyPart::Reasoning { .. }
        | ReplyPart::Message { .. }
        | ReplyPart::Refusal(_)
        | ReplyPart::End(_) => false,
    });
    if calls {
        return turn.model.phase.then(|| "commentary".to_owned());
    }
    default_phase(turn)
}

/// A scripted summary is said as it is; the default one only where a summary was asked for.
fn summary_parts(turn: &Turn<'_>, scripted: Option<&[String]>) -> Vec<String> {
    match (scripted, turn.summary) {
        (Some(scripted), _) => scripted.to_vec(),
        (None, Some(_)) => vec![default_summary(turn)],
        (None, None) => Vec::new(),
    }
}

fn unscripted(job: &Job<'_>, turn: &Turn<'_>) -> Vec<Part> {
    let mut parts = Vec::with_capacity(2);
    if turn.reasons == Reasons::Yes {
        parts.push(Part::Reasoning(summary_parts(turn, None)));
    }
    parts.push(auto_tools::call(job, turn).unwrap_or_else(|| Part::Message {
        text: default_text(turn),
        phase: default_phase(turn),
    }));
    parts
}

/// One part that starts with a bold title line (`tests/facts/items.md`, Reasoning).
fn default_summary(turn: &Turn<'_>) -> String {
    format!(
        "**Answering offline**\n\nI carry {} protected items and answer \"{}\".",
        turn.chain.protected,
        asked(turn)
    )
}

fn default_phase(turn: &Turn<'_>) -> Option<String> {
    turn.model.phase.then(|| "final_answer".to_owned())
}

fn asked<'a>(turn: &'a Turn<'_>) -> &'a str {
    turn.chain.asked.as_deref().unwrap_or("")
}

/// The default answer, inside the format that the request asks for.
fn default_text(turn: &Turn<'_>) -> String {
    let text = plain_text(turn);
    let Some(format) = turn.request.member("text").and_then(|text| text.member("format")) else {
        return text;
    };
    match format.member("type").and_then(Value::as_str) {
        Some("json_object") => serde_json::json!({"answer": text}).to_string(),
        Some("json_schema") => schema_args::generate(format.member("schema"), &text).to_string(),
        _ => text,
    }
}

fn plain_text(turn: &Turn<'_>) -> String {
    if turn.chain.recall_asked {
        let recall = turn.rendered.recall;
        return recall.map_or_else(|| "unknown".to_owned(), |recall| recall.to_string());
    }
    let mode = match turn.persistence {
        Persistence::Persisted => "stored",
        Persistence::NotPersisted => "stateless",
    };
    format!(
        "Offline ({}, {mode}, priorProtected={}): answered \"{}\".",
        title_case(turn.effort.unwrap_or("none")),
        turn.chain.protected,
        asked(turn)
    )
}

/// A word with its first letter in upper case.
pub(crate) fn title_case(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
