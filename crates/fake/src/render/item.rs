//! Output items in their forms: `added` (unfinished), `done`, and that of the terminal object.

use holdover_profile::{Context, Shape};
use holdover_wire::item::{self, ItemView};
use holdover_wire::{ItemKind, Object};
use serde_json::{Value, json};

use crate::fake::Job;
use crate::ids::{Place, Recall, Stem};
use crate::seal::{Payload, Stage};
use crate::speech::Part;
use crate::tokens::count;
use crate::turn::{Tokens, Turn};

/// What is streamed of an item between `added` and `done`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Parts of a summary.
    Summary,
    /// Parts of a message.
    Content,
    /// Arguments of a function call.
    Arguments,
    /// Input of a custom tool call.
    Input,
    /// The progress event of a compaction.
    Compaction,
    /// Nothing, or the progress of a hosted tool.
    Whole,
}

/// One output item.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// The item without its token.
    pub(crate) bare: Object,
    /// Its id.
    pub(crate) id: String,
    /// What its token holds; `None` where it has none, or a pasted one.
    pub(crate) seal: Option<Payload>,
    /// Second of the item.
    pub(crate) second: u64,
    /// What is streamed.
    pub(crate) flow: Flow,
    /// Tokens of what the model wrote; none for reasoning.
    pub(crate) tokens: u64,
}

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
        | Part::Compaction => false,
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
            Part::Custom { name, input } => self.custom(name, input),
            Part::Raw(item) => self.raw(item.object()),
            Part::Compaction => self.compaction(),
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
            bare,
            id,
            seal: None,
            second: self.turn.stem.second() + u64::from(self.index),
            flow,
            tokens,
        }
    }

    fn reasoning(&self, summary: &[String]) -> Output {
        let id = self.id(self.job.fake.ids.reasoning_prefix());
        let parts: Value = summary
            .iter()
            .map(|text| json!({"type": "summary_text", "text": text}))
            .collect();
        let mut bare = object([("id", id.as_str().into()), ("type", "reasoning".into())]);
        if self.turn.model.shape == Shape::Newest {
            bare.insert("content".to_owned(), json!([]));
        }
        bare.insert("summary".to_owned(), parts);
        let seal = (self.turn.tokens == Tokens::Shown).then(|| self.payload(&id));
        Output {
            seal,
            ..self.output(id, bare, Flow::Summary, 0)
        }
    }

    /// A compaction item always has its token, which is all it is.
    fn compaction(&self) -> Output {
        let id = self.id("cmp");
        let family = &self.turn.model.family;
        let recall = self.turn.chain.rendered(Context::AllTurns, family).recall;
        let seal = Some(compaction_payload(self.job, family, &id, recall));
        let bare = object([("id", id.as_str().into()), ("type", "compaction".into())]);
        Output {
            seal,
            ..self.output(id, bare, Flow::Compaction, 0)
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

    fn custom(&self, name: String, input: String) -> Output {
        let id = self.id("ctc");
        let tokens = u64::from(count(&input)) + u64::from(count(&name));
        let bare = object([
            ("id", id.as_str().into()),
            ("type", "custom_tool_call".into()),
            ("status", "completed".into()),
            ("call_id", self.call_id(None).into()),
            ("input", input.into()),
            ("name", name.into()),
        ]);
        self.output(id, bare, Flow::Input, tokens)
    }

    fn call_id(&self, scripted: Option<String>) -> String {
        scripted.unwrap_or_else(|| self.job.draw.call_id(self.index))
    }

    /// A pasted item: `id` and `status` are filled in where they are absent, everything else stays as it is.
    fn raw(&self, pasted: &Object) -> Output {
        let view = ItemView::new(pasted);
        let type_name = view.type_name().unwrap_or("message");
        let id = view
            .id()
            .map_or_else(|| self.id(self.raw_prefix(type_name)), ToOwned::to_owned);
        let mut bare = object([("id", id.as_str().into()), ("type", type_name.into())]);
        if has_status(type_name) && !pasted.contains_key("status") {
            bare.insert("status".to_owned(), "completed".into());
        }
        let rest = pasted.iter().filter(|(name, _)| *name != "id" && *name != "type");
        bare.extend(rest.map(|(name, value)| (name.clone(), value.clone())));
        if view.kind().is_client_call() && view.call_id().is_none() {
            bare.insert("call_id".to_owned(), self.call_id(None).into());
        }
        let tokens = crate::render::usage::item_tokens(ItemView::new(&bare));
        let seals = view.kind() == ItemKind::Reasoning
            && self.turn.tokens == Tokens::Shown
            && !pasted.contains_key("encrypted_content");
        let seal = seals.then(|| self.payload(&id));
        Output {
            seal,
            ..self.output(id, bare, flow_of(view.kind()), tokens)
        }
    }

    fn raw_prefix(&self, type_name: &str) -> &'static str {
        match type_name {
            "reasoning" => self.job.fake.ids.reasoning_prefix(),
            _ => item::id_prefix(type_name).unwrap_or("item"),
        }
    }
}

/// What the token of a reasoning item holds, before its stage.
pub(crate) fn reasoning_payload(job: &Job<'_>, family: &str, id: &str, stem: &Stem, index: u16) -> Payload {
    Payload {
        item_id: id.to_owned(),
        organisation: job.fake.config.account.organisation.clone(),
        family: family.to_owned(),
        recall: Some(job.fake.ids.recall(stem.nonce, index)),
        stage: Stage::Done,
    }
}

/// What the token of a compaction item holds: the recall nonce of the latest reasoning before it.
pub(crate) fn compaction_payload(job: &Job<'_>, family: &str, id: &str, recall: Option<Recall>) -> Payload {
    Payload {
        item_id: id.to_owned(),
        organisation: job.fake.config.account.organisation.clone(),
        family: family.to_owned(),
        recall,
        stage: Stage::Done,
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

/// An object of these members, in this order.
pub(crate) fn object<const N: usize>(members: [(&str, Value); N]) -> Object {
    let mut object = Object::with_capacity(N + 2);
    for (name, value) in members {
        object.insert(name.to_owned(), value);
    }
    object
}

impl Output {
    /// The item as it stands at a stage: with the token of that stage, in the key order of the wire
    /// (`id, type, content, encrypted_content, summary`).
    pub(crate) fn at(&self, job: &Job<'_>, stage: Stage, second: u64) -> Object {
        let Some(payload) = &self.seal else {
            return self.bare.clone();
        };
        let payload = Payload {
            stage,
            ..payload.clone()
        };
        let token = job.fake.sealer.seal(&payload, second, job.moment.occurrence);
        with_token(&self.bare, token)
    }

    /// The unfinished item of `output_item.added`.
    pub(crate) fn added(&self, job: &Job<'_>) -> Object {
        let mut item = self.at(job, Stage::Partial, self.second);
        for (name, value) in &mut item {
            match (name.as_str(), self.flow) {
                ("status", Flow::Whole) => {}
                ("status", _) => *value = "in_progress".into(),
                ("summary", Flow::Summary) | ("content", Flow::Content) => *value = json!([]),
                ("arguments", Flow::Arguments) | ("input", Flow::Input) => *value = "".into(),
                _ => {}
            }
        }
        item
    }
}

/// A reasoning item with a token, before its summary.
pub(crate) fn with_token(bare: &Object, token: String) -> Object {
    let mut item = Object::with_capacity(bare.len() + 1);
    let mut token = Some(token);
    for (name, value) in bare {
        if name == "summary"
            && let Some(token) = token.take()
        {
            item.insert("encrypted_content".to_owned(), token.into());
        }
        item.insert(name.clone(), value.clone());
    }
    if let Some(token) = token {
        item.insert("encrypted_content".to_owned(), token.into());
    }
    item
}
