//! Stage `policy`: the reasoning item id policy of the Agents SDK (P1; `tests/facts/clients/agents_sdk.md`).

use holdover_wire::audit::IdPolicy;
use holdover_wire::{Item, ItemKind};

use crate::config::AgentConfig;
use crate::slip::Slip;
use crate::slips;

/// Items under the policy: `omit` strips the id of reasoning items and nothing else; every other policy changes
/// nothing. One function for all four places: run items, converted items, history on read, resumed runs.
pub(crate) fn applied(items: Vec<Item>, policy: IdPolicy, config: &AgentConfig) -> Vec<Item> {
    let items = if policy.strips_ids() {
        stripped(items, config)
    } else {
        items
    };
    if config.has(Slip::HalfStrip) {
        return slips::half_strip::apply(items);
    }
    items
}

fn stripped(items: Vec<Item>, config: &AgentConfig) -> Vec<Item> {
    if config.has(Slip::PolicyAsContentSwitch) {
        return slips::policy_as_content_switch::apply(items);
    }
    items.into_iter().map(without_reasoning_item_id).collect()
}

/// A reasoning item without its id; summary, content and token stay. Any other item as it is.
pub(crate) fn without_reasoning_item_id(mut item: Item) -> Item {
    if item.kind() == ItemKind::Reasoning {
        item.object_mut().shift_remove("id");
    }
    item
}

/// The policy that a client uses where the mistake is to use another one than the live one.
pub(crate) fn other(policy: IdPolicy) -> IdPolicy {
    match policy {
        IdPolicy::None | IdPolicy::Preserve => IdPolicy::Omit,
        IdPolicy::Omit => IdPolicy::Preserve,
    }
}

/// The policy of a process that resumes: an explicit one wins, but `none` means "not set" and leaves the saved one in
/// force.
pub(crate) fn resolved(given: Option<IdPolicy>, saved: IdPolicy) -> IdPolicy {
    match given {
        Some(IdPolicy::Preserve) => IdPolicy::Preserve,
        Some(IdPolicy::Omit) => IdPolicy::Omit,
        Some(IdPolicy::None) | None => saved,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{call, reasoning, token};

    use super::*;

    fn apply(policy: IdPolicy, values: &[Value]) -> Vec<Value> {
        let items = values.iter().filter_map(Item::from_value).collect();
        let items = applied(items, policy, &AgentConfig::default());
        items.into_iter().map(Item::into_value).collect()
    }

    #[test]
    fn only_omit_strips_and_only_the_id_of_reasoning() {
        let values = [reasoning("rs_1"), call("fc_1", "call_1")];
        assert_eq!(apply(IdPolicy::None, &values), values);
        assert_eq!(apply(IdPolicy::Preserve, &values), values);
        let expected = json!({"type": "reasoning", "content": [], "encrypted_content": token("rs_1"),
            "summary": values[0]["summary"]});
        let omitted = apply(IdPolicy::Omit, &values);
        assert_eq!(omitted, [expected.clone(), values[1].clone()]);
        assert_eq!(omitted[0].to_string(), expected.to_string());
    }

    #[test]
    fn none_does_not_override_a_saved_policy() {
        assert_eq!(resolved(None, IdPolicy::Omit), IdPolicy::Omit);
        assert_eq!(resolved(Some(IdPolicy::None), IdPolicy::Omit), IdPolicy::Omit);
        assert_eq!(
            resolved(Some(IdPolicy::Preserve), IdPolicy::Omit),
            IdPolicy::Preserve
        );
        assert_eq!(resolved(Some(IdPolicy::Omit), IdPolicy::None), IdPolicy::Omit);
    }
}
