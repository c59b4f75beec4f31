//! Which provider a scenario asks: the profile of its server, the endpoint that the played client begins with, and
//! whether the command line may name another.

use holdover_agent::Peer;
use holdover_profile::provider::Book;
use holdover_scenario as spec;
use holdover_wire::Wire;

use crate::settings::{DEFAULT_PROFILE, Settings};
use crate::vocabulary::is_by_name;

/// The profile of the server, where the scenario names one. Where several are asked, path and model of a request say
/// which one is meant, and the server is of the one that they do not tell: `check` lets no second one pass.
pub(crate) fn served<'a>(scenario: &'a spec::Scenario, settings: &Settings) -> Option<&'a str> {
    if !scenario.moves() {
        return scenario.server.profile.as_ref().map(|name| name.value.as_str());
    }
    let asked = scenario.asked().into_iter().flatten();
    let mut asked = asked.map(|name| name.value.as_str());
    asked.find(|name| is_by_name(name, settings.day.as_ref()))
}

/// Who is asked first: whom the command line names, where the client of the scenario speaks that wire.
pub(crate) fn peer(scenario: &spec::Scenario, settings: &Settings) -> Option<Peer> {
    let own = own_profile(scenario);
    let given = settings.profile.as_deref();
    let given = given.filter(|given| !scenario.moves() && wire_of(given) == wire_of(own));
    Peer::named(given.unwrap_or(own))
}

/// The profile that a scenario names for its server.
pub(crate) fn own_profile(scenario: &spec::Scenario) -> &str {
    let named = scenario.server.profile.as_ref();
    named.map_or(DEFAULT_PROFILE, |name| name.value.as_str())
}

fn wire_of(profile: &str) -> Wire {
    Book::builtin()
        .find(profile)
        .map_or(Wire::Responses, |endpoint| endpoint.wire)
}

/// Why the client of a case cannot be sent to the profile of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misdirected {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// Whether the command line names a profile that the client of this case would never ask: it goes on speaking its own
/// wire. `None` where it can go there, where no client is played, and under a profile of the Responses API where path and
/// model of a request tell the endpoint of another wire that is meant.
pub fn misdirected(case: &spec::Case, settings: &Settings) -> Option<Misdirected> {
    let scenario = &case.scenario;
    let given = settings.profile.as_deref()?;
    let own = own_profile(scenario);
    let (asked, spoken) = (wire_of(given), wire_of(own));
    let is_told = !scenario.moves() && is_by_name(own, settings.day.as_ref());
    if !scenario.is_played() || asked == spoken || (asked == Wire::Responses && !is_told) {
        return None;
    }
    if scenario.moves() {
        return Some(Misdirected {
            message: format!(
                "the turns of `{}` say which provider is asked, and `--profile {given}` says another",
                case.name
            ),
            help: "drop `--profile`, or leave this case out".to_owned(),
        });
    }
    let other_client = format!("take a client of your own: `holdover test --profile {given} -- COMMAND`");
    let is_spoken = asked == Wire::Responses || Peer::named(given).is_some();
    Some(Misdirected {
        message: format!(
            "the client of `{}` speaks the wire `{}`, and `{given}` is asked over `{}`",
            case.name,
            spoken.as_str(),
            asked.as_str()
        ),
        help: if is_spoken {
            format!("write `profile = \"{given}\"` under `[server]` of a scenario, or {other_client}")
        } else {
            other_client
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::lower;

    fn cases(text: &str, settings: &Settings) -> Vec<spec::Case> {
        let vocabulary = crate::vocabulary::vocabulary(settings);
        let scenario = spec::parse("a.toml", text, &vocabulary).expect("a scenario");
        spec::expand(&scenario)
    }

    fn under(profile: &str) -> Settings {
        Settings {
            profile: Some(profile.to_owned()),
            ..Settings::default()
        }
    }

    /// `(profile of the server, of its endpoint)` and the endpoint that the client begins with.
    fn asked(text: &str, settings: &Settings) -> (String, Option<String>) {
        let case = lower(&cases(text, settings)[0], settings)
            .expect("a case")
            .remove(0);
        let peer = case.setup.agent.peer.map(|peer| peer.endpoint().name.clone());
        (case.setup.fake.profile.name, peer)
    }

    const TURN: &str = "[[turn]]\nuser = 'Hi'\n";

    #[test]
    fn the_client_goes_where_the_command_line_says_if_it_speaks_that_wire() {
        let claude = format!("name = 'a'\n[server]\nprofile = 'claude-5'\n{TURN}");
        let openai = format!("name = 'a'\n{TURN}");
        let given = |text: &str, profile: &str| {
            let settings = under(profile);
            let refused = misdirected(&cases(text, &settings)[0], &settings);
            (asked(text, &settings), refused.is_some())
        };
        let asks = |profile: &str| (profile.to_owned(), Some(profile.to_owned()));
        assert_eq!(given(&claude, "claude-4.6"), (asks("claude-4.6"), false));
        assert_eq!(given(&openai, "xai-responses"), (asks("xai-responses"), false));
        assert_eq!(given(&openai, "azure"), (("azure".to_owned(), None), false));
        for (text, profile) in [
            (&openai, "deepseek-v4"),
            (&claude, "deepseek-v4"),
            (&openai, "bedrock-claude"),
        ] {
            assert!(given(text, profile).1, "{profile}");
        }
    }

    /// No path or model tells this Claude endpoint from others: under `azure`, another one would answer.
    #[test]
    fn an_endpoint_that_is_told_by_its_name_is_not_served_by_another_profile() {
        let settings = under("azure");
        let refused = |own: &str| {
            let text = format!("name = 'a'\n[server]\nprofile = '{own}'\n{TURN}");
            misdirected(&cases(&text, &settings)[0], &settings).is_some()
        };
        assert!(refused("claude-5.1-older-account"));
        assert!(!refused("claude-5"));
    }

    #[test]
    fn nobody_is_told_to_write_a_profile_that_the_client_does_not_speak() {
        let help = |profile: &str| {
            let settings = under(profile);
            let case = &cases(&format!("name = 'a'\n{TURN}"), &settings)[0];
            misdirected(case, &settings).expect("another wire").help
        };
        assert!(help("deepseek-v4").starts_with("write `profile = \"deepseek-v4\"`"));
        assert!(help("bedrock-claude").starts_with("take a client of your own"));
    }

    #[test]
    fn clients_of_ones_own_and_scripts_are_sent_nowhere() {
        let settings = under("deepseek-v4");
        for text in [
            "name = 'a'\n[client]\ncommand = ['true']\n",
            "name = 'a'\n[[turn]]\nreply = ['reasoning', { message = 'Hi.' }]\n",
        ] {
            assert_eq!(misdirected(&cases(text, &settings)[0], &settings), None, "{text}");
        }
        let moves = format!("name = 'a'\n{TURN}[[turn]]\nprofile = 'claude-5'\nuser = 'Hi'\n");
        assert!(misdirected(&cases(&moves, &settings)[0], &settings).is_some());
        assert_eq!(
            misdirected(
                &cases(&moves, &under("openai-strict"))[0],
                &under("openai-strict")
            ),
            None
        );
    }

    /// Azure and vLLM are told by their names: the server is of that profile, and path and model tell the others.
    #[test]
    fn a_server_of_several_providers_is_of_the_one_that_is_told_by_its_name() {
        let moves = |profiles: &[&str]| {
            let turn = |profile: &&str| format!("[[turn]]\nprofile = '{profile}'\nuser = 'Hi'\n");
            let text = format!("name = 'a'\n{}", profiles.iter().map(turn).collect::<String>());
            asked(&text, &Settings::default()).0
        };
        assert_eq!(moves(&["claude-5", "azure"]), "azure");
        assert_eq!(moves(&["openai", "vllm-chat"]), "vllm-chat");
        assert_eq!(
            moves(&["claude-5.1-older-account", "openai"]),
            "claude-5.1-older-account"
        );
        assert_eq!(moves(&["openai", "claude-5", "gemini-3"]), "openai");
    }
}
