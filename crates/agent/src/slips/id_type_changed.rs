//! After a JSON round trip the item id is a JSON element; a reader that expects a string gets nothing.

use crate::chat::Property;
use crate::config::{Preset, SessionStore, StateMode};
use crate::slip::{Card, Stage};

pub(crate) const CARD: Card = Card {
    about: "reads the stored item id as a string, though a JSON round trip has changed its type",
    stage: Stage::Persist,
    seen: "reasoning comes back with its token, without its id",
    needs: "preset meai, client-replay and a session store of the client",
    exists: |config| {
        config.preset == Preset::Meai
            && config.state == StateMode::ClientReplay
            && config.session_store != SessionStore::Conversations
    },
};

pub(crate) fn apply(property: &Property) -> Option<String> {
    match property {
        Property::Text(text) => Some(text.clone()),
        Property::Element(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::slip::Slip;
    use crate::testing::{input, play, stateless, talk_turns, token};

    use super::*;

    fn reasoning_sent(slips: Vec<Slip>) -> Value {
        let mut agent = stateless(|config| {
            config.preset = Preset::Meai;
            config.session_store = SessionStore::Json;
            config.slips = slips;
        });
        input(&play(&mut agent, &talk_turns()).0[1])[1].clone()
    }

    #[test]
    fn the_id_is_missing_and_the_token_is_there() {
        let right = reasoning_sent(vec![]);
        assert_eq!(
            (&right["id"], &right["encrypted_content"]),
            (&"rs_1".into(), &token("rs_1").into())
        );
        let mut expected = right;
        expected.as_object_mut().expect("object").shift_remove("id");
        assert_eq!(reasoning_sent(vec![Slip::IdTypeChanged]), expected);
    }
}
