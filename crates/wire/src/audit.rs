//! The audit record: one JSON line that a client writes for each run (`docs/architecture.md`, Recording).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Object;

/// Id policy of the Agents SDK as a run records it (P1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IdPolicy {
    /// Not set: ids stay.
    None,
    /// Ids stay.
    Preserve,
    /// Ids of reasoning items are stripped; the reasoning stays.
    Omit,
}

impl IdPolicy {
    /// The word in tables and records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Preserve => "preserve",
            Self::Omit => "omit",
        }
    }

    /// Whether reasoning ids leave the input.
    pub fn strips_ids(self) -> bool {
        self == Self::Omit
    }
}

/// How far an input fragment went out of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exported {
    /// It stayed inside.
    No,
    /// It went out after redaction.
    Redacted,
    /// It went out as it was.
    Raw,
}

/// What a client resumes by (P5, in order of preference).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResumeKey {
    /// A serialized RunState.
    RunState,
    /// A key of the business: order, ticket, conversation and turn.
    BusinessKey,
    /// The id of a reasoning item.
    ReasoningId,
}

/// One audit record. Every member may be absent; unknown members are kept in `other`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AuditRecord {
    /// Session it belongs to; absent means `HOLDOVER_SESSION`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Policy snapshot; absent is what F3 is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_item_id_policy: Option<IdPolicy>,
    /// Whether the input's reasoning items had ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ids_present: Option<bool>,
    /// See [`crate::fragment::frag_hash`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frag_hash: Option<String>,
    /// How far the fragment went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exported: Option<Exported>,
    /// What the run was resumed by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume_key_type: Option<ResumeKey>,
    /// The key that a session callback dedupes by: `id`, `content`, ….
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callback_dedupe_key: Option<String>,
    /// The policy a carried compaction snapshot was made under (P11).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compaction_policy: Option<IdPolicy>,
    /// The policy a dump was made under (P10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub export_policy: Option<IdPolicy>,
    /// Hash of the instructions that were sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions_hash: Option<String>,
    /// The three questions of a cross-vendor handover (P14).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handover: Option<Handover>,
    /// Members this version does not know.
    #[serde(flatten)]
    pub other: Object,
}

/// The three questions of P14; one unanswered is a finding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Handover {
    /// Does the peer need the id?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer_needs_id: Option<Value>,
    /// What do we resume by?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume_key: Option<Value>,
    /// Is the export public?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub export_public: Option<Value>,
}
