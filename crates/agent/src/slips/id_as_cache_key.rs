//! The prompt cache key is the id of a reasoning item.

use holdover_wire::Object;

use crate::slip::{Card, Stage};
use crate::state::State;

pub(crate) const CARD: Card = Card {
    about: "keys the prompt cache by the id of the newest reasoning item",
    stage: Stage::Build,
    seen: "from the second request on, prompt_cache_key is the id of an issued reasoning item",
    needs: "nothing: the ids stand in every answer",
    exists: |_| true,
};

/// The member that the right client does not send.
pub(crate) fn apply(body: &mut Object, state: &State) {
    if let Some(id) = &state.last_reasoning_id {
        body.insert("prompt_cache_key".to_owned(), id.clone().into());
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Preset;
    use crate::slip::Slip;
    use crate::testing::{play, stateless, talk_turns};

    #[test]
    fn only_the_key_is_new() {
        for preset in Preset::ALL {
            let bodies = |slips: Vec<Slip>| {
                let mut agent = stateless(|config| {
                    config.preset = *preset;
                    config.slips = slips;
                });
                play(&mut agent, &talk_turns()).0
            };
            let (right, mut slipped) = (bodies(vec![]), bodies(vec![Slip::IdAsCacheKey]));
            assert_eq!(slipped[0], right[0], "{preset:?}: nothing was issued yet");
            let key = slipped[1].shift_remove("prompt_cache_key");
            assert_eq!(key, Some("rs_1".into()), "{preset:?}");
            assert_eq!(slipped[1], right[1], "{preset:?}");
        }
    }
}
