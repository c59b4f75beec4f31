//! Issued item ids in any text, whole or by their 24-hex tail.

use crate::ledger::{ItemIx, Ledger};

/// An issued id in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IdHit {
    pub(crate) item: ItemIx,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Longest run of id characters that is looked into for whole ids; longer ones are tokens or other blobs.
const RUN_MAX: usize = 200;

/// Hex digits of a tail.
const TAIL: usize = 24;

/// Every issued id in this text, from left to right.
pub(crate) fn find(text: &str, ledger: &Ledger) -> Vec<IdHit> {
    let mut hits = Vec::new();
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        if !is_id_byte(bytes[start]) {
            start += 1;
            continue;
        }
        let length = bytes[start..]
            .iter()
            .take_while(|byte| is_id_byte(**byte))
            .count();
        find_in_run(&text[start..start + length], start, ledger, &mut hits);
        start += length;
    }
    hits
}

fn is_id_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn find_in_run(run: &str, offset: usize, ledger: &Ledger, hits: &mut Vec<IdHit>) {
    if run.len() <= RUN_MAX {
        let borders = run
            .bytes()
            .enumerate()
            .filter(|(_, byte)| matches!(byte, b'_' | b'-'));
        let mut starts = std::iter::once(0).chain(borders.map(|(index, _)| index + 1));
        let whole = starts.find_map(|start| Some((start, ledger.by_id(run.get(start..)?)?)));
        if let Some((start, item)) = whole {
            hits.push(IdHit {
                item,
                start: offset + start,
                end: offset + run.len(),
            });
            return;
        }
    }
    find_tails(run, offset, ledger, hits);
}

fn find_tails(run: &str, offset: usize, ledger: &Ledger, hits: &mut Vec<IdHit>) {
    let mut hex = 0;
    for (index, byte) in run.bytes().enumerate() {
        hex = if byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte) {
            hex + 1
        } else {
            0
        };
        let Some(start) = (index + 1).checked_sub(TAIL).filter(|_| hex >= TAIL) else {
            continue;
        };
        if let Some(item) = run.get(start..=index).and_then(|tail| ledger.by_tail(tail)) {
            hits.push(IdHit {
                item,
                start: offset + start,
                end: offset + index + 1,
            });
        }
    }
}
