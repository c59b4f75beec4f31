//! From what the model says to the items of its output.

use std::sync::Arc;

use holdover_profile::{Context, Shape};
use holdover_provider::{Texts, said};
use holdover_wire::Members as _;
use holdover_wire::item::{self, ItemView};
use holdover_wire::{ItemKind, Object};
use serde_json::{Value, json};

use crate::fake::Job;
use crate::ids::Place;
use crate::render::hosted;
use crate::render::item::{Cut, Flow, Output, compaction_payload, object, reasoning_payload};
use crate::seal::Payload;
use crate::speech::{Cause, Part};
use crate::tokens::count;
use crate::turn::{Tokens, Turn};

/// The items of a response.
pub(crate) fn outputs(job: &Job<'_>, turn: &Turn<'_>, parts: Vec<Part>) -> Vec<Output> {
    let mut head = None;
    let mut outputs = Vec::with_capacity(parts.len());
    for (index, part) in (0_u16..).zip(parts) {
        if is_reasoning(&part) {
            head = Some(index);
        }
        outputs.push(
            Builder {
                job,
                turn,
                index,
                head,
            }
            .build(part),
        );
    }
    outputs
}

fn is_reasoning(part: &Part) -> bool {
    match part {
        Part::Reasoning(_) => true,
        Part::Raw(item) => item.kind() == ItemKind::Reasoning,
        Part::Message { .. }
        | Part::Refusal(_)
        | Part::Function { .. }
        | Part::Custom { .. }
        | Part::Compaction(_) => false,
    }
}

struct Builder<'a, 'b> {
    job: &'b Job<'a>,
    turn: &'b Turn<'a>,
    index: u16,
    head: Option<u16>,
}

impl Builder<'_, '_> {
    fn build(&self, part: Part) -> Output {
        match part {
            Part::Reasoning(summary) => self.reasoning(&summary),
            Part::Message { text, phase } => {
                let tokens = u64::from(count(&text));
                let part = json!({"type": "output_text", "annotations": [], "logprobs": [], "text": text});
                self.message(part, phase, tokens)
            }
            Part::Refusal(text) => {
                let tokens = u64::from(count(&text));
                let phase = self.turn.model.phase.then(|| "final_answer".to_owned());
                self.message(json!({"type": "refusal", "refusal": text}), phase, tokens)
            }
            Part::Function {
                call_id,
                name,
                arguments,
            } => self.function(call_id, name, arguments),
            Part::Custom { call_id, name, input } => self.custom(call_id, name, input),
            Part::Raw(item) => self.raw(item.object()),
            Part::Compaction(cause) => self.compaction(cause),
        }
    }

    fn id(&self, prefix: &str) -> String {
        let place = Place::Output {
            index: self.index,
            head: self.head,
        };
        self.job.fake.ids.id(prefix, &self.turn.stem, place)
    }

    fn output(&self, id: String, bare: Object, flow: Flow, tokens: u64) -> Output {
        Output {
            bare: Arc::new(bare),
            id,
            seal: None,
            second: self.turn.stem.second() + u64::from(self.index),
            flow,
            tokens,
            token_member: "encrypted_content",
            cut: Cut::No,
            kept: None,
        }
    }

    fn reasoning(&self, summary: &[String]) -> Output {
        let id = self.id(self.job.fake.ids.reasoning_prefix());
        let parts: Value = summary
            .iter()
            .map(|text| json!({"type": "summary_text", "text": text}))
            .collect();
        let mut bare = object([("id", id.as_str().into()), ("type", "reasoning".into())]);
        let texts = self.job.look.texts == Texts::Read;
        if texts {
            // Where nothing is sealed, the text holds the recall nonce.
            let recall = self.job.fake.ids.recall(self.turn.stem.nonce, self.index).0;
            let text = format!("{} My mark is {}.", summary.join("\n"), said::mark(recall));
            let part = json!({"type": "reasoning_text", "text": text.trim_start()});
            bare.insert("content".to_owned(), json!([part]));
        } else if self.turn.model.shape == Shape::Newest {
            bare.insert("content".to_owned(), json!([]));
        }
        bare.insert("summary".to_owned(), parts);
        let seals = self.turn.tokens == Tokens::Shown && !texts;
        let seal = seals.then(|| self.payload(&id));
        Output {
            seal,
            ..self.output(id, bare, Flow::Summary, 0)
        }
    }

    /// A compaction item always has its token, which is all it is.
    fn compaction(&self, cause: Cause) -> Output {
        let id = self.id("cmp");
        let family = &self.turn.model.family;
        let recall = self.turn.chain.rendered(Context::AllTurns, family).recall;
        let seal = Some(compaction_payload(self.job, family, &id, recall));
        let bare = object([("id", id.as_str().into()), ("type", "compaction".into())]);
        let flow = match cause {
            Cause::Trigger => Flow::Compaction,
            Cause::Threshold => Flow::Whole,
        };
        Output {
            seal,
            ..self.output(id, bare, flow, 0)
        }
    }

    fn payload(&self, id: &str) -> Payload {
        reasoning_payload(self.job, &self.turn.model.family, id, &self.turn.stem, self.index)
    }

    fn message(&self, part: Value, phase: Option<String>, tokens: u64) -> Output {
        let id = self.id("msg");
        let mut bare = object([
            ("id", id.as_str().into()),
            ("type", "message".into()),
            ("status", "completed".into()),
            ("content", Value::Array(vec![part])),
        ]);
        if let Some(phase) = phase {
            bare.insert("phase".to_owned(), phase.into());
        }
        bare.insert("role".to_owned(), "assistant".into());
        self.output(id, bare, Flow::Content, tokens)
    }

    fn function(&self, call_id: Option<String>, name: String, arguments: String) -> Output {
        let id = self.id("fc");
        let tokens = u64::from(count(&arguments)) + u64::from(count(&name));
        let bare = object([
            ("id", id.as_str().into()),
            ("type", "function_call".into()),
            ("status", "completed".into()),
            ("arguments", arguments.into()),
            ("call_id", self.call_id(call_id).into()),
            ("name", name.into()),
        ]);
        self.output(id, bare, Flow::Arguments, tokens)
    }

    fn custom(&self, call_id: Option<String>, name: String, input: String) -> Output {
        let id = self.id("ctc");
        let tokens = u64::from(count(&input)) + u64::from(count(&name));
        let bare = object([
            ("id", id.as_str().into()),
            ("type", "custom_tool_call".into()),
            ("status", "completed".into()),
            ("call_id", self.call_id(call_id).into()),
            ("input", input.into()),
            ("name", name.into()),
        ]);
        self.output(id, bare, Flow::Input, tokens)
    }

    fn call_id(&self, scripted: Option<String>) -> String {
        scripted.unwrap_or_else(|| self.job.draw.call_id(self.index))
    }

    /// A pasted item: `id` and `status` are filled in where they are absent, what `include` did not ask for is left
    /// out, everything else stays as it is.
    fn raw(&self, pasted: &Object) -> Output {
        let view = ItemView::new(pasted);
        let type_name = view.type_name().unwrap_or("message");
        let id = view
            .id()
            .map_or_else(|| self.id(self.raw_prefix(type_name)), ToOwned::to_owned);
        let mut bare = object([("id", id.as_str().into()), ("type", type_name.into())]);
        if has_status(type_name) && pasted.member("status").is_none() {
            bare.insert("status".to_owned(), status_of(pasted).into());
        }
        let rest = pasted.iter().filter(|(name, _)| *name != "id" && *name != "type");
        bare.extend(rest.map(|(name, value)| (name.clone(), value.clone())));
        if needs_call_id(view) && view.call_id().is_none() {
            bare.insert("call_id".to_owned(), self.call_id(None).into());
        }
        let hosted = hosted::find(type_name);
        let mut kept = None;
        if let Some(hosted) = hosted {
            hosted.fill(&mut bare);
            kept = Some(bare.clone());
            hosted::hide(|value| self.turn.request.includes(value), &mut bare);
        }
        let tokens = crate::render::usage::item_tokens(ItemView::new(&bare));
        let (seals, token_member) = self.raw_token(pasted, type_name);
        let flow = hosted.map_or_else(|| flow_of(view.kind()), Flow::Hosted);
        Output {
            seal: seals.then(|| self.payload(&id)),
            token_member,
            kept,
            ..self.output(id, bare, flow, tokens)
        }
    }

    /// Whether a pasted item gets a token, and where. A program's fingerprint is sealed as a token is
    /// (`tests/facts/streaming.md` section 6).
    fn raw_token(&self, pasted: &Object, type_name: &str) -> (bool, &'static str) {
        match type_name {
            "program" => (pasted.member("fingerprint").is_none(), "fingerprint"),
            "reasoning" => {
                let is_shown = self.turn.tokens == Tokens::Shown;
                (
                    is_shown && pasted.member("encrypted_content").is_none(),
                    "encrypted_content",
                )
            }
            _ => (false, "encrypted_content"),
        }
    }

    fn raw_prefix(&self, type_name: &str) -> &'static str {
        match type_name {
            "reasoning" => self.job.fake.ids.reasoning_prefix(),
            _ => item::id_prefix(type_name).unwrap_or("item"),
        }
    }
}

fn flow_of(kind: ItemKind) -> Flow {
    match kind {
        ItemKind::Message => Flow::Content,
        ItemKind::Reasoning => Flow::Summary,
        ItemKind::FunctionCall => Flow::Arguments,
        ItemKind::CustomToolCall => Flow::Input,
        ItemKind::FunctionCallOutput
        | ItemKind::CustomToolCallOutput
        | ItemKind::Compaction
        | ItemKind::CompactionTrigger
        | ItemKind::ItemReference
        | ItemKind::OtherCall
        | ItemKind::OtherOutput
        | ItemKind::Unknown => Flow::Whole,
    }
}

/// Types that carry no status on the wire (`tests/facts/items.md`, Statuses); unknown ones are left alone.
fn has_status(type_name: &str) -> bool {
    let without = [
        "reasoning",
        "compaction",
        "program",
        "mcp_list_tools",
        "mcp_approval_request",
        "additional_tools",
    ];
    let known = type_name == "message" || item::id_prefix(type_name).is_some();
    known && !without.contains(&type_name)
}

/// A call that a program made stays open when it is done; a call to an MCP server may have failed.
fn status_of(pasted: &Object) -> &'static str {
    let has_error = pasted.member("error").is_some_and(|error| !error.is_null());
    match pasted.member("type").and_then(Value::as_str) {
        Some("function_call") if is_nested(pasted) => "in_progress",
        Some("mcp_call") if has_error => "failed",
        _ => "completed",
    }
}

/// Whether a call was made by a program (`tests/facts/items.md`, Function calling).
pub(crate) fn is_nested(call: &Object) -> bool {
    let caller = call.member("caller").and_then(|caller| caller.member("type"));
    caller.is_some_and(|kind| kind == "program")
}

/// Calls that are paired with their output by `call_id`.
fn needs_call_id(item: ItemView<'_>) -> bool {
    let paired = [
        "shell_call",
        "local_shell_call",
        "apply_patch_call",
        "computer_call",
        "program",
    ];
    item.kind().is_client_call() || item.type_name().is_some_and(|name| paired.contains(&name))
}
