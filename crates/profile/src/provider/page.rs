//! The page of `holdover explain NAME` for an endpoint of another provider.

use std::fmt::Write as _;

use crate::provider::endpoint::Endpoint;
use crate::provider::rule::{Rule, Violation};

impl Endpoint {
    /// Its page: where it is met, what it wants, how that is known.
    pub fn page(&self) -> String {
        let mut page = format!(
            "{} ({}, {}, as of {})\n{}\n\nWhere\n",
            self.name,
            self.provider,
            self.wire.as_str(),
            self.as_of,
            self.about
        );
        let or = |list: &[String], other: &str| {
            if list.is_empty() {
                other.to_owned()
            } else {
                list.join(", ")
            }
        };
        let day = |day: &Option<_>| day.as_ref().map_or_else(|| "…".to_owned(), ToString::to_string);
        let _ = writeln!(page, "paths: {}", or(&self.paths, "the common one of its wire"));
        let _ = writeln!(
            page,
            "models: {}",
            or(&self.models, "any; chosen by `--profile` only")
        );
        let _ = writeln!(page, "held from {} until {}", day(&self.from), day(&self.until));
        let _ = writeln!(page, "signatures are bound to: {}", self.account_scope.as_str());
        page.push_str("\nWhat it wants\n");
        for rule in &self.rule {
            page.push_str(&rule.lines());
        }
        page
    }

    /// One line for `holdover list profiles`.
    pub fn line(&self) -> String {
        let unsure = self.rule.iter().filter(|rule| rule.is_probe()).count();
        let total = self.rule.len();
        let probe = match unsure {
            0 => String::new(),
            unsure => format!("; stop_and_probe: {unsure} of {total} entries"),
        };
        format!("{} ({}){probe}", self.about, self.wire.as_str())
    }
}

impl Rule {
    fn lines(&self) -> String {
        let action = self.action().as_str();
        let mut lines = format!(
            "- {}: {} in {}: {} -> {action}\n",
            self.name,
            self.field,
            self.mode.as_str(),
            self.replay.as_str()
        );
        let _ = writeln!(
            lines,
            "  broken: {}",
            self.violation.as_ref().map_or_else(silent, refused)
        );
        let _ = writeln!(
            lines,
            "  accepted {}, semantic effect {}, continuity {}",
            self.accepted.as_str(),
            self.semantic_effect.as_str(),
            self.continuity.as_str()
        );
        let day = self
            .observed_at
            .as_ref()
            .map_or_else(|| "undated".to_owned(), ToString::to_string);
        let _ = writeln!(
            lines,
            "  {} confidence, {day}: {}",
            self.confidence, self.evidence.source
        );
        if self.evidence.repetitions > 0 {
            let _ = writeln!(lines, "  repeated {} times", self.evidence.repetitions);
        }
        for (name, text) in [
            ("request", &self.evidence.fixture),
            ("response", &self.evidence.response_shape),
            ("later turns", &self.evidence.later_turns),
            ("usage", &self.evidence.usage),
            ("limitations", &self.evidence.limitations),
        ] {
            if !text.is_empty() {
                let _ = writeln!(lines, "  {name}: {text}");
            }
        }
        lines
    }
}

fn silent() -> String {
    "200, silent".to_owned()
}

fn refused(violation: &Violation) -> String {
    let code = violation.code.as_deref().unwrap_or("");
    let text = match violation.message.as_str() {
        "" => "(text not recorded)",
        text => text,
    };
    format!("{} {code} {text}", violation.status).replace("  ", " ")
}
