//! The ledger: items, groups and their indexes.

use std::collections::BTreeMap;
use std::sync::Arc;

use holdover_wire::id::{Persistence, ServerId, tail};
use holdover_wire::item::{ItemKind, ItemView};

use super::item::{
    Group, GroupIx, IssuedItem, ItemIx, NodeIx, Origin, Progress, Shape, Shapes, Stage, Token,
};
use super::pieces::{Pieces, Secret};
use crate::hash::{ByHash, Hash, Hashes};
use crate::provider::issued::call_key;
use crate::words::text_key;

/// Everything that responses issued.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    items: Vec<IssuedItem>,
    groups: Vec<Group>,
    slots: BTreeMap<(NodeIx, usize), ItemIx>,
    by_id: ByHash<ItemIx>,
    by_tail: ByHash<ItemIx>,
    by_token: ByHash<(ItemIx, Stage)>,
    by_call_id: ByHash<ItemIx>,
    /// Calls by id and tool.
    calls: Hashes,
    by_text: ByHash<Vec<ItemIx>>,
    shapes: Shapes,
    pub(crate) pieces: Pieces,
}

/// How many issued messages of the same text are told apart; more of them are no link anyway.
const SAME_TEXT_MAX: usize = 16;

/// What a response says of all its items.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Issue {
    pub(crate) node: NodeIx,
    pub(crate) slot: usize,
    pub(crate) progress: Progress,
    pub(crate) origin: Origin,
    pub(crate) persisted: bool,
}

impl Ledger {
    /// One item.
    pub(crate) fn item(&self, ix: ItemIx) -> &IssuedItem {
        &self.items[ix.0]
    }

    /// One group.
    pub(crate) fn group(&self, ix: GroupIx) -> &Group {
        &self.groups[ix.0]
    }

    /// One group, to note its fate.
    pub(crate) fn group_mut(&mut self, ix: GroupIx) -> &mut Group {
        &mut self.groups[ix.0]
    }

    /// All groups in the order in which they were issued.
    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The newest item issued under this id.
    pub(crate) fn by_id(&self, id: &str) -> Option<ItemIx> {
        self.by_id.get(&Hash::of(id.as_bytes())).copied()
    }

    /// The item whose id ends in these 24 hex digits.
    pub(crate) fn by_tail(&self, tail: &str) -> Option<ItemIx> {
        self.by_tail.get(&Hash::of(tail.as_bytes())).copied()
    }

    /// The item that this token was issued for.
    pub(crate) fn by_token(&self, token: &str) -> Option<(ItemIx, Stage)> {
        self.by_token.get(&Hash::of(token.as_bytes())).copied()
    }

    /// The newest call issued under this call id.
    pub(crate) fn by_call_id(&self, call_id: &str) -> Option<ItemIx> {
        self.by_call_id.get(&Hash::of(call_id.as_bytes())).copied()
    }

    /// Whether this very call, of this id and this tool, was issued here.
    pub(crate) fn knows_call(&self, call_id: &str, name: &str) -> bool {
        self.calls.contains(&call_key(call_id, name))
    }

    /// Messages issued with this text, oldest first.
    pub(crate) fn by_text(&self, text: &str) -> &[ItemIx] {
        self.by_text.get(&text_key(text)).map_or(&[], Vec::as_slice)
    }

    /// The newest messages with the text of this key, oldest first.
    pub(crate) fn by_words(&self, words: Hash) -> &[ItemIx] {
        self.by_text.get(&words).map_or(&[], Vec::as_slice)
    }

    /// Takes an item of a response: a new one, or a newer form of the one in the same place.
    pub(crate) fn issue(&mut self, view: ItemView<'_>, issue: Issue) -> ItemIx {
        let ix = match self.slots.get(&(issue.node, issue.slot)) {
            Some(known) => *known,
            None => self.open(view, issue),
        };
        let item = &mut self.items[ix.0];
        item.update(view, &mut self.shapes);
        if issue.progress == Progress::Done {
            item.progress = Progress::Done;
        }
        if let Some(id) = item.id.as_deref() {
            let is_persisted = |id: ServerId| id.persistence == Persistence::Persisted;
            let persisted = ServerId::parse(id).map_or(issue.persisted, is_persisted);
            if let Some(tail) = tail(id) {
                self.by_tail.insert(Hash::of(tail.as_bytes()), ix);
            }
            self.by_id.insert(Hash::of(id.as_bytes()), ix);
            item.persisted = persisted;
        }
        if let Some(call_id) = view.call_id().filter(|_| is_call(view.kind())) {
            self.by_call_id.insert(Hash::of(call_id.as_bytes()), ix);
            let named = view.name().map(|name| call_key(call_id, name));
            self.calls.extend(named);
        }
        let stage = match issue.progress {
            Progress::Begun => Stage::Partial,
            Progress::Done => Stage::Full,
        };
        self.attach_token(ix, view, stage);
        if issue.progress == Progress::Done {
            self.index_texts(ix);
        }
        ix
    }

    fn open(&mut self, view: ItemView<'_>, issue: Issue) -> ItemIx {
        let ix = ItemIx(self.items.len());
        self.items.push(IssuedItem {
            ix,
            node: issue.node,
            group: None,
            slot: issue.slot,
            kind: view.kind(),
            type_name: Arc::default(),
            id: None,
            call_id: None,
            name: None,
            text: String::new(),
            words: None,
            arguments: None,
            phase: None,
            summary: Vec::new(),
            thoughts: Vec::new(),
            members: Shape::default(),
            tokens: Vec::new(),
            progress: issue.progress,
            origin: issue.origin,
            persisted: issue.persisted,
        });
        self.slots.insert((issue.node, issue.slot), ix);
        ix
    }

    /// Remembers the token of a form of this item.
    pub(crate) fn attach_token(&mut self, ix: ItemIx, view: ItemView<'_>, stage: Stage) {
        let Some(token) = view.encrypted_content() else {
            return;
        };
        let key = Hash::of(token.as_bytes());
        if let Some((known, seen)) = self.by_token.get_mut(&key) {
            // The same item once more, from another run of the same world: its token is its own.
            if *known != ix && self.items[known.0].id == self.items[ix.0].id {
                *known = ix;
                self.items[ix.0].tokens.push(Token {
                    text: token.into(),
                    stage: *seen,
                });
            }
            if *known == ix && stage == Stage::Full {
                *seen = Stage::Full;
                let tokens = &mut self.items[ix.0].tokens;
                tokens
                    .iter_mut()
                    .filter(|held| *held.text == *token)
                    .for_each(|held| held.stage = stage);
            }
            return;
        }
        self.by_token.insert(key, (ix, stage));
        let text: Arc<str> = token.into();
        self.pieces.add(Secret::Token, ix, Arc::clone(&text));
        self.items[ix.0].tokens.push(Token { text, stage });
    }

    fn index_texts(&mut self, ix: ItemIx) {
        let item = &self.items[ix.0];
        if item.kind == ItemKind::Message {
            self.index_text(ix);
            return;
        }
        for text in item.summary.clone() {
            self.pieces.add(Secret::Summary, ix, text);
        }
        for text in self.items[ix.0].thoughts.clone() {
            self.pieces.add(Secret::Thought, ix, text);
        }
    }

    /// Takes text that a stream wrote for an item so far; a cut stream leaves it at that.
    pub(crate) fn stream_text(&mut self, ix: ItemIx, text: &str) {
        text.clone_into(&mut self.items[ix.0].text);
        self.items[ix.0].words = Some(text_key(text));
        self.index_text(ix);
    }

    fn index_text(&mut self, ix: ItemIx) {
        let text = &self.items[ix.0].text;
        if text.trim().is_empty() {
            return;
        }
        let key = text_key(text);
        self.index_key(key, ix);
    }

    /// Keeps the newest items of a text.
    fn index_key(&mut self, key: Hash, ix: ItemIx) {
        let same = self.by_text.entry(key).or_default();
        if same.contains(&ix) {
            return;
        }
        if same.len() == SAME_TEXT_MAX {
            same.remove(0);
        }
        same.push(ix);
    }

    /// Also knows these messages by their joined text: what SDKs call `output_text`.
    pub(crate) fn index_joined(&mut self, text: &str, first: ItemIx) {
        self.index_key(text_key(text), first);
    }

    /// Puts the items of a response that have no group yet into groups, in output order.
    pub(crate) fn regroup(&mut self, node: NodeIx) -> Vec<GroupIx> {
        let range = (node, 0)..=(node, usize::MAX);
        let members: Vec<ItemIx> = self.slots.range(range).map(|(_, ix)| *ix).collect();
        let mut groups: Vec<GroupIx> = Vec::new();
        for ix in members {
            let item = &self.items[ix.0];
            let group = match (item.group, groups.last()) {
                (Some(group), _) => group,
                // A compaction item stands for what came before it and belongs to none of it.
                (None, Some(last)) if !item.kind.is_protected() => *last,
                (None, _) => self.open_group(node),
            };
            self.join(ix, group);
            if groups.last() != Some(&group) {
                groups.push(group);
            }
        }
        groups
    }

    fn open_group(&mut self, node: NodeIx) -> GroupIx {
        self.groups.push(Group {
            node,
            head: None,
            followers: Vec::new(),
            fate: super::item::Fate::default(),
        });
        GroupIx(self.groups.len() - 1)
    }

    fn join(&mut self, ix: ItemIx, group: GroupIx) {
        let item = &mut self.items[ix.0];
        if item.group.is_some() {
            return;
        }
        item.group = Some(group);
        let group = &mut self.groups[group.0];
        match item.kind {
            ItemKind::Reasoning if group.head.is_none() && group.followers.is_empty() => {
                group.head = Some(ix);
            }
            _ => group.followers.push(ix),
        }
    }
}

fn is_call(kind: ItemKind) -> bool {
    kind.is_client_call() || kind == ItemKind::OtherCall
}
