//! When the model calls a tool without a script, and with which arguments.

use holdover_wire::Members as _;
use holdover_wire::Object;
use serde_json::Value;

use crate::config::AutoTools;
use crate::fake::Job;
use crate::schema_args;
use crate::speech::Part;
use crate::turn::Turn;

/// Shortest part of a tool's name that counts as a word of it.
const WORD_CHARS_MIN: usize = 3;

/// The call that an unscripted reply makes instead of a message: forced by `tool_choice`, or chosen by the setting, and
/// only once for each message of the user. Only functions and custom tools are called, never shell, patch or computer.
pub(crate) fn call(job: &Job<'_>, turn: &Turn<'_>) -> Option<Part> {
    if turn.chain.tool_answered {
        return None;
    }
    let tool = forced(turn).or_else(|| chosen(job, turn))?;
    let name = name_of(tool)?.to_owned();
    Some(match tool.member("type").and_then(Value::as_str) {
        Some("custom") => Part::Custom {
            call_id: None,
            input: turn.chain.asked.clone().unwrap_or_default(),
            name,
        },
        _ => Part::Function {
            call_id: None,
            arguments: arguments_of(tool),
            name,
        },
    })
}

/// Arguments for a function by its name; an empty object for one that the request does not declare.
pub(crate) fn arguments(turn: &Turn<'_>, name: &str) -> String {
    let tool = callable(turn).find(|tool| name_of(tool) == Some(name));
    tool.map_or_else(|| "{}".to_owned(), arguments_of)
}

/// Strings are filled with the names of their properties: the user's text stays out of arguments.
fn arguments_of(tool: &Object) -> String {
    arguments_for(tool.member("parameters"))
}

/// Arguments that fit a schema.
pub(crate) fn arguments_for(parameters: Option<&Value>) -> String {
    let arguments = schema_args::generate(parameters, "");
    match arguments {
        Value::Object(_) => arguments.to_string(),
        _ => "{}".to_owned(),
    }
}

fn callable<'a>(turn: &Turn<'a>) -> impl Iterator<Item = &'a Object> {
    turn.request.tools().filter(|tool| {
        matches!(
            tool.member("type").and_then(Value::as_str),
            Some("function" | "custom")
        )
    })
}

fn name_of(tool: &Object) -> Option<&str> {
    tool.member("name").and_then(Value::as_str)
}

/// The tool that `tool_choice` forces (`tests/facts/endpoints.md`, parameters).
fn forced<'a>(turn: &Turn<'a>) -> Option<&'a Object> {
    let choice = turn.request.member("tool_choice")?;
    let text = |name: &str| choice.member(name).and_then(Value::as_str);
    match (choice.as_str(), text("type")) {
        (Some("required"), _) => callable(turn).next(),
        (None, Some("function" | "custom")) => {
            let name = text("name")?;
            callable(turn).find(|tool| name_of(tool) == Some(name))
        }
        (None, Some("allowed_tools")) if text("mode") == Some("required") => {
            callable(turn).find(|tool| is_allowed(choice, tool))
        }
        _ => None,
    }
}

fn is_allowed(choice: &Value, tool: &Object) -> bool {
    let allowed = choice
        .member("tools")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let mut names = allowed.filter_map(|tool| tool.member("name").and_then(Value::as_str));
    names.any(|name| name_of(tool) == Some(name))
}

/// The tool that the setting chooses; `tool_choice: "none"` forbids it.
fn chosen<'a>(job: &Job<'_>, turn: &Turn<'a>) -> Option<&'a Object> {
    if turn.request.member("tool_choice").and_then(Value::as_str) == Some("none") {
        return None;
    }
    let text = turn.chain.asked.as_deref()?;
    match &job.fake.config.auto_tools {
        AutoTools::Off => None,
        AutoTools::Any => callable(turn).next(),
        AutoTools::Named => callable(turn).find(|tool| is_named(text, name_of(tool).unwrap_or(""))),
        AutoTools::List(names) => callable(turn)
            .find(|tool| name_of(tool).is_some_and(|name| names.iter().any(|listed| listed == name))),
    }
}

/// Whether a text holds a word of a tool's name (`get_weather`: "get" is too common to count alone, so any word of at
/// least three letters other than the verbs below does).
pub(crate) fn is_named(text: &str, name: &str) -> bool {
    const VERBS: [&str; 6] = ["get", "set", "run", "the", "list", "fetch"];
    let text = text.to_lowercase();
    let said: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let words = words_of(name);
    let mut telling = words
        .iter()
        .filter(|word| word.chars().count() >= WORD_CHARS_MIN && !VERBS.contains(&word.as_str()));
    telling.any(|word| said.contains(&word.as_str()))
}

/// Words of a name in snake, kebab or camel case, in lower case.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_apart_in_every_case() {
        assert_eq!(words_of("get_weather"), ["get", "weather"]);
        assert_eq!(words_of("lookupOrder"), ["lookup", "order"]);
        assert_eq!(words_of("file-search"), ["file", "search"]);
    }

    #[test]
    fn a_message_names_a_tool_by_a_telling_word() {
        assert!(is_named("What is the Weather in Oslo?", "get_weather"));
        assert!(!is_named("get me a coffee", "get_weather"));
        assert!(!is_named("weathering", "get_weather"));
    }
}
