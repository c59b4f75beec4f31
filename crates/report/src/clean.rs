//! Text of others on its way to a terminal, a spreadsheet or a page.

use std::fmt::Write as _;

/// What a user may see of a text that somebody else wrote: control characters (but line feed and tab) and characters
/// that turn the direction of writing become `\u{1b}`, so that no name can move a cursor or hide a word.
pub(crate) fn visible(text: &str) -> String {
    escape(text, |character| !matches!(character, '\n' | '\t'))
}

/// [`visible`] on one line: line feeds and tabs are written as escapes too.
pub(crate) fn one_line(text: &str) -> String {
    escape(text, |_| true)
}

fn escape(text: &str, applies: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let hostile = character.is_control() || turns_direction(character);
        match character {
            '\n' if applies(character) => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' if applies(character) => out.push_str("\\t"),
            _ if hostile && applies(character) => {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "{}", character.escape_unicode());
            }
            _ => out.push(character),
        }
    }
    out
}

/// Marks that turn the direction of the text after them, by which a name can show other letters than it holds.
fn turns_direction(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

/// At most `limit` characters of a text, with `…` where it was cut.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_a_terminal_are_written_out() {
        assert_eq!(visible("a\u{1b}[31mb\r\n\tc"), "a\\u{1b}[31mb\\r\n\tc");
        assert_eq!(one_line("a\nb\tc\u{0}"), "a\\nb\\tc\\u{0}");
        assert_eq!(visible("x\u{202e}y"), "x\\u{202e}y");
        assert_eq!(visible("größe 漢 🦀"), "größe 漢 🦀");
    }

    #[test]
    fn a_cut_falls_between_characters() {
        assert_eq!(shortened("äöü", 3), "äöü");
        assert_eq!(shortened("äöü", 2), "äö…");
    }
}
