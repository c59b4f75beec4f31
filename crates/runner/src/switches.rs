//! The switches of a scenario: checked against those of the profiles, with the place of everything that is wrong.

use holdover_profile::{Profile, Switch};
use holdover_scenario::spec::SwitchSpec;
use holdover_scenario::{Code, Problem, Scenario};

/// Sets the switches of a scenario that [`problems`] found nothing wrong with, in file order.
pub fn apply(scenario: &Scenario, profile: &mut Profile) {
    let switches = scenario.server.switches.iter();
    switches
        .filter_map(|spec| read(spec).ok())
        .for_each(|switch| switch.apply(profile));
}

/// Everything that is wrong with the switches of a scenario.
pub fn problems(scenario: &Scenario) -> Vec<Problem> {
    let wrong = |spec: &SwitchSpec| {
        let reason = read(spec).err()?;
        let problem = Problem::new(Code::Switch, &scenario.file, spec.name.span.clone(), reason);
        Some(
            problem
                .label("here")
                .help("the switches are those of `--switch NAME=VALUE`"),
        )
    };
    scenario.server.switches.iter().filter_map(wrong).collect()
}

fn read(spec: &SwitchSpec) -> Result<Switch, String> {
    Switch::new(&spec.name.value, &spec.value.value).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use holdover_profile::StreamDone;
    use holdover_scenario::parse;

    use super::*;
    use crate::settings::Settings;
    use crate::vocabulary::vocabulary;

    fn scenario(switches: &str) -> (Scenario, String) {
        let text = format!("name = \"a\"\n[server]\nswitches = {switches}\n[[turn]]\nuser = \"Hi\"\n");
        let scenario = parse("a.toml", &text, &vocabulary(&Settings::default())).expect("a scenario");
        (scenario, text)
    }

    #[test]
    fn a_switch_is_set_and_the_command_line_goes_before_it() {
        let (scenario, _) = scenario("{ stream-done = \"sent\", item-not-found-status = 400 }");
        assert_eq!(problems(&scenario), []);
        let setting = |settings: &Settings| {
            let fake = crate::lower::fake(&scenario, "w", settings).expect("a profile");
            let switches = fake.profile.switches;
            (switches.stream_done, switches.item_not_found_status)
        };
        assert_eq!(setting(&Settings::default()), (StreamDone::Sent, 400));
        let by_hand = Settings {
            switches: vec![Switch::parse("stream-done=absent").expect("a switch")],
            ..Settings::default()
        };
        assert_eq!(setting(&by_hand), (StreamDone::Absent, 400));
    }

    #[test]
    fn a_wrong_switch_points_at_its_name() {
        for (switches, name, said) in [
            (
                "{ stream-dome = \"sent\" }",
                "stream-dome",
                "unknown field `stream-dome`",
            ),
            (
                "{ stream-done = \"yes\" }",
                "stream-done",
                "expected `absent` or `sent`",
            ),
        ] {
            let (scenario, text) = scenario(switches);
            let [problem] = problems(&scenario).try_into().expect("one problem");
            assert_eq!(
                (problem.code, &text[problem.at.span.clone()]),
                (Code::Switch, name)
            );
            assert!(problem.message.contains(said), "{}", problem.message);
        }
    }
}
