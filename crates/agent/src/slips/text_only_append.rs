//! The assistant's turn is rebuilt from its visible text and its calls; reasoning is not kept.

use serde_json::{Value, json};

use holdover_wire::{Item, ItemKind};

use crate::chat::ContentKind;
use crate::config::StateMode;
use crate::history::Entry;
use crate::slip::{Card, Stage};

pub(crate) const CARD: Card = Card {
    about: "rebuilds the assistant's turn from its text and calls before it is appended",
    stage: Stage::Append,
    seen: "the answer comes back as text without ids, its reasoning not at all",
    needs: "client-replay",
    exists: |config| config.state == StateMode::ClientReplay,
};

pub(crate) fn apply(kept: Vec<Entry>) -> Vec<Entry> {
    kept.into_iter().filter_map(rebuilt).collect()
}

fn rebuilt(entry: Entry) -> Option<Entry> {
    match entry {
        Entry::Item(item) => visible(&item).map(Entry::Item),
        Entry::Message(mut message) => {
            message.contents.retain_mut(|content| {
                content.raw = None;
                matches!(
                    content.kind,
                    ContentKind::Text { .. } | ContentKind::FunctionCall { .. }
                )
            });
            Some(Entry::Message(message))
        }
    }
}

/// What a reader of visible text sees of an item: a message's text, a call's name and arguments.
pub(crate) fn visible(item: &Item) -> Option<Item> {
    let member = |name: &str| item.object().get(name).and_then(Value::as_str);
    let value = match item.kind() {
        ItemKind::Message => json!({"role": item.role(), "content": item.text()}),
        ItemKind::FunctionCall => json!({
            "type": "function_call", "call_id": item.call_id(), "name": member("name"), "arguments": member("arguments"),
        }),
        ItemKind::CustomToolCall => json!({
            "type": "custom_tool_call", "call_id": item.call_id(), "name": member("name"), "input": member("input"),
        }),
        _ => return None,
    };
    Item::from_value(&value)
}

#[cfg(test)]
mod tests {
    use crate::config::Preset;
    use crate::slip::Slip;
    use crate::testing::{self, input, message, play, reasoning, stateless, talk_turns, tool_turns};

    use super::*;

    #[test]
    fn the_right_form_brings_the_answer_back_whole() {
        let (bodies, result) = play(&mut stateless(|_| {}), &talk_turns());
        let expected = [
            json!({"role": "user", "content": "First"}),
            reasoning("rs_1"),
            message("msg_1", "One."),
            json!({"role": "user", "content": "Follow-up"}),
        ];
        assert_eq!(input(&bodies[1]), expected);
        assert!(result.has_protected_in_response && result.has_protected_in_history);
        assert_eq!(result.reasoning_parts, 2);
    }

    #[test]
    fn the_slip_brings_back_text() {
        let mut agent = stateless(|config| config.slips = vec![Slip::TextOnlyAppend]);
        let (bodies, result) = play(&mut agent, &talk_turns());
        let expected = [
            json!({"role": "user", "content": "First"}),
            json!({"role": "assistant", "content": "One."}),
            json!({"role": "user", "content": "Follow-up"}),
        ];
        assert_eq!(input(&bodies[1]), expected);
        assert!(result.has_protected_in_response && !result.has_protected_in_history);
        assert_eq!(result.reasoning_parts, 0);
    }

    #[test]
    fn a_call_keeps_what_pairs_it_in_every_preset() {
        for preset in Preset::ALL {
            let mut agent = stateless(|config| {
                config.preset = *preset;
                config.slips = vec![Slip::TextOnlyAppend];
            });
            let (bodies, _) = play(&mut agent, &tool_turns());
            let kinds: Vec<_> = testing::items(&bodies[1]).iter().map(Item::kind).collect();
            let expected = [
                ItemKind::Message,
                ItemKind::FunctionCall,
                ItemKind::FunctionCallOutput,
            ];
            assert_eq!(kinds, expected, "{preset:?}");
            assert_eq!(testing::items(&bodies[1])[1].id(), None);
        }
    }
}
