//! `[server]` and its accounts.

use super::{Kind, LARGE, NameKind, Section, key};
use crate::spec::{Encrypted, IdShape, ItemOrder, ModelKind, Org, PartialToken, TokenShape};
use crate::words::Word;

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
            "Profile of the endpoint. The played client speaks its wire (`holdover list profiles`).",
        ),
        key(
            "switches",
            Kind::Switches,
            "Switches of the profile that are set by hand: `{ stream-done = \"sent\" }`. `--switch` goes before them.",
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
            "The same as `[[account]]`, before those.",
        ),
    ],
};

pub(crate) static ACCOUNT: Section = Section {
    name: "[[account]]",
    about: "Who asks. Tokens, responses, conversations and items belong to an account, and every other one refuses them. A \
            call belongs to the account whose key it bears, else to the one that `OpenAI-Organization` names, else to \
            the first.",
    required: &["name"],
    keys: &[
        key("name", Kind::Text, "Name inside the scenario."),
        key("organisation", Kind::Text, "Organisation id. Absent: derived."),
        key("project", Kind::Text, "Project id. Absent: derived."),
        key(
            "region",
            Kind::Text,
            "Region in which its tokens are sealed. Absent: the default one.",
        ),
        key(
            "keys",
            Kind::Texts,
            "Its API keys; they see the same. The first account also takes every key that no other has.",
        ),
    ],
};
