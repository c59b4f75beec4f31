//! The smallest script that still fails the same way: delta debugging over turns, items, parts of replies, faults,
//! members and texts. The same script gives the same result, and nothing that is left can go by itself.

use std::collections::{BTreeMap, BTreeSet};

use holdover_wire::item::{self, ItemKind};
use holdover_wire::{Object, ReplyPart};
use serde_json::Value;

use crate::script::Script;

/// Rounds over everything; each but the last makes the script smaller.
const ROUNDS_MAX: usize = 12;

/// Texts that are shorter say what they say.
const TEXT_CHARS_MIN: usize = 6;

/// Makes the script smaller as long as `fails` says that it still fails in the same way.
pub fn shrink(script: &Script, fails: &mut dyn FnMut(&Script) -> bool) -> Script {
    let mut shrinking = Shrinking {
        script: script.clone(),
        fails,
    };
    for _ in 0..ROUNDS_MAX {
        let before = shrinking.script.clone();
        shrinking.turns();
        shrinking.items();
        shrinking.parts();
        shrinking.faults();
        shrinking.members();
        shrinking.texts();
        if shrinking.script == before {
            break;
        }
    }
    shrinking.script
}

struct Shrinking<'a> {
    script: Script,
    fails: &'a mut dyn FnMut(&Script) -> bool,
}

impl Shrinking<'_> {
    /// Takes the candidate where it still fails.
    fn accept(&mut self, candidate: Script) -> bool {
        if candidate.turns.is_empty() || candidate == self.script || !(self.fails)(&candidate) {
            return false;
        }
        self.script = candidate;
        true
    }

    /// Leaves out stretches of a list, half of it first, then smaller ones, down to single elements.
    fn reduce(
        &mut self,
        length: impl Fn(&Script) -> usize,
        without: impl Fn(&Script, &BTreeSet<usize>) -> Script,
    ) {
        let mut size = length(&self.script).div_ceil(2);
        while size > 0 {
            let mut end = length(&self.script);
            // From the end: what comes later rests on what came before.
            while end > 0 {
                let start = end.saturating_sub(size);
                let gone: BTreeSet<usize> = (start..end).collect();
                let candidate = without(&self.script, &gone);
                self.accept(candidate);
                end = start.min(length(&self.script));
            }
            size /= 2;
        }
    }

    fn turns(&mut self) {
        // What is left may be at one place: everything else goes at once.
        let count = self.script.turns.len();
        for width in 1..=3.min(count) {
            for first in 0..=count - width {
                if self.script.turns.len() < count {
                    break;
                }
                let gone = (0..count)
                    .filter(|turn| !(first..first + width).contains(turn))
                    .collect();
                let candidate = without_turns(&self.script, &gone);
                self.accept(candidate);
            }
        }
        self.reduce(|script| script.turns.len(), without_turns);
    }

    fn items(&mut self) {
        for turn in 0..self.script.turns.len() {
            let length = |script: &Script| {
                script.turns[turn]
                    .body
                    .get("input")
                    .and_then(Value::as_array)
                    .map_or(0, Vec::len)
            };
            self.reduce(length, |script, gone| {
                let mut script = script.clone();
                if let Some(input) = script.turns[turn]
                    .body
                    .get_mut("input")
                    .and_then(Value::as_array_mut)
                {
                    retain(input, gone);
                }
                script
            });
        }
    }

    fn parts(&mut self) {
        for turn in 0..self.script.turns.len() {
            let length = |script: &Script| script.turns[turn].reply.as_ref().map_or(0, Vec::len);
            self.reduce(length, |script, gone| without_parts(script, turn, gone));
        }
    }

    fn faults(&mut self) {
        self.reduce(
            |script| script.faults.len(),
            |script, gone| {
                let mut script = script.clone();
                retain(&mut script.faults, gone);
                script
            },
        );
        self.reduce(
            |script| script.server.len(),
            |script, gone| {
                let mut script = script.clone();
                retain(&mut script.server, gone);
                script
            },
        );
    }

    fn members(&mut self) {
        for turn in 0..self.script.turns.len() {
            for pointer in objects(&self.script.turns[turn].body) {
                let names = |script: &Script| -> Vec<String> {
                    let object = script.turns[turn]
                        .body
                        .pointer(&pointer)
                        .and_then(Value::as_object);
                    object
                        .map(|object| object.keys().cloned().collect())
                        .unwrap_or_default()
                };
                for name in names(&self.script) {
                    if pointer.is_empty() && (name == "model" || name == "input") {
                        continue;
                    }
                    let mut candidate = self.script.clone();
                    let object = candidate.turns[turn]
                        .body
                        .pointer_mut(&pointer)
                        .and_then(Value::as_object_mut);
                    if object.and_then(|object| object.shift_remove(&name)).is_some() {
                        self.accept(candidate);
                    }
                }
            }
        }
    }

    /// A text becomes a short one in every place where it stands.
    fn texts(&mut self) {
        let mut texts = BTreeSet::new();
        for turn in &self.script.turns {
            collect(&turn.body, &mut texts);
            for part in turn.reply.iter().flatten() {
                if let ReplyPart::Message { text: Some(text), .. } = part {
                    texts.insert(text.clone());
                }
            }
        }
        let long = texts
            .into_iter()
            .filter(|text| text.len() >= TEXT_CHARS_MIN && !text.contains("{{"));
        for (number, text) in long.enumerate() {
            let short = format!("t{}", number + 1);
            let mut candidate = self.script.clone();
            for turn in &mut candidate.turns {
                replace(&mut turn.body, &text, &short);
                for part in turn.reply.iter_mut().flatten() {
                    if let ReplyPart::Message { text: Some(said), .. } = part
                        && *said == text
                    {
                        said.clone_from(&short);
                    }
                }
            }
            self.accept(candidate);
        }
    }
}

fn retain<T>(list: &mut Vec<T>, gone: &BTreeSet<usize>) {
    let mut place = 0;
    list.retain(|_| {
        place += 1;
        !gone.contains(&(place - 1))
    });
}

/// Pointers of the body itself and of the items of its input.
fn objects(body: &Value) -> Vec<String> {
    let input = body.get("input").and_then(Value::as_array).map_or(0, Vec::len);
    std::iter::once(String::new())
        .chain((0..input).map(|item| format!("/input/{item}")))
        .collect()
}

fn collect(value: &Value, texts: &mut BTreeSet<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, texts)),
        Value::Object(object) => {
            for (name, value) in object {
                match value {
                    Value::String(text)
                        if matches!(name.as_str(), "content" | "text" | "output" | "instructions") =>
                    {
                        texts.insert(text.clone());
                    }
                    value => collect(value, texts),
                }
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn replace(value: &mut Value, text: &str, short: &str) {
    match value {
        Value::String(old) if old == text => short.clone_into(old),
        Value::Array(values) => values.iter_mut().for_each(|value| replace(value, text, short)),
        Value::Object(object) => object.values_mut().for_each(|value| replace(value, text, short)),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The names that each part of each turn gets, and last of each turn that of its response.
fn names(script: &Script) -> Vec<Vec<String>> {
    let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut next = |prefix: &'static str| {
        let count = counts.entry(prefix).or_insert(0);
        *count += 1;
        format!("{prefix}_{count}")
    };
    let turns = script.turns.iter().map(|turn| {
        if turn.refusal.is_some() {
            return Vec::new();
        }
        if turn.path.contains("/conversations") {
            return vec![next("conv")];
        }
        let parts = turn.reply.as_deref().unwrap_or(&[]);
        let mut names: Vec<String> = parts.iter().map(|part| next(prefix(part))).collect();
        if turn.reply.is_none() {
            // The default reply.
            names.push(next("rs"));
            names.push(next("msg"));
        }
        names.push(next("resp"));
        names
    });
    turns.collect()
}

fn prefix(part: &ReplyPart) -> &'static str {
    match part {
        ReplyPart::Reasoning { .. } => "rs",
        ReplyPart::Message { .. } | ReplyPart::Refusal(_) | ReplyPart::End(_) => "msg",
        ReplyPart::Call { .. } => "fc",
        ReplyPart::CustomCall { .. } => "ctc",
        ReplyPart::Item(item) => match item.kind() {
            ItemKind::Reasoning => "rs",
            _ => item
                .view()
                .type_name()
                .and_then(item::id_prefix)
                .unwrap_or("item"),
        },
    }
}

/// The script without these turns; what was issued there is carried nowhere.
fn without_turns(script: &Script, gone: &BTreeSet<usize>) -> Script {
    let old = names(script);
    let mut smaller = script.clone();
    retain(&mut smaller.turns, gone);
    let number = |turn: usize| gone.range(..turn).count();
    smaller.faults.retain_mut(|fault| {
        let Some((_, value)) = fault.on.iter_mut().find(|(key, _)| key == "turn") else {
            return true;
        };
        let Some(turn) = value
            .as_u64()
            .and_then(|turn| usize::try_from(turn).ok())
            .filter(|turn| *turn > 0)
        else {
            return true;
        };
        *value = (turn - number(turn)).into();
        !gone.contains(&(turn - 1))
    });
    let calls = made(script, |turn, _| gone.contains(&turn));
    let mut kept = old.clone();
    retain(&mut kept, gone);
    let lost = old
        .iter()
        .enumerate()
        .filter(|(turn, _)| gone.contains(turn))
        .flat_map(|(_, names)| names.clone())
        .collect();
    renamed(smaller, &kept, &lost, &calls)
}

/// The script without these parts of a reply.
fn without_parts(script: &Script, turn: usize, gone: &BTreeSet<usize>) -> Script {
    let mut kept = names(script);
    let mut smaller = script.clone();
    let Some(parts) = &mut smaller.turns[turn].reply else {
        return smaller;
    };
    if gone.len() >= parts.len() {
        return script.clone();
    }
    retain(parts, gone);
    let calls = made(script, |at, part| at == turn && gone.contains(&part));
    let lost = kept[turn]
        .iter()
        .enumerate()
        .filter(|(part, _)| gone.contains(part))
        .map(|(_, name)| name.clone())
        .collect();
    retain(&mut kept[turn], gone);
    renamed(smaller, &kept, &lost, &calls)
}

/// Call ids of these parts of replies.
fn made(script: &Script, wanted: impl Fn(usize, usize) -> bool) -> BTreeSet<String> {
    let mut calls = BTreeSet::new();
    for (at, turn) in script.turns.iter().enumerate() {
        for (place, part) in turn.reply.iter().flatten().enumerate() {
            if let ReplyPart::Call { id: Some(id), .. } | ReplyPart::CustomCall { id: Some(id), .. } = part
                && wanted(at, place)
            {
                calls.insert(id.clone());
            }
        }
    }
    calls
}

/// Gives what is issued its new names, and takes out of inputs what is issued no more.
fn renamed(
    mut script: Script,
    kept: &[Vec<String>],
    lost: &BTreeSet<String>,
    calls: &BTreeSet<String>,
) -> Script {
    let new = names(&script);
    let map: BTreeMap<&str, &str> = kept
        .iter()
        .flatten()
        .map(String::as_str)
        .zip(new.iter().flatten().map(String::as_str))
        .collect();
    for turn in &mut script.turns {
        if let Some(input) = turn.body.get_mut("input").and_then(Value::as_array_mut) {
            input.retain(|item| !rests_on(item, lost, calls));
        }
        if let Some(body) = turn.body.as_object_mut() {
            drop_anchor(body, lost);
        }
        rename(&mut turn.body, &map);
        if let Value::String(path) = renamed_text(&turn.path, &map) {
            turn.path = path;
        }
    }
    script
}

fn drop_anchor(body: &mut Object, lost: &BTreeSet<String>) {
    for anchor in ["previous_response_id", "conversation"] {
        let is_lost = body
            .get(anchor)
            .and_then(Value::as_str)
            .is_some_and(|text| referred(text).iter().any(|name| lost.contains(*name)));
        if is_lost {
            body.shift_remove(anchor);
        }
    }
}

/// Whether an item is, or speaks of, something that is issued no more.
fn rests_on(item: &Value, lost: &BTreeSet<String>, calls: &BTreeSet<String>) -> bool {
    match item {
        Value::String(text) => referred(text).iter().any(|name| lost.contains(*name)),
        Value::Object(object) => object.iter().any(|(key, value)| {
            let is_call = key == "call_id" && value.as_str().is_some_and(|call| calls.contains(call));
            is_call || rests_on(value, lost, calls)
        }),
        Value::Array(values) => values.iter().any(|value| rests_on(value, lost, calls)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The names between double braces.
fn referred(text: &str) -> Vec<&str> {
    let pieces = text.split("{{").skip(1);
    pieces
        .filter_map(|piece| piece.split("}}").next()?.split(['.', '[']).next())
        .collect()
}

fn rename(value: &mut Value, map: &BTreeMap<&str, &str>) {
    match value {
        Value::String(text) => *value = renamed_text(text, map),
        Value::Array(values) => values.iter_mut().for_each(|value| rename(value, map)),
        Value::Object(object) => object.values_mut().for_each(|value| rename(value, map)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn renamed_text(text: &str, map: &BTreeMap<&str, &str>) -> Value {
    let mut pieces = text.split("{{");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(['.', '[', '}']).unwrap_or(piece.len());
        let (name, rest) = piece.split_at(end);
        out.push_str("{{");
        out.push_str(map.get(name).copied().unwrap_or(name));
        out.push_str(rest);
    }
    Value::String(out)
}
