//! A poisoned history made acceptable again, with as little as must go: whatever reasoning still has its token stays.
//!
//! The history is repaired for a stateless replay (`store: false`): nothing in it may lean on what a server keeps.

use std::collections::{BTreeMap, BTreeSet};

use holdover_wire::Object;
use holdover_wire::item::{self, ItemKind, ItemView};
use serde_json::{Value, json};

/// Longest id that the API takes (`tests/facts/errors.md`, E09).
const ID_CHARS_MAX: usize = 64;
/// Shortest text that can be a token.
const TOKEN_CHARS_MIN: usize = 40;

/// Whether an endpoint takes reasoning without its id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ids {
    /// It does: reasoning without a follower stays as plain context.
    #[default]
    Optional,
    /// It does not.
    Required,
}

/// What to do, and what it costs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repair {
    /// JSON patch (RFC 6902) for the list of items.
    pub patch: Vec<Value>,
    /// The repaired list.
    pub items: Vec<Value>,
    /// What is changed and why, one sentence a place.
    pub notes: Vec<String>,
    /// Reasoning items that are given up, by their place in the history.
    pub given_up: Vec<usize>,
    /// Reasoning items that stay.
    pub kept: usize,
}

/// What becomes of an item.
#[derive(Clone, Debug, PartialEq)]
enum Fate {
    Stays(Object),
    Goes,
}

/// What an item of a model's stands beside.
#[derive(Clone, Copy)]
enum Beside {
    /// Reasoning with its id, or what a hosted tool did behind it.
    Reasoning,
    /// A call or a message behind that reasoning.
    Answer,
    /// Something else.
    Nothing,
}

/// Repairs a list of items.
pub fn repair(items: &[Value], ids: Ids) -> Repair {
    let mut work = Work {
        fates: Vec::new(),
        added: BTreeMap::new(),
        interrupted: BTreeSet::new(),
        notes: Vec::new(),
        ids,
    };
    work.shapes(items);
    work.required_ids();
    work.duplicates();
    work.pairs();
    work.groups();
    work.result(items)
}

struct Work {
    fates: Vec<Fate>,
    /// Items that come behind a place.
    added: BTreeMap<usize, Vec<Object>>,
    /// Calls that nothing answered.
    interrupted: BTreeSet<usize>,
    notes: Vec<String>,
    ids: Ids,
}

impl Work {
    fn note(&mut self, place: usize, why: &str) {
        self.notes.push(format!("/{place}: {why}"));
    }

    fn goes(&mut self, place: usize, why: &str) {
        self.fates[place] = Fate::Goes;
        self.note(place, why);
    }

    fn item(&self, place: usize) -> Option<&Object> {
        match &self.fates[place] {
            Fate::Stays(item) => Some(item),
            Fate::Goes => None,
        }
    }

    /// Places of items that stay.
    fn places(&self) -> Vec<usize> {
        (0..self.fates.len())
            .filter(|place| self.fates[*place] != Fate::Goes)
            .collect()
    }

    /// Each item by itself.
    fn shapes(&mut self, items: &[Value]) {
        for (place, value) in items.iter().enumerate() {
            let Some(item) = value.as_object() else {
                self.fates.push(Fate::Goes);
                self.note(place, "it is no item");
                continue;
            };
            self.fates.push(Fate::Stays(item.clone()));
            self.shape(place, item.clone());
        }
    }

    fn shape(&mut self, place: usize, mut item: Object) {
        let view = ItemView::new(&item);
        let kind = view.kind();
        match kind {
            ItemKind::ItemReference => return self.goes(place, "a reference needs what the server keeps"),
            ItemKind::Unknown | ItemKind::CompactionTrigger => {
                return self.goes(place, "the API knows no item of this type in a history");
            }
            _ => {}
        }
        let is_token = view.encrypted_content().is_some_and(|token| {
            token.len() >= TOKEN_CHARS_MIN
                && token
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-_=+/".contains(&b))
        });
        if kind.is_protected() && !is_token {
            return self.goes(place, "it has no token that could be verified");
        }
        let prefix = view.type_name().or(Some("message")).and_then(item::id_prefix);
        let bad_id = item.get("id").is_some_and(|id| {
            let fits =
                |id: &str| id.len() <= ID_CHARS_MAX && prefix.is_none_or(|prefix| id.starts_with(prefix));
            !id.as_str().is_some_and(|id| !id.is_empty() && fits(id))
        });
        if bad_id {
            if kind.is_protected() {
                return self.goes(place, "its token is sealed to an id that is not there any more");
            }
            item.shift_remove("id");
            self.note(place, "its id is none of the API's, so it goes without one");
        }
        if item.get("status").is_some_and(Value::is_null) {
            item.shift_remove("status");
            self.note(place, "`status` is null");
        }
        if kind == ItemKind::Reasoning {
            if !item.get("summary").is_some_and(Value::is_array) {
                item.insert("summary".to_owned(), json!([]));
                self.note(place, "`summary` is required, and may be empty");
            }
            if item
                .get("content")
                .is_some_and(|content| content.as_array().is_none_or(|parts| !parts.is_empty()))
            {
                item.shift_remove("content");
                self.note(place, "`content` of reasoning is not taken back");
            }
        }
        if kind == ItemKind::Message && ItemView::new(&item).role() == Some("assistant") {
            let parts = item
                .get_mut("content")
                .and_then(Value::as_array_mut)
                .into_iter()
                .flatten();
            let mut renamed = false;
            for part in parts.filter(|part| part.get("type").and_then(Value::as_str) == Some("input_text")) {
                part["type"] = "output_text".into();
                renamed = true;
            }
            if renamed {
                self.note(place, "text of the assistant is `output_text`");
            }
        }
        if let Some(call) = item
            .get("call_id")
            .and_then(Value::as_str)
            .filter(|call| call.len() > ID_CHARS_MAX)
        {
            let short = format!("call_{}", &blake3::hash(call.as_bytes()).to_hex()[..24]);
            item.insert("call_id".to_owned(), short.into());
            self.note(place, "its call id is too long, here and at its partner");
        }
        self.fates[place] = Fate::Stays(item);
    }

    fn duplicates(&mut self) {
        let places = self.places();
        let mut copies: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for place in &places {
            if let Some(id) = self.item(*place).and_then(|item| item.get("id")?.as_str()) {
                copies.entry(id.to_owned()).or_default().push(*place);
            }
        }
        for copies in copies.into_values().filter(|copies| copies.len() > 1) {
            // Of reasoning the copy stays that what it led to still follows.
            let leads = |place: &&usize| {
                let behind = places.iter().find(|other| *other > *place);
                let view = behind.and_then(|behind| self.item(*behind)).map(ItemView::new);
                self.is_reasoning(**place)
                    && view
                        .is_some_and(|view| view.kind().is_client_call() || view.role() == Some("assistant"))
            };
            let stays = copies.iter().find(leads).unwrap_or(&copies[0]).to_owned();
            for place in copies.into_iter().filter(|place| *place != stays) {
                self.goes(place, "it is in the history twice");
            }
        }
    }

    /// Calls and their outputs.
    fn pairs(&mut self) {
        let mut open: BTreeMap<String, usize> = BTreeMap::new();
        let mut made = BTreeSet::new();
        for place in self.places() {
            let Some(view) = self.item(place).map(ItemView::new) else {
                continue;
            };
            let (kind, call) = (view.kind(), view.call_id().map(str::to_owned));
            let Some(call) = call else {
                if kind.is_client_call() || kind.is_client_output() {
                    self.goes(place, "it has no `call_id`");
                }
                continue;
            };
            if kind.is_client_call() {
                if made.insert(call.clone()) {
                    open.insert(call, place);
                } else {
                    self.goes(place, "the call is in the history twice");
                }
            } else if kind.is_client_output() && open.remove(&call).is_none() {
                self.goes(place, "no call before it has this id");
            }
        }
        for (call, place) in open {
            self.interrupted.insert(place);
            let kind = self.item(place).map(ItemView::new).map(ItemView::kind);
            let name = if kind == Some(ItemKind::CustomToolCall) {
                "custom_tool_call_output"
            } else {
                "function_call_output"
            };
            let output = json!({"type": name, "call_id": call, "output": "interrupted"});
            if let Value::Object(output) = output {
                // Behind the calls that were made together, so that none of them is parted from its reasoning.
                let last = self
                    .places()
                    .into_iter()
                    .filter(|at| *at >= place)
                    .take_while(|at| {
                        self.item(*at)
                            .map(ItemView::new)
                            .is_some_and(|view| view.kind().is_client_call())
                    })
                    .last();
                self.added.entry(last.unwrap_or(place)).or_default().push(output);
            }
            self.note(
                place,
                "nothing answers the call: an output says that it was interrupted",
            );
        }
    }

    /// Reasoning and what it led to.
    fn groups(&mut self) {
        let places = self.places();
        for (at, place) in places.iter().enumerate() {
            let is_reasoning = self
                .item(*place)
                .map(ItemView::new)
                .is_some_and(|view| view.kind() == ItemKind::Reasoning);
            if !is_reasoning {
                continue;
            }
            let follower = places
                .get(at + 1)
                .and_then(|next| self.item(*next))
                .map(ItemView::new);
            let leads = follower.is_some_and(|view| {
                let is_answer = match view.kind() {
                    ItemKind::Reasoning => false,
                    ItemKind::Message => view.role() == Some("assistant"),
                    kind => !kind.is_client_output(),
                };
                // Beside an id stands an id: what was rebuilt without one is not what the reasoning led to.
                is_answer && (view.id().is_some() || self.ids == Ids::Required)
            });
            let has_id = self.item(*place).is_some_and(|item| item.contains_key("id"));
            if !has_id || leads && (!self.is_doubtful(*place) || self.ids == Ids::Required) {
                continue;
            }
            match self.ids {
                Ids::Optional => {
                    if let Fate::Stays(item) = &mut self.fates[*place] {
                        item.shift_remove("id");
                    }
                    self.note(
                        *place,
                        "what it led to may not be what follows it: without its id it is plain context",
                    );
                }
                Ids::Required => self.goes(
                    *place,
                    "nothing follows the reasoning, and the endpoint takes none without its id",
                ),
            }
        }
        self.followers();
    }

    fn is_reasoning(&self, place: usize) -> bool {
        let view = self.item(place).map(ItemView::new);
        view.is_some_and(|view| view.kind() == ItemKind::Reasoning)
    }

    /// Whether other reasoning stands right beside it, or something stood there that goes: nobody knows then which
    /// reasoning led to what follows.
    fn is_doubtful(&self, place: usize) -> bool {
        let stays = |at: &usize| matches!(self.fates[*at], Fate::Stays(_));
        let before = (0..place).rev().find(stays);
        let next_stays = self.fates.get(place + 1).is_none_or(|fate| *fate != Fate::Goes);
        before.is_some_and(|before| self.is_reasoning(before))
            || before.map_or(0, |before| before + 1) != place
            || !next_stays
    }

    /// Reasoning without an id goes where ids are required; first of all, so that no copy with its id goes for it.
    fn required_ids(&mut self) {
        if self.ids == Ids::Optional {
            return;
        }
        for place in self.places() {
            let is_bare = self
                .item(place)
                .map(ItemView::new)
                .is_some_and(|view| view.kind() == ItemKind::Reasoning && view.id().is_none());
            if is_bare {
                self.goes(place, "the endpoint takes no reasoning without its id");
            }
        }
    }

    /// What reasoning led to keeps its id only beside it; without ids on both halves nothing is looked up.
    fn followers(&mut self) {
        let mut beside = Beside::Nothing;
        let mut next = 0;
        for place in self.places() {
            let is_doubtful = self.is_doubtful(place);
            if place != std::mem::replace(&mut next, place + 1) {
                // Whatever goes may be the reasoning that led to what comes.
                beside = Beside::Nothing;
            }
            let Some(view) = self.item(place).map(ItemView::new) else {
                continue;
            };
            let has_id = view.id().is_some();
            let is_call = view.kind().is_client_call();
            let ends_answer = view.object().get("phase").and_then(Value::as_str) == Some("final_answer");
            let stays = match view.kind() {
                ItemKind::Reasoning => {
                    beside = if has_id && !is_doubtful {
                        Beside::Reasoning
                    } else {
                        Beside::Nothing
                    };
                    true
                }
                ItemKind::Message if view.role() != Some("assistant") => {
                    beside = Beside::Nothing;
                    true
                }
                ItemKind::Compaction => {
                    beside = Beside::Nothing;
                    true
                }
                kind if kind.is_client_output() => {
                    // What comes behind it belongs to another response.
                    beside = Beside::Nothing;
                    true
                }
                kind => {
                    let leads = match beside {
                        Beside::Nothing => false,
                        Beside::Reasoning => true,
                        // Reasoning leads to one message, and to nothing behind it but calls.
                        Beside::Answer => kind != ItemKind::Message,
                    };
                    // What came behind the lost output of a call belongs to another response.
                    if ends_answer || self.interrupted.contains(&place) {
                        beside = Beside::Nothing;
                    } else if leads && (is_call || kind == ItemKind::Message) {
                        beside = Beside::Answer;
                    }
                    leads || !has_id
                }
            };
            if !stays {
                if let Fate::Stays(item) = &mut self.fates[place] {
                    item.shift_remove("id");
                }
                self.note(
                    place,
                    "the reasoning before it is not there, so it goes without its id",
                );
            }
        }
    }

    fn result(self, items: &[Value]) -> Repair {
        let mut repair = Repair {
            notes: self.notes,
            ..Repair::default()
        };
        let is_reasoning = |value: &Value| value.get("type").and_then(Value::as_str) == Some("reasoning");
        for (place, old) in items.iter().enumerate() {
            match &self.fates[place] {
                Fate::Stays(item) => {
                    repair.kept += usize::from(is_reasoning(old));
                    repair.items.push(Value::Object(item.clone()));
                }
                Fate::Goes if is_reasoning(old) => repair.given_up.push(place),
                Fate::Goes => {}
            }
            repair.items.extend(
                self.added
                    .get(&place)
                    .into_iter()
                    .flatten()
                    .cloned()
                    .map(Value::Object),
            );
        }
        // From the end, so that the places before stay what they are.
        for (place, old) in items.iter().enumerate().rev() {
            for output in self.added.get(&place).into_iter().flatten().rev() {
                repair
                    .patch
                    .push(json!({"op": "add", "path": format!("/{}", place + 1), "value": output}));
            }
            match &self.fates[place] {
                Fate::Goes => repair
                    .patch
                    .push(json!({"op": "remove", "path": format!("/{place}")})),
                Fate::Stays(item) if old.as_object() != Some(item) => {
                    members(&mut repair.patch, place, old, item);
                }
                Fate::Stays(_) => {}
            }
        }
        repair
    }
}

fn members(patch: &mut Vec<Value>, place: usize, old: &Value, new: &Object) {
    let empty = Object::new();
    let old = old.as_object().unwrap_or(&empty);
    let pointer = |name: &str| format!("/{place}/{}", name.replace('~', "~0").replace('/', "~1"));
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        patch.push(json!({"op": "remove", "path": pointer(name)}));
    }
    for (name, value) in new {
        match old.get(name) {
            None => patch.push(json!({"op": "add", "path": pointer(name), "value": value})),
            Some(before) if before != value => {
                patch.push(json!({"op": "replace", "path": pointer(name), "value": value}));
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rs(id: &str) -> Value {
        json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": "gAAAAAB".to_owned() + &"x".repeat(80)})
    }

    fn user() -> Value {
        json!({"role": "user", "content": "go on"})
    }

    #[test]
    fn a_good_history_stays_as_it_is() {
        let items = [
            user(),
            rs("rs_1"),
            json!({"type": "message", "id": "msg_1", "role": "assistant", "content": []}),
            user(),
        ];
        let repaired = repair(&items, Ids::Optional);
        assert_eq!(repaired.patch, Vec::<Value>::new());
        assert_eq!((repaired.kept, repaired.given_up), (1, vec![]));
    }

    #[test]
    fn an_open_call_gets_an_output_and_an_orphan_loses_its_id() {
        let call = json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{}"});
        let items = [user(), rs("rs_1"), call, user(), rs("rs_2"), user()];
        let repaired = repair(&items, Ids::Optional);
        let expected = json!([
            {"op": "remove", "path": "/4/id"},
            {"op": "add", "path": "/3", "value": {"type": "function_call_output", "call_id": "call_1", "output": "interrupted"}},
        ]);
        assert_eq!(Value::from(repaired.patch), expected);
        assert_eq!(repaired.kept, 2);
        assert_eq!(repair(&items, Ids::Required).given_up, [4]);
    }

    #[test]
    fn reasoning_without_a_token_is_given_up_with_the_id_of_its_follower() {
        let items = [
            user(),
            json!({"type": "reasoning", "id": "rs_1", "summary": []}),
            json!({"type": "message", "id": "msg_1", "role": "assistant", "content": "x"}),
        ];
        let repaired = repair(&items, Ids::Optional);
        assert_eq!(repaired.given_up, [1]);
        assert_eq!(
            repaired.items[1],
            json!({"type": "message", "role": "assistant", "content": "x"})
        );
    }
}
