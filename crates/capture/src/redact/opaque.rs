//! Stand-ins of tokens. A token is cut into blocks, so that any stretch of it is known again wherever it comes.

use std::collections::BTreeMap;

/// Characters of a block.
const BLOCK: usize = 16;
/// A block begins every so many characters: a stretch of 23 holds a whole one.
const STEP: usize = 8;
/// Shortest stretch that is looked up: that of the judge.
pub(super) const PIECE_CHARS: usize = 20;
/// From this length on a run that is no word is a token of its own.
const TOKEN_CHARS_MIN: usize = 40;
/// How a token of the real API begins.
const FERNET: &str = "gAAAAA";
const ENC: &str = "enc_";

/// The run of token characters that `text` begins with.
pub(super) fn run(text: &str) -> &str {
    let is_opaque = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(byte);
    let length = text.bytes().take_while(|byte| is_opaque(byte)).count();
    &text[..length]
}

/// Tokens seen so far, with their stand-ins.
pub(super) struct Opaque {
    key: [u8; 32],
    tokens: Vec<(Vec<u8>, Vec<u8>)>,
    blocks: BTreeMap<[u8; BLOCK], (usize, usize)>,
}

/// A stretch of a run that is a stretch of a token.
struct Piece {
    start: usize,
    end: usize,
    token: usize,
    offset: usize,
}

impl Opaque {
    pub(super) fn new(key: [u8; 32]) -> Self {
        Self {
            key,
            tokens: Vec::new(),
            blocks: BTreeMap::new(),
        }
    }

    /// The stand-in of a run; `None` where it is neither a token nor a stretch of one.
    pub(super) fn stand_in(&mut self, run: &str) -> Option<String> {
        let plain = normal(run);
        let pieces = self.pieces(&plain);
        if pieces.is_empty() && !is_token(run) {
            return None;
        }
        let kept = if run.starts_with(FERNET) {
            FERNET.len()
        } else if run.starts_with(ENC) {
            ENC.len()
        } else {
            // A token in the place of an id: its prefix says of what.
            prefix(run).map_or(0, |prefix| prefix.len() + 1)
        };
        let mut out = Vec::with_capacity(run.len());
        for piece in &pieces {
            let gap = &run.as_bytes()[out.len()..piece.start];
            out.extend(self.fresh(gap, kept.saturating_sub(out.len())));
            let stand_in =
                &self.tokens[piece.token].1[piece.offset..piece.offset + (piece.end - piece.start)];
            let signs = &run.as_bytes()[piece.start..piece.end];
            out.extend(signs.iter().zip(stand_in).map(|(sign, other)| {
                if sign.is_ascii_alphanumeric() {
                    *other
                } else {
                    *sign
                }
            }));
        }
        let gap = &run.as_bytes()[out.len()..];
        out.extend(self.fresh(gap, kept.saturating_sub(out.len())));
        let is_piece = matches!(pieces.as_slice(), [one] if one.end - one.start == run.len());
        if !is_piece && is_token(run) {
            self.learn(plain, out.clone());
        }
        String::from_utf8(out).ok()
    }

    fn pieces(&self, plain: &[u8]) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut at = 0;
        while let Some(block) = plain.get(at..at + BLOCK) {
            let free = pieces.last().map_or(0, |piece| piece.end);
            let Some((token, offset)) = <&[u8; BLOCK]>::try_from(block)
                .ok()
                .and_then(|block| self.blocks.get(block))
            else {
                at += 1;
                continue;
            };
            let secret = &self.tokens[*token].0;
            let back = (0..at - free)
                .take_while(|back| *back < *offset && plain[at - back - 1] == secret[offset - back - 1])
                .count();
            let ahead = plain[at..]
                .iter()
                .zip(&secret[*offset..])
                .take_while(|(a, b)| a == b)
                .count();
            pieces.push(Piece {
                start: at - back,
                end: at + ahead,
                token: *token,
                offset: offset - back,
            });
            at += ahead;
        }
        pieces
    }

    /// New letters for a stretch that no token has; the first `kept` stay.
    fn fresh(&self, gap: &[u8], kept: usize) -> Vec<u8> {
        if gap.is_empty() {
            return Vec::new();
        }
        let mut stream = blake3::Hasher::new_keyed(&self.key)
            .update(b"opaque")
            .update(&normal_bytes(gap))
            .finalize_xof();
        let mut random = vec![0; gap.len()];
        stream.fill(&mut random);
        let other = |(at, (byte, random)): (usize, (&u8, &u8))| match byte {
            _ if at < kept => *byte,
            b'0'..=b'9' => b'0' + random % 10,
            b'a'..=b'z' => b'a' + random % 26,
            b'A'..=b'Z' => b'A' + random % 26,
            sign => *sign,
        };
        gap.iter().zip(&random).enumerate().map(other).collect()
    }

    fn learn(&mut self, plain: Vec<u8>, stand_in: Vec<u8>) {
        let token = self.tokens.len();
        for offset in (0..plain.len().saturating_sub(BLOCK - 1)).step_by(STEP) {
            if let Ok(block) = <[u8; BLOCK]>::try_from(&plain[offset..offset + BLOCK]) {
                self.blocks.entry(block).or_insert((token, offset));
            }
        }
        self.tokens.push((plain, stand_in));
    }
}

/// Both alphabets of base64 are one.
fn normal(run: &str) -> Vec<u8> {
    normal_bytes(run.as_bytes())
}

fn normal_bytes(bytes: &[u8]) -> Vec<u8> {
    let sign = |byte: &u8| match byte {
        b'+' => b'-',
        b'/' => b'_',
        byte => *byte,
    };
    bytes.iter().map(sign).collect()
}

/// Long, and mixed as no word is.
fn is_token(run: &str) -> bool {
    let has = |test: fn(&u8) -> bool| run.as_bytes().iter().any(test);
    run.len() >= TOKEN_CHARS_MIN
        && prefix(run).is_none()
        && !ends_as_id(run)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
}

/// The prefix of an id that a run begins with.
fn prefix(run: &str) -> Option<&str> {
    let (prefix, _) = run.split_once('_')?;
    (prefix != "enc" && super::words::is_prefix(prefix)).then_some(prefix)
}

/// Whether a run is the rest of an id: behind `rs_` comes the name of a tenant, and behind that what every id ends with.
fn ends_as_id(run: &str) -> bool {
    let last = run.rsplit('_').next().unwrap_or(run);
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    last.len() >= super::words::TAIL_CHARS && last.bytes().all(is_hex)
}
