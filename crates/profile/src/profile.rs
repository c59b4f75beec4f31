//! How one endpoint treats replayed reasoning: a named, dated set of switches.

use std::sync::{Arc, LazyLock};

use holdover_wire::Wire;
use serde::{Deserialize, Serialize};

use crate::provider::{Book, Day, Endpoint};

const BUILTIN: [&str; 6] = [
    include_str!("../data/profiles/openai.toml"),
    include_str!("../data/profiles/openai-strict.toml"),
    include_str!("../data/profiles/azure.toml"),
    include_str!("../data/profiles/foundry-project.toml"),
    include_str!("../data/profiles/codex-backend.toml"),
    include_str!("../data/profiles/compat.toml"),
];

/// One endpoint as it was seen on one day.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Profile {
    /// Name on the command line and in scenarios.
    pub name: String,
    /// Who serves its Responses API, in the words of the data files of other providers.
    pub provider: String,
    /// One sentence.
    pub about: String,
    /// Day (`YYYY-MM-DD`) of the newest fact in it.
    pub as_of: String,
    /// What it does.
    pub switches: Switches,
    /// The endpoint of another provider that it names; without one, path and model of a request choose.
    #[serde(skip)]
    pub endpoint: Option<Arc<Endpoint>>,
    /// The day whose rules hold; without one, those that hold still.
    #[serde(skip)]
    pub day: Option<Day>,
}

/// Facts that differ from endpoint to endpoint, or that nobody is sure of. The profile files cite their sources.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Switches {
    /// When a reasoning item carries its token.
    pub encrypted: Encrypted,
    /// For which ids a follower must come with its reasoning item.
    pub follower_lineage: FollowerLineage,
    /// What happens to the short token of `output_item.added` on replay.
    pub partial_token: PartialToken,
    /// Whether a replayed reasoning item needs its id.
    pub reasoning_id: IdRule,
    /// HTTP status of "Item with id … not found": 404, or 400 on Azure.
    pub item_not_found_status: u16,
    /// What happens to a token that another model family sealed.
    pub cross_model_token: CrossModel,
    /// Whether a stream ends with `data: [DONE]`.
    pub stream_done: StreamDone,
    /// Shape of the `error` event in a stream.
    pub error_event: ErrorEvent,
    /// Effort that is echoed when neither request nor model data name one.
    pub default_effort: Option<String>,
    /// What cancel and delete do with runs that are over or under way.
    #[serde(default)]
    pub life_cycle: LifeCycle,
    /// Whether a response that failed, was cancelled or is not over may be continued.
    #[serde(default)]
    pub unfinished_parent: UnfinishedParent,
    /// What happens to reasoning that may not be used.
    #[serde(default)]
    pub withheld_reasoning: WithheldReasoning,
    /// How a create request must be made.
    #[serde(default)]
    pub create: CreateRules,
    /// Order of the keys of events.
    #[serde(default)]
    pub event_keys: EventKeys,
    /// Whether a stream holds lines that keep it alive.
    #[serde(default)]
    pub keep_alive: KeepAlive,
    /// How a schema error is spelled.
    #[serde(default)]
    pub schema_errors: SchemaErrors,
    /// Whether the WebSocket mode is there.
    #[serde(default)]
    pub websocket: WebSocket,
    /// How a reasoning item that cannot be found is named.
    #[serde(default)]
    pub item_not_found_words: NotFoundWords,
    /// How much a refused token is told.
    #[serde(default)]
    pub token_refusal: TokenRefusal,
    /// What happens where nobody is sure what another provider does.
    #[serde(default)]
    pub probe: Probe,
}

/// What happens at an entry of another provider that acts as `stop_and_probe` (`tests/facts/providers.md` section 16).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Probe {
    /// The seed decides, entry by entry.
    #[default]
    BySeed,
    /// What may be refused is refused, what may be left unread is not read.
    Refuse,
    /// It is taken and read.
    Accept,
}

/// When a reasoning item carries `encrypted_content` (`tests/facts/state.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encrypted {
    /// Only when `include` asks for it.
    OnInclude,
    /// Also without `include` when the response is not stored.
    Stateless,
    /// Always.
    Always,
}

/// For which ids E01c, E02 and E03 are enforced (`tests/facts/errors.md` section 1 and 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FollowerLineage {
    /// For ids that the server persisted; unstored followers match by position.
    Stored,
    /// For every id that the server made.
    Always,
}

/// What happens to the short token of `output_item.added` on replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartialToken {
    /// `invalid_encrypted_content`.
    Refuse,
    /// Taken as its item.
    Accept,
}

/// Whether a replayed reasoning item needs its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdRule {
    /// An item without id is plain context.
    Optional,
    /// Without it: 400 `invalid_payload` (E07d).
    Required,
}

/// What happens to a token that another model family sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CrossModel {
    /// It is accepted.
    Accept,
    /// `invalid_encrypted_content`.
    Refuse,
}

/// Whether a stream ends with `data: [DONE]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StreamDone {
    /// The stream ends after its terminal event.
    Absent,
    /// `data: [DONE]` follows.
    Sent,
}

/// Shape of the `error` event (`tests/facts/streaming.md` section 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorEvent {
    /// `{"type":"error","error":{…}}`
    Nested,
    /// `{"type":"error","code":…,"message":…}`
    Flat,
}

/// Order of the keys of events (`tests/facts/streaming.md` section 3); no parser may care.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKeys {
    /// Of 2026: `type`, then the alphabet.
    #[default]
    Newest,
    /// Of 2025: `type, sequence_number, item_id, output_index, content_index`, then the rest.
    Older,
}

/// Whether a stream holds lines that keep it alive (`tests/facts/streaming.md` section 1; unsure).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeepAlive {
    /// It holds none.
    #[default]
    Absent,
    /// A comment, `: keep-alive`, before the first item.
    Comment,
    /// An event, `keepalive`, before the first item; it counts.
    Event,
}

/// Whether `GET /v1/responses` may become a WebSocket (`tests/facts/streaming.md` section 11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WebSocket {
    /// It may.
    #[default]
    Served,
    /// 426: clients that can fall back to HTTP.
    Refused,
}

/// What cancel and delete do (`tests/facts/endpoints.md`, GET / cancel / delete rules; unsure).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LifeCycle {
    /// Cancelling what is over returns it; what is under way can be deleted.
    #[default]
    Lenient,
    /// Both are refused.
    Strict,
}

/// Whether a response that failed, was cancelled or is not over may be continued (`tests/facts/state.md`,
/// `previous_response_id`; unsure).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnfinishedParent {
    /// It may.
    #[default]
    Accept,
    /// It is not found.
    Refuse,
}

/// What happens to reasoning of another organisation or model family (`tests/facts/state.md`, Client-side replay: when
/// the API takes it out instead of refusing is unsure).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WithheldReasoning {
    /// `invalid_encrypted_content`.
    #[default]
    Refuse,
    /// It is taken out, and `input_transformations` says so.
    Report,
}

/// How a create request must be made (`tests/facts/errors.md` E23).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CreateRules {
    /// As the public API takes it.
    #[default]
    Public,
    /// With `store: false` and instructions, and over HTTP without `previous_response_id`.
    Codex,
}

/// The two spellings of one schema error (`tests/facts/errors.md` section 0).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SchemaErrors {
    /// The sentence alone.
    #[default]
    Plain,
    /// `[ApiIdParam] [input[84].id] [invalid_id_prefix]` before it.
    Tagged,
}

/// The sentence about reasoning that cannot be found (`tests/facts/errors.md` E06 and E07).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotFoundWords {
    /// `Item with id 'rs_A' not found.`
    #[default]
    Item,
    /// `Referenced reasoning item 'rs_A' was not found or has expired.` (E07c)
    Referenced,
}

/// The two forms of E12 (`tests/facts/errors.md` section 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenRefusal {
    /// The newer one: the item and the reason.
    #[default]
    Reasoned,
    /// The older one: the ends of the token.
    Short,
}

/// Data retention of the organisation that asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Org {
    /// Responses are stored unless the request says otherwise.
    #[default]
    Default,
    /// Zero Data Retention: `store` is forced to false.
    Zdr,
}

impl Org {
    /// The word on the command line and in the M10 log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Zdr => "zdr",
        }
    }

    /// The organisation of this word.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Default, Self::Zdr]
            .into_iter()
            .find(|org| org.as_str() == text)
    }
}

/// A name that no data file has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no profile is named `{name}`; there are {}", .known.join(", "))]
pub struct UnknownName {
    /// What was asked for.
    pub name: String,
    /// What there is.
    pub known: Vec<String>,
}

impl Profile {
    /// The profile of this name: of the Responses API, or of an endpoint of another provider.
    pub fn builtin(name: &str) -> Result<Self, UnknownName> {
        let found = all().iter().find(|profile| profile.name == name).cloned();
        let found = found.or_else(|| Book::builtin().find(name).map(Self::of_endpoint));
        found.ok_or_else(|| UnknownName {
            name: name.to_owned(),
            known: Self::names(),
        })
    }

    /// The profile of an endpoint of another provider; what it has of the Responses API is `openai`.
    pub fn of_endpoint(endpoint: &Arc<Endpoint>) -> Self {
        Self {
            name: endpoint.name.clone(),
            about: endpoint.about.clone(),
            as_of: endpoint.as_of.to_string(),
            endpoint: Some(Arc::clone(endpoint)),
            ..Self::openai()
        }
    }

    /// Who serves the Responses API: the provider of its endpoint where that speaks it.
    pub fn responses_provider(&self) -> &str {
        let endpoint = self.endpoint.as_ref();
        let endpoint = endpoint.filter(|endpoint| endpoint.wire == Wire::Responses);
        endpoint.map_or(self.provider.as_str(), |endpoint| endpoint.provider.as_str())
    }

    /// Its page: of its endpoint, or its sentence and its switches.
    pub fn page(&self) -> String {
        if let Some(endpoint) = &self.endpoint {
            return endpoint.page();
        }
        let switches = toml::to_string(&self.switches).unwrap_or_default();
        format!(
            "{} (responses, as of {})\n{}\n\nSwitches\n{switches}",
            self.name, self.as_of, self.about
        )
    }

    /// The profile that holds when none is named.
    #[expect(
        clippy::expect_used,
        reason = "the data file is compiled in, and a test reads it"
    )]
    pub fn openai() -> Self {
        Self::builtin("openai").expect("the default profile is part of the binary")
    }

    /// Names of all profiles, in the order of `holdover list profiles`.
    pub fn names() -> Vec<String> {
        let endpoints = Book::builtin().all().iter();
        let names = all().iter().map(|profile| profile.name.clone());
        names
            .chain(endpoints.map(|endpoint| endpoint.name.clone()))
            .collect()
    }
}

/// All profiles that are part of the binary.
pub fn all() -> &'static [Profile] {
    &ALL
}

static ALL: LazyLock<Vec<Profile>> = LazyLock::new(|| {
    #[expect(
        clippy::expect_used,
        reason = "the data files are compiled in, and a test reads each"
    )]
    let read = |text: &&str| toml::from_str(text).expect("a profile file that is part of the binary");
    BUILTIN.iter().map(read).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_data_file_reads_and_names_are_unique() {
        let names = Profile::names();
        let expected = [
            "openai",
            "openai-strict",
            "azure",
            "foundry-project",
            "codex-backend",
            "compat",
        ];
        assert_eq!(names[..6], expected);
        let mut unique = names.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), names.len());
    }

    #[test]
    fn azure_and_foundry_differ_from_openai_in_data() {
        let status = |name| Profile::builtin(name).map(|profile| profile.switches.item_not_found_status);
        assert_eq!(status("openai"), Ok(404));
        assert_eq!(status("azure"), Ok(400));
        let foundry = Profile::builtin("foundry-project").map(|profile| profile.switches.reasoning_id);
        assert_eq!(foundry, Ok(IdRule::Required));
    }

    #[test]
    fn the_responses_api_is_served_by_whoever_the_profile_is_of() {
        let provider = |name| Profile::builtin(name).map(|profile| profile.responses_provider().to_owned());
        for (name, served_by) in [
            ("openai-strict", "openai"),
            ("azure", "azure-openai"),
            ("azure-responses", "azure-openai"),
            ("xai-responses", "xai"),
            ("compat", "compat"),
            // What an endpoint of another wire has of the Responses API is `openai`.
            ("grok-chat", "openai"),
        ] {
            assert_eq!(provider(name).as_deref(), Ok(served_by), "{name}");
        }
    }

    #[test]
    fn an_unknown_name_lists_what_there_is() {
        let error = Profile::builtin("opnai").expect_err("no such profile");
        let start = "no profile is named `opnai`; there are openai, openai-strict, azure, foundry-project, codex-backend, compat, ";
        assert!(error.to_string().starts_with(start), "{error}");
    }
}
