//! Stage `trim`: limits of the history, pairs, orphans and duplicates.

use std::collections::BTreeSet;

use holdover_wire::{Item, ItemKind};

use crate::config::AgentConfig;
use crate::slip::Slip;
use crate::slips;

/// The newest whole turns that fit the limit: cut only before a message of the user, so that no group and no pair is
/// split (M7). The turn that is going on is never cut.
pub(crate) fn whole_turns(items: Vec<Item>, config: &AgentConfig) -> Vec<Item> {
    let Some(limit) = config.history_limit else {
        return items;
    };
    let starts = || {
        let messages = items.iter().enumerate();
        messages
            .filter(|(_, item)| item.view().is_user_message())
            .map(|(index, _)| index)
    };
    if items.len() <= limit {
        return items;
    }
    let fits = starts().find(|start| items.len() - start <= limit);
    let start = fits.or_else(|| starts().next_back()).unwrap_or(0);
    items.into_iter().skip(start).collect()
}

/// Hands over to the slip of this stage, if it is planted.
pub(crate) fn slipped(items: Vec<Item>, config: &AgentConfig) -> Vec<Item> {
    if config.has(Slip::TrimSplitsPair) {
        return slips::trim_splits_pair::apply(items);
    }
    if config.has(Slip::BlindTrim) {
        return slips::blind_trim::apply(items);
    }
    items
}

/// `SessionSettings(limit=N)` of the Agents SDK: the newest N items, wherever that cuts.
pub(crate) fn newest(items: Vec<Item>, limit: Option<usize>) -> Vec<Item> {
    let start = limit.map_or(0, |limit| items.len().saturating_sub(limit));
    items.into_iter().skip(start).collect()
}

/// `drop_orphan_function_calls` of the Agents SDK, among the first `prunable` items: a call without output goes,
/// together with the run of reasoning items right before it. The reverse is not repaired.
pub(crate) fn without_orphan_calls(items: Vec<Item>, prunable: usize) -> Vec<Item> {
    let answered: BTreeSet<String> = call_ids(&items, ItemKind::is_client_output);
    let mut dropped = BTreeSet::new();
    for (index, item) in items.iter().enumerate().take(prunable) {
        let is_open = item.call_id().is_none_or(|id| !answered.contains(id));
        if item.kind().is_client_call() && is_open {
            dropped.insert(index);
            let before = (0..index).rev();
            dropped.extend(before.take_while(|before| items[*before].kind() == ItemKind::Reasoning));
        }
    }
    let kept = items.into_iter().enumerate();
    kept.filter(|(index, _)| !dropped.contains(index))
        .map(|(_, item)| item)
        .collect()
}

/// Outputs among the first `prunable` items whose call the limit has cut off go too (Agents SDK, limit without a
/// callback).
pub(crate) fn without_orphan_outputs(items: Vec<Item>, prunable: usize) -> Vec<Item> {
    let called = call_ids(&items, ItemKind::is_client_call);
    let is_kept = |(index, item): &(usize, Item)| {
        let is_orphan =
            item.kind().is_client_output() && item.call_id().is_none_or(|id| !called.contains(id));
        *index >= prunable || !is_orphan
    };
    let kept = items.into_iter().enumerate().filter(is_kept);
    kept.map(|(_, item)| item).collect()
}

/// `deduplicate_input_items_preferring_latest` of the Agents SDK: earliest position, latest value. The key is
/// `call_id` and type for calls and outputs, else `id` and type; messages have none, and a reasoning item without id
/// has none either.
pub(crate) fn preferring_latest(items: Vec<Item>) -> Vec<Item> {
    let mut kept: Vec<(Option<(String, String)>, Item)> = Vec::with_capacity(items.len());
    for item in items {
        let key = dedupe_key(&item);
        let earlier = kept.iter_mut().find(|(other, _)| key.is_some() && *other == key);
        match earlier {
            Some((_, value)) => *value = item,
            None => kept.push((key, item)),
        }
    }
    kept.into_iter().map(|(_, item)| item).collect()
}

fn dedupe_key(item: &Item) -> Option<(String, String)> {
    if item.role().is_some() || item.kind() == ItemKind::Message {
        return None;
    }
    let id = item.call_id().or_else(|| item.id())?;
    Some((id.to_owned(), item.view().type_name().unwrap_or("").to_owned()))
}

fn call_ids(items: &[Item], is_wanted: fn(ItemKind) -> bool) -> BTreeSet<String> {
    let wanted = items.iter().filter(|item| is_wanted(item.kind()));
    wanted
        .filter_map(|item| item.call_id().map(str::to_owned))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{call, message, reasoning};

    use super::*;

    fn items(values: &[Value]) -> Vec<Item> {
        values.iter().filter_map(Item::from_value).collect()
    }

    fn output(call_id: &str) -> Value {
        json!({"type": "function_call_output", "call_id": call_id, "output": "42"})
    }

    fn user(text: &str) -> Value {
        json!({"role": "user", "content": text})
    }

    #[test]
    fn a_limit_cuts_before_a_message_of_the_user() {
        let all = items(&[
            user("a"),
            reasoning("rs_1"),
            call("fc_1", "call_1"),
            output("call_1"),
            message("msg_1", "x"),
            user("b"),
            reasoning("rs_2"),
            message("msg_2", "y"),
            user("c"),
        ]);
        let limited = |limit| {
            let config = AgentConfig {
                history_limit: Some(limit),
                ..AgentConfig::default()
            };
            whole_turns(all.clone(), &config)
        };
        assert_eq!(limited(9), all);
        assert_eq!(limited(6), all[5..]);
        assert_eq!(limited(4), all[5..]);
        assert_eq!(limited(3), all[8..]);
        assert_eq!(limited(0), all[8..]);
    }

    #[test]
    fn the_sdk_limit_counts_items_and_drops_outputs_without_call() {
        let all = items(&[
            user("a"),
            reasoning("rs_1"),
            call("fc_1", "call_1"),
            output("call_1"),
            message("msg_1", "x"),
        ]);
        let cut = newest(all.clone(), Some(2));
        assert_eq!(cut, all[3..]);
        let prunable = cut.len();
        assert_eq!(without_orphan_outputs(cut, prunable), all[4..]);
        assert_eq!(newest(all.clone(), None), all);
    }

    #[test]
    fn an_open_call_goes_with_the_reasoning_before_it() {
        let all = items(&[
            user("a"),
            reasoning("rs_1"),
            reasoning("rs_2"),
            call("fc_1", "call_1"),
            user("b"),
        ]);
        assert_eq!(
            without_orphan_calls(all.clone(), 4),
            items(&[user("a"), user("b")])
        );
        assert_eq!(without_orphan_calls(all.clone(), 0), all);
    }

    #[test]
    fn the_latest_value_stands_at_the_earliest_place() {
        let mut newer = reasoning("rs_1");
        newer["summary"] = json!([]);
        let all = items(&[
            reasoning("rs_1"),
            message("msg_1", "x"),
            newer.clone(),
            message("msg_1", "x"),
        ]);
        let expected = items(&[newer, message("msg_1", "x"), message("msg_1", "x")]);
        assert_eq!(preferring_latest(all), expected);
        let mut bare = reasoning("rs_1");
        bare.as_object_mut().expect("object").shift_remove("id");
        let twice = items(&[bare.clone(), bare]);
        assert_eq!(preferring_latest(twice.clone()), twice);
    }
}
