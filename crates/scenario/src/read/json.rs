//! JSON pasted as a string: the value, or a problem at the very byte.

use crate::problem::{Code, Located, Span, ceiling, floor};

use super::fields::Reader;

/// Parses pasted JSON. An error is placed where it is when the string stands in the file as it is (`'''…'''`),
/// else at the whole string.
pub(crate) fn parse(reader: &mut Reader<'_>, pasted: &Located<String>) -> Option<serde_json::Value> {
    match serde_json::from_str(&pasted.value) {
        Ok(value) => Some(value),
        Err(error) => {
            let span = place(reader.text, pasted, error.line(), error.column());
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or("not JSON").to_owned();
            let problem = reader.problem(
                Code::BadJson,
                &span,
                format!("the pasted text is not JSON: {reason}"),
            );
            reader.report(problem.label("here"));
            None
        }
    }
}

/// The byte of the file that line and column (both from 1, in bytes) of the pasted text are.
fn place(text: &str, pasted: &Located<String>, line: usize, column: usize) -> Span {
    let raw = &text[floor(text, pasted.span.start)..floor(text, pasted.span.end.max(pasted.span.start))];
    let Some(inside) = raw.find(&pasted.value).filter(|_| !pasted.value.is_empty()) else {
        return pasted.span.clone();
    };
    let line_start: usize = pasted
        .value
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let offset = (line_start + column.saturating_sub(1)).min(pasted.value.len());
    let start = floor(text, pasted.span.start + inside + offset);
    let end = ceiling(text, (start + 1).min(pasted.span.end.max(start)));
    start..end
}
