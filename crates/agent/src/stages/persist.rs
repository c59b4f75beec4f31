//! Stage `persist`: the history goes into the session store and comes back.

use crate::config::{AgentConfig, SessionStore};
use crate::history::Entry;
use crate::slip::{Slip, Stage};
use crate::slips;

/// The history as the store gives it back: the objects themselves from memory; through JSON text from the others, so
/// that what is not serialised (`RawRepresentation`) is gone.
pub(crate) fn stored(mut history: Vec<Entry>, config: &AgentConfig) -> Vec<Entry> {
    if config.has(Slip::RoleAndTextRecord) {
        history = slips::role_and_text_record::apply(history);
    }
    if config.has(Slip::TokenTruncated) {
        history = slips::token_truncated::apply(history);
    }
    if config.has(Slip::TokenReEncoded) {
        history = slips::token_re_encoded::apply(history);
    }
    if is_text(config) {
        through_text(&history)
    } else {
        history
    }
}

/// A slip of this stage is a mistake in a record, so there is one.
fn is_text(config: &AgentConfig) -> bool {
    match config.session_store {
        SessionStore::Sqlite | SessionStore::Json => true,
        SessionStore::Memory | SessionStore::Conversations => {
            config.slips.iter().any(|slip| slip.stage() == Stage::Persist)
        }
    }
}

fn through_text(history: &[Entry]) -> Vec<Entry> {
    let rows: Vec<String> = history
        .iter()
        .map(|entry| serde_json::to_string(entry).expect("entries have string keys only"))
        .collect();
    rows.iter()
        .map(|row| serde_json::from_str(row).expect("a row that was just written"))
        .collect()
}

#[cfg(test)]
mod tests {
    use holdover_wire::Item;
    use serde_json::json;

    use crate::chat::{ChatMessage, Content};

    use super::*;

    #[test]
    fn items_come_back_byte_for_byte_from_every_store() {
        let item = json!({"zeta": 1, "type": "reasoning", "id": "rs_1", "summary": [], "alpha": [1.0, null]});
        let history = vec![Entry::Item(Item::from_value(&item).expect("item"))];
        for store in SessionStore::ALL {
            let config = AgentConfig {
                session_store: *store,
                ..AgentConfig::default()
            };
            let again = stored(history.clone(), &config);
            let [Entry::Item(again)] = again.as_slice() else {
                panic!("{again:?}");
            };
            assert_eq!(serde_json::to_string(again).expect("JSON"), item.to_string());
        }
    }

    #[test]
    fn the_raw_item_lives_in_memory_only() {
        let mut content = Content::reasoning("why", Some("gAAAAAB"), Some("rs_1"));
        content.raw = Some(Item::user("stand-in"));
        let history = vec![Entry::Message(ChatMessage {
            role: "assistant".to_owned(),
            contents: vec![content],
        })];
        assert_eq!(stored(history.clone(), &AgentConfig::default()), history);
        let sqlite = AgentConfig {
            session_store: SessionStore::Sqlite,
            ..AgentConfig::default()
        };
        let Entry::Message(message) = &stored(history, &sqlite)[0] else {
            panic!("no message");
        };
        assert_eq!(message.contents[0].raw, None);
    }
}
