//! The two plain renderings of a problem; the graphical one belongs to the command line.

use serde_json::{Value, json as object};

use super::{Label, Problem, position};

/// `file:line:col: error[code]: message`, then the other place and the hint, each on a line of its own.
pub fn short(problem: &Problem, text: &str) -> String {
    let at = position(text, problem.at.span.start);
    let mut lines = format!(
        "{}:{}:{}: error[{}]: {}",
        problem.file, at.line, at.column, problem.code, problem.message
    );
    if let Some(other) = &problem.other {
        let at = position(text, other.span.start);
        lines.push_str(&format!(
            "\n  {}:{}:{}: {}",
            problem.file, at.line, at.column, other.text
        ));
    }
    if let Some(help) = &problem.help {
        lines.push_str(&format!("\n  help: {help}"));
    }
    lines
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
    fn short_is_one_line_with_its_code_and_then_the_rest() {
        let (problem, text) = example();
        assert_eq!(
            short(&problem, text),
            "a.toml:2:1: error[E-agent-and-client]: both\n  a.toml:1:1: and here\n  help: drop one"
        );
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
