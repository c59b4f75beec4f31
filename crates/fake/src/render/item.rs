//! Output items in their forms: `added` (unfinished), `done`, and that of the terminal object.

use std::sync::Arc;

use holdover_wire::Object;
use serde_json::{Value, json};

use crate::fake::Job;
use crate::ids::{Recall, Stem};
use crate::render::hosted::Hosted;
use crate::seal::{Payload, Stage};

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
    /// What the table says of a hosted tool.
    Hosted(&'static Hosted),
    /// Nothing.
    Whole,
}

/// Whether an item was cut before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// It is whole.
    No,
    /// The budget ended in it.
    Yes,
}

/// One output item.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// The item without its token.
    pub(crate) bare: Arc<Object>,
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
    /// Name of the member that holds its token.
    pub(crate) token_member: &'static str,
    /// Whether it was cut.
    pub(crate) cut: Cut,
    /// What is kept of it, where that is more than `include` asked for.
    pub(crate) kept: Option<Object>,
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

/// An object of these members, in this order.
pub(crate) fn object<const N: usize>(members: [(&str, Value); N]) -> Object {
    let mut object = Object::with_capacity(N + 2);
    for (name, value) in members {
        object.insert(name.to_owned(), value);
    }
    object
}

impl Output {
    /// The item as it is kept, without its token.
    pub(crate) fn stored(&self) -> Object {
        self.kept.as_ref().unwrap_or(&*self.bare).clone()
    }

    /// The item as it stands at a stage: with the token of that stage, in the key order of the wire
    /// (`id, type, content, encrypted_content, summary`).
    pub(crate) fn at(&self, job: &Job<'_>, stage: Stage, second: u64) -> Arc<Object> {
        let Some(payload) = &self.seal else {
            return Arc::clone(&self.bare);
        };
        let payload = Payload {
            stage,
            ..payload.clone()
        };
        let token = job.fake.sealer.seal(&payload, second, job.moment.occurrence);
        Arc::new(with_member(&self.bare, self.token_member, token))
    }

    /// The unfinished item of `output_item.added`.
    pub(crate) fn added(&self, job: &Job<'_>) -> Arc<Object> {
        let mut begun = self.at(job, Stage::Partial, self.second);
        let item = Arc::make_mut(&mut begun);
        if let Flow::Hosted(hosted) = self.flow {
            hosted.begin(item);
            return begun;
        }
        for (name, value) in item {
            match (name.as_str(), self.flow) {
                ("status", Flow::Whole) => {}
                ("status", _) => *value = "in_progress".into(),
                ("summary", Flow::Summary) | ("content", Flow::Summary | Flow::Content) => *value = json!([]),
                ("arguments", Flow::Arguments) | ("input", Flow::Input) => *value = "".into(),
                _ => {}
            }
        }
        begun
    }
}

/// A reasoning item with a token, before its summary.
pub(crate) fn with_token(bare: &Object, token: String) -> Object {
    with_member(bare, "encrypted_content", token)
}

fn with_member(bare: &Object, member: &str, token: String) -> Object {
    let mut item = Object::with_capacity(bare.len() + 1);
    let mut token = Some(token);
    for (name, value) in bare {
        if name == "summary"
            && let Some(token) = token.take()
        {
            item.insert(member.to_owned(), token.into());
        }
        item.insert(name.clone(), value.clone());
    }
    if let Some(token) = token {
        item.insert(member.to_owned(), token.into());
    }
    item
}
