//! A text as the leaves of its syntax tree, without comments: names, strings, numbers and signs, each with its line, its
//! statement and its bracket.

use tree_sitter::{Node, Parser};

use crate::language::Language;

/// What a leaf is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or a keyword.
    Word,
    /// A string; its text is what stands between the quotes.
    Text,
    /// A number.
    Number,
    /// Anything else: brackets, operators.
    Sign,
}

/// One leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// From 1.
    pub(crate) line: usize,
    /// In bytes, from 1.
    pub(crate) column: usize,
    /// Its innermost statement.
    pub(crate) statement: usize,
    /// The opening bracket that it stands in.
    pub(crate) inside: Option<usize>,
    /// The other bracket of a pair.
    pub(crate) partner: Option<usize>,
}

/// The leaves of a text, in order.
#[derive(Clone, Debug)]
pub(crate) struct Leaves {
    pub(crate) all: Vec<Leaf>,
}

const STRINGS: [&str; 11] = [
    "string",
    "template_string",
    "string_literal",
    "verbatim_string_literal",
    "raw_string_literal",
    "interpolated_string_expression",
    "interpreted_string_literal",
    "character_literal",
    "char_literal",
    "rune_literal",
    "text_block",
];
const INTERPOLATIONS: [&str; 2] = ["interpolation", "template_substitution"];

impl Leaves {
    /// Reads a text. Parts that are no code of the language are read as well as the parser can.
    pub(crate) fn of(language: Language, text: &str) -> Self {
        let mut parser = Parser::new();
        // The grammars are compiled in with the version that the parser is built for.
        let ready = parser.set_language(&language.grammar()).is_ok();
        let tree = if ready { parser.parse(text, None) } else { None };
        let mut leaves = Self { all: Vec::new() };
        if let Some(tree) = &tree {
            leaves.walk(tree.root_node(), text);
        }
        leaves.pair_brackets();
        leaves
    }

    /// Without recursion: a hostile file nests deeper than a stack.
    fn walk(&mut self, root: Node<'_>, text: &str) {
        let mut open = vec![(root, 0_usize)];
        while let Some((node, statement)) = open.pop() {
            let kind = node.kind();
            let is_string = STRINGS.contains(&kind) && node.is_named();
            if kind.contains("comment") {
                continue;
            }
            let own = if is_statement(kind) { node.id() } else { statement };
            if is_string {
                self.push(Kind::Text, node, text, own);
            } else if node.child_count() == 0 {
                self.push(kind_of(node, text), node, text, own);
                continue;
            }
            let mut cursor = node.walk();
            let children: Vec<_> = node
                .children(&mut cursor)
                .filter(|child| !is_string || INTERPOLATIONS.contains(&child.kind()))
                .collect();
            open.extend(children.into_iter().rev().map(|child| (child, own)));
        }
    }

    fn push(&mut self, kind: Kind, node: Node<'_>, text: &str, statement: usize) {
        let Ok(own) = node.utf8_text(text.as_bytes()) else {
            return;
        };
        if own.is_empty() {
            return;
        }
        let own = if kind == Kind::Text { unquoted(own) } else { own };
        let at = node.start_position();
        self.all.push(Leaf {
            kind,
            text: own.to_owned(),
            line: at.row + 1,
            column: at.column + 1,
            statement,
            inside: None,
            partner: None,
        });
    }

    fn pair_brackets(&mut self) {
        let mut open: Vec<usize> = Vec::new();
        for at in 0..self.all.len() {
            let sign = self.all[at].kind == Kind::Sign;
            match self.all[at].text.as_str() {
                "(" | "[" | "{" | "${" if sign => {
                    self.all[at].inside = open.last().copied();
                    open.push(at);
                }
                ")" | "]" | "}" if sign => {
                    if let Some(start) = open.pop() {
                        self.all[at].partner = Some(start);
                        self.all[start].partner = Some(at);
                    }
                    self.all[at].inside = open.last().copied();
                }
                _ => self.all[at].inside = open.last().copied(),
            }
        }
    }

    /// The text of a sign or word; empty outside.
    pub(crate) fn text(&self, at: usize) -> &str {
        self.all.get(at).map_or("", |leaf| leaf.text.as_str())
    }

    /// Whether a leaf is this sign or keyword, and no string of the same text.
    pub(crate) fn is(&self, at: usize, text: &str) -> bool {
        self.all
            .get(at)
            .is_some_and(|leaf| leaf.kind != Kind::Text && leaf.text == text)
    }

    /// Whether a leaf is one of these signs or keywords.
    pub(crate) fn is_any(&self, at: usize, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.is(at, text))
    }

    /// The leaf before, if there is one.
    pub(crate) fn before(&self, at: usize) -> Option<&Leaf> {
        self.all.get(at.checked_sub(1)?)
    }

    /// The range between the brackets around a leaf.
    pub(crate) fn group(&self, at: usize) -> Option<std::ops::Range<usize>> {
        let open = self.all.get(at)?.inside?;
        let close = self.all[open].partner.unwrap_or(self.all.len());
        Some(open + 1..close)
    }

    /// The range of the statement of a leaf.
    pub(crate) fn statement(&self, at: usize) -> std::ops::Range<usize> {
        let own = self.all[at].statement;
        let same = |leaf: &Leaf| leaf.statement == own;
        let start = self.all[..at]
            .iter()
            .rposition(|leaf| !same(leaf))
            .map_or(0, |at| at + 1);
        let end = self.all[at..]
            .iter()
            .position(|leaf| !same(leaf))
            .map_or(self.all.len(), |length| at + length);
        start..end
    }
}

fn is_statement(kind: &str) -> bool {
    kind.ends_with("_statement") || kind.ends_with("_declaration") || kind.ends_with("_definition")
}

fn kind_of(node: Node<'_>, text: &str) -> Kind {
    let own = node.utf8_text(text.as_bytes()).unwrap_or_default();
    match own.chars().next() {
        Some(first) if first.is_alphabetic() || first == '_' => Kind::Word,
        Some(first) if first.is_ascii_digit() => Kind::Number,
        _ => Kind::Sign,
    }
}

/// A string without its prefix and quotes.
fn unquoted(text: &str) -> &str {
    let quote = |character: char| matches!(character, '"' | '\'' | '`');
    let start = text.find(quote).unwrap_or(0);
    text[start..].trim_matches(|character| quote(character) || character == '#')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_gone_and_strings_are_one_leaf() {
        let leaves = Leaves::of(Language::Python, "# x = 1\ny = f'a {b.c} d'\n");
        let texts: Vec<_> = leaves.all.iter().map(|leaf| leaf.text.as_str()).collect();
        assert_eq!(texts, ["y", "=", "a {b.c} d", "{", "b", ".", "c", "}"]);
        assert_eq!(leaves.all[2].kind, Kind::Text);
        assert_eq!(leaves.all[4].inside, Some(3));
        assert_eq!(leaves.all[0].line, 2);
    }

    #[test]
    fn any_text_is_read_in_any_language() {
        for language in Language::ALL {
            for text in ["", "((((", "\"", "}}}}", "a.b[0](", &"(".repeat(20_000)] {
                let _ = Leaves::of(language, text);
            }
        }
    }
}
