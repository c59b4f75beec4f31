//! Whole items, responses or histories that get into a log, a dump or a span: tokens and reasoning go with them.

use crate::chain::{Chain, Step};
use crate::language::Language;
use crate::leaves::Kind;
use crate::patterns::run::{Hit, Pattern, Source};
use crate::words::{has_word, plain, words};

pub(super) const WHOLE_ITEM: Pattern = Pattern {
    rule: "protected-data-in-export",
    message: "lets whole items out; ids, encrypted content and summaries go with them",
    help: "log types, counts, call ids and usage; a redacting filter takes the rest out",
};

/// Calls that let their arguments out; a word of the name is enough.
const SINKS: [&str; 18] = [
    "info",
    "debug",
    "warn",
    "warning",
    "error",
    "trace",
    "log",
    "print",
    "println",
    "printf",
    "eprintln",
    "exception",
    "critical",
    "dbg",
    "write",
    "attribute",
    "tag",
    "writeline",
];
/// Calls that give their argument in another form, so that it still is the whole.
const SAME: [&str; 21] = [
    "stringify",
    "dumps",
    "dump",
    "serialize",
    "writevalueasstring",
    "str",
    "repr",
    "pformat",
    "format",
    "list",
    "asdict",
    "inspect",
    "string",
    "sprintf",
    "marshal",
    "tostring",
    "tovalue",
    "dict",
    "pretty",
    "valueof",
    "modeldump",
];
const WHOLE: [&str; 6] = ["response", "resp", "history", "item", "items", "outputitems"];
const OUTPUT: [&str; 2] = ["output", "outputitems"];
/// Whose output has nothing to do with a model.
const OTHERS: [&str; 7] = [
    "process",
    "proc",
    "subprocess",
    "command",
    "cmd",
    "child",
    "result",
];

pub(super) fn find(source: &Source) -> Vec<Hit> {
    source
        .chains
        .iter()
        .filter(|chain| lets_out(source, chain))
        .map(|chain| Hit {
            leaf: chain.range.start,
            pattern: &WHOLE_ITEM,
        })
        .collect()
}

fn lets_out(source: &Source, chain: &Chain) -> bool {
    chain.calls().any(|(name, arguments)| {
        if !has_word(name, &SINKS) {
            return false;
        }
        let mut whole = source
            .chains_in(arguments)
            .filter(|inner| is_whole(inner) && is_value(source, inner, arguments.start));
        whole.next().is_some() || named_in_format(source, arguments)
    })
}

/// A chain that is a whole item, a list of them, or a response.
fn is_whole(chain: &Chain) -> bool {
    match chain.steps.last() {
        None => WHOLE.contains(&plain(&chain.root).as_str()),
        Some(Step::Member(name)) => OUTPUT.contains(&plain(name).as_str()) && !has_word(&chain.root, &OTHERS),
        Some(Step::First | Step::Call(..) | Step::Index(_)) => false,
    }
}

/// Whether a chain inside the arguments is what is let out: no key, no source of a loop, and not given to a function
/// that makes something else of it.
fn is_value(source: &Source, chain: &Chain, arguments_start: usize) -> bool {
    let leaves = &source.leaves;
    let (start, end) = (chain.range.start, chain.range.end);
    let key = leaves.is_any(end, &[":", "="]) && !leaves.is(end, "==");
    let looped = start > 0 && leaves.is_any(start - 1, &["in", "of", "for", "=>", "->", "|"]);
    let parameter = leaves.is_any(end, &["=>", "->"]);
    if key || looped || parameter {
        return false;
    }
    let mut open = leaves.all[start].inside;
    while let Some(at) = open.filter(|at| *at >= arguments_start) {
        let called = leaves.is(at, "(") && leaves.before(at).is_some_and(|leaf| leaf.kind == Kind::Word);
        let name = plain(leaves.text(at.saturating_sub(1)));
        if called && !SAME.contains(&name.as_str()) {
            return false;
        }
        open = leaves.all[at].inside;
    }
    true
}

/// `"{response:?}"` of Rust, which no grammar takes apart.
fn named_in_format(source: &Source, arguments: &std::ops::Range<usize>) -> bool {
    if source.language != Language::Rust {
        return false;
    }
    let texts = source.leaves.all[arguments.clone()]
        .iter()
        .filter(|leaf| leaf.kind == Kind::Text);
    texts
        .flat_map(|leaf| leaf.text.split('{').skip(1))
        .filter_map(|part| part.split(['}', ':']).next())
        .any(|name| WHOLE.contains(&words(name).concat().as_str()))
}
