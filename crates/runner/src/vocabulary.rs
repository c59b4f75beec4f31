//! The names that a scenario may use: this is where the crates that define them meet.

use holdover_agent::{Preset, Slip};
use holdover_fault::catalogue;
use holdover_judge::rules;
use holdover_profile::policy::Policy;
use holdover_profile::provider::Book;
use holdover_profile::{Models, Profile};
use holdover_scenario::{Names, Vocabulary};
use holdover_wire::Wire;

use crate::settings::Settings;

/// Profiles that the played client asks over another wire than the Responses API.
fn other_wires() -> Vec<String> {
    let endpoints = Book::builtin().all().iter();
    let elsewhere = endpoints.filter(|endpoint| endpoint.wire != Wire::Responses);
    elsewhere.map(|endpoint| endpoint.name.clone()).collect()
}

/// Every name that this build knows, with the models of the command line.
pub fn vocabulary(settings: &Settings) -> Vocabulary {
    let models: Models = settings.models();
    Vocabulary {
        rules: Names::only(rules::all().iter().map(|rule| rule.name)),
        slips: Names::only(Slip::all().iter().map(|slip| slip.name())),
        faults: Names::only(catalogue::all().iter().map(|card| card.name)),
        models: Names::only(models.names()),
        profiles: Names::only(Profile::names()),
        other_wires: other_wires(),
        policies: Names::only(Policy::names()),
        presets: Names::only(Preset::ALL.iter().map(|preset| preset.as_str())),
        refusals: Names::only((1..=36).map(|number| format!("E{number:02}"))),
        results: Names::only(holdover_report::results()),
        impossible: Vec::new(),
    }
}
