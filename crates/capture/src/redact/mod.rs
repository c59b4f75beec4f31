//! Redaction by substitution: whatever a user, a key or a model wrote gets a stand-in of the same shape, and everything
//! that the judge compares stays comparable (law 6 of `docs/architecture.md`).
//!
//! Equal texts have equal stand-ins, a text cut short has the beginning of the stand-in, a stretch of a token is the
//! same stretch of its stand-in, and what was altered in one place is altered there. Nothing leaves by default: a string
//! passes unchanged only where the API itself defines its words.
//!
//! | module | what is there |
//! |---|---|
//! | `words` | stand-ins of words, ids and numbers |
//! | `opaque` | stand-ins of tokens, stretch by stretch |
//! | `plain` | strings that pass as they are |
//! | `walk` | an exchange, member by member |
//! | `pass` | a sink that redacts what passes through it |

mod opaque;
mod pass;
mod plain;
mod walk;
mod words;

use std::collections::BTreeMap;

use opaque::Opaque;
use words::Words;

pub use pass::Redacting;

/// What becomes of the words of users, models and tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Text {
    /// Stand-ins.
    #[default]
    Replaced,
    /// They stay (`--keep-text`), but for keys, mail addresses, tokens and ids in them.
    Kept,
}

/// Strings from this length on are remembered whole: a history repeats them with every request.
const REMEMBERED_CHARS_MIN: usize = 48;

/// Gives stand-ins; the same redactor gives the same stand-in for the same text.
pub struct Redactor {
    text: Text,
    words: Words,
    opaque: Opaque,
    seen: BTreeMap<[u8; 32], String>,
}

impl Redactor {
    /// A redactor whose stand-ins derive from `secret`: whoever has only the stand-ins cannot try words out.
    pub fn new(secret: &[u8], text: Text) -> Self {
        let key = *blake3::Hasher::new_derive_key("holdover redaction 1")
            .update(secret)
            .finalize()
            .as_bytes();
        Self {
            text,
            words: Words::new(key),
            opaque: Opaque::new(key),
            seen: BTreeMap::new(),
        }
    }

    /// The stand-in of any text of a user's, a model's or a server's.
    pub fn text(&mut self, text: &str) -> String {
        match self.text {
            Text::Replaced => self.replaced(text),
            Text::Kept => self.kept(text),
        }
    }

    /// The stand-in of what is never kept: names of users, keys of caches, headers.
    pub fn replaced(&mut self, text: &str) -> String {
        if text.len() < REMEMBERED_CHARS_MIN {
            return self.whole(text);
        }
        let key = *blake3::hash(text.as_bytes()).as_bytes();
        if let Some(known) = self.seen.get(&key) {
            return known.clone();
        }
        let stand_in = self.whole(text);
        self.seen.insert(key, stand_in.clone());
        stand_in
    }

    fn whole(&mut self, text: &str) -> String {
        let is_json = text.trim_start().starts_with(['{', '[']);
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let run = opaque::run(rest);
            if run.len() >= opaque::PIECE_CHARS
                && let Some(stand_in) = self.opaque.stand_in(run)
            {
                out.push_str(&stand_in);
                rest = &rest[run.len()..];
                continue;
            }
            if is_json && c == '\\' {
                let taken = escape(rest);
                out.push_str(&rest[..taken]);
                rest = &rest[taken..];
                continue;
            }
            let word = words::run(rest);
            if word.is_empty() {
                out.push(c);
                rest = &rest[c.len_utf8()..];
                continue;
            }
            let behind = &rest[word.len()..];
            let stays = (behind.starts_with('_') && words::is_prefix(word) && !out.ends_with('_'))
                || (is_json && matches!(word, "true" | "false" | "null"));
            if stays {
                out.push_str(word);
            } else {
                out.push_str(self.words.stand_in(word));
            }
            rest = behind;
        }
        out
    }

    /// A kept text: what looks like a secret in it is replaced.
    fn kept(&mut self, text: &str) -> String {
        let is_edge = |c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '"' | '\'' | '`' | ',' | ';' | '(' | ')' | '<' | '>' | '{' | '}' | '[' | ']'
                )
        };
        let mut out = String::with_capacity(text.len());
        let mut after_bearer = false;
        for piece in text.split_inclusive(is_edge) {
            let chunk = piece.trim_end_matches(is_edge);
            if !chunk.is_empty() && (after_bearer || plain::is_secret(chunk)) {
                out.push_str(&self.replaced(chunk));
            } else {
                out.push_str(chunk);
            }
            out.push_str(&piece[chunk.len()..]);
            if !chunk.is_empty() {
                after_bearer = plain::announces(chunk);
            }
        }
        out
    }
}

/// Bytes of the escape that JSON text begins with.
fn escape(text: &str) -> usize {
    let wanted = if text[1..].starts_with('u') { 6 } else { 2 };
    let end = text.char_indices().nth(wanted).map_or(text.len(), |(at, _)| at);
    if text.is_char_boundary(end) {
        end
    } else {
        text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor(text: Text) -> Redactor {
        Redactor::new(b"secret", text)
    }

    /// Letters and digits that look like a real token.
    fn token(seed: u64) -> String {
        let mut state = seed;
        let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let next = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            char::from(alphabet[(state >> 58) as usize])
        };
        format!("gAAAAAB{}", (0..400).map(next).collect::<String>())
    }

    #[test]
    fn paths_keep_their_wire_and_lose_their_user() {
        use holdover_wire::{Exchange, Wire};
        for path in [
            "/v1/responses",
            "/openai/deployments/acme/responses",
            "/api/v1/chat/completions",
            "/api/coding/paas/v4/chat/completions",
            "/anthropic/v1/messages",
            "/coding/v1/messages",
            "/v1beta/models/gemini-3-pro:generateContent",
            "/model/acme.anthropic.claude-opus-4-5-20251101-v1:0/converse",
            "/v1/projects/acme/locations/eu/publishers/google/models/gemini-2.5-pro:streamGenerateContent",
        ] {
            let mut exchange = Exchange::default();
            path.clone_into(&mut exchange.request.path);
            redactor(Text::Replaced).exchange(&mut exchange);
            let redacted = exchange.request.path;
            assert!(Wire::of_path(path).is_some(), "{path}");
            assert_eq!(
                Wire::of_path(&redacted),
                Wire::of_path(path),
                "{path} is {redacted}"
            );
            assert!(!redacted.contains("acme"), "{redacted}");
        }
    }

    #[test]
    fn equal_texts_stay_equal_and_no_word_survives() {
        let mut redactor = redactor(Text::Replaced);
        let once = redactor.text("Mail anna@example.com about Projekt Äther 2024");
        assert_eq!(
            once,
            redactor.text("Mail anna@example.com about Projekt Äther 2024")
        );
        for word in ["Mail", "anna", "example", "about", "Projekt", "Äther", "2024"] {
            assert!(!once.contains(word), "{once}");
        }
        assert_eq!(once.len(), "Mail anna@example.com about Projekt Äther 2024".len());
    }

    #[test]
    fn a_text_cut_short_is_the_beginning_of_the_stand_in() {
        let mut redactor = redactor(Text::Replaced);
        let whole = redactor.text("The migration belongs to team blue");
        for cut in ["The migra", "The migration bel", "T"] {
            let cut = redactor.text(cut);
            assert!(whole.starts_with(&cut), "{whole} / {cut}");
        }
    }

    #[test]
    fn a_token_that_was_cut_altered_or_put_into_a_text_keeps_its_relation() {
        let mut redactor = redactor(Text::Replaced);
        let (token, other) = (token(1), token(2));
        let stand_in = redactor.text(&token);
        assert_ne!(stand_in, token);
        assert!(stand_in.starts_with("gAAAAA"));
        assert_eq!(redactor.text(&token[..255]), stand_in[..255]);
        let quoted = redactor.text(&format!("see {} there", &token[100..140]));
        assert!(quoted.contains(&stand_in[100..140]), "{quoted}");
        let mut altered = token.clone();
        altered.replace_range(200..201, if &token[200..201] == "x" { "y" } else { "x" });
        let altered = redactor.text(&altered);
        assert_eq!(altered[..200], stand_in[..200]);
        assert_ne!(altered, stand_in);
        assert_eq!(altered[201..], stand_in[201..]);
        let other = redactor.text(&other);
        assert_ne!(other[10..40], stand_in[10..40]);
    }

    #[test]
    fn another_spelling_of_a_token_is_another_spelling_of_its_stand_in() {
        let mut redactor = redactor(Text::Replaced);
        let token = token(3);
        let stand_in = redactor.text(&token);
        let spelled = |text: &str| text.replace('-', "+").replace('_', "/");
        assert_eq!(redactor.text(&spelled(&token)), spelled(&stand_in));
    }

    #[test]
    fn an_id_keeps_its_prefix_its_length_and_its_tail() {
        let mut redactor = redactor(Text::Replaced);
        let id = "rs_0123456789abcdef01690d5a3b00112233445566778899aabb";
        let stand_in = redactor.text(id);
        assert_eq!(stand_in.len(), id.len());
        assert!(stand_in.starts_with("rs_"));
        // Flag and second are the server's.
        assert_eq!(stand_in[19..29], id[19..29]);
        let tail = redactor.text(&id[29..]);
        assert_eq!(stand_in[29..], tail);
        assert_ne!(&stand_in[29..], &id[29..]);
        // A response and its items share the first sixteen digits.
        let response = redactor.text("resp_0123456789abcdef01690d5a3b0f0f0f0f0f0f0f0f0f0f0f0f");
        assert_eq!(response[5..21], stand_in[3..19]);
    }

    #[test]
    fn the_name_of_a_tenant_makes_no_token_of_an_id() {
        let mut redactor = redactor(Text::Replaced);
        let hex = "0123456789abcdef01690d5a3b00112233445566778899aabb";
        let of_tenant = redactor.text(&format!("rs_tenantA_trace_{hex}"));
        let message = redactor.text(&format!("msg_{hex}"));
        assert!(
            of_tenant.starts_with("rs_") && message.starts_with("msg_"),
            "{message}"
        );
        assert_eq!(of_tenant[of_tenant.len() - 24..], message[message.len() - 24..]);
    }

    #[test]
    fn kept_text_loses_its_secrets_only() {
        let mut redactor = redactor(Text::Kept);
        let text = "Ask anna@example.com with Bearer abcdef and sk-proj-Abc123Abc123Abc123 in org-AbCdEf12345678 about teapots";
        let kept = redactor.text(text);
        assert!(
            kept.starts_with("Ask ") && kept.ends_with(" about teapots"),
            "{kept}"
        );
        for secret in ["anna", "abcdef", "Abc123", "AbCdEf"] {
            assert!(!kept.contains(secret), "{kept}");
        }
    }

    #[test]
    fn json_in_a_text_stays_json() {
        let mut redactor = redactor(Text::Replaced);
        let text = r#"{"city":"M\u00fcnchen\nnow","n":10,"ok":true,"list":[null,2.50]}"#;
        let stand_in = redactor.text(text);
        let value: serde_json::Value = serde_json::from_str(&stand_in).expect("json");
        assert_eq!(value.as_object().map(serde_json::Map::len), Some(4));
        assert!(
            !stand_in.contains("city") && !stand_in.contains("nchen"),
            "{stand_in}"
        );
    }
}
