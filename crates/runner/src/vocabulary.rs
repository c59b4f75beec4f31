//! The names that a scenario may use: this is where the crates that define them meet.

use std::collections::BTreeMap;
use std::sync::Arc;

use holdover_agent::{Peer, Preset, Slip};
use holdover_fault::catalogue;
use holdover_judge::rules;
use holdover_profile::policy::Policy;
use holdover_profile::provider::{Book, Day, Endpoint};
use holdover_profile::{Models, Profile};
use holdover_scenario::{Names, Vocabulary};
use holdover_wire::Wire;

use crate::settings::{DEFAULT_PROFILE, Settings};

/// Names of the endpoints for which this holds.
fn endpoints(is_so: impl Fn(&Arc<Endpoint>) -> bool) -> Vec<String> {
    let endpoints = Book::builtin().all().iter();
    let found = endpoints.filter(|endpoint| is_so(endpoint));
    found.map(|endpoint| endpoint.name.clone()).collect()
}

/// The other wires of profiles.
fn other_wires() -> BTreeMap<String, String> {
    let endpoints = Book::builtin().all().iter();
    let other = endpoints.filter(|endpoint| endpoint.wire != Wire::Responses);
    other
        .map(|endpoint| (endpoint.name.clone(), endpoint.wire.as_str().to_owned()))
        .collect()
}

/// Whether a profile is chosen by its name only: no request tells that it is meant. Of the profiles of the Responses
/// API, it is the default one that requests tell.
pub(crate) fn is_by_name(profile: &str, day: Option<&Day>) -> bool {
    match Book::builtin().find(profile) {
        Some(endpoint) => Peer::of(endpoint).is_some_and(|peer| !peer.is_told(day)),
        None => profile != DEFAULT_PROFILE,
    }
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
        by_name: Profile::names()
            .into_iter()
            .filter(|name| is_by_name(name, settings.day.as_ref()))
            .collect(),
        unspoken: endpoints(|endpoint| Peer::of(endpoint).is_none()),
        policies: Names::only(Policy::names()),
        presets: Names::only(Preset::ALL.iter().map(|preset| preset.as_str())),
        refusals: Names::only((1..=36).map(|number| format!("E{number:02}"))),
        results: Names::only(holdover_report::results()),
        impossible: Vec::new(),
    }
}
