//! The names that other crates know: rules, slips, faults, models. The caller hands them in, so that this crate
//! depends on none of them.

use std::collections::BTreeMap;

/// The names of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// The caller does not know them: every name is taken as it is.
    #[default]
    Any,
    /// These and no others; with an empty list every name is unknown.
    Only(Vec<String>),
}

impl Names {
    /// The list of known names.
    pub fn only<I>(names: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        Self::Only(names.into_iter().map(Into::into).collect())
    }

    /// Whether `name` may stand in a file.
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Only(names) => names.iter().any(|known| known == name),
        }
    }

    /// The names, where they are known.
    pub fn list(&self) -> &[String] {
        match self {
            Self::Any => &[],
            Self::Only(names) => names,
        }
    }
}

/// A slip that has no place in a client that is set up in a certain way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impossible {
    /// The slip.
    pub slip: String,
    /// A key of `[agent]`: `preset`, `state`, `stream`, `session-store`, ….
    pub key: String,
    /// The value of that key with which the slip cannot exist, as it is written in a file (`true`, `sqlite`).
    pub value: String,
    /// Why, as the rest of "… because": a lowercase fragment.
    pub reason: String,
}

/// Every name that a scenario file may use and that this crate does not define itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// Rules of the judge.
    pub rules: Names,
    /// Slips of the agent.
    pub slips: Names,
    /// Faults of the server and the network.
    pub faults: Names,
    /// Models.
    pub models: Names,
    /// Profiles.
    pub profiles: Names,
    /// Profiles that are asked over another wire than the Responses API, each with its wire.
    pub other_wires: BTreeMap<String, String>,
    /// Profiles that a request does not tell by its path, its model and its members: they are chosen by name only.
    pub by_name: Vec<String>,
    /// Profiles whose wire the played client does not speak.
    pub unspoken: Vec<String>,
    /// Replay policies that are part of the program.
    pub policies: Names,
    /// Presets of the agent.
    pub presets: Names,
    /// Refusals of the API by their number in the facts (`E06`).
    pub refusals: Names,
    /// Results of the tables (`leak`, `kept`).
    pub results: Names,
    /// Slips that cannot exist under some setting.
    pub impossible: Vec<Impossible>,
}
