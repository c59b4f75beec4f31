//! The judge itself: exchange after exchange in, findings out.

use holdover_wire::audit::AuditRecord;
use holdover_wire::recording::Exchange;

use crate::config::{Export, JudgeConfig, PatternError, Patterns};
use crate::finding::Finding;
use crate::verdict::{Coverage, Verdict};

/// Judges one session. Work per call is in proportion to what is handed in.
#[derive(Debug)]
pub struct Judge {
    _config: JudgeConfig,
    _patterns: Patterns,
    coverage: Coverage,
}

impl Judge {
    /// A judge that has seen nothing.
    pub fn new(config: JudgeConfig) -> Result<Self, PatternError> {
        Ok(Self {
            _patterns: Patterns::compile(&config)?,
            _config: config,
            coverage: Coverage::default(),
        })
    }

    /// Takes the next exchange of the session.
    pub fn observe(&mut self, _exchange: &Exchange) {
        self.coverage.turns += 1;
    }

    /// Takes a text that the client let out; before, between or after exchanges.
    pub fn observe_export(&mut self, _export: &Export) {
        self.coverage.exports_scanned += 1;
    }

    /// Takes an audit record of the client.
    pub fn observe_audit(&mut self, _record: &AuditRecord) {
        self.coverage.audit_records += 1;
    }

    /// Findings that are settled so far.
    pub fn findings(&self) -> Vec<Finding> {
        Vec::new()
    }

    /// Settles what is pending, scans the exports and says the verdict.
    pub fn finish(self) -> Verdict {
        Verdict::draw(self.coverage, Vec::new(), Vec::new())
    }
}
