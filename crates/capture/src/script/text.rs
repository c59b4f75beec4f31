//! Texts with names in the place of ids and tokens.

use std::collections::BTreeMap;

/// Shortest stretch of a token that is one.
const PIECE_CHARS: usize = 24;

/// What was issued so far.
#[derive(Default)]
pub(super) struct Known {
    /// Ids and call ids, with what stands for them.
    ids: BTreeMap<String, String>,
    /// Tokens with the name of their item, latest last.
    tokens: Vec<(String, String)>,
}

impl Known {
    /// From here on the id has this name.
    pub(super) fn id(&mut self, id: &str, stands: String) {
        self.ids.insert(id.to_owned(), stands);
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.ids.contains_key(id)
    }

    pub(super) fn token(&mut self, token: &str, name: &str) {
        if token.len() >= PIECE_CHARS && !self.tokens.iter().any(|(known, _)| known == token) {
            self.tokens.push((token.to_owned(), name.to_owned()));
        }
    }

    /// The text with names in it.
    pub(super) fn text(&self, text: &str) -> String {
        if let Some(stands) = self.ids.get(text) {
            return stands.clone();
        }
        if text.len() < 8 {
            return text.to_owned();
        }
        if let Some((_, name)) = self.tokens.iter().rev().find(|(token, _)| token == text) {
            return format!("{{{{{name}.token}}}}");
        }
        let text = self.pieces(text);
        // Words of ids are looked up whole: an id inside a longer run is none.
        let is_id = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let length = rest.find(|c: char| !is_id(c)).unwrap_or(rest.len());
            let (run, behind) = rest.split_at(length);
            match self.ids.get(run) {
                Some(stands) => out.push_str(stands),
                None => out.push_str(run),
            }
            let next = behind.chars().next().map_or(0, char::len_utf8);
            out.push_str(&behind[..next]);
            rest = &behind[next..];
        }
        out
    }

    /// Stretches of tokens as slices of their names.
    fn pieces(&self, text: &str) -> String {
        let is_opaque = |c: char| c.is_ascii_alphanumeric() || "+/-_=".contains(c);
        let longest = text
            .split(|c: char| !is_opaque(c))
            .map(str::len)
            .max()
            .unwrap_or(0);
        if longest < PIECE_CHARS {
            return text.to_owned();
        }
        let standard = |token: &str| {
            token
                .replace('-', "+")
                .replace('_', "/")
                .trim_end_matches('=')
                .to_owned()
        };
        for (token, name) in self.tokens.iter().rev() {
            if standard(token) == *text {
                return format!("{{{{{name}.token.standard}}}}");
            }
            let same = |a: &str, b: &str| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
            let front = same(token, text);
            if front >= PIECE_CHARS {
                let back = text[front..]
                    .bytes()
                    .rev()
                    .zip(token[front..].bytes().rev())
                    .take_while(|(a, b)| a == b)
                    .count();
                if token.len() == text.len() && front + back + 1 >= token.len() {
                    return format!("{{{{{name}.token.altered}}}}");
                }
                return format!("{{{{{name}.token[..{front}]}}}}{}", &text[front..]);
            }
            if let Some(found) = inside(token, text) {
                let (from, start, length) = found;
                return format!(
                    "{}{{{{{name}.token[{from}..{}]}}}}{}",
                    &text[..start],
                    from + length,
                    &text[start + length..]
                );
            }
        }
        text.to_owned()
    }
}

/// A stretch of the token in the text: its place in the token, its place in the text, its length.
fn inside(token: &str, text: &str) -> Option<(usize, usize, usize)> {
    let blocks = (0..token.len().saturating_sub(PIECE_CHARS - 1)).step_by(PIECE_CHARS / 2);
    for from in blocks {
        let block = token.get(from..from + PIECE_CHARS / 2)?;
        let Some(start) = text.find(block) else { continue };
        let (t, x) = (token.as_bytes(), text.as_bytes());
        let back = (0..from.min(start))
            .take_while(|back| t[from - back - 1] == x[start - back - 1])
            .count();
        let ahead = t[from..]
            .iter()
            .zip(&x[start..])
            .take_while(|(a, b)| a == b)
            .count();
        if back + ahead >= PIECE_CHARS {
            return Some((from - back, start - back, back + ahead));
        }
    }
    None
}
