//! The store's record of a message is a role and a text.

use crate::chat::ContentKind;
use crate::config::{SessionStore, StateMode};
use crate::history::Entry;
use crate::slip::{Card, Stage};

use super::text_only_append;

pub(crate) const CARD: Card = Card {
    about: "stores a role and a text for each message, and calls, and nothing else",
    stage: Stage::Persist,
    seen: "the answer comes back as text without ids, its reasoning not at all",
    needs: "client-replay and a session store of the client",
    exists: |config| {
        config.state == StateMode::ClientReplay && config.session_store != SessionStore::Conversations
    },
};

pub(crate) fn apply(history: Vec<Entry>) -> Vec<Entry> {
    history.into_iter().filter_map(record).collect()
}

fn record(entry: Entry) -> Option<Entry> {
    match entry {
        Entry::Item(item) if item.kind().is_client_output() => Some(Entry::Item(item)),
        Entry::Item(item) => text_only_append::visible(&item).map(Entry::Item),
        Entry::Message(mut message) => {
            message.contents.retain(|content| match content.kind {
                ContentKind::Text { .. }
                | ContentKind::FunctionCall { .. }
                | ContentKind::FunctionResult { .. } => true,
                ContentKind::Reasoning { .. } | ContentKind::Other {} => false,
            });
            Some(Entry::Message(message))
        }
    }
}

#[cfg(test)]
mod tests {
    use holdover_wire::ItemKind;

    use crate::config::Preset;
    use crate::slip::Slip;
    use crate::testing::{self, play, stateless, tool_turns};

    use super::*;

    #[test]
    fn the_next_turn_has_texts_calls_and_outputs() {
        for preset in Preset::ALL {
            let mut agent = stateless(|config| {
                config.preset = *preset;
                config.session_store = SessionStore::Sqlite;
                config.slips = vec![Slip::RoleAndTextRecord];
            });
            let (bodies, result) = play(&mut agent, &tool_turns());
            let kinds: Vec<_> = testing::items(&bodies[2])
                .iter()
                .map(holdover_wire::Item::kind)
                .collect();
            let expected = [
                ItemKind::Message,
                ItemKind::FunctionCall,
                ItemKind::FunctionCallOutput,
                ItemKind::Message,
                ItemKind::Message,
            ];
            assert_eq!(kinds, expected, "{preset:?}");
            assert!(result.has_protected_in_response && !result.has_protected_in_history);
        }
    }
}
