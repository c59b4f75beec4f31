//! Encrypted reasoning is not asked for.

use crate::config::{Include, StateMode};
use crate::slip::{Card, Stage};

pub(crate) const CARD: Card = Card {
    about: "does not ask for encrypted reasoning, though nothing is stored",
    stage: Stage::Build,
    seen: "requests have no include; reasoning comes back as an id without a token",
    needs: "client-replay with store=false",
    exists: |config| config.state == StateMode::ClientReplay && !config.stores(),
};

pub(crate) fn apply() -> Include {
    Include::Nothing
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::config::Preset;
    use crate::slip::Slip;
    use crate::testing::{play, stateless, talk_turns};

    #[test]
    fn only_the_include_is_missing() {
        let bodies = |preset: Preset, slips: Vec<Slip>| {
            let mut agent = stateless(|config| {
                config.preset = preset;
                config.slips = slips;
            });
            play(&mut agent, &talk_turns()[..1]).0.remove(0)
        };
        let mut expected = bodies(Preset::Plain, vec![]);
        assert_eq!(
            expected.shift_remove("include"),
            Some(json!(["reasoning.encrypted_content"]))
        );
        assert_eq!(bodies(Preset::Plain, vec![Slip::IncludeForgotten]), expected);
        assert_eq!(
            bodies(Preset::AgentsSdk, vec![Slip::IncludeForgotten])["include"],
            json!([])
        );
    }
}
