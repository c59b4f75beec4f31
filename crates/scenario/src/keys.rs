//! The tables of keys. The reader refuses what is not here, the JSON Schema and the reference are made from here.

mod client;
mod expect;
mod project;
mod root;
mod server;
mod turn;

pub(crate) use client::{AGENT, CLIENT, HANDOVER};
pub(crate) use expect::{ALLOW, EXPECT, EXPECT_CASE, EXPORT, TWIN};
pub(crate) use project::{PROJECT, SUPPRESS};
pub(crate) use root::ROOT;
pub(crate) use server::{ACCOUNT, SERVER};
pub(crate) use turn::{FAULT, TURN, TURN_EXPECT};

use crate::suggest::nearest;

/// A table of the file.
pub(crate) struct Section {
    /// How the reference and messages call it: `[agent]`.
    pub(crate) name: &'static str,
    /// What it is, in a sentence.
    pub(crate) about: &'static str,
    /// Its keys, in the order of the reference.
    pub(crate) keys: &'static [Key],
    /// Keys without which it means nothing.
    pub(crate) required: &'static [&'static str],
}

/// A key of a table.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// What it does and what its absence means.
    pub(crate) about: &'static str,
}

/// What a key takes.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A name of a case.
    CaseName,
    /// A string.
    Text,
    /// `true` or `false`.
    Flag,
    /// A whole number in a range.
    Number(i64, i64),
    /// One of a few words.
    Word(&'static [&'static str]),
    /// A list of a few words.
    Words(&'static [&'static str]),
    /// A name that another crate knows.
    Name(NameKind),
    /// A list of such names.
    Names(NameKind),
    /// One such name or a list of them.
    NameOrNames(NameKind),
    /// A list of strings.
    Texts,
    /// A program and its arguments.
    Command,
    /// Strings under keys of the user's choice.
    TextMap,
    /// Words under keys of the user's choice.
    WordMap(&'static [&'static str]),
    /// Words and numbers under names of switches.
    Switches,
    /// One of a few words, or a list of strings.
    WordOrTexts(&'static [&'static str]),
    /// A table of its own.
    Section(&'static Section),
    /// A list of tables.
    Sections(&'static Section),
    /// Outputs under call ids or tool names.
    Outputs,
    /// Parts of a reply.
    Reply,
    /// Tools of a request.
    Tools,
    /// A body of a request: a table, or JSON in a string.
    Body,
    /// A condition: any members.
    Members,
    /// A fault: its name, or a table with `name` and its options.
    Fault,
    /// A replay policy: its name, a file, or a table.
    Policy,
    /// Values under settings of `[server]` and `[agent]`.
    Settings,
    /// Lists of values under such settings.
    Matrix,
}

/// Whose names a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    Rule,
    Slip,
    Model,
    Profile,
    Preset,
    Refusal,
    Result,
}

impl NameKind {
    /// The noun in messages.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Slip => "slip",
            Self::Model => "model",
            Self::Profile => "profile",
            Self::Preset => "preset",
            Self::Refusal => "refusal",
            Self::Result => "result",
        }
    }
}

/// Highest number that the format takes where nothing else bounds it.
const LARGE: i64 = 1_000_000;

const fn key(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { name, kind, about }
}

/// Every table of the format, in the order of the reference.
pub(crate) static ALL: &[&Section] = &[
    &ROOT,
    &SERVER,
    &ACCOUNT,
    &AGENT,
    &HANDOVER,
    &CLIENT,
    &TURN,
    &TURN_EXPECT,
    &FAULT,
    &EXPORT,
    &ALLOW,
    &EXPECT,
    &EXPECT_CASE,
    &TWIN,
];

impl Section {
    /// The name in a message: brackets in backticks.
    pub(crate) fn title(&self) -> String {
        if self.name.starts_with('[') {
            format!("`{}`", self.name)
        } else {
            self.name.to_owned()
        }
    }
}

/// The key of another table that `word` is, or that it nearly is.
pub(crate) fn elsewhere(word: &str) -> Option<(&'static str, &'static Section)> {
    let all = || {
        ALL.iter()
            .flat_map(|section| section.keys.iter().map(move |key| (key.name, *section)))
    };
    let near = || nearest(word, all().map(|(name, _)| name));
    let name = all()
        .map(|(name, _)| name)
        .find(|name| *name == word)
        .or_else(near)?;
    all().find(|(known, _)| *known == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::problem::Code;
    use crate::{Vocabulary, parse};

    /// How a file opens each table, with what it must have.
    const OPENINGS: &[(&str, &str)] = &[
        ("the file", ""),
        ("[server]", "name = 'a'\n[server]\n"),
        ("[[account]]", "name = 'a'\n[[account]]\n"),
        ("[agent]", "name = 'a'\n[agent]\n"),
        ("[agent.handover]", "name = 'a'\n[agent.handover]\n"),
        ("[client]", "name = 'a'\n[client]\n"),
        ("[[turn]]", "name = 'a'\n[[turn]]\n"),
        ("[turn.expect]", "name = 'a'\n[[turn]]\n[turn.expect]\n"),
        ("[[fault]]", "name = 'a'\n[[fault]]\n"),
        ("[export]", "name = 'a'\n[export]\n"),
        ("[[export.allowlist]]", "name = 'a'\n[[export.allowlist]]\n"),
        ("[expect]", "name = 'a'\n[expect]\n"),
        ("[[expect.case]]", "name = 'a'\n[[expect.case]]\n"),
        ("[twin]", "name = 'a'\n[twin]\n"),
    ];

    /// No key takes a date, so each key that is read at all complains about one.
    #[test]
    fn every_key_of_the_tables_is_read() {
        let opened: BTreeSet<_> = OPENINGS.iter().map(|(name, _)| *name).collect();
        let known: BTreeSet<_> = ALL.iter().map(|section| section.name).collect();
        assert_eq!(opened, known);
        for (section, opening) in OPENINGS {
            let section = ALL.iter().find(|one| one.name == *section).expect("a table");
            for key in section.keys {
                let text = format!("{opening}{} = 1979-05-27\n", key.name);
                let problems = parse("a.toml", &text, &Vocabulary::default()).expect_err("problems");
                let complains = problems.iter().any(|problem| {
                    problem.code == Code::WrongType && text.get(problem.at.span.clone()) == Some("1979-05-27")
                });
                assert!(
                    complains,
                    "`{}` of {} is not read: {problems:#?}",
                    key.name, section.name
                );
            }
        }
    }

    #[test]
    fn what_is_required_is_a_key() {
        for section in ALL {
            for required in section.required {
                assert!(section.keys.iter().any(|key| key.name == *required), "{required}");
            }
        }
    }
}
