//! Options of a fault: what a card declares, and the checked values.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::problem::{FaultProblem, Part, did_you_mean, nearest};
use crate::trigger::key_names;

/// One option of a fault.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptionSpec {
    /// Its key.
    pub name: &'static str,
    /// What it takes.
    pub kind: OptionKind,
    /// What it is when it is not given.
    pub default: OptionDefault,
    /// What it does: a lowercase fragment.
    pub about: &'static str,
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OptionKind {
    /// A whole number from `least` to `most`.
    Whole {
        /// Smallest value.
        least: u64,
        /// Largest value.
        most: u64,
    },
    /// Any text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// What an option is when it is not given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OptionDefault {
    /// This number.
    Whole(u64),
    /// This text or word.
    Text(&'static str),
    /// Nothing: the fault does without.
    Absent,
}

/// An option that takes a whole number.
pub(crate) const fn whole(
    name: &'static str,
    range: (u64, u64),
    default: u64,
    about: &'static str,
) -> OptionSpec {
    let (least, most) = range;
    OptionSpec {
        name,
        kind: OptionKind::Whole { least, most },
        default: OptionDefault::Whole(default),
        about,
    }
}

/// A wait in milliseconds; an hour at most.
pub(crate) const fn milliseconds(name: &'static str, default: u64, about: &'static str) -> OptionSpec {
    whole(name, (0, 3_600_000), default, about)
}

/// An option that takes a text.
pub(crate) const fn text(name: &'static str, default: OptionDefault, about: &'static str) -> OptionSpec {
    OptionSpec {
        name,
        kind: OptionKind::Text,
        default,
        about,
    }
}

/// An option that takes one of a few words; the first is the default.
pub(crate) const fn word(
    name: &'static str,
    words: &'static [&'static str],
    about: &'static str,
) -> OptionSpec {
    OptionSpec {
        name,
        kind: OptionKind::Word(words),
        default: OptionDefault::Text(words[0]),
        about,
    }
}

impl OptionKind {
    /// What it takes, in words.
    pub fn expected(self) -> String {
        match self {
            Self::Whole { least, most } => format!("a whole number from {least} to {most}"),
            Self::Text => "a text".to_owned(),
            Self::Word(words) => format!("one of `{}`", words.join("`, `")),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Setting {
    Whole(u64),
    Text(String),
}

/// The checked options of one fault.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Options(BTreeMap<&'static str, Setting>);

impl Options {
    /// Checks what was given and fills in the defaults; every problem is listed.
    pub(crate) fn parse(
        fault: &str,
        specs: &[OptionSpec],
        given: &[(String, Value)],
    ) -> (Self, Vec<FaultProblem>) {
        let mut options = Self::of_defaults(specs);
        let mut problems = Vec::new();
        for (key, value) in given {
            let Some(spec) = specs.iter().find(|spec| spec.name == key) else {
                problems.push(unknown(fault, specs, key));
                continue;
            };
            if let Some(setting) = setting(spec.kind, value) {
                options.0.insert(spec.name, setting);
            } else {
                let part = Part::Option(key.clone());
                problems.push(FaultProblem::value(part, &spec.kind.expected(), value));
            }
        }
        (options, problems)
    }

    fn of_defaults(specs: &[OptionSpec]) -> Self {
        let settings = specs.iter().filter_map(|spec| {
            let setting = match spec.default {
                OptionDefault::Whole(number) => Setting::Whole(number),
                OptionDefault::Text(text) => Setting::Text(text.to_owned()),
                OptionDefault::Absent => return None,
            };
            Some((spec.name, setting))
        });
        Self(settings.collect())
    }

    /// The number of this name; 0 where there is none.
    pub(crate) fn whole(&self, name: &str) -> u64 {
        match self.0.get(name) {
            Some(Setting::Whole(number)) => *number,
            Some(Setting::Text(_)) | None => 0,
        }
    }

    /// The number of this name as an HTTP status.
    pub(crate) fn status(&self) -> u16 {
        u16::try_from(self.whole("status")).unwrap_or(500)
    }

    /// The number of this name as a size.
    pub(crate) fn size(&self, name: &str) -> usize {
        usize::try_from(self.whole(name)).unwrap_or(usize::MAX)
    }

    /// The text of this name, where there is one.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.0.get(name) {
            Some(Setting::Text(text)) => Some(text),
            Some(Setting::Whole(_)) | None => None,
        }
    }

    /// The text of this name; empty where there is none.
    pub(crate) fn word(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }
}

fn unknown(fault: &str, specs: &[OptionSpec], key: &str) -> FaultProblem {
    let known: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
    let help = match (nearest(key, &known), nearest(key, &key_names())) {
        (None, Some(condition)) => format!("did you mean the condition `{condition}`?"),
        _ => did_you_mean(key, &known, "its options are"),
    };
    FaultProblem::new(
        Part::Option(key.to_owned()),
        format!("`{fault}` has no option `{key}`"),
        help,
    )
}

fn setting(kind: OptionKind, value: &Value) -> Option<Setting> {
    match kind {
        OptionKind::Whole { least, most } => {
            let number = value.as_u64()?;
            (least..=most).contains(&number).then_some(Setting::Whole(number))
        }
        OptionKind::Text => match value {
            Value::String(text) => Some(Setting::Text(text.clone())),
            // The flag form cannot tell `to=4` from a text that is a number.
            Value::Number(number) => Some(Setting::Text(number.to_string())),
            _ => None,
        },
        OptionKind::Word(words) => {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Bool(_) | Value::Number(_) => value.to_string(),
                _ => return None,
            };
            words.contains(&text.as_str()).then_some(Setting::Text(text))
        }
    }
}
