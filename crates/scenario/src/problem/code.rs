//! The stable names of the kinds of problem, in one table.

use serde::{Serialize, Serializer};

macro_rules! codes {
    ($($variant:ident = $name:literal, $about:literal;)*) => {
        /// The kind of a problem. Its name is stable: it is never renamed and never reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $about] $variant,)*
        }

        impl Code {
            /// Every code, in the order of the table in `docs/scenario-format.md`.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The stable name.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// What it means, in one sentence without a full stop.
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$variant => $about,)*
                }
            }
        }
    };
}

codes! {
    Syntax = "E-syntax", "the text is not TOML";
    UnknownKey = "E-unknown-key", "the format has no such key at this place";
    MissingKey = "E-missing-key", "a key that the format requires is absent";
    WrongType = "E-wrong-type", "the value has another type than the key takes";
    UnknownWord = "E-unknown-word", "the key takes one of a few words, and this is none of them";
    OutOfRange = "E-out-of-range", "a number is outside the range that the key allows";
    BadName = "E-bad-name", "the name holds characters that a case name cannot hold";
    EmptyValue = "E-empty-value", "a list or a text that must hold something is empty";
    BadJson = "E-bad-json", "the pasted text is not the JSON that is expected here";
    BadPattern = "E-bad-pattern", "the text is not a regular expression";
    UnknownRule = "E-unknown-rule", "the judge has no rule of this name";
    UnknownSlip = "E-unknown-slip", "the agent has no slip of this name";
    UnknownFault = "E-unknown-fault", "there is no fault of this name";
    FaultOption = "E-fault-option", "the fault has no such option, or the option does not take this value";
    FaultTrigger = "E-fault-trigger", "the trigger of a fault has no such member, or it can never come true";
    FaultsClash = "E-faults-clash", "a fault can never happen, because another one decides the same before it";
    UnknownModel = "E-unknown-model", "no model of this name is known or declared";
    UnknownProfile = "E-unknown-profile", "there is no profile of this name";
    Switch = "E-switch", "the profile has no such switch, or the switch does not take this value";
    UnknownPolicy = "E-unknown-policy", "there is no replay policy of this name";
    BadPolicy = "E-bad-policy", "the replay policy cannot be read, or is none";
    UnknownPreset = "E-unknown-preset", "the agent has no preset of this name";
    UnknownRefusal = "E-unknown-refusal", "there is no refusal of this number";
    UnknownResult = "E-unknown-result", "no table has a result of this name";
    AgentAndClient = "E-agent-and-client", "the file asks for the played client and for a real one";
    TurnOfClient = "E-turn-of-client", "a turn says what is sent, but a real client decides that itself";
    TwinOfClient = "E-twin-of-client", "a scenario with a real client has no twin";
    TwinWithoutChange = "E-twin-without-change", "the twin would be the scenario itself";
    TurnWithoutInput = "E-turn-without-input", "a turn gives the client nothing to send";
    RequestBesideInput = "E-request-beside-input", "a pasted request stands beside what a played client sends";
    DuplicateCall = "E-duplicate-call", "two scripted calls have the same id";
    DuplicateName = "E-duplicate-name", "two scenarios have the same name";
    OutputWithoutCall = "E-output-without-call", "a turn gives an output for a call that no earlier turn made";
    OutputTwice = "E-output-twice", "a call gets a second output";
    AmbiguousOutput = "E-ambiguous-output", "a tool name stands for an output, and more than one open call has it";
    SlipCannotExist = "E-slip-cannot-exist", "the slip has no place in the client as it is configured";
    SettingsClash = "E-settings-clash", "two settings exclude each other";
    BadDate = "E-bad-date", "the text is not a day of the form `YYYY-MM-DD`";
    NoSuchTurn = "E-no-such-turn", "a setting names a turn that the file does not have";
    ExpectCase = "E-expect-case", "a case of `[expect]` names a setting, or a value, that `[matrix]` does not have";
    UnknownSetting = "E-unknown-setting", "`[matrix]` or `[twin]` names no setting of `[server]` or `[agent]`";
    AmbiguousSetting = "E-ambiguous-setting", "the setting is one of `[server]` and one of `[agent]`";
    MatrixTooLarge = "E-matrix-too-large", "`[matrix]` makes more cases than a file may have";
    TooManyTurns = "E-too-many-turns", "a scenario has more turns than may be played";
    UnmetExpectation = "E-unmet-expectation", "the run did not show what `[expect]` or a turn asks for";
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_distinct_kebab_case_and_begin_with_e() {
        let names: BTreeSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(names.len(), Code::ALL.len());
        for name in names {
            let rest = name.strip_prefix("E-").expect("the prefix");
            assert!(rest.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{name}");
        }
    }

    #[test]
    fn sentences_are_fragments_without_a_full_stop() {
        for code in Code::ALL {
            assert!(!code.about().ends_with('.'), "{code}");
            assert!(!code.about().starts_with(char::is_uppercase), "{code}");
        }
    }
}
