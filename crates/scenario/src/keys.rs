//! The tables of keys. The reader refuses what is not here, the JSON Schema and the reference are made from here.

use crate::spec::{
    Callback, Channel, Encrypted, IdShape, Include, ItemOrder, ModelKind, Org, PartialToken, SessionStore,
    StateMode, Table, TokenShape, VerdictWord,
};
use crate::suggest::nearest;
use crate::words::Word;

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
    /// A condition: any members.
    Members,
    /// A fault: its name, or a table with `name` and its options.
    Fault,
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

pub(crate) static SERVER: Section = Section {
    name: "[server]",
    about: "The fake that the client talks to. What is absent comes from the profile or the command line.",
    required: &[],
    keys: &[
        key(
            "model",
            Kind::Name(NameKind::Model),
            "Model that the played client asks for.",
        ),
        key(
            "models",
            Kind::WordMap(ModelKind::WORDS),
            "Models that the file adds or overrides: `{ mine = \"plain\" }`.",
        ),
        key("effort", Kind::Text, "Effort of a request that names none."),
        key(
            "profile",
            Kind::Name(NameKind::Profile),
            "Profile of the endpoint.",
        ),
        key("org", Kind::Word(Org::WORDS), "Retention of the organisation."),
        key("seed", Kind::Number(0, i64::MAX), "Seed of ids and tokens."),
        key(
            "token-size",
            Kind::Number(64, LARGE),
            "Characters of a full token.",
        ),
        key(
            "id-shape",
            Kind::Word(IdShape::WORDS),
            "Form of item ids; `tenant` issues `rs_tenantA_trace_…`.",
        ),
        key(
            "token-shape",
            Kind::Word(TokenShape::WORDS),
            "Form of encrypted content.",
        ),
        key(
            "encrypted",
            Kind::Word(Encrypted::WORDS),
            "When encrypted content is sent out.",
        ),
        key(
            "partial-token",
            Kind::Word(PartialToken::WORDS),
            "Replay of the short token of `output_item.added`.",
        ),
        key(
            "order",
            Kind::Word(ItemOrder::WORDS),
            "Order of `added` and `done` in a stream.",
        ),
        key(
            "auto-tools",
            Kind::WordOrTexts(&["off", "named", "any"]),
            "When an unscripted answer calls a tool; a list names the tools.",
        ),
        key(
            "accounts",
            Kind::Sections(&ACCOUNT),
            "Who asks. Absent: one default account.",
        ),
    ],
};

pub(crate) static ACCOUNT: Section = Section {
    name: "[[server.accounts]]",
    about: "One account. Tokens belong to it.",
    required: &["name"],
    keys: &[
        key("name", Kind::Text, "Name inside the scenario."),
        key("organisation", Kind::Text, "Organisation id. Absent: derived."),
        key("project", Kind::Text, "Project id. Absent: derived."),
        key("region", Kind::Text, "Region. Absent: the default one."),
    ],
};

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

const POLICY: &[&str] = <holdover_wire::audit::IdPolicy as Word>::WORDS;

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
            "tool-output",
            Kind::Outputs,
            "Outputs under call ids, or under a tool's name if exactly one open call has it.",
        ),
        key(
            "reply",
            Kind::Reply,
            "Parts of the reply, in order. Absent: the default reply.",
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
            "Rules that fire above `note`, and no others. Absent: a clean run unless there is a slip.",
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

/// Every table of the format, in the order of the reference.
pub(crate) static ALL: &[&Section] = &[
    &ROOT,
    &SERVER,
    &ACCOUNT,
    &AGENT,
    &CLIENT,
    &TURN,
    &TURN_EXPECT,
    &FAULT,
    &EXPORT,
    &ALLOW,
    &EXPECT,
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
