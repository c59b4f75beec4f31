//! Stage `append`: what was kept of an answer goes into the history.

use holdover_wire::ItemKind;
use serde_json::Value;

use crate::chat::ContentKind;
use crate::config::AgentConfig;
use crate::history::Entry;
use crate::slip::Slip;
use crate::slips;

use super::receive::Ending;

/// Everything that was kept, in order (M3, M5). Of an incomplete answer the unfinished tail stays out: a reasoning
/// item without follower, or a call without whole arguments, would poison every later request (N24).
pub(crate) fn appended(kept: Vec<Entry>, ending: Ending, config: &AgentConfig) -> Vec<Entry> {
    let mut kept = match ending {
        Ending::Completed => kept,
        Ending::Incomplete => without_unfinished_tail(kept),
    };
    if config.has(Slip::FirstOutputOnly) {
        kept = slips::first_output_only::apply(kept);
    }
    if config.has(Slip::UnknownItemDropped) {
        kept = slips::unknown_item_dropped::apply(kept);
    }
    if config.has(Slip::TextOnlyAppend) {
        kept = slips::text_only_append::apply(kept);
    }
    kept
}

fn without_unfinished_tail(mut kept: Vec<Entry>) -> Vec<Entry> {
    while let Some(last) = kept.last_mut() {
        match last {
            Entry::Item(item) => {
                let is_cut_call = item.kind().is_client_call()
                    && item.object().get("status").and_then(Value::as_str) == Some("incomplete");
                if item.kind() != ItemKind::Reasoning && !is_cut_call {
                    return kept;
                }
                kept.pop();
            }
            Entry::Message(message) => {
                while message
                    .contents
                    .pop_if(|content| matches!(content.kind, ContentKind::Reasoning { .. }))
                    .is_some()
                {}
                if !message.contents.is_empty() {
                    return kept;
                }
                kept.pop();
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use holdover_wire::Item;

    use crate::history::entries;
    use crate::testing::{call, message, reasoning};

    use super::*;

    fn list(values: &[Value]) -> Vec<Entry> {
        entries(values.iter().filter_map(Item::from_value).collect())
    }

    #[test]
    fn a_complete_answer_is_appended_whole() {
        let whole = list(&[
            reasoning("rs_1"),
            json!({"type": "brand_new", "id": "x_1"}),
            message("msg_1", "a"),
        ]);
        assert_eq!(
            appended(whole.clone(), Ending::Completed, &AgentConfig::default()),
            whole
        );
    }

    #[test]
    fn an_unfinished_tail_stays_out() {
        let mut cut = call("fc_1", "call_1");
        cut["status"] = "incomplete".into();
        let answer = list(&[reasoning("rs_1"), message("msg_1", "a"), reasoning("rs_2"), cut]);
        let expected = list(&[reasoning("rs_1"), message("msg_1", "a")]);
        assert_eq!(
            appended(answer, Ending::Incomplete, &AgentConfig::default()),
            expected
        );
        let only = list(&[reasoning("rs_1")]);
        assert_eq!(
            appended(only, Ending::Incomplete, &AgentConfig::default()),
            vec![]
        );
    }
}
