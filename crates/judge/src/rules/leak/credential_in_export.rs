//! `credential-in-export`: a key or a bearer header in a log or dump.

use std::sync::LazyLock;

use regex::Regex;

use crate::draft::Draft;
use crate::exports::Spilt;
use crate::rules::rule;

rule! {
    name: "credential-in-export", class: Leak, severity: Error,
    summary: "an API key or an `Authorization` value stands in an export",
    what: "A log or dump holds a text of the form `sk-…`, or a bearer token.",
    why: "Whoever reads the log can call the API, and can continue every conversation of the account.",
    fix: "drop `Authorization` and keys before anything is logged",
    clients: {
        OpenAiPython: "`OPENAI_LOG=debug` shows request options: do not ship those logs",
    },
}

static CREDENTIAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let key = r"\bsk-(?:holdover-[A-Za-z0-9_.-]+|(?:proj|svcacct|admin|ant|or)-[A-Za-z0-9_-]{8,}|[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]{15,})";
    let bearer = r"(?i)\bbearer\s+[A-Za-z0-9._~+/-]{16,}=*";
    Regex::new(&format!("(?:{key})|(?:{bearer})")).ok()
});

/// The first credential of an export, with how many lines hold one.
pub(crate) fn check(spilt: &Spilt<'_>) -> Vec<Draft> {
    let Some(pattern) = CREDENTIAL.as_ref() else {
        return Vec::new();
    };
    let text = spilt.export.text.as_str();
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| pattern.is_match(line));
    let numbers: Vec<usize> = lines.map(|(index, _)| index + 1).collect();
    let Some(first) = numbers.first() else {
        return Vec::new();
    };
    let message = format!(
        "`{}` holds an API key or a bearer token (line {first}, {} lines in all); whoever reads it can call the API",
        spilt.export.file,
        numbers.len()
    );
    let draft = Draft::of(&RULE, message).place(format!("{}:{first}", spilt.export.file));
    vec![
        draft
            .sent(format!("{} lines with a credential", numbers.len()))
            .expected("no credential"),
    ]
}

#[cfg(test)]
mod tests {
    use crate::testkit::Talk;

    fn logged(text: &str) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.export("app.log", text);
        talk.found()
    }

    #[test]
    fn the_pattern_compiles() {
        assert!(super::CREDENTIAL.is_some());
    }

    #[test]
    fn keys_and_bearer_headers_are_errors() {
        assert_eq!(logged("key=sk-holdover-case.1"), ["credential-in-export:error"]);
        assert_eq!(logged("key=sk-proj-abcdefghijkl"), ["credential-in-export:error"]);
        assert_eq!(
            logged("Authorization: Bearer abcdefghijklmnop"),
            ["credential-in-export:error"]
        );
    }

    #[test]
    fn masked_keys_and_plain_words_are_clean() {
        assert_eq!(logged("key=sk-...abcd"), Vec::<String>::new());
        assert_eq!(
            logged("a risk-based task-list; the sk-folding-cube class; bearer of news"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn many_lines_are_one_finding() {
        assert_eq!(
            logged("sk-holdover-a\nx\nsk-holdover-a\n"),
            ["credential-in-export:error"]
        );
    }
}
