//! Stage `callback`: the application's `session_input_callback` (Agents SDK).
//!
//! The callback gets the stored history, with the policy already applied, and the new input of this run. The
//! application here also hands in its own copy of the session (what `to_input_list()` gave it), and the callback has
//! to tell which of those items the history holds already.

use holdover_wire::Item;

use crate::config::{AgentConfig, Callback};
use crate::slip::Slip;
use crate::slips;

/// The key that a callback compares items by, as the audit record names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DedupeKey {
    /// The item's content, its id left out.
    Content,
    /// The item's id.
    Id,
}

impl DedupeKey {
    /// The word in the audit record.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Id => "id",
        }
    }
}

/// The key of the callback that is set, if one is.
pub(crate) fn key(config: &AgentConfig) -> Option<DedupeKey> {
    if config.has(Slip::DedupeById) {
        return Some(DedupeKey::Id);
    }
    match config.callback {
        Callback::Unset => None,
        Callback::DedupeByContent => Some(DedupeKey::Content),
    }
}

/// What the callback takes for new in the application's copy of the session.
pub(crate) fn missing(history: &[Item], copy: &[Item], key: DedupeKey) -> Vec<Item> {
    let is_known = |item: &Item| match key {
        DedupeKey::Content => history.iter().any(|old| has_same_content(old, item)),
        DedupeKey::Id => slips::dedupe_by_id::is_known(history, item),
    };
    copy.iter().filter(|item| !is_known(item)).cloned().collect()
}

/// Whether two items say the same, whatever their ids: calls and outputs by `call_id`, others by their members.
pub(crate) fn has_same_content(left: &Item, right: &Item) -> bool {
    let without_id = |item: &Item| {
        let mut object = item.object().clone();
        object.shift_remove("id");
        object
    };
    let are_one_call = left.call_id().is_some() && left.call_id() == right.call_id();
    left.kind() == right.kind() && (are_one_call || without_id(left) == without_id(right))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::stages::policy::without_reasoning_item_id;
    use crate::testing::{call, message, reasoning};

    use super::*;

    #[test]
    fn by_content_an_item_is_known_with_and_without_its_id() {
        let values: Vec<Value> = vec![reasoning("rs_1"), call("fc_1", "call_1"), message("msg_1", "a")];
        let copy: Vec<Item> = values.iter().filter_map(Item::from_value).collect();
        let history: Vec<Item> = copy.iter().cloned().map(without_reasoning_item_id).collect();
        assert_eq!(missing(&history, &copy, DedupeKey::Content), vec![]);
        assert_eq!(missing(&[], &copy, DedupeKey::Content), copy);
    }
}
