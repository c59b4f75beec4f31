//! How the Agents SDK prepares input from a session and a run (`tests/facts/clients/agents_sdk.md`).

use holdover_wire::audit::IdPolicy;
use holdover_wire::{Item, ItemKind};

use crate::config::AgentConfig;
use crate::stages::{callback, policy, trim};
use crate::state::Run;

/// `prepare_input_with_session`: history as the store gave it, and the new input of this run.
///
/// The limit cuts on read, then the policy strips, then the callback sees it; orphan calls are pruned among the
/// history only, and duplicates go last. Gives the prepared input, and what the callback took for new.
pub(crate) fn prepared(
    history: Vec<Item>,
    new: Vec<Item>,
    live: IdPolicy,
    config: &AgentConfig,
) -> (Vec<Item>, Vec<Item>) {
    let history = trim::newest(history, config.history_limit);
    let history = policy::applied(history, read_policy(live, config), config);
    let key = callback::key(config);
    let added = key.map_or_else(Vec::new, |key| {
        let copy = policy::applied(history.clone(), live, config);
        callback::missing(&history, &copy, key)
    });
    let prunable = history.len() + added.len();
    let all = history.into_iter().chain(added.clone()).chain(new).collect();
    let mut all = trim::without_orphan_calls(all, prunable);
    if config.history_limit.is_some() && key.is_none() {
        all = trim::without_orphan_outputs(all, prunable);
    }
    (trim::preferring_latest(all), added)
}

/// `_prepare_turn_input_items` and `prepare_model_input_items`: the caller's items as they are, the generated ones
/// under the policy and without orphan calls.
pub(crate) fn turn_input(run: &Run, live: IdPolicy, config: &AgentConfig) -> Vec<Item> {
    let generated = policy::applied(run.generated.clone(), live, config);
    let prunable = generated.len();
    let generated = trim::without_orphan_calls(generated, prunable);
    run.caller.iter().cloned().chain(generated).collect()
}

/// The policy on history that is read and on items that are saved: none of it for a Conversations session, whose
/// server keeps the ids.
pub(crate) fn read_policy(live: IdPolicy, config: &AgentConfig) -> IdPolicy {
    if config.uses_conversations_session() {
        return IdPolicy::None;
    }
    live
}

/// `_sanitize_openai_conversation_item`: messages, calls and outputs go to the items API without their ids; reasoning
/// keeps its id, and goes only if it has an id or a token.
pub(crate) fn for_conversation(items: Vec<Item>) -> Vec<Item> {
    let is_sent = |item: &Item| {
        item.kind() != ItemKind::Reasoning || item.id().is_some() || item.encrypted_content().is_some()
    };
    items.into_iter().filter(is_sent).map(without_own_id).collect()
}

fn without_own_id(mut item: Item) -> Item {
    let loses_id =
        item.kind() == ItemKind::Message || item.kind().is_client_call() || item.kind().is_client_output();
    if loses_id {
        item.object_mut().shift_remove("id");
    }
    item
}

/// `_sanitize_openai_conversation_history_item_for_model_input`: the assistant's messages lose their id on read.
pub(crate) fn from_conversation(items: Vec<Item>) -> Vec<Item> {
    let strip = |mut item: Item| {
        if item.view().is_assistant_message() {
            item.object_mut().shift_remove("id");
        }
        item
    };
    items.into_iter().map(strip).collect()
}

/// `_strip_orphaned_assistant_ids`: a compaction's output without any reasoning keeps no ids on the assistant's
/// messages.
pub(crate) fn after_compaction(items: Vec<Item>) -> Vec<Item> {
    if items.iter().any(|item| item.kind() == ItemKind::Reasoning) {
        return items;
    }
    from_conversation(items)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::config::Callback;
    use crate::presets::dump;
    use crate::testing::{call, message, reasoning};

    use super::*;

    fn items(values: &[Value]) -> Vec<Item> {
        values.iter().filter_map(Item::from_value).collect()
    }

    fn history() -> Vec<Item> {
        items(&[
            json!({"content": "a", "role": "user"}),
            reasoning("rs_1"),
            message("msg_1", "x"),
        ])
    }

    fn without_id(value: &Value) -> Value {
        let mut value = value.clone();
        value.as_object_mut().expect("object").shift_remove("id");
        value
    }

    #[test]
    fn history_is_stripped_on_read_and_new_input_is_not() {
        let config = AgentConfig::default();
        let new = items(&[reasoning("rs_own")]);
        let (all, added) = prepared(history(), new.clone(), IdPolicy::Omit, &config);
        assert_eq!(added, vec![]);
        assert_eq!(all[1].id(), None);
        assert_eq!(all[2].id(), Some("msg_1"));
        assert_eq!(all[3], new[0]);
    }

    #[test]
    fn a_callback_that_compares_content_adds_nothing() {
        let config = AgentConfig {
            callback: Callback::DedupeByContent,
            ..AgentConfig::default()
        };
        let new = vec![dump::user("b")];
        let (all, added) = prepared(history(), new.clone(), IdPolicy::Omit, &config);
        assert_eq!(added, vec![]);
        assert_eq!(all.len(), 4);
    }

    #[test]
    fn an_open_call_of_the_history_is_pruned_and_of_the_caller_is_not() {
        let open = items(&[
            json!({"content": "a", "role": "user"}),
            reasoning("rs_1"),
            call("fc_1", "call_1"),
        ]);
        let new = vec![dump::user("b")];
        let (all, _) = prepared(open.clone(), new.clone(), IdPolicy::None, &AgentConfig::default());
        assert_eq!(all, vec![open[0].clone(), new[0].clone()]);
        let run = Run {
            caller: open.clone(),
            generated: Vec::new(),
        };
        assert_eq!(turn_input(&run, IdPolicy::None, &AgentConfig::default()), open);
    }

    #[test]
    fn a_conversation_keeps_the_id_of_reasoning_only() {
        let all = items(&[
            reasoning("rs_1"),
            call("fc_1", "call_1"),
            message("msg_1", "x"),
            json!({"type": "reasoning", "summary": []}),
        ]);
        let expected = items(&[
            reasoning("rs_1"),
            without_id(&call("fc_1", "call_1")),
            without_id(&message("msg_1", "x")),
        ]);
        assert_eq!(for_conversation(all.clone()), expected);
        let read = from_conversation(all.clone());
        assert_eq!(read[1], all[1]);
        assert_eq!(read[2].id(), None);
    }
}
