//! What a judge is told before it sees the first exchange.

use holdover_profile::{Models, Profile};
use regex::Regex;

use crate::known::Known;

/// What a judge is told.
#[derive(Clone, Debug)]
pub struct JudgeConfig {
    /// How the endpoint treats replayed reasoning.
    pub profile: Profile,
    /// What is known of the models that requests name.
    pub models: Models,
    /// Name of the session; audit records of other sessions are not for this judge.
    pub session: String,
    /// Regular expressions of confirmed id shapes that may not stand in an export (P4).
    pub export_patterns: Vec<String>,
    /// Approved exceptions, file by file; there is no global switch.
    pub allowlist: Vec<AllowEntry>,
    /// Plain fragments of a tenant table that may not stand in an export.
    pub tenant_fragments: Vec<String>,
    /// Findings that the team knows already.
    pub known: Known,
    /// Whether `at_ms` of an exchange is real time; only then waits are judged.
    pub clock: Clock,
    /// How complete what the judge is shown is.
    pub source: Source,
}

impl Default for JudgeConfig {
    fn default() -> Self {
        Self {
            profile: Profile::openai(),
            models: Models::builtin(),
            session: "default".to_owned(),
            export_patterns: Vec::new(),
            allowlist: Vec::new(),
            tenant_fragments: Vec::new(),
            known: Known::default(),
            clock: Clock::Virtual,
            source: Source::Whole,
        }
    }
}

impl JudgeConfig {
    /// Why this text is no regular expression; `None` when it is one.
    pub fn pattern_problem(pattern: &str) -> Option<String> {
        Regex::new(pattern).err().map(|error| error.to_string())
    }
}

/// What `at_ms` of an exchange counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// Virtual milliseconds: how long a client waited cannot be read off them.
    #[default]
    Virtual,
    /// Milliseconds that the client waited: real ones, or those of a client whose waits are known.
    Wall,
}

/// How complete what the judge is shown is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Every exchange of the session, whole.
    #[default]
    Whole,
    /// Spans, cut logs: absence proves nothing.
    Lossy,
}

/// One approved exception: matches of `pattern` in `file` are no leak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowEntry {
    /// Name of the export file, or the end of its path from a slash on.
    pub file: String,
    /// Regular expression; it must match the leaked text itself.
    pub pattern: String,
}

/// Text that a client let out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Where it went, for the reader of a finding.
    pub file: String,
    /// What went out.
    pub text: String,
}

/// A pattern of the configuration that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// No regular expression.
    #[error("`{pattern}` is no regular expression: {reason}")]
    Syntax {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An exception for every file.
    #[error("the allowlist entry for `{file}` names no file; exceptions are approved file by file")]
    EveryFile {
        /// What stood where a file's name belongs.
        file: String,
    },
}

/// Patterns of a configuration, compiled.
#[derive(Debug)]
pub(crate) struct Patterns {
    pub(crate) shapes: Vec<Regex>,
    pub(crate) allowed: Vec<(String, Regex)>,
}

impl Patterns {
    pub(crate) fn compile(config: &JudgeConfig) -> Result<Self, PatternError> {
        let shapes = config.export_patterns.iter().map(|pattern| regex(pattern));
        let allowed = config.allowlist.iter().map(|entry| {
            if entry.file.trim_matches(['*', '/', '.']).is_empty() {
                return Err(PatternError::EveryFile {
                    file: entry.file.clone(),
                });
            }
            Ok((entry.file.clone(), regex(&entry.pattern)?))
        });
        Ok(Self {
            shapes: shapes.collect::<Result<_, _>>()?,
            allowed: allowed.collect::<Result<_, _>>()?,
        })
    }

    /// Whether an approved exception covers this text in this file.
    pub(crate) fn allows(&self, file: &str, text: &str) -> bool {
        self.allowed
            .iter()
            .any(|(entry, pattern)| is_file(file, entry) && pattern.is_match(text))
    }
}

fn is_file(file: &str, entry: &str) -> bool {
    file == entry
        || file
            .strip_suffix(entry)
            .is_some_and(|head| head.ends_with('/') || head.ends_with('\\'))
}

fn regex(pattern: &str) -> Result<Regex, PatternError> {
    Regex::new(pattern).map_err(|error| PatternError::Syntax {
        pattern: pattern.to_owned(),
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allow(file: &str, pattern: &str) -> Result<Patterns, PatternError> {
        Patterns::compile(&JudgeConfig {
            allowlist: vec![AllowEntry {
                file: file.to_owned(),
                pattern: pattern.to_owned(),
            }],
            ..JudgeConfig::default()
        })
    }

    #[test]
    fn an_exception_holds_for_its_file_only() {
        let patterns = allow("audit.log", "^rs_demo").expect("a pattern");
        assert!(patterns.allows("out/audit.log", "rs_demo_1"));
        assert!(patterns.allows("audit.log", "rs_demo_1"));
        assert!(!patterns.allows("out/other-audit.log", "rs_demo_1"));
        assert!(!patterns.allows("audit.log", "x rs_demo_1"));
    }

    #[test]
    fn there_is_no_exception_for_every_file() {
        assert_eq!(
            allow("*", "rs_").map(|_| ()),
            Err(PatternError::EveryFile { file: "*".to_owned() })
        );
        assert!(matches!(allow("a.log", "("), Err(PatternError::Syntax { .. })));
    }
}
