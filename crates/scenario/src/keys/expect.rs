//! `[export]`, `[expect]` and `[twin]`: what must come out.

use super::{Kind, NameKind, Section, key};
use crate::spec::VerdictWord;
use crate::words::Word;

pub(crate) static EXPORT: Section = Section {
    name: "[export]",
    about: "How exports are scanned. There is no switch that turns the scan off.",
    required: &[],
    keys: &[
        key(
            "patterns",
            Kind::Texts,
            "Regular expressions of confirmed id shapes.",
        ),
        key(
            "allowlist",
            Kind::Sections(&ALLOW),
            "What may stand in which file.",
        ),
        key("tenant-table", Kind::Texts, "Fragments that belong to a tenant."),
    ],
};

pub(crate) static ALLOW: Section = Section {
    name: "[[export.allowlist]]",
    about: "One approved exception.",
    required: &["file", "pattern"],
    keys: &[
        key("file", Kind::Text, "The export file."),
        key(
            "pattern",
            Kind::Text,
            "Regular expression of what may stand there.",
        ),
    ],
};

pub(crate) static EXPECT: Section = Section {
    name: "[expect]",
    about: "What the run must show. Only what is named is asserted.",
    required: &[],
    keys: &[
        key(
            "findings",
            Kind::Names(NameKind::Rule),
            "Rules that fire above `note`, and no others. Absent: a clean run, unless the file plants a mistake.",
        ),
        key(
            "notes",
            Kind::Names(NameKind::Rule),
            "Rules that fire as a `note`, among others perhaps.",
        ),
        key(
            "refusals",
            Kind::Names(NameKind::Refusal),
            "Refusals of the server, in order (`E06`).",
        ),
        key("result", Kind::Name(NameKind::Result), "Result in the table."),
        key("verdict", Kind::Word(VerdictWord::WORDS), "Verdict of the judge."),
        key(
            "case",
            Kind::Sections(&EXPECT_CASE),
            "What some cases of `[matrix]` must show instead; the first that fits a case holds.",
        ),
    ],
};

pub(crate) static EXPECT_CASE: Section = Section {
    name: "[[expect.case]]",
    about: "What the cases of `[matrix]` with these settings must show, in the place of `[expect]`.",
    required: &["when"],
    keys: &[
        key(
            "when",
            Kind::Members,
            "A value, or a list of values, of some settings of `[matrix]`: `{ profile = \"deepseek-v4\" }`.",
        ),
        key("findings", Kind::Names(NameKind::Rule), "As in `[expect]`."),
        key("notes", Kind::Names(NameKind::Rule), "As in `[expect]`."),
        key("refusals", Kind::Names(NameKind::Refusal), "As in `[expect]`."),
        key("result", Kind::Name(NameKind::Result), "As in `[expect]`."),
        key("verdict", Kind::Word(VerdictWord::WORDS), "As in `[expect]`."),
    ],
};

pub(crate) static TWIN: Section = Section {
    name: "[twin]",
    about: "The twin is the scenario without its slips and with these settings; it must be clean.",
    required: &[],
    keys: &[
        key(
            "set",
            Kind::Settings,
            "Settings of `[server]` and `[agent]` that the twin has instead: `{ include = \"encrypted\" }`.",
        ),
        key("result", Kind::Name(NameKind::Result), "Result in the table."),
    ],
};
