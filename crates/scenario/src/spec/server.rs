//! `[server]`: the fake that the client talks to.

use std::collections::BTreeMap;

use crate::problem::Located;
use crate::words::{Word, words};

words! {
    /// Retention of the organisation.
    Org {
        /// Responses may be stored.
        Default = "default",
        /// Zero data retention.
        Zdr = "zdr",
    }
}

words! {
    /// The form of item ids.
    IdShape {
        /// `rs_` and 50 hexadecimal digits.
        Standard = "standard",
        /// `rs_tenantA_trace_…`
        Tenant = "tenant",
    }
}

words! {
    /// The form of encrypted content.
    TokenShape {
        /// `gAAAAAB…`
        Fernet = "fernet",
        /// `enc_…`
        Enc = "enc",
    }
}

words! {
    /// When encrypted content is sent out.
    Encrypted {
        /// When the request includes it.
        OnInclude = "on-include",
        /// Also without include when the request is not stored.
        Stateless = "stateless",
        /// In every response.
        Always = "always",
    }
}

words! {
    /// What happens to the short token of `output_item.added` on replay.
    PartialToken {
        /// It is refused.
        Refuse = "refuse",
        /// It is accepted.
        Accept = "accept",
    }
}

words! {
    /// The order of `added` and `done` events of a stream.
    ItemOrder {
        /// An item is done before the next is added.
        Standard = "standard",
        /// Added 0, added 1, done 1, done 0.
        ReasoningDoneLast = "reasoning-done-last",
    }
}

words! {
    /// Whether a model reasons.
    ModelKind {
        /// It emits and takes reasoning items.
        Reasoning = "reasoning",
        /// It does neither.
        Plain = "plain",
    }
}

/// When an unscripted answer calls a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AutoTools {
    /// Only when `tool_choice` forces it.
    #[default]
    Off,
    /// When the user's message holds a word of the tool's name.
    Named,
    /// Always.
    Any,
    /// When the tool is one of these.
    List(Vec<String>),
}

/// One `[[account]]`: who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountSpec {
    /// Name inside the scenario.
    pub name: Located<String>,
    /// Organisation; `None` for a derived one.
    pub organisation: Option<String>,
    /// Project; `None` for a derived one.
    pub project: Option<String>,
    /// Region; `None` for the default.
    pub region: Option<String>,
    /// API keys.
    pub keys: Vec<Located<String>>,
}

/// One line of `switches`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchSpec {
    /// Its name.
    pub name: Located<String>,
    /// Its value, a number in decimal digits.
    pub value: Located<String>,
}

/// `[server]`, checked. `None` leaves the choice to the profile or to the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerSpec {
    /// Model that the played client asks for.
    pub model: Option<Located<String>>,
    /// Models that the file adds or overrides.
    pub models: BTreeMap<String, ModelKind>,
    /// Effort of a request that names none.
    pub effort: Option<String>,
    /// Profile of the endpoint.
    pub profile: Option<Located<String>>,
    /// Switches of the profile, as the file writes their values; whoever runs it knows which there are.
    pub switches: Vec<SwitchSpec>,
    /// Retention of the organisation.
    pub org: Option<Org>,
    /// Seed of ids and tokens.
    pub seed: Option<u64>,
    /// Characters of a full token.
    pub token_size: Option<usize>,
    /// Form of item ids.
    pub id_shape: Option<IdShape>,
    /// Form of encrypted content.
    pub token_shape: Option<TokenShape>,
    /// When encrypted content is sent out.
    pub encrypted: Option<Encrypted>,
    /// Replay of the short token.
    pub partial_token: Option<PartialToken>,
    /// Order of stream events.
    pub order: Option<ItemOrder>,
    /// Calls of unscripted answers.
    pub auto_tools: Option<AutoTools>,
    /// Accounts, in file order; empty for one default account.
    pub accounts: Vec<AccountSpec>,
}
