//! Line and column of a byte.

use serde::Serialize;

/// A place as an editor counts it: both from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// The position of the byte `offset`; an offset past the end is the end, one inside a character is its start.
pub fn position(text: &str, offset: usize) -> Position {
    let before = &text[..floor(text, offset)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Position {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}

/// The last character boundary at or before `offset`.
pub(crate) fn floor(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The first character boundary at or after `offset`.
pub(crate) fn ceiling(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let text = "a = 1\nüb = 2\n";
        assert_eq!(position(text, 0), Position { line: 1, column: 1 });
        assert_eq!(position(text, 6), Position { line: 2, column: 1 });
        // `ü` takes two bytes: byte 8 is `b`, the second character.
        assert_eq!(position(text, 8), Position { line: 2, column: 2 });
        assert_eq!(position(text, 7), Position { line: 2, column: 1 });
    }

    #[test]
    fn an_offset_past_the_end_is_the_end() {
        assert_eq!(position("a\n", 99), Position { line: 2, column: 1 });
        assert_eq!(position("", 3), Position { line: 1, column: 1 });
    }
}
