//! The two plain renderings of a problem; the graphical one belongs to the command line.

use serde_json::{Value, json as object};

use super::{Label, Position, Problem, position};

/// `file:line:col: error[code]: message`, on one line with the hint behind it.
pub fn short(problem: &Problem, text: &str) -> String {
    let Position { line, column } = position(text, problem.at.span.start);
    let Problem {
        file, code, message, ..
    } = problem;
    let help = problem.help.as_ref().map(|help| format!("; help: {help}"));
    format!(
        "{file}:{line}:{column}: error[{code}]: {message}{}",
        help.unwrap_or_default()
    )
}

/// The problem as one JSON object; absent parts are `null`.
pub fn json(problem: &Problem, text: &str) -> Value {
    object!({
        "code": problem.code.as_str(),
        "severity": "error",
        "file": problem.file,
        "message": problem.message,
        "at": place(&problem.at, text),
        "other": problem.other.as_ref().map(|other| place(other, text)),
        "help": problem.help,
    })
}

fn place(label: &Label, text: &str) -> Value {
    let start = position(text, label.span.start);
    let end = position(text, label.span.end);
    object!({
        "start": label.span.start,
        "end": label.span.end,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "label": label.text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Code;

    fn example() -> (Problem, &'static str) {
        let text = "[agent]\n[client]\n";
        let problem = Problem::new(Code::AgentAndClient, "a.toml", 8..16, "both")
            .label("here")
            .other(0..7, "and here")
            .help("drop one");
        (problem, text)
    }

    #[test]
    fn short_is_one_line_with_its_code() {
        let (problem, text) = example();
        let expected = "a.toml:2:1: error[E-agent-and-client]: both; help: drop one";
        assert_eq!(short(&problem, text), expected);
    }

    #[test]
    fn json_has_bytes_and_lines() {
        let (problem, text) = example();
        let value = json(&problem, text);
        assert_eq!(value["at"]["start"], 8);
        assert_eq!(value["at"]["line"], 2);
        assert_eq!(value["other"]["end_column"], 8);
        assert_eq!(value["code"], "E-agent-and-client");
    }
}
