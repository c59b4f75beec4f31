//! All patterns over one text.

use std::ops::Range;

use crate::chain::Chain;
use crate::language::Language;
use crate::leaves::Leaves;
use crate::patterns::{by_id, first_output, rebuild, whole_item};
use crate::place::Place;

/// What a pattern says of a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub(super) leaf: usize,
    pub(super) pattern: &'static Pattern,
}

/// A kind of code.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) rule: &'static str,
    pub(super) message: &'static str,
    pub(super) help: &'static str,
}

/// A text that is looked at.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) language: Language,
    pub(super) leaves: Leaves,
    /// In the order of their beginnings.
    pub(super) chains: Vec<Chain>,
}

impl Source {
    /// The chains that begin inside a range.
    pub(super) fn chains_in(&self, range: &Range<usize>) -> impl Iterator<Item = &Chain> {
        let start = self
            .chains
            .partition_point(|chain| chain.range.start < range.start);
        let end = range.end;
        self.chains[start..]
            .iter()
            .take_while(move |chain| chain.range.start < end)
    }
}

/// The rules that a place may name.
pub fn rules() -> Vec<&'static str> {
    let all = [
        &rebuild::REBUILD,
        &first_output::FIRST_OUTPUT,
        &by_id::RESUME,
        &by_id::DEDUPE,
        &whole_item::WHOLE_ITEM,
    ];
    all.into_iter().map(|pattern| pattern.rule).collect()
}

/// Every place of a text, in order; one for each line and rule.
pub fn scan(language: Language, text: &str) -> Vec<Place> {
    let leaves = Leaves::of(language, text);
    let chains = (0..leaves.all.len())
        .filter_map(|at| Chain::at(&leaves, at))
        .collect();
    let source = Source {
        language,
        leaves,
        chains,
    };
    let lines: Vec<&str> = text.lines().collect();
    let hits = rebuild::find(&source)
        .into_iter()
        .chain(first_output::find(&source))
        .chain(by_id::find(&source))
        .chain(whole_item::find(&source));
    let mut places: Vec<Place> = hits.map(|hit| place(&source, hit, &lines)).collect();
    places.sort();
    places.dedup_by(|later, earlier| (later.line, later.rule) == (earlier.line, earlier.rule));
    places
}

fn place(source: &Source, hit: Hit, lines: &[&str]) -> Place {
    let leaf = &source.leaves.all[hit.leaf];
    Place {
        line: leaf.line,
        column: leaf.column,
        rule: hit.pattern.rule,
        message: hit.pattern.message,
        help: hit.pattern.help,
        text: lines.get(leaf.line - 1).map_or("", |line| line.trim()).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_names_line_rule_and_text() {
        let text = "r = create()\nhistory.append({\"role\": \"assistant\", \"content\": r.output_text})\n";
        let places = scan(Language::Python, text);
        assert_eq!(places.len(), 1);
        assert_eq!((places[0].line, places[0].rule), (2, "text-only-rebuild"));
        assert!(places[0].text.starts_with("history.append("));
    }

    #[test]
    fn hostile_text_is_read() {
        for language in Language::ALL {
            for text in [
                "",
                "\u{0}\u{feff}",
                "a[",
                "response.output[0",
                &"a.b(".repeat(5_000),
            ] {
                let _ = scan(language, text);
            }
        }
    }
}
