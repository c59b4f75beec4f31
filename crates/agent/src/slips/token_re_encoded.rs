//! The token is decoded and encoded again, with the other alphabet.

use crate::config::{SessionStore, StateMode};
use crate::history::Entry;
use crate::slip::{Card, Stage};

pub(crate) const CARD: Card = Card {
    about: "stores the token's bytes and writes them in standard base64, without padding, instead of base64url",
    stage: Stage::Persist,
    seen: "reasoning comes back with another spelling of its token",
    needs: "client-replay and a session store of the client",
    exists: |config| {
        config.state == StateMode::ClientReplay && config.session_store != SessionStore::Conversations
    },
};

pub(crate) fn apply(mut history: Vec<Entry>) -> Vec<Entry> {
    for entry in &mut history {
        entry.map_tokens(re_encoded);
    }
    history
}

fn re_encoded(token: &str) -> String {
    token.trim_end_matches('=').replace('-', "+").replace('_', "/")
}

#[cfg(test)]
mod tests {
    use crate::slip::Slip;
    use crate::testing::{input, play, stateless, talk_turns};

    use super::*;

    #[test]
    fn the_token_comes_back_in_another_alphabet() {
        assert_eq!(re_encoded("gAAAAAB-a_b=="), "gAAAAAB+a/b");
        let mut agent = stateless(|config| {
            config.session_store = SessionStore::Json;
            config.slips = vec![Slip::TokenReEncoded];
        });
        let sent = input(&play(&mut agent, &talk_turns()).0[1]);
        let expected = format!("gAAAAABrs+1+/{}", "aB3/+Zx9".repeat(40));
        assert_eq!(sent[1]["encrypted_content"], expected);
    }
}
