//! The column for the token is too short.

use crate::config::{SessionStore, StateMode};
use crate::history::Entry;
use crate::slip::{Card, Stage};

/// Characters that the column holds; the shortest real tokens are longer (`tests/facts/items.md`, Reasoning).
const COLUMN_CHARS: usize = 255;

pub(crate) const CARD: Card = Card {
    about: "stores the token in a column of 255 characters",
    stage: Stage::Persist,
    seen: "reasoning comes back with the beginning of its token",
    needs: "client-replay and a session store of the client",
    exists: |config| {
        config.state == StateMode::ClientReplay && config.session_store != SessionStore::Conversations
    },
};

pub(crate) fn apply(mut history: Vec<Entry>) -> Vec<Entry> {
    for entry in &mut history {
        entry.map_tokens(|token| token.chars().take(COLUMN_CHARS).collect());
    }
    history
}

#[cfg(test)]
mod tests {
    use crate::config::Preset;
    use crate::slip::Slip;
    use crate::testing::{input, play, stateless, talk_turns, token};

    use super::*;

    #[test]
    fn the_token_comes_back_cut() {
        for preset in Preset::ALL {
            let mut agent = stateless(|config| {
                config.preset = *preset;
                config.session_store = SessionStore::Sqlite;
                config.slips = vec![Slip::TokenTruncated];
            });
            let sent = input(&play(&mut agent, &talk_turns()).0[1]);
            assert_eq!(sent[1]["encrypted_content"], token("rs_1")[..255], "{preset:?}");
            assert_eq!(sent[1]["id"], "rs_1");
        }
    }
}
