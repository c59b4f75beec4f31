//! A name with its members, calls and indexes: `response.output().get(0)`.

use std::ops::Range;

use crate::leaves::{Kind, Leaves};
use crate::words::plain;

/// One step of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A member, or an index or a getter with a string: `.output`, `["output"]`, `.get("output")`, `.output()`.
    Member(String),
    /// A call with arguments: its name and the range between its brackets.
    Call(String, Range<usize>),
    /// The first of a list: `[0]`, `.first()`, `.get(0)`.
    First,
    /// Another index: the range between its brackets.
    Index(Range<usize>),
}

/// A chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    /// Name that it begins with.
    pub(crate) root: String,
    pub(crate) steps: Vec<Step>,
    /// All its leaves.
    pub(crate) range: Range<usize>,
}

const MEMBER: [&str; 4] = [".", "?.", "::", "->"];
/// Calls that give the first of a list.
const FIRST: [&str; 5] = ["first", "getfirst", "findfirst", "firstordefault", "next"];
/// Calls that give a list as it is, or the same value in another dress.
const SAME: [&str; 22] = [
    "stream",
    "iter",
    "intoiter",
    "clone",
    "cloned",
    "tostring",
    "asstr",
    "asref",
    "toowned",
    "modeldump",
    "modeldumpjson",
    "todict",
    "tojson",
    "dict",
    "json",
    "rawjson",
    "tolist",
    "toarray",
    "deref",
    "unwrap",
    "values",
    "tomodel",
];
const GETTERS: [&str; 4] = ["get", "getproperty", "at", "path"];

impl Chain {
    /// The chain that begins at a leaf; none when the leaf is no beginning of one.
    pub(crate) fn at(leaves: &Leaves, at: usize) -> Option<Self> {
        let leaf = leaves.all.get(at)?;
        let continues = at > 0 && leaves.is_any(at - 1, &MEMBER) && !spread(leaves, at);
        if leaf.kind != Kind::Word || continues {
            return None;
        }
        let mut chain = Self {
            root: leaf.text.clone(),
            steps: Vec::new(),
            range: at..at + 1,
        };
        chain.extend(leaves);
        Some(chain)
    }

    fn extend(&mut self, leaves: &Leaves) {
        loop {
            let mut next = self.range.end;
            // `!` and `?` between a value and what comes of it: a macro's, a non-null's, an error's.
            if leaves.is_any(next, &["!", "?"]) && leaves.is_any(next + 1, &[".", "(", "["]) {
                next += 1;
            }
            let step = if leaves.is(next, "(") {
                self.call(leaves, next)
            } else if leaves.is(next, "[") {
                index(leaves, next)
            } else if leaves.is_any(next, &MEMBER) {
                member(leaves, next + 1)
            } else {
                None
            };
            let Some((step, end)) = step else { return };
            match step {
                Step::Call(name, arguments) if arguments.is_empty() && !self.steps.is_empty() => {
                    // `.output()` reads like `.output`; the member is there already.
                    self.steps.pop();
                    let name_plain = plain(&name);
                    if FIRST.contains(&name_plain.as_str()) {
                        self.steps.push(Step::First);
                    } else if !SAME.contains(&name_plain.as_str()) {
                        self.steps.push(Step::Member(name));
                    }
                }
                Step::Call(name, arguments) => {
                    if !self.steps.is_empty() {
                        self.steps.pop();
                    }
                    let step = getter(leaves, &name, &arguments).unwrap_or(Step::Call(name, arguments));
                    self.steps.push(step);
                }
                step => self.steps.push(step),
            }
            self.range.end = end;
        }
    }

    /// A call of the last name of the chain.
    fn call(&self, leaves: &Leaves, open: usize) -> Option<(Step, usize)> {
        let close = leaves.all[open].partner?;
        let name = match self.steps.last() {
            None => self.root.clone(),
            Some(Step::Member(name)) => name.clone(),
            Some(_) => return None,
        };
        Some((Step::Call(name, open + 1..close), close + 1))
    }

    /// The last name: that of the member or the call at the end, or the root of a chain without steps.
    pub(crate) fn last_name(&self) -> &str {
        match self.steps.last() {
            None => &self.root,
            Some(Step::Member(name) | Step::Call(name, _)) => name,
            Some(Step::First | Step::Index(_)) => "",
        }
    }

    /// Members and the root, without calls and indexes.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let members = self.steps.iter().filter_map(|step| match step {
            Step::Member(name) | Step::Call(name, _) => Some(name.as_str()),
            Step::First | Step::Index(_) => None,
        });
        std::iter::once(self.root.as_str()).chain(members)
    }

    /// The calls with arguments.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (&str, &Range<usize>)> {
        self.steps.iter().filter_map(|step| match step {
            Step::Call(name, arguments) => Some((name.as_str(), arguments)),
            Step::Member(_) | Step::First | Step::Index(_) => None,
        })
    }
}

/// A spread (`...x`, `..x`) is no member.
fn spread(leaves: &Leaves, at: usize) -> bool {
    leaves.is_any(at - 1, &["...", ".."])
}

fn member(leaves: &Leaves, at: usize) -> Option<(Step, usize)> {
    // `?.[` and `?.(` read as an index and a call.
    if leaves.is(at, "[") {
        return index(leaves, at);
    }
    let leaf = leaves.all.get(at).filter(|leaf| leaf.kind == Kind::Word)?;
    Some((Step::Member(leaf.text.clone()), at + 1))
}

fn index(leaves: &Leaves, open: usize) -> Option<(Step, usize)> {
    let close = leaves.all[open].partner?;
    let inner = open + 1..close;
    Some((only(leaves, &inner).unwrap_or(Step::Index(inner)), close + 1))
}

/// What stands alone between brackets: a string names a member, a nought is the first.
fn only(leaves: &Leaves, inner: &Range<usize>) -> Option<Step> {
    let [leaf] = &leaves.all[inner.clone()] else {
        return None;
    };
    match (leaf.kind, leaf.text.as_str()) {
        (Kind::Text, text) => Some(Step::Member(text.to_owned())),
        (Kind::Number, "0") => Some(Step::First),
        _ => None,
    }
}

fn getter(leaves: &Leaves, name: &str, arguments: &Range<usize>) -> Option<Step> {
    let is_getter = GETTERS.contains(&plain(name).as_str());
    is_getter.then(|| only(leaves, arguments)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    fn chain(language: Language, text: &str) -> Chain {
        Chain::at(&Leaves::of(language, text), 0).expect("a chain")
    }

    fn output_first(language: Language, text: &str) {
        let chain = chain(language, text);
        let member = |name: &str| Step::Member(name.to_owned());
        assert_eq!(chain.root, "response", "{text}");
        assert_eq!(chain.steps[..2], [member("output"), Step::First], "{text}");
    }

    #[test]
    fn the_first_output_reads_the_same_everywhere() {
        output_first(Language::Python, "response.output[0]");
        output_first(Language::Python, "response[\"output\"][0].content");
        output_first(Language::TypeScript, "response.output?.[0]");
        output_first(Language::TypeScript, "response.output.at(0)");
        output_first(Language::Java, "response.output().get(0)");
        output_first(Language::Java, "response.output().stream().findFirst()");
        output_first(Language::Rust, "response.output.into_iter().next()");
    }

    #[test]
    fn a_call_keeps_its_arguments() {
        let chain = chain(Language::TypeScript, "logger.info(a, b)");
        let calls: Vec<_> = chain.calls().map(|(name, range)| (name, range.len())).collect();
        assert_eq!(calls, [("info", 3)]);
    }
}
