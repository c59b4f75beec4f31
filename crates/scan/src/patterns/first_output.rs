//! The first output item taken for the answer: on a reasoning model it is the reasoning.

use crate::chain::{Chain, Step};
use crate::leaves::Kind;
use crate::patterns::run::{Hit, Pattern, Source};
use crate::words::{has_word, plain};

pub(super) const FIRST_OUTPUT: Pattern = Pattern {
    rule: "orphan-reasoning",
    message: "takes the first output item; on a reasoning model that is the reasoning, not the answer",
    help: "take `output_text` to show, and every item of `output` to go on; look for a type, not for a place",
};

const OUTPUT: [&str; 2] = ["output", "outputitems"];
/// Whose output has nothing to do with a model.
const OTHERS: [&str; 6] = ["process", "proc", "subprocess", "command", "cmd", "child"];

pub(super) fn find(source: &Source) -> Vec<Hit> {
    let hit = |chain: &Chain| Hit {
        leaf: chain.range.start,
        pattern: &FIRST_OUTPUT,
    };
    source
        .chains
        .iter()
        .filter(|chain| {
            takes_first(source, chain) || of_an_iterator(source, chain) || destructured(source, chain)
        })
        .map(hit)
        .collect()
}

fn takes_first(source: &Source, chain: &Chain) -> bool {
    let first_of = chain
        .steps
        .windows(2)
        .any(|pair| matches!(pair, [step, Step::First] if is_output(step)));
    if first_of {
        return !has_word(&chain.root, &OTHERS);
    }
    let bare = plain(&chain.root) == "output" && chain.steps.first() == Some(&Step::First);
    bare && from_a_response(source)
}

/// `next(iter(response.output))`
fn of_an_iterator(source: &Source, chain: &Chain) -> bool {
    let Some(Step::Call(name, arguments)) = chain.steps.first() else {
        return false;
    };
    let inner = Chain::at(&source.leaves, arguments.start + 2);
    name == "next"
        && chain.root == "next"
        && source.leaves.is(arguments.start, "iter")
        && inner.is_some_and(|inner| ends_in_output(&inner))
}

/// `const [message] = response.output;`
fn destructured(source: &Source, chain: &Chain) -> bool {
    let start = chain.range.start;
    let leaves = &source.leaves;
    let after_pattern = start >= 4 && leaves.is(start - 1, "=") && leaves.is(start - 2, "]");
    let single = after_pattern && leaves.all[start - 2].partner == Some(start - 4);
    single && ends_in_output(chain) && (start < 5 || leaves.all[start - 5].kind == Kind::Word)
}

fn ends_in_output(chain: &Chain) -> bool {
    chain.steps.last().is_some_and(is_output)
}

fn is_output(step: &Step) -> bool {
    matches!(step, Step::Member(name) if OUTPUT.contains(&plain(name).as_str()))
}

/// Whether somewhere in the text `output` is made from a response: `output := body["output"]`.
fn from_a_response(source: &Source) -> bool {
    source.chains.iter().any(|chain| {
        let start = chain.range.start;
        let assigned = start >= 2
            && source.leaves.is_any(start - 1, &["=", ":="])
            && plain(source.leaves.text(start - 2)) == "output";
        assigned && chain.steps.iter().any(is_output)
    })
}
