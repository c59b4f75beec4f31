//! `[agent]` and `[client]`: who talks.

use super::{Kind, LARGE, NameKind, Section, key};
use crate::spec::{Callback, Channel, Include, SessionStore, StateMode, Streaming};
use crate::words::Word;

const POLICY: &[&str] = <holdover_wire::audit::IdPolicy as Word>::WORDS;

pub(crate) static AGENT: Section = Section {
    name: "[agent]",
    about: "The client that Holdover plays. What is absent comes from the preset.",
    required: &[],
    keys: &[
        key(
            "preset",
            Kind::Name(NameKind::Preset),
            "Which client is imitated. Absent: `plain`.",
        ),
        key(
            "state",
            Kind::Word(StateMode::WORDS),
            "How state travels from turn to turn. Absent: `client-replay`.",
        ),
        key("store", Kind::Flag, "`store` of each request. Absent: not sent."),
        key(
            "stream",
            Kind::Flag,
            "Whether answers are streamed. Absent: `false`.",
        ),
        key(
            "transport",
            Kind::Word(Streaming::WORDS),
            "How answers come; `ws` is one WebSocket for the whole session. Absent: as `stream` says.",
        ),
        key(
            "include",
            Kind::Word(Include::WORDS),
            "Whether the request includes `reasoning.encrypted_content`.",
        ),
        key(
            "effort",
            Kind::Text,
            "`reasoning.effort` of each request. Absent: not sent.",
        ),
        key(
            "summary",
            Kind::Text,
            "`reasoning.summary` of each request. Absent: not sent.",
        ),
        key(
            "instructions",
            Kind::Text,
            "`instructions` of each request. Absent: those of the preset.",
        ),
        key(
            "session-store",
            Kind::Word(SessionStore::WORDS),
            "Where history is kept. Absent: `memory`.",
        ),
        key(
            "reasoning-item-id-policy",
            Kind::Word(POLICY),
            "Id policy of a run. Absent: `none`.",
        ),
        key(
            "replay-policy",
            Kind::Policy,
            "What goes back of past reasoning, decided when it is sent: the name of a policy, a file `….toml` beside this one, or a table. Absent: everything that the provider can read.",
        ),
        key(
            "resume-policy",
            Kind::Word(POLICY),
            "Id policy that the resumed run is given. Absent: the one in its state.",
        ),
        key(
            "resume-before",
            Kind::Number(2, LARGE),
            "Turn before which the client is serialised and built again.",
        ),
        key(
            "compact-before",
            Kind::Number(2, LARGE),
            "Turn before which the history is compacted.",
        ),
        key(
            "history-limit",
            Kind::Number(1, LARGE),
            "How many items of the history are sent at most. Absent: all.",
        ),
        key(
            "recover",
            Kind::Flag,
            "Whether a call without an answer is tried again, and a refused history repaired. Absent: only where a fault is planted.",
        ),
        key(
            "callback",
            Kind::Word(Callback::WORDS),
            "Session callback that merges the application's own copy of the session into the history. Absent: `unset`.",
        ),
        key(
            "exports",
            Kind::Words(Channel::WORDS),
            "Texts that the client lets out: `log` a line a turn, `dump` an eval set. Absent: none.",
        ),
        key(
            "handover",
            Kind::Section(&HANDOVER),
            "Answers to the three questions of a handover to another vendor, for the audit record.",
        ),
        key(
            "tools",
            Kind::Tools,
            "Tools: names, tables, or JSON. Absent: one for each function that a reply calls.",
        ),
        key(
            "slip",
            Kind::NameOrNames(NameKind::Slip),
            "Planted mistake, or a list of them.",
        ),
    ],
};

pub(crate) static HANDOVER: Section = Section {
    name: "[agent.handover]",
    about: "A handover to another vendor asks three things (P14); one without an answer is a finding.",
    required: &[],
    keys: &[
        key("peer-needs-id", Kind::Flag, "Does the peer need the id?"),
        key("resume-key", Kind::Text, "What do we resume by?"),
        key("export-public", Kind::Flag, "Is the export public?"),
    ],
};

pub(crate) static CLIENT: Section = Section {
    name: "[client]",
    about: "A real client that is run against the server. It excludes `[agent]`, and it has no twin.",
    required: &["command"],
    keys: &[
        key("command", Kind::Command, "Program and arguments."),
        key(
            "timeout",
            Kind::Number(1, 86_400),
            "Seconds until it is ended. Absent: that of the command line.",
        ),
        key("env", Kind::TextMap, "Variables beside those that Holdover sets."),
    ],
};
