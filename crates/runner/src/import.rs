//! A captured session to a scenario that shows the same: written, played, and told what it shows.

use std::collections::BTreeSet;

use holdover_capture::script::{self, Script};
use holdover_capture::shrink;
use holdover_judge::{Severity, Verdict};
use holdover_scenario::{Problem, Scenario, expand, parse};
use holdover_wire::recording::Header;
use holdover_wire::{Evidence, Exchange, Recording};

use crate::asked::misdirected;
use crate::capture;
use crate::expect::refusal;
use crate::lower::lower;
use crate::play::{self, Played};
use crate::settings::Settings;
use crate::vocabulary::vocabulary;

/// How often the play is compared with the capture; each round adds the faults that it lacks.
const ROUNDS_MAX: usize = 8;

/// A scenario that was made from a capture.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The scenario.
    pub script: Script,
    /// Findings of the capture that the scenario shows at the same place: rule and exchange of the capture.
    pub reproduced: Vec<(String, u64)>,
    /// Those that it does not show.
    pub missing: Vec<(String, u64)>,
    /// What a user should know.
    pub notes: Vec<String>,
}

/// Why a script could not be played.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// It is no scenario.
    #[error("{}", .0.first().map_or("it is no scenario", |problem| problem.message.as_str()))]
    Problems(Vec<Problem>),
    /// A name or a pattern of it is not known.
    #[error("{0}")]
    Name(String),
}

/// Plays a script: the case itself, not its twin.
pub fn play_script(script: &Script, settings: &Settings) -> Result<Played, PlayError> {
    let scenario =
        parse("import.toml", &script.to_toml(), &vocabulary(settings)).map_err(PlayError::Problems)?;
    play_scenario(&scenario, settings)
}

/// Plays the first case of a scenario.
pub fn play_scenario(scenario: &Scenario, settings: &Settings) -> Result<Played, PlayError> {
    let cases = expand(scenario);
    let case = cases
        .first()
        .ok_or_else(|| PlayError::Name("it has no case".to_owned()))?;
    if let Some(misdirected) = misdirected(case, settings) {
        return Err(PlayError::Name(misdirected.message));
    }
    let cases = lower(case, settings).map_err(|error| PlayError::Name(error.to_string()))?;
    let case = cases
        .first()
        .ok_or_else(|| PlayError::Name("it has no case".to_owned()))?;
    play::play(&case.setup).map_err(|error| PlayError::Name(error.to_string()))
}

/// Makes the scenario of a session: its own requests, answered with what was captured.
pub fn import(
    recording: &Recording,
    lossy: bool,
    name: &str,
    settings: &Settings,
) -> Result<Imported, PlayError> {
    let models = settings.models();
    let known: BTreeSet<String> = models.names().map(|name| (*name).to_owned()).collect();
    let (mut script, before) = script::script_of(recording, name, &|model| known.contains(model));
    let profile = &recording.header.profile;
    if settings.profile(Some(profile)).is_ok() && *profile != Header::default().profile {
        script
            .server
            .push(("profile".to_owned(), profile.as_str().into()));
    }
    let captured =
        capture::verdict(recording, lossy, settings).map_err(|error| PlayError::Name(error.to_string()))?;
    let mut notes = Vec::new();
    let mut played = play_script(&script, settings)?;
    for _ in 0..ROUNDS_MAX {
        if !follow(&mut script, before, recording, &played) {
            break;
        }
        played = play_script(&script, settings)?;
    }
    for (turn, exchange) in played.recording.exchanges.iter().enumerate() {
        script.turns[turn].refusal = expected_refusal(exchange);
        let was = turn
            .checked_sub(before)
            .and_then(|at| status(recording.exchanges.get(at)?));
        if was.is_some_and(|was| was < 400) && status(exchange).is_some_and(|status| status >= 400) {
            notes.push(format!(
                "turn {}: the server accepted this request, and the fake refuses it",
                turn + 1
            ));
        }
    }
    let offset = before as u64;
    let (reproduced, missing): (Vec<_>, Vec<_>) = found(&captured)
        .into_iter()
        .partition(|(rule, exchange)| found(&played.verdict).contains(&(rule.clone(), exchange + offset)));
    for (rule, exchange) in &reproduced {
        let turn = usize::try_from(exchange + offset).unwrap_or(0);
        if let Some(turn) = script.turns.get_mut(turn.wrapping_sub(1)) {
            turn.findings.push(rule.clone());
        }
    }
    let rules: BTreeSet<String> = found(&played.verdict).into_iter().map(|(rule, _)| rule).collect();
    script.findings = Some(rules.into_iter().collect());
    Ok(Imported {
        script,
        reproduced,
        missing,
        notes,
    })
}

/// Plants a refusal where the server refused and the fake does not; whether anything was planted.
fn follow(script: &mut Script, before: usize, recording: &Recording, played: &Played) -> bool {
    for (at, exchange) in recording.exchanges.iter().enumerate() {
        let turn = at + before + 1;
        let Some(response) = exchange
            .response
            .as_ref()
            .filter(|response| response.status >= 400)
        else {
            continue;
        };
        let came = played.recording.exchanges.get(turn - 1).and_then(status);
        let planted = script.faults.iter().any(|fault| {
            fault.name == "refuse"
                && fault
                    .on
                    .iter()
                    .any(|(key, value)| key == "turn" && *value == turn)
        });
        if came.is_some_and(|came| came < 400) && !planted {
            script.faults.push(script::refusal_fault(response, turn));
            return true;
        }
    }
    false
}

/// The refusal that a turn can expect: a planted one has no number.
fn expected_refusal(exchange: &Exchange) -> Option<String> {
    let number = refusal(exchange)?;
    (number != Evidence::Ours.as_str()).then(|| number.to_owned())
}

fn status(exchange: &Exchange) -> Option<u16> {
    exchange.response.as_ref().map(|response| response.status)
}

/// Findings above `note` with their exchanges.
pub fn found(verdict: &Verdict) -> BTreeSet<(String, u64)> {
    let above = verdict
        .findings
        .iter()
        .filter(|finding| finding.severity > Severity::Note);
    above
        .filter_map(|finding| Some((finding.rule.to_owned(), finding.exchange?)))
        .collect()
}

/// What a smaller scenario must still show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// This rule fires above `note`.
    Finding(String),
    /// The fake refuses with this entry.
    Refusal(String),
}

impl Keeps {
    /// What the play shows: the rule that was asked for, else its first finding, else its first refusal.
    pub fn of(played: &Played, asked: Option<&str>) -> Option<Self> {
        let rules = found(&played.verdict);
        let first = played
            .verdict
            .findings
            .iter()
            .find(|finding| finding.severity > Severity::Note && finding.exchange.is_some());
        match asked {
            Some(rule) => rules
                .iter()
                .any(|(known, _)| known == rule)
                .then(|| Self::Finding(rule.to_owned())),
            None => first
                .map(|finding| Self::Finding(finding.rule.to_owned()))
                .or_else(|| {
                    let refused = played.recording.exchanges.iter().find_map(refusal);
                    refused.map(|number| Self::Refusal(number.to_owned()))
                }),
        }
    }

    fn holds(&self, played: &Played) -> bool {
        match self {
            Self::Finding(rule) => found(&played.verdict).iter().any(|(known, _)| known == rule),
            Self::Refusal(number) => played
                .recording
                .exchanges
                .iter()
                .any(|exchange| refusal(exchange) == Some(number)),
        }
    }
}

/// What a play shows beside what must stay: a smaller script may show less, and nothing new.
struct Shown {
    rules: BTreeSet<String>,
    refusals: BTreeSet<String>,
}

impl Shown {
    fn of(played: &Played) -> Self {
        Self {
            rules: found(&played.verdict).into_iter().map(|(rule, _)| rule).collect(),
            refusals: played
                .recording
                .exchanges
                .iter()
                .filter_map(|exchange| {
                    let status = status(exchange).filter(|status| *status >= 400)?;
                    Some(refusal(exchange).map_or_else(|| status.to_string(), str::to_owned))
                })
                .collect(),
        }
    }

    fn holds(&self, smaller: &Self) -> bool {
        smaller.rules.is_subset(&self.rules) && smaller.refusals.is_subset(&self.refusals)
    }
}

/// The smallest script that still shows it, and nothing that the whole one does not. What its turns expect is written
/// anew.
pub fn shrunk(script: &Script, keeps: &Keeps, settings: &Settings) -> Script {
    let Ok(whole) = play_script(script, settings) else {
        return script.clone();
    };
    let shown = Shown::of(&whole);
    let mut bare = script.clone();
    bare.findings = None;
    bare.turns.iter_mut().for_each(|turn| turn.findings.clear());
    let mut unasked = bare.clone();
    unasked.turns.iter_mut().for_each(|turn| turn.refusal = None);
    let mut fails = |candidate: &Script| {
        play_script(candidate, settings)
            .is_ok_and(|played| keeps.holds(&played) && shown.holds(&Shown::of(&played)))
    };
    // Where replies hang on what is refused, the expectations of refusals stay.
    let start = if fails(&unasked) { unasked } else { bare };
    let small = shrink::shrink(&start, &mut fails);
    told(small, settings)
}

/// The script with what it shows.
fn told(mut script: Script, settings: &Settings) -> Script {
    for turn in &mut script.turns {
        turn.findings.clear();
    }
    if let Ok(played) = play_script(&script, settings) {
        for (turn, exchange) in script.turns.iter_mut().zip(&played.recording.exchanges) {
            turn.refusal = expected_refusal(exchange);
        }
        for (rule, exchange) in found(&played.verdict) {
            let turn = usize::try_from(exchange)
                .ok()
                .and_then(|exchange| script.turns.get_mut(exchange.wrapping_sub(1)));
            if let Some(turn) = turn {
                turn.findings.push(rule);
            }
        }
        let rules: BTreeSet<String> = found(&played.verdict).into_iter().map(|(rule, _)| rule).collect();
        script.findings = Some(rules.into_iter().collect());
    }
    script
}
