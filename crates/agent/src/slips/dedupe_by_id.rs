//! The session callback tells old items from new ones by id.

use holdover_wire::audit::IdPolicy;
use holdover_wire::{Item, ItemKind};

use crate::config::{Preset, StateMode};
use crate::slip::{Card, Stage};
use crate::stages::callback::has_same_content;

pub(crate) const CARD: Card = Card {
    about: "sets a session callback that compares reasoning items by id",
    stage: Stage::Callback,
    seen: "the audit record says callback_dedupe_key=id; under omit old reasoning items are taken for new and go out \
           twice, without id",
    needs: "preset agents-sdk under client-replay with the policy omit; a second turn of the user",
    exists: |config| {
        config.preset == Preset::AgentsSdk
            && config.state == StateMode::ClientReplay
            && config.reasoning_item_id_policy == IdPolicy::Omit
    },
};

/// Whether the history has the item already. Items whose type has no id here are compared by content.
pub(crate) fn is_known(history: &[Item], item: &Item) -> bool {
    if item.kind() != ItemKind::Reasoning {
        return history.iter().any(|old| has_same_content(old, item));
    }
    item.id().is_some() && history.iter().any(|old| old.id() == item.id())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::config::Callback;
    use crate::slip::Slip;
    use crate::testing::{input, play, stateless, talk_turns};

    use super::*;

    fn second(policy: IdPolicy, slips: Vec<Slip>) -> (Vec<Value>, Option<String>) {
        let mut agent = stateless(|config| {
            config.preset = Preset::AgentsSdk;
            config.reasoning_item_id_policy = policy;
            config.callback = Callback::DedupeByContent;
            config.slips = slips;
        });
        let sent = input(&play(&mut agent, &talk_turns()).0[1]);
        (sent, agent.take_audit().remove(1).callback_dedupe_key)
    }

    #[test]
    fn under_omit_old_reasoning_goes_out_twice() {
        let (right, key) = second(IdPolicy::Omit, vec![]);
        assert_eq!(key.as_deref(), Some("content"));
        let (slipped, key) = second(IdPolicy::Omit, vec![Slip::DedupeById]);
        assert_eq!(key.as_deref(), Some("id"));
        let mut expected = right.clone();
        assert_eq!(right[1].get("id"), None);
        expected.insert(3, right[1].clone());
        assert_eq!(slipped, expected);
    }

    #[test]
    fn with_ids_it_finds_every_old_item() {
        let (right, _) = second(IdPolicy::Preserve, vec![]);
        assert_eq!(second(IdPolicy::Preserve, vec![Slip::DedupeById]).0, right);
    }
}
