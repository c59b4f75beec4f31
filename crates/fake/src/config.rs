//! What a fake is told before its first request.

use holdover_profile::provider::Book;
use holdover_profile::{Models, Org, Profile};

/// Settings of one fake. Two fakes with equal settings give equal bytes for equal requests (law 1).
#[derive(Clone, Debug, PartialEq)]
pub struct FakeConfig {
    /// All keys, ids and tokens derive from it.
    pub seed: u64,
    /// Ids and tokens also derive from it; sessions that share a world share their bytes.
    pub world: String,
    /// How the endpoint treats replayed reasoning.
    pub profile: Profile,
    /// Endpoints of other providers, among which path and model of a request choose.
    pub book: Book,
    /// Models that the endpoint knows.
    pub models: Models,
    /// Data retention of the organisation.
    pub org: Org,
    /// Who asks, unless the key or the organisation of a call names one of `others`.
    pub account: Account,
    /// Accounts beside the first one.
    pub others: Vec<OtherAccount>,
    /// When the fake calls a tool without a script.
    pub auto_tools: AutoTools,
    /// Length of a full token in characters; the largest token shape that fits is used.
    pub token_size: usize,
    /// Shape of the ids of reasoning items.
    pub id_shape: IdShape,
    /// Shape of tokens.
    pub token_shape: TokenShape,
    /// Order of the events of a reasoning item and of what follows it.
    pub order: ItemOrder,
}

impl Default for FakeConfig {
    fn default() -> Self {
        Self {
            seed: 7,
            world: "default".to_owned(),
            profile: Profile::openai(),
            book: Book::builtin().clone(),
            models: Models::builtin(),
            org: Org::Default,
            account: Account::default(),
            others: Vec::new(),
            auto_tools: AutoTools::Off,
            token_size: 856,
            id_shape: IdShape::Standard,
            token_shape: TokenShape::Fernet,
            order: ItemOrder::Standard,
        }
    }
}

/// Who asks. Tokens belong to it: another organisation or region cannot use them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Name in scenarios.
    pub name: String,
    /// `openai-organization`
    pub organisation: String,
    /// `openai-project`
    pub project: String,
    /// Region in which tokens are sealed.
    pub region: String,
}

impl Default for Account {
    fn default() -> Self {
        Self {
            name: "default".to_owned(),
            organisation: "org-holdover".to_owned(),
            project: "proj_holdover".to_owned(),
            region: "us".to_owned(),
        }
    }
}

/// An account beside the first one. Each refuses the tokens, responses, conversations and items of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherAccount {
    /// Who it is.
    pub account: Account,
    /// Bearer keys that are its own; all see the same.
    pub keys: Vec<String>,
}

/// Which account of a session asks; the first one unless others were declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountPlace(pub(crate) usize);

impl AccountPlace {
    /// Its number in the order of declaration, from 0.
    pub fn number(self) -> usize {
        self.0
    }
}

/// When the fake calls a tool without a script: at most once per user turn, and never a shell, patch or computer tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AutoTools {
    /// Only when `tool_choice` forces it.
    #[default]
    Off,
    /// When the user's message holds a word of the tool's name.
    Named,
    /// The first tool that it may call.
    Any,
    /// The first tool of this list that the request declares.
    List(Vec<String>),
}

/// Shape of the ids of reasoning items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdShape {
    /// `rs_` and 50 hex digits.
    #[default]
    Standard,
    /// `rs_tenantA_trace_` and 50 hex digits, as in the source article.
    Tenant,
}

/// Shape of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenShape {
    /// `gAAAAAB…`, base64url with padding.
    #[default]
    Fernet,
    /// The same bytes as `enc_` and base64url.
    Enc,
}

/// Order of the events of a reasoning item and of what follows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ItemOrder {
    /// One item after the other (`tests/facts/streaming.md` section 7).
    #[default]
    Standard,
    /// added 0, added 1, done 1, done 0: the order of the .NET sample (`tests/facts/clients/dotnet_meai.md`).
    ReasoningDoneLast,
}
