//! An assistant message made from text: the reasoning behind it does not come back.

use std::ops::Range;

use crate::chain::Chain;
use crate::leaves::{Kind, Leaves};
use crate::patterns::run::{Hit, Pattern, Source};
use crate::words::{has_word, plain};

pub(super) const REBUILD: Pattern = Pattern {
    rule: "text-only-rebuild",
    message: "makes the assistant's message from text; the reasoning that led to it is lost",
    help: "append every item of `response.output`, or store them whole",
};

/// Types and functions that make an assistant's message of their argument.
const MAKERS: [&str; 4] = [
    "assistantmessage",
    "aimessage",
    "createassistantmessageitem",
    "assistant",
];
const TEXTS: [&str; 2] = ["text", "answer"];
const CONTENTS: [&str; 3] = ["content", "text", "parts"];
const COMPARES: [&str; 9] = ["==", "!=", "===", "!==", "is", "case", "in", "not", "not in"];

pub(super) fn find(source: &Source) -> Vec<Hit> {
    let leaves = &source.leaves;
    let strings = (0..leaves.all.len())
        .filter(|at| leaves.all[*at].kind == Kind::Text && leaves.text(*at) == "assistant")
        .map(|at| at..at + 1);
    let roles = source
        .chains
        .iter()
        .filter(|chain| is_role(chain))
        .map(|chain| chain.range.clone());
    let made = source.chains.iter().filter_map(|chain| maker(leaves, chain));
    strings
        .chain(roles)
        .filter(|role| is_given(leaves, role) && text_beside(source, role))
        .map(|role| role.end - 1)
        .chain(made)
        .map(|leaf| Hit {
            leaf,
            pattern: &REBUILD,
        })
        .collect()
}

/// `ChatRole.Assistant`, `Role::Assistant`, `RoleAssistant`
fn is_role(chain: &Chain) -> bool {
    let last = plain(chain.last_name());
    let plain_member = chain.calls().next().is_none();
    plain_member && ((last == "assistant" && !chain.steps.is_empty()) || last.ends_with("roleassistant"))
}

/// A role that is set, and not one that is compared.
fn is_given(leaves: &Leaves, role: &Range<usize>) -> bool {
    let before = role.start.checked_sub(1);
    let compared =
        before.is_some_and(|at| leaves.is_any(at, &COMPARES)) || leaves.is_any(role.end, &COMPARES);
    let asked = leaves.all[role.start].inside.is_some_and(|open| {
        let asks = |leaf: &crate::leaves::Leaf| plain(&leaf.text) == "equals";
        leaves.before(open).is_some_and(asks)
    });
    !compared && !asked
}

/// Whether text stands beside the role: between the same brackets, or, where the role is alone there, in its statement.
fn text_beside(source: &Source, role: &Range<usize>) -> bool {
    let leaves = &source.leaves;
    match leaves.group(role.start) {
        Some(group) if group != *role => holds_text(leaves, &group),
        _ => holds_text(leaves, &leaves.statement(role.start)),
    }
}

fn holds_text(leaves: &Leaves, range: &Range<usize>) -> bool {
    range
        .clone()
        .any(|at| is_text(leaves, at) || is_content(leaves, at))
}

/// A variable or member that holds text, and no key of that name.
fn is_text(leaves: &Leaves, at: usize) -> bool {
    let leaf = &leaves.all[at];
    let key = leaves.is_any(at + 1, &[":", "="]);
    let indexed = leaf.kind == Kind::Text && leaves.is(at + 1, "]") && leaf.text == "text";
    indexed || (leaf.kind == Kind::Word && !key && has_word(&leaf.text, &TEXTS) && !is_type(leaves, at))
}

/// A word with a capital that names a type (`TextPart`) says nothing of a value.
fn is_type(leaves: &Leaves, at: usize) -> bool {
    leaves.is_any(at + 1, &["{", "::", "<"])
}

/// `content: answer`: what comes is a variable, and no literal.
fn is_content(leaves: &Leaves, at: usize) -> bool {
    let named = CONTENTS.contains(&plain(leaves.text(at)).as_str());
    let value = leaves.all.get(at + 2);
    let literal = ["null", "None", "nil", "true", "false", "undefined", "f"];
    named
        && leaves.is_any(at + 1, &[":", "="])
        && value.is_some_and(|value| value.kind == Kind::Word && !literal.contains(&value.text.as_str()))
}

/// `new AssistantMessage(text)`, `Message::assistant(answer)`: the leaf that names the maker.
fn maker(leaves: &Leaves, chain: &Chain) -> Option<usize> {
    let names: Vec<String> = chain.names().map(plain).collect();
    let made = names.iter().any(|name| MAKERS.contains(&name.as_str()));
    let (_, arguments) = chain.calls().find(|(name, _)| {
        let name = plain(name);
        MAKERS.contains(&name.as_str()) || (name == "from" && made)
    })?;
    holds_text(leaves, arguments).then_some(chain.range.start)
}
