//! `[[turn]]` and `[[fault]]`: what happens.

use super::{Kind, LARGE, NameKind, Section, key};
use crate::spec::{Outcome, PastedMethod};
use crate::words::Word;

pub(crate) static TURN: Section = Section {
    name: "[[turn]]",
    about: "One request of the client and what the model says to it.",
    required: &[],
    keys: &[
        key("user", Kind::Text, "Text of the user."),
        key(
            "effort",
            Kind::Text,
            "`reasoning.effort` of this turn. Absent: the agent's.",
        ),
        key(
            "profile",
            Kind::Name(NameKind::Profile),
            "Profile of the provider that is asked from this turn on; path and model tell the server. Absent: as before.",
        ),
        key(
            "tool-output",
            Kind::Outputs,
            "Outputs under call ids, or under a tool's name if exactly one open call has it.",
        ),
        key(
            "reply",
            Kind::Reply,
            "Parts of the reply, in order. Absent: the default reply.",
        ),
        key(
            "request",
            Kind::Body,
            "The body of the request as it is sent, in the place of `user` and `tool-output`; `{{rs_1}}` stands for what was issued.",
        ),
        key(
            "twin-request",
            Kind::Body,
            "The body that the twin sends in its place.",
        ),
        key(
            "method",
            Kind::Word(PastedMethod::WORDS),
            "Method of a pasted request. Absent: `POST`.",
        ),
        key(
            "path",
            Kind::Text,
            "Path of a pasted request. Absent: `/v1/responses`.",
        ),
        key("expect", Kind::Section(&TURN_EXPECT), "What this turn must show."),
    ],
};

pub(crate) static TURN_EXPECT: Section = Section {
    name: "[turn.expect]",
    about: "What the last answer of the turn must be.",
    required: &[],
    keys: &[
        key("status", Kind::Number(100, 599), "HTTP status."),
        key(
            "refusal",
            Kind::Name(NameKind::Refusal),
            "Refusal by its number in the facts (`E06`). Such a turn takes no reply.",
        ),
        key(
            "prior-protected",
            Kind::Number(0, LARGE),
            "How many protected items the fake says it received.",
        ),
        key(
            "outcome",
            Kind::Word(Outcome::WORDS),
            "How the turn ends for the played client.",
        ),
        key(
            "findings",
            Kind::Names(NameKind::Rule),
            "Rules that fire on this turn's own requests, notes among them.",
        ),
    ],
};

pub(crate) static FAULT: Section = Section {
    name: "[[fault]]",
    about: "What goes wrong on the way.",
    required: &["on", "do"],
    keys: &[
        key(
            "on",
            Kind::Members,
            "When: `{ turn = 2, event = \"response.output_item.done\" }`.",
        ),
        key(
            "do",
            Kind::Fault,
            "What: the name of a fault, or a table with `name` and its options.",
        ),
    ],
};
