//! Reading one table by its keys: unknown keys, wrong types and unknown words become problems.

use std::collections::{BTreeMap, BTreeSet};

use crate::keys::{self, Key, Kind, NameKind, Section};
use crate::problem::{Code, Located, Problem, Span};
use crate::suggest::{hint, nearest, quoted};
use crate::tree::{Entry, Node, Value};
use crate::vocabulary::{Names, Vocabulary};
use crate::words::Word;

/// What all tables share: the file, the known names, the problems so far.
pub(crate) struct Reader<'a> {
    file: &'a str,
    pub(crate) text: &'a str,
    pub(crate) vocabulary: &'a Vocabulary,
    /// Models that the file declares.
    pub(crate) declared_models: BTreeSet<String>,
    problems: Vec<Problem>,
}

/// One table of the file with the keys that it may have.
#[derive(Clone)]
pub(crate) struct Fields<'t> {
    section: &'static Section,
    entries: &'t [Entry],
}

impl<'t> Fields<'t> {
    /// The entry under `key`.
    pub(crate) fn get(&self, key: &str) -> Option<&'t Entry> {
        debug_assert!(
            find(self.section, key).is_some(),
            "no `{key}` in {}",
            self.section.name
        );
        self.entries.iter().find(|entry| entry.key == key)
    }

    fn kind(&self, key: &str) -> Option<Kind> {
        find(self.section, key).map(|key| key.kind)
    }
}

fn find(section: &'static Section, key: &str) -> Option<&'static Key> {
    section.keys.iter().find(|known| known.name == key)
}

impl<'a> Reader<'a> {
    pub(crate) fn new(file: &'a str, text: &'a str, vocabulary: &'a Vocabulary) -> Self {
        Self {
            file,
            text,
            vocabulary,
            declared_models: BTreeSet::new(),
            problems: Vec::new(),
        }
    }

    pub(crate) fn file(&self) -> &'a str {
        self.file
    }

    pub(crate) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }

    /// A problem that the caller finishes and hands to [`Reader::report`].
    pub(crate) fn problem(&self, code: Code, span: &Span, message: impl Into<String>) -> Problem {
        Problem::new(code, self.file, span.clone(), message)
    }

    pub(crate) fn report(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// The fields of `node`, with a problem for each unknown key and each required key that is absent.
    pub(crate) fn open<'t>(&mut self, section: &'static Section, node: &'t Node) -> Option<Fields<'t>> {
        let Value::Table(entries) = &node.value else {
            self.wrong_type(&section.title(), "a table", node);
            return None;
        };
        for entry in entries {
            if find(section, &entry.key).is_none() {
                self.unknown_key(section, entry);
            }
        }
        for required in section.required {
            if !entries.iter().any(|entry| entry.key == *required) {
                let message = format!("{} has no `{required}`", section.title());
                let problem = self.problem(Code::MissingKey, &node.span, message);
                self.report(
                    problem
                        .label("it belongs here")
                        .help(format!("add `{required} = …`")),
                );
            }
        }
        Some(Fields { section, entries })
    }

    fn unknown_key(&mut self, section: &'static Section, entry: &Entry) {
        let names: Vec<&str> = section.keys.iter().map(|key| key.name).collect();
        let here = nearest(&entry.key, names.iter().copied());
        let help = match (here, keys::elsewhere(&entry.key)) {
            (None, Some((key, other))) => format!("`{key}` is a key of {}", other.title()),
            _ => hint(&entry.key, &names, "the keys are"),
        };
        let message = format!("{} has no key `{}`", section.title(), entry.key);
        let problem = self.problem(Code::UnknownKey, &entry.key_span, message);
        self.report(problem.label("no such key").help(help));
    }

    /// `what` takes `wanted`, but `node` is something else.
    pub(crate) fn wrong_type(&mut self, what: &str, wanted: &str, node: &Node) {
        let found = node.type_name();
        let problem = self.problem(
            Code::WrongType,
            &node.span,
            format!("{what} takes {wanted}, not {found}"),
        );
        let problem = problem.label(found);
        let is_quoted = match &node.value {
            Value::Text(text) if wanted == "a boolean" => ["true", "false"].contains(&text.as_str()),
            Value::Text(text) if wanted == "an integer" => text.parse::<i64>().is_ok(),
            _ => false,
        };
        let is_bare = wanted == "a string" && matches!(node.value, Value::Integer(_) | Value::Flag(_));
        self.report(match (is_quoted, is_bare) {
            (true, _) => problem.help("write it without quotes"),
            (_, true) => problem.help("put it in quotes"),
            _ => problem,
        });
    }

    /// A string.
    pub(crate) fn text(&mut self, fields: &Fields<'_>, key: &str) -> Option<Located<String>> {
        let entry = fields.get(key)?;
        self.text_of(&format!("`{key}`"), &entry.node)
    }

    /// A string, without its place.
    pub(crate) fn plain(&mut self, fields: &Fields<'_>, key: &str) -> Option<String> {
        self.text(fields, key).map(|text| text.value)
    }

    /// The string that `node` is.
    pub(crate) fn text_of(&mut self, what: &str, node: &Node) -> Option<Located<String>> {
        if let Value::Text(text) = &node.value {
            return Some(Located::new(text.clone(), node.span.clone()));
        }
        self.wrong_type(what, "a string", node);
        None
    }

    /// `true` or `false`.
    pub(crate) fn flag(&mut self, fields: &Fields<'_>, key: &str) -> Option<bool> {
        let entry = fields.get(key)?;
        if let Value::Flag(flag) = entry.node.value {
            return Some(flag);
        }
        self.wrong_type(&format!("`{key}`"), "a boolean", &entry.node);
        None
    }

    /// A whole number inside the range of its key, as the type that the caller wants.
    pub(crate) fn number<N: TryFrom<i64>>(&mut self, fields: &Fields<'_>, key: &str) -> Option<Located<N>> {
        let entry = fields.get(key)?;
        let (low, high) = match fields.kind(key) {
            Some(Kind::Number(low, high)) => (low, high),
            _ => (0, i64::MAX),
        };
        let Value::Integer(number) = entry.node.value else {
            self.wrong_type(&format!("`{key}`"), "an integer", &entry.node);
            return None;
        };
        let inside = number.filter(|number| (low..=high).contains(number));
        if let Some(number) = inside.and_then(|number| N::try_from(number).ok()) {
            return Some(Located::new(number, entry.node.span.clone()));
        }
        let range = if high == i64::MAX {
            format!("from {low}")
        } else {
            format!("from {low} to {high}")
        };
        let problem = self.problem(
            Code::OutOfRange,
            &entry.node.span,
            format!("`{key}` takes numbers {range}"),
        );
        self.report(problem.label("outside the range"));
        None
    }

    /// One of the words of `T`.
    pub(crate) fn word<T: Word>(&mut self, fields: &Fields<'_>, key: &str) -> Option<Located<T>> {
        let entry = fields.get(key)?;
        self.word_of(&format!("`{key}`"), &entry.node)
    }

    /// The word that `node` is.
    pub(crate) fn word_of<T: Word>(&mut self, what: &str, node: &Node) -> Option<Located<T>> {
        let Value::Text(text) = &node.value else {
            self.wrong_type(what, &format!("one of {}", quoted(T::WORDS)), node);
            return None;
        };
        if let Some(value) = T::of(text) {
            return Some(Located::new(value, node.span.clone()));
        }
        self.unknown_word(what, text, T::WORDS, &node.span);
        None
    }

    /// `what` does not take the word `text`.
    pub(crate) fn unknown_word(&mut self, what: &str, text: &str, words: &[&str], span: &Span) {
        let problem = self.problem(Code::UnknownWord, span, format!("{what} does not take `{text}`"));
        let problem = problem.label("no such word");
        self.report(problem.help(hint(text, words, "it takes one of")));
    }

    /// A list of words of `T`.
    pub(crate) fn words<T: Word>(&mut self, fields: &Fields<'_>, key: &str) -> Vec<T> {
        let what = format!("`{key}`");
        let nodes = self.list(fields, key);
        let words = nodes.iter().filter_map(|node| self.word_of(&what, node));
        words.map(|word| word.value).collect()
    }

    /// The elements of a list.
    pub(crate) fn list<'t>(&mut self, fields: &Fields<'t>, key: &str) -> &'t [Node] {
        let Some(entry) = fields.get(key) else {
            return &[];
        };
        if let Value::List(nodes) = &entry.node.value {
            return nodes;
        }
        self.wrong_type(&format!("`{key}`"), "a list", &entry.node);
        &[]
    }

    /// The tables of a list of tables. A single table gets the hint to double the brackets.
    pub(crate) fn tables<'t>(&mut self, fields: &Fields<'t>, key: &str) -> &'t [Node] {
        match fields.get(key) {
            Some(Entry {
                node:
                    node @ Node {
                        value: Value::Table(_),
                        ..
                    },
                ..
            }) => {
                let message = format!("`{key}` is a list of tables");
                let problem = self.problem(Code::WrongType, &node.span, message);
                self.report(problem.label("one table").help(format!("write `[[{key}]]`")));
                &[]
            }
            _ => self.list(fields, key),
        }
    }

    /// A list of strings.
    pub(crate) fn texts(&mut self, fields: &Fields<'_>, key: &str) -> Vec<Located<String>> {
        let what = format!("`{key}`");
        let nodes = self.list(fields, key);
        nodes
            .iter()
            .filter_map(|node| self.text_of(&what, node))
            .collect()
    }

    /// A table of strings.
    pub(crate) fn text_map(&mut self, fields: &Fields<'_>, key: &str) -> BTreeMap<String, String> {
        let Some(entry) = fields.get(key) else {
            return BTreeMap::new();
        };
        if !matches!(entry.node.value, Value::Table(_)) {
            self.wrong_type(&format!("`{key}`"), "a table", &entry.node);
        }
        let entries = entry.node.entries().iter();
        let texts = entries.filter_map(|entry| {
            let text = self.text_of(&format!("`{}`", entry.key), &entry.node)?;
            Some((entry.key.clone(), text.value))
        });
        texts.collect()
    }

    /// A name that the vocabulary knows.
    pub(crate) fn name(&mut self, fields: &Fields<'_>, key: &str) -> Option<Located<String>> {
        let name = self.text(fields, key)?;
        self.known(fields, key, name)
    }

    /// A list of names that the vocabulary knows.
    pub(crate) fn names(&mut self, fields: &Fields<'_>, key: &str) -> Vec<Located<String>> {
        let names = self.texts(fields, key);
        names
            .into_iter()
            .filter_map(|name| self.known(fields, key, name))
            .collect()
    }

    /// One name or a list of them.
    pub(crate) fn name_or_names(&mut self, fields: &Fields<'_>, key: &str) -> Vec<Located<String>> {
        let Some(entry) = fields.get(key) else {
            return Vec::new();
        };
        match &entry.node.value {
            Value::Text(_) => self.name(fields, key).into_iter().collect(),
            Value::List(_) => self.names(fields, key),
            _ => {
                self.wrong_type(&format!("`{key}`"), "a string or a list of strings", &entry.node);
                Vec::new()
            }
        }
    }

    fn known(&mut self, fields: &Fields<'_>, key: &str, name: Located<String>) -> Option<Located<String>> {
        let Some(Kind::Name(kind) | Kind::Names(kind) | Kind::NameOrNames(kind)) = fields.kind(key) else {
            return Some(name);
        };
        let (names, code) = self.names_of(kind);
        let declared = kind == NameKind::Model && self.declared_models.contains(&name.value);
        if declared || names.has(&name.value) {
            return Some(name);
        }
        let noun = kind.noun();
        let known: Vec<&str> = names.list().iter().map(String::as_str).collect();
        let help = hint(&name.value, &known, &format!("the {noun}s are"));
        let problem = self.problem(code, &name.span, format!("there is no {noun} `{}`", name.value));
        self.report(problem.label(format!("no such {noun}")).help(help));
        None
    }

    fn names_of(&self, kind: NameKind) -> (&'a Names, Code) {
        let vocabulary = self.vocabulary;
        match kind {
            NameKind::Rule => (&vocabulary.rules, Code::UnknownRule),
            NameKind::Slip => (&vocabulary.slips, Code::UnknownSlip),
            NameKind::Model => (&vocabulary.models, Code::UnknownModel),
            NameKind::Profile => (&vocabulary.profiles, Code::UnknownProfile),
            NameKind::Preset => (&vocabulary.presets, Code::UnknownPreset),
            NameKind::Refusal => (&vocabulary.refusals, Code::UnknownRefusal),
            NameKind::Result => (&vocabulary.results, Code::UnknownResult),
        }
    }
}
