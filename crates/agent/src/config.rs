//! What a scenario says about the client: everything is an argument, nothing is read from outside.

use std::sync::Arc;

use holdover_profile::policy::Policy;
use holdover_wire::Wire;
use holdover_wire::audit::{Handover, IdPolicy};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::peer::Peer;
use crate::slip::Slip;

/// An enum whose variants are words of the scenario file.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// All of them, in the order of the documents.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The variant of its word.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|variant| variant.as_str() == word)
            }
        }
    };
}
pub(crate) use words;

words! {
    /// Which real client the agent behaves like.
    Preset {
        /// Keeps every output item as it came and sends it back unchanged.
        Plain = "plain",
        /// OpenAI Agents SDK for Python (`tests/facts/clients/agents_sdk.md`).
        AgentsSdk = "agents-sdk",
        /// Microsoft.Extensions.AI for .NET (`tests/facts/clients/dotnet_meai.md`).
        Meai = "meai",
    }
}

words! {
    /// Who holds the history (M1): one mode for one application.
    StateMode {
        /// The client sends the whole history in every request.
        ClientReplay = "client-replay",
        /// The client sends `previous_response_id` and the new items.
        ServerChain = "server-chain",
        /// The client sends `conversation` and the new items.
        Conversation = "conversation",
    }
}

words! {
    /// Whether answers come as one document or as events.
    Streaming {
        /// One JSON document.
        Json = "json",
        /// Server-sent events.
        Sse = "sse",
    }
}

words! {
    /// Whether the client asks for encrypted reasoning (M4).
    Include {
        /// `include: ["reasoning.encrypted_content"]`
        Encrypted = "encrypted",
        /// Nothing is asked for.
        Nothing = "nothing",
    }
}

words! {
    /// Where the client keeps a session between turns.
    SessionStore {
        /// In memory: objects stay alive, nothing is serialised.
        Memory = "memory",
        /// A database row for each item: JSON text.
        Sqlite = "sqlite",
        /// One JSON document for the session.
        Json = "json",
        /// The items API of the Conversations endpoint (Agents SDK only; elsewhere it is `memory`).
        Conversations = "conversations",
    }
}

words! {
    /// What the client does about a call that brought no answer.
    Recovery {
        /// It tries again, or repairs its history, or says why not.
        Recovers = "recovers",
        /// The turn is over.
        Stops = "stops",
    }
}

words! {
    /// Whether the application merges its own copy of the session into the history (`session_input_callback`).
    Callback {
        /// No callback is set.
        Unset = "unset",
        /// A callback that tells old items from new ones by their content.
        DedupeByContent = "dedupe-by-content",
    }
}

words! {
    /// A text that the client lets out after each turn.
    ExportKind {
        /// The audit log of D5 and M10.
        Log = "log",
        /// The eval set of P10.
        Dump = "dump",
    }
}

words! {
    /// Whether the session moves from one provider to another.
    Moves {
        /// It stays with one.
        Stays = "stays",
        /// Some turn asks another one.
        Moves = "moves",
    }
}

/// The client that is played. `Default` is `plain`, client replay, JSON, nothing exported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentConfig {
    /// Session: names the runs and goes into the key.
    pub session: String,
    /// Which client it is.
    pub preset: Preset,
    /// `model`
    pub model: String,
    /// `reasoning.effort` of turns that name none themselves.
    pub effort: Option<String>,
    /// `reasoning.summary`
    pub summary: Option<String>,
    /// `instructions`, sent every turn.
    pub instructions: Option<String>,
    /// Who holds the history.
    pub state: StateMode,
    /// `store`; `None` leaves it out, which the API reads as true.
    pub store: Option<bool>,
    /// How answers come.
    pub stream: Streaming,
    /// What `include` asks for.
    pub include_encrypted: Include,
    /// Where the session is kept.
    pub session_store: SessionStore,
    /// `RunConfig.reasoning_item_id_policy` (Agents SDK; other presets keep ids).
    pub reasoning_item_id_policy: IdPolicy,
    /// `tools` as they are sent.
    pub tools: Vec<Value>,
    /// Planted mistakes.
    pub slips: Vec<Slip>,
    /// The turn (from 1) before which the client is serialised and rebuilt in a new process.
    pub resume_before: Option<u64>,
    /// `RunConfig.reasoning_item_id_policy` of the process that resumes; `None`, and the policy `none`, leave the
    /// saved one in force.
    pub resume_policy: Option<IdPolicy>,
    /// The turn (from 1) before which the history is compacted; put off while calls are open.
    pub compact_before: Option<u64>,
    /// What is exported after each turn.
    pub exports: Vec<ExportKind>,
    /// `SessionSettings.limit`: how many items of history a turn may carry.
    pub history_limit: Option<usize>,
    /// What becomes of a call without an answer.
    pub recovery: Recovery,
    /// The session callback.
    pub callback: Callback,
    /// Answers to the three questions of a cross-vendor handover (P14), written to the audit record.
    pub handover: Option<Handover>,
    /// Who is asked; `None` for the Responses API of OpenAI. A turn may move on to another one.
    #[serde(skip)]
    pub peer: Option<Peer>,
    /// Whether a turn moves to another provider.
    pub moves: Moves,
    /// The replay policy (R1); without one everything goes back that the provider can read.
    #[serde(skip)]
    pub replay_policy: Option<Arc<Policy>>,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self {
            session: "default".to_owned(),
            preset: Preset::Plain,
            model: "gpt-5.6".to_owned(),
            effort: None,
            summary: None,
            instructions: None,
            state: StateMode::ClientReplay,
            store: None,
            stream: Streaming::Json,
            include_encrypted: Include::Encrypted,
            session_store: SessionStore::Memory,
            reasoning_item_id_policy: IdPolicy::None,
            tools: Vec::new(),
            slips: Vec::new(),
            resume_before: None,
            resume_policy: None,
            compact_before: None,
            exports: Vec::new(),
            history_limit: None,
            recovery: Recovery::Recovers,
            callback: Callback::Unset,
            handover: None,
            peer: None,
            moves: Moves::Stays,
            replay_policy: None,
        }
    }
}

impl AgentConfig {
    /// Whether the slip is planted.
    pub fn has(&self, slip: Slip) -> bool {
        self.slips.contains(&slip)
    }

    /// Whether history comes from the items API of a conversation while the whole of it is replayed: the Agents SDK's
    /// `OpenAIConversationsSession`.
    pub(crate) fn uses_conversations_session(&self) -> bool {
        self.preset == Preset::AgentsSdk
            && self.state == StateMode::ClientReplay
            && self.session_store == SessionStore::Conversations
    }

    /// Whether the right form of this client never replays a stored group with an id on one half only, which the API
    /// refuses (`tests/facts/clients/agents_sdk.md`, What omit does NOT touch, 2; `dotnet_meai.md`, faults 7). With
    /// `store: false` followers match by position.
    pub(crate) fn keeps_groups_whole(&self) -> bool {
        let holds_objects = self.session_store == SessionStore::Memory && self.resume_before.is_none();
        let is_whole = match self.preset {
            Preset::Plain => true,
            Preset::AgentsSdk => {
                self.reasoning_item_id_policy != IdPolicy::Omit
                    && self.session_store != SessionStore::Conversations
            }
            Preset::Meai => holds_objects && self.stream == Streaming::Json,
        };
        is_whole || !self.stores() || self.state != StateMode::ClientReplay
    }

    /// The peer, where it speaks another wire than the Responses API.
    pub(crate) fn elsewhere(&self) -> Option<&Peer> {
        self.peer.as_ref().filter(|peer| peer.wire() != Wire::Responses)
    }

    /// Whether sent and received items are stored by the server.
    pub(crate) fn stores(&self) -> bool {
        self.store != Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        for preset in Preset::ALL {
            assert_eq!(Preset::parse(preset.as_str()), Some(*preset));
        }
        assert_eq!(StateMode::parse("server-chain"), Some(StateMode::ServerChain));
        assert_eq!(SessionStore::parse("sqlite"), Some(SessionStore::Sqlite));
        assert_eq!(Streaming::parse("ws"), None);
    }
}
