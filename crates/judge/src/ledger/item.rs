//! One issued item, its tokens, its group.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use holdover_wire::Members as _;
use holdover_wire::Object;
use holdover_wire::item::{ItemKind, ItemView};
use serde_json::Value;

use crate::hash::Hash;

/// Index of an issued item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ItemIx(pub(crate) usize);

/// Index of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GroupIx(pub(crate) usize);

/// Index of an exchange that creates a response or a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeIx(pub(crate) usize);

/// Which token of an item: the short one of `output_item.added`, or a whole one (`tests/facts/state.md`,
/// "When encrypted_content is present").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Partial,
    Full,
}

/// One token of an item.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) text: Arc<str>,
    pub(crate) stage: Stage,
}

/// How far an item came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Announced, or cut before its end.
    Begun,
    /// Whole.
    Done,
}

/// How an item came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Json,
    Stream,
}

/// One issued item: what is needed to know it again and to compare it.
#[derive(Clone, Debug)]
pub(crate) struct IssuedItem {
    pub(crate) ix: ItemIx,
    pub(crate) node: NodeIx,
    pub(crate) group: Option<GroupIx>,
    pub(crate) slot: usize,
    pub(crate) kind: ItemKind,
    pub(crate) type_name: Arc<str>,
    pub(crate) id: Option<String>,
    pub(crate) call_id: Option<String>,
    pub(crate) name: Option<String>,
    /// Text of a message.
    pub(crate) text: String,
    /// Key of what it says, in whatever form; `None` where it says nothing.
    pub(crate) words: Option<Hash>,
    /// `arguments` or `input` of a call.
    pub(crate) arguments: Option<String>,
    pub(crate) phase: Option<String>,
    pub(crate) summary: Vec<String>,
    /// Parts of `content` of a reasoning item: hidden reasoning in plain text.
    pub(crate) thoughts: Vec<String>,
    /// Names of its members, as far as they were seen.
    pub(crate) members: Shape,
    pub(crate) tokens: Vec<Token>,
    pub(crate) progress: Progress,
    pub(crate) origin: Origin,
    /// Whether the server keeps it, so that its id alone stands for it.
    pub(crate) persisted: bool,
}

impl IssuedItem {
    /// Takes the members of a (newer) form of the item; tokens are the ledger's business.
    pub(crate) fn update(&mut self, view: ItemView<'_>, shapes: &mut Shapes) {
        let object = view.object();
        self.kind = view.kind();
        let type_name = view.type_name().unwrap_or("message");
        if *self.type_name != *type_name {
            self.type_name = shapes.type_name(type_name);
        }
        replace(&mut self.id, view.id());
        replace(&mut self.call_id, view.call_id());
        replace(&mut self.name, view.name());
        replace(&mut self.phase, view.phase());
        let arguments = object.member("arguments").or_else(|| object.member("input"));
        replace(&mut self.arguments, arguments.and_then(Value::as_str));
        self.summary = view.summary_texts().map(str::to_owned).collect();
        if self.kind == ItemKind::Reasoning {
            self.thoughts = content_texts(view);
        } else if object.member("content").is_some() {
            let text = view.text();
            if !text.is_empty() {
                self.text = text;
            }
        }
        self.words = crate::words::key(view).or(self.words);
        self.members = shapes.with(&self.members, object);
    }

    /// Whether a whole token was ever issued for it.
    pub(crate) fn has_full_token(&self) -> bool {
        self.tokens.iter().any(|token| token.stage == Stage::Full)
    }

    /// What a reader calls it: its id, else its type.
    pub(crate) fn label(&self) -> String {
        match (&self.id, &self.call_id) {
            (Some(id), _) => format!("`{id}`"),
            (None, Some(call_id)) => format!("{} `{call_id}`", self.type_name),
            (None, None) => self.type_name.to_string(),
        }
    }
}

/// Names of the members of an item. Items that look alike share one list.
pub(crate) type Shape = Arc<[String]>;

/// The newest lists of names and types that items of a session have: most items look like one before them.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    members: VecDeque<Shape>,
    types: VecDeque<Arc<str>>,
}

/// How many are remembered of each.
const SHAPES_MAX: usize = 8;

impl Shapes {
    /// These names and those of the object.
    fn with(&mut self, known: &Shape, object: &Object) -> Shape {
        let names: BTreeSet<&String> = known.iter().collect();
        let added: Vec<&String> = object.keys().filter(|name| !names.contains(name)).collect();
        if added.is_empty() {
            return Arc::clone(known);
        }
        let names = || known.iter().chain(added.iter().copied());
        self.of(known.len() + added.len(), names)
    }

    fn of<'n, I: Iterator<Item = &'n String>>(&mut self, length: usize, names: impl Fn() -> I) -> Shape {
        let fits = |shape: &&Shape| shape.len() == length && shape.iter().eq(names());
        if let Some(shape) = self.members.iter().find(fits) {
            return Arc::clone(shape);
        }
        let shape: Shape = names().cloned().collect();
        remember(&mut self.members, Arc::clone(&shape));
        shape
    }

    fn type_name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.types.iter().find(|known| ***known == *name) {
            return Arc::clone(known);
        }
        let name: Arc<str> = name.into();
        remember(&mut self.types, Arc::clone(&name));
        name
    }
}

fn remember<T>(newest: &mut VecDeque<T>, one: T) {
    if newest.len() == SHAPES_MAX {
        newest.pop_front();
    }
    newest.push_back(one);
}

fn replace(member: &mut Option<String>, value: Option<&str>) {
    if let Some(value) = value {
        *member = Some(value.to_owned());
    }
}

fn content_texts(view: ItemView<'_>) -> Vec<String> {
    let parts = view.object().member("content").and_then(Value::as_array);
    let texts = parts
        .into_iter()
        .flatten()
        .filter_map(|part| part.member("text").and_then(Value::as_str));
    texts.map(str::to_owned).collect()
}

/// A reasoning item with what it led to, up to the next reasoning item; without a head where a response begins with
/// something else.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) node: NodeIx,
    pub(crate) head: Option<ItemIx>,
    pub(crate) followers: Vec<ItemIx>,
    pub(crate) fate: Fate,
}

/// What later requests showed of a group so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fate {
    /// A later request showed whether it was carried.
    pub(crate) judged: bool,
    /// Its reasoning was carried at least once.
    pub(crate) carried: bool,
    /// Its reasoning was missing, and that was reported.
    pub(crate) lost: bool,
}
