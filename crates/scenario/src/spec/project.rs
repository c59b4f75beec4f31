//! A checked `holdover.toml`.

use super::{ExportSpec, ModelKind, Org};
use crate::words::{Word, words};

words! {
    /// Lowest severity that fails.
    FailOn {
        /// Errors only.
        Error = "error",
        /// Warnings too.
        Warning = "warning",
        /// Everything.
        Note = "note",
    }
}

/// How a team uses Holdover in its own repository.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Project {
    /// Profile.
    pub profile: Option<String>,
    /// Retention.
    pub org: Option<Org>,
    /// Lowest severity that fails.
    pub fail_on: Option<FailOn>,
    /// Globs to scan.
    pub scan: Vec<String>,
    /// File of known findings.
    pub baseline: Option<String>,
    /// Models by name.
    pub models: Vec<(String, ModelKind)>,
    /// How exports are scanned.
    pub export: ExportSpec,
    /// Findings that are left.
    pub suppress: Vec<SuppressSpec>,
}

/// One decision to leave findings of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct SuppressSpec {
    /// The rule.
    pub rule: String,
    /// The session, or its beginning before a `*`; `*` for every session.
    pub session: String,
    /// Why.
    pub reason: String,
    /// Last day on which it holds, `YYYY-MM-DD`.
    pub until: Option<String>,
}
