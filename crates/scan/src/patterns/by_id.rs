//! Items addressed by their id: under the policy `omit` there is none.

use std::ops::Range;

use crate::chain::{Chain, Step};
use crate::leaves::{Kind, Leaves};
use crate::patterns::run::{Hit, Pattern, Source};
use crate::words::{has_word, plain, words};

pub(super) const RESUME: Pattern = Pattern {
    rule: "resume-by-stripped-id",
    message: "addresses an item by its id; under `reasoning_item_id_policy=omit` reasoning has none",
    help: "resume by a serialized run state or a business key, and tell reasoning by its `type`",
};

pub(super) const DEDUPE: Pattern = Pattern {
    rule: "dedupe-by-stripped-id",
    message: "tells items apart by their id; under `reasoning_item_id_policy=omit` reasoning has none",
    help: "compare whole items, or merge by position",
};

const ITEMS: [&str; 4] = ["item", "items", "output", "reasoning"];
const SEEN: [&str; 5] = ["seen", "known", "existing", "unique", "processed"];
const ASKS: [&str; 5] = ["has", "add", "contains", "insert", "includes"];
const PUTS: [&str; 4] = ["set", "put", "insert", "add"];
const PREFIXES: [&str; 2] = ["startswith", "hasprefix"];
const KEYED: [&str; 5] = ["todictionary", "keyby", "associateby", "indexby", "tomap"];
const DISTINCT: [&str; 5] = ["distinctby", "uniqby", "uniqueby", "dedupbykey", "dedupby"];
const EQUALS: [&str; 3] = ["==", "===", "is"];

pub(super) fn find(source: &Source) -> Vec<Hit> {
    let mut hits = Vec::new();
    for chain in &source.chains {
        hits.extend(by_call(source, chain));
        if is_id(chain) {
            hits.extend(by_place(source, chain));
        }
    }
    hits
}

fn hit(chain: &Chain, pattern: &'static Pattern) -> Hit {
    Hit {
        leaf: chain.range.start,
        pattern,
    }
}

/// `item.id`, `item["id"]`, `i.id()`
fn is_id(chain: &Chain) -> bool {
    matches!(chain.steps.last(), Some(Step::Member(name)) if is_id_name(name))
}

fn is_id_name(name: &str) -> bool {
    matches!(plain(name).as_str(), "id" | "getid")
}

fn is_item(chain: &Chain) -> bool {
    has_word(&chain.root, &ITEMS)
}

/// Chains that call something with an id.
fn by_call(source: &Source, chain: &Chain) -> Option<Hit> {
    let leaves = &source.leaves;
    for (name, arguments) in chain.calls() {
        let name = plain(name);
        let called = |list: &[&str]| list.contains(&name.as_str());
        let of_reasoning =
            |at: usize| leaves.all[at].kind == Kind::Text && leaves.text(at).starts_with("rs_");
        if called(&PREFIXES) && arguments.clone().any(of_reasoning) {
            return Some(hit(chain, &RESUME));
        }
        let of_ids = chain.names().any(is_id_name);
        if called(&["equals"]) && of_ids && names_reasoning(leaves, arguments) {
            return Some(hit(chain, &RESUME));
        }
        let ids = |range: &Range<usize>| source.chains_in(range).any(is_id);
        if called(&DISTINCT) && (ids(arguments) || holds_text(leaves, arguments, "id")) {
            return Some(hit(chain, &DEDUPE));
        }
        let items = chain
            .names()
            .any(|name| has_word(name, &ITEMS) || plain(name) == "history");
        if called(&KEYED) && ids(arguments) && items {
            return Some(hit(chain, &RESUME));
        }
    }
    None
}

/// An id that stands where it addresses something.
fn by_place(source: &Source, chain: &Chain) -> Option<Hit> {
    let leaves = &source.leaves;
    let (start, end) = (chain.range.start, chain.range.end);
    let before = |text: &str| start > 0 && leaves.is(start - 1, text);
    let compared = EQUALS.iter().any(|sign| before(sign) || leaves.is(end, sign));
    if compared
        && (word_names_reasoning(leaves, end + 1) || (start > 1 && word_names_reasoning(leaves, start - 2)))
    {
        return Some(hit(chain, &RESUME));
    }
    if before("=") && start > 1 && has_word(leaves.text(start - 2), &["resume"]) {
        return Some(hit(chain, &RESUME));
    }
    if !is_item(chain) {
        return None;
    }
    if is_member_of_seen(leaves, chain) {
        return Some(hit(chain, &DEDUPE));
    }
    let indexed = before("[") && leaves.is(end, "]") && leaves.is(end + 1, "=");
    let put = leaves.is(end, ",") && before("(") && called_before(leaves, start - 1, &PUTS);
    let pair = before("[") && leaves.is(end, ",") && statement_has(leaves, start, "Map");
    let comprehension = before("{") && leaves.is(end, ":") && group_has(leaves, start, "for");
    if indexed || put {
        return Some(hit(chain, &RESUME));
    }
    if pair || comprehension {
        let merged = merges(leaves, start);
        return Some(hit(chain, if merged { &DEDUPE } else { &RESUME }));
    }
    None
}

/// `item.id in seen`, `seen.has(item.id)`, `seen[item.id]`
fn is_member_of_seen(leaves: &Leaves, chain: &Chain) -> bool {
    let (start, end) = (chain.range.start, chain.range.end);
    let seen = |at: usize| {
        let words = words(leaves.text(at));
        let ids = words.last().is_some_and(|word| word == "ids");
        ids || words.iter().any(|word| SEEN.contains(&word.as_str()))
    };
    let in_seen = (leaves.is_any(end, &["in", "not in"]) && seen(end + 1))
        || (leaves.is(end, "not") && leaves.is(end + 1, "in") && seen(end + 2));
    let indexed = start > 1 && leaves.is(start - 1, "[") && leaves.is(end, "]") && seen(start - 2);
    let asked = start > 3
        && leaves.is(start - 1, "(")
        && called_before(leaves, start - 1, &ASKS)
        && seen(start.saturating_sub(4));
    in_seen || indexed || asked
}

fn called_before(leaves: &Leaves, open: usize, names: &[&str]) -> bool {
    leaves
        .before(open)
        .is_some_and(|leaf| names.contains(&plain(&leaf.text).as_str()))
}

/// Whether two lists become one here.
fn merges(leaves: &Leaves, at: usize) -> bool {
    let range = leaves.statement(at);
    let spreads = range.clone().filter(|at| leaves.is(*at, "...")).count();
    spreads > 1
        || range
            .clone()
            .any(|at| leaves.is(at, "+") || plain(leaves.text(at)) == "concat")
}

fn statement_has(leaves: &Leaves, at: usize, text: &str) -> bool {
    leaves.statement(at).any(|at| leaves.is(at, text))
}

fn group_has(leaves: &Leaves, at: usize, text: &str) -> bool {
    leaves
        .group(at)
        .is_some_and(|mut group| group.any(|at| leaves.is(at, text)))
}

fn holds_text(leaves: &Leaves, range: &Range<usize>, text: &str) -> bool {
    range
        .clone()
        .any(|at| leaves.all[at].kind == Kind::Text && leaves.text(at) == text)
}

fn names_reasoning(leaves: &Leaves, range: &Range<usize>) -> bool {
    range.clone().any(|at| word_names_reasoning(leaves, at))
}

fn word_names_reasoning(leaves: &Leaves, at: usize) -> bool {
    let word = leaves.all.get(at).is_some_and(|leaf| leaf.kind == Kind::Word);
    word && has_word(leaves.text(at), &["reasoning"])
}
