//! What the command line says about the fake and the judge, over what a scenario says.

use holdover_fake::{AutoTools, FakeConfig};
use holdover_fault::Fault;
use holdover_judge::{AllowEntry, JudgeConfig, Known, Severity};
use holdover_profile::provider::Day;
use holdover_profile::{ModelKind, Models, Org, Profile, Switch, UnknownName};

/// The profile that holds where none is named.
pub(crate) use holdover_scenario::DEFAULT_PROFILE;

/// Settings of a run. `None` leaves the choice to the scenario.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Seed of ids and tokens.
    pub seed: u64,
    /// Profile of the endpoint.
    pub profile: Option<String>,
    /// The day whose rules of other providers hold; those that hold still unless it is given.
    pub day: Option<Day>,
    /// Switches of the profile that are set by hand, whatever profile it is.
    pub switches: Vec<Switch>,
    /// Retention of the organisation.
    pub org: Option<Org>,
    /// Models that the data does not know.
    pub models: Vec<(String, ModelKind)>,
    /// When an unscripted answer calls a tool.
    pub auto_tools: Option<AutoTools>,
    /// Faults beside those of the scenario, after them.
    pub faults: Vec<Fault>,
    /// Lowest severity that fails a case which planted nothing.
    pub fail_on: Severity,
    /// What a repository says about its own clients.
    pub repository: Repository,
}

/// What a repository says about its own clients: how their exports are scanned, and what is known of them.
#[derive(Clone, Debug, Default)]
pub struct Repository {
    /// Regular expressions of confirmed id shapes.
    pub export_patterns: Vec<String>,
    /// Approved exceptions, file by file.
    pub allowlist: Vec<AllowEntry>,
    /// Fragments of a tenant table.
    pub tenant_fragments: Vec<String>,
    /// Findings that are known.
    pub known: Known,
}

impl Repository {
    /// A judge that is told of it.
    pub fn tell(&self, judge: &mut JudgeConfig) {
        judge.export_patterns.extend(self.export_patterns.iter().cloned());
        judge.allowlist.extend(self.allowlist.iter().cloned());
        judge
            .tenant_fragments
            .extend(self.tenant_fragments.iter().cloned());
        judge.known.clone_from(&self.known);
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 7,
            profile: None,
            day: None,
            switches: Vec::new(),
            org: None,
            models: Vec::new(),
            auto_tools: None,
            faults: Vec::new(),
            fail_on: Severity::Error,
            repository: Repository::default(),
        }
    }
}

impl Settings {
    /// The profile of the command line, else `fallback`, else `openai`; with the switches of the command line.
    pub fn profile(&self, fallback: Option<&str>) -> Result<Profile, UnknownName> {
        let mut profile = Profile::builtin(self.profile.as_deref().or(fallback).unwrap_or(DEFAULT_PROFILE))?;
        profile.day.clone_from(&self.day);
        self.switches.iter().for_each(|switch| switch.apply(&mut profile));
        Ok(profile)
    }

    /// The models of the data with those of the command line.
    pub fn models(&self) -> Models {
        let mut models = Models::builtin();
        self.models
            .iter()
            .for_each(|(name, kind)| models.set(name, *kind));
        models
    }

    /// A fake without a scenario.
    pub fn fake(&self) -> Result<FakeConfig, UnknownName> {
        Ok(FakeConfig {
            seed: self.seed,
            profile: self.profile(None)?,
            models: self.models(),
            org: self.org.unwrap_or_default(),
            auto_tools: self.auto_tools.clone().unwrap_or_default(),
            ..FakeConfig::default()
        })
    }

    /// A judge without a scenario.
    pub fn judge(&self) -> Result<JudgeConfig, UnknownName> {
        let mut judge = JudgeConfig {
            profile: self.profile(None)?,
            models: self.models(),
            ..JudgeConfig::default()
        };
        self.repository.tell(&mut judge);
        Ok(judge)
    }
}
