//! The file itself.

use super::{ACCOUNT, AGENT, CLIENT, EXPECT, EXPORT, FAULT, Kind, SERVER, Section, TURN, TWIN, key};
use crate::spec::Table;
use crate::words::Word;

pub(crate) static ROOT: Section = Section {
    name: "the file",
    about: "Everything but `name` is optional.",
    required: &["name"],
    keys: &[
        key(
            "name",
            Kind::CaseName,
            "Name of the case: 1 to 64 of `A-Z a-z 0-9 _ . -`.",
        ),
        key("about", Kind::Text, "What the scenario shows, in a sentence."),
        key(
            "table",
            Kind::Word(Table::WORDS),
            "Table that the case has its row in. Absent: none.",
        ),
        key(
            "world",
            Kind::Text,
            "World that ids and tokens derive from; scenarios may share one. Absent: the name.",
        ),
        key(
            "proves",
            Kind::Texts,
            "Requirements that it proves (`P3`, `M11`, …).",
        ),
        key("server", Kind::Section(&SERVER), "The fake."),
        key(
            "account",
            Kind::Sections(&ACCOUNT),
            "Who asks, in order. Absent: one default account.",
        ),
        key("agent", Kind::Section(&AGENT), "The client that Holdover plays."),
        key("client", Kind::Section(&CLIENT), "A real client in its place."),
        key(
            "turn",
            Kind::Sections(&TURN),
            "One request of the client and the reply to it, in order.",
        ),
        key(
            "fault",
            Kind::Sections(&FAULT),
            "What goes wrong on the way, and when.",
        ),
        key("export", Kind::Section(&EXPORT), "How exports are scanned."),
        key("expect", Kind::Section(&EXPECT), "What the run must show."),
        key(
            "twin",
            Kind::Section(&TWIN),
            "How the twin differs, beside having no slip.",
        ),
        key(
            "matrix",
            Kind::Matrix,
            "A list of values for each of some settings: one case for each combination.",
        ),
    ],
};
