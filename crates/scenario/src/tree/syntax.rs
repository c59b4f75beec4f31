//! Syntax errors of `toml` as problems: in our words where its own mislead, and without what only follows from another.

use toml::de::Error;

use super::{Node, Value, clip};
use crate::problem::{Code, Problem, Span};

/// A problem for each error that has a cause of its own, and the spans of which nothing sure can be said.
pub(super) fn problems(file: &str, text: &str, root: &Node, errors: &[Error]) -> (Vec<Problem>, Vec<Span>) {
    let mut problems = Vec::new();
    let mut swallowed: Option<Span> = None;
    for error in errors
        .iter()
        .filter(|error| error.message().starts_with("unclosed"))
    {
        let at = place(text, error);
        if let Some(open) = swallowed.is_none().then(|| unclosed(root, at.end)).flatten() {
            problems.push(never_closed(file, text, &open));
            swallowed = Some(open);
        }
    }
    for error in errors {
        let at = place(text, error);
        let follows = swallowed
            .as_ref()
            .is_some_and(|open| open.start <= at.start && at.end <= open.end.max(at.end));
        if !follows {
            problems.push(one(file, text, root, error, at));
        }
    }
    let mut ruined: Vec<Span> = problems.iter().map(|problem| problem.at.span.clone()).collect();
    ruined.extend(swallowed);
    (problems, ruined)
}

fn place(text: &str, error: &Error) -> Span {
    clip(text, error.span().unwrap_or(text.len()..text.len()))
}

fn one(file: &str, text: &str, root: &Node, error: &Error, at: Span) -> Problem {
    if error.message().starts_with("duplicate key") {
        return duplicate(file, text, root, at);
    }
    let rest = text[at.start..].trim_start_matches([' ', '\t']);
    let is_missing_value = text[..at.start].trim_end_matches([' ', '\t']).ends_with('=');
    if is_missing_value && (rest.is_empty() || rest.starts_with(['\n', '\r', '#'])) {
        let problem = Problem::new(Code::Syntax, file, at, "a key has no value");
        return problem
            .label("it belongs here")
            .help("give it a value, or drop the line");
    }
    Problem::new(Code::Syntax, file, at, lower_first(error.message())).label("not TOML from here")
}

fn duplicate(file: &str, text: &str, root: &Node, at: Span) -> Problem {
    let key = text[at.clone()].trim_matches(['"', '\'']).to_owned();
    let problem = Problem::new(
        Code::Syntax,
        file,
        at.clone(),
        format!("the key `{key}` is given twice"),
    );
    let problem = problem.label("given again").help("keep one of them");
    match earlier(root, &key, at.start) {
        Some(first) => problem.other(first, "given here"),
        None => problem,
    }
}

/// The last key of that name before `limit`, anywhere in the tree.
fn earlier(node: &Node, key: &str, limit: usize) -> Option<Span> {
    let inner = match &node.value {
        Value::Table(entries) => {
            let own = entries
                .iter()
                .filter(|entry| entry.key == key)
                .map(|entry| entry.key_span.clone());
            let deeper = entries
                .iter()
                .filter_map(|entry| earlier(&entry.node, key, limit));
            own.chain(deeper)
                .filter(|span| span.start < limit)
                .max_by_key(|span| span.start)
        }
        Value::List(nodes) => {
            let deeper = nodes.iter().filter_map(|node| earlier(node, key, limit));
            deeper.max_by_key(|span| span.start)
        }
        _ => None,
    };
    inner.filter(|span| span.start < limit)
}

fn never_closed(file: &str, text: &str, open: &Span) -> Problem {
    let (what, closing) = if text[open.start..].starts_with('[') {
        ("list", "]")
    } else {
        ("table", "}")
    };
    let line_end = text[open.start..]
        .find('\n')
        .map_or(text.len(), |newline| open.start + newline);
    let problem = Problem::new(
        Code::Syntax,
        file,
        open.start..line_end,
        format!("this {what} is never closed"),
    );
    problem.label("it begins here").help(format!("add `{closing}`"))
}

/// The outermost list or inline table that goes on to `end`.
fn unclosed(node: &Node, end: usize) -> Option<Span> {
    let children: Vec<&Node> = match &node.value {
        Value::Table(entries) => entries.iter().map(|entry| &entry.node).collect(),
        Value::List(nodes) => nodes.iter().collect(),
        _ => return None,
    };
    let is_open = |child: &&&Node| {
        let is_container = matches!(child.value, Value::List(_) | Value::Table(_));
        is_container && child.span.start < child.span.end && child.span.end + 1 >= end
    };
    let open = children.iter().find(is_open).map(|child| child.span.clone());
    open.or_else(|| children.into_iter().find_map(|child| unclosed(child, end)))
}

fn lower_first(message: &str) -> String {
    let mut chars = message.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}
