//! `holdover.toml`: how a team uses Holdover in its own repository.

use super::{EXPORT, Kind, NameKind, Section, key};
use crate::spec::{FailOn, ModelKind, Org};
use crate::words::Word;

pub(crate) static PROJECT: Section = Section {
    name: "the file",
    about: "Everything is optional; the command line wins.",
    required: &[],
    keys: &[
        key(
            "profile",
            Kind::Name(NameKind::Profile),
            "Endpoint whose behaviour is played.",
        ),
        key(
            "org",
            Kind::Word(Org::WORDS),
            "Data retention of the organisation.",
        ),
        key(
            "fail-on",
            Kind::Word(FailOn::WORDS),
            "Lowest severity that makes the exit code 4.",
        ),
        key(
            "scan",
            Kind::Texts,
            "Files that `test` scans for leaks after the command: globs, or `-` for its output.",
        ),
        key(
            "baseline",
            Kind::Text,
            "File of the findings that are known; `--update-baseline` writes it.",
        ),
        key(
            "models",
            Kind::WordMap(ModelKind::WORDS),
            "Models that Holdover does not know, by name: `reasoning` or `plain`.",
        ),
        key(
            "export",
            Kind::Section(&EXPORT),
            "How exports are scanned: patterns of confirmed id shapes, an allowlist by file.",
        ),
        key(
            "suppress",
            Kind::Sections(&SUPPRESS),
            "Findings that were looked at and left, each with its reason.",
        ),
    ],
};

pub(crate) static SUPPRESS: Section = Section {
    name: "[[suppress]]",
    about: "One decision to leave findings of a rule.",
    required: &["rule", "reason"],
    keys: &[
        key("rule", Kind::Name(NameKind::Rule), "The rule."),
        key(
            "session",
            Kind::Text,
            "The session, or its beginning before a `*`. Absent: every session.",
        ),
        key("reason", Kind::Text, "Why; it is shown with the finding."),
        key(
            "until",
            Kind::Text,
            "Last day on which it holds, `YYYY-MM-DD`. Absent: it has no end.",
        ),
    ],
};
