//! `gzip`: the stream comes compressed.

use holdover_wire::{End, Plan, Step};

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::steps;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    decides: Decides::Framing,
    ..card(
        Group::Stream,
        "gzip",
        "the stream has `content-encoding: gzip`, one block an event; documents are left alone",
        "a proxy compresses: clients that read raw bytes see no event, others only when the last block is there",
        Act::rewrite(rewrite),
    )
};

/// Magic number, deflate, no flags, no time, no extra flags, unknown system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
const BLOCK_MAX: usize = 0xffff;

fn rewrite(_: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let is_whole = plan.end == End::Complete;
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let mut sum = Checksum::default();
    let mut wrapped = vec![Step::Raw(HEADER.to_vec())];
    for step in std::mem::take(steps) {
        let mut bytes = Vec::new();
        step.encode(&mut bytes);
        sum.add(&bytes);
        wrapped.push(match step {
            Step::Event(event) | Step::Framed(event, _) => Step::Framed(event, blocks(&bytes)),
            Step::Raw(_) => Step::Raw(blocks(&bytes)),
            other => other,
        });
    }
    if is_whole {
        wrapped.push(Step::Raw(sum.trailer()));
    }
    *steps = wrapped;
    let headers = [("content-encoding", "gzip"), ("vary", "accept-encoding")];
    plan.headers
        .extend(headers.map(|(name, value)| (name.to_owned(), value.to_owned())));
    Acted::Yes
}

/// Stored blocks of deflate, none of them the last.
fn blocks(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 5);
    for chunk in bytes.chunks(BLOCK_MAX) {
        let length = u16::try_from(chunk.len()).unwrap_or(u16::MAX);
        out.push(0);
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        out.extend_from_slice(chunk);
    }
    out
}

/// CRC-32 and length of what was wrapped.
struct Checksum {
    crc: u32,
    length: u32,
}

impl Default for Checksum {
    fn default() -> Self {
        Self {
            crc: u32::MAX,
            length: 0,
        }
    }
}

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.crc ^= u32::from(*byte);
            for _ in 0..8 {
                let odd = self.crc & 1 == 1;
                self.crc >>= 1;
                if odd {
                    self.crc ^= 0xedb8_8320;
                }
            }
            self.length = self.length.wrapping_add(1);
        }
    }

    /// An empty last block, and the sum.
    fn trailer(&self) -> Vec<u8> {
        let mut bytes = vec![1, 0, 0, 0xff, 0xff];
        bytes.extend_from_slice(&(!self.crc).to_le_bytes());
        bytes.extend_from_slice(&self.length.to_le_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{document, play, stream};

    #[test]
    fn the_sum_is_the_one_of_the_standard() {
        let mut sum = Checksum::default();
        sum.add(b"123456789");
        // The check value of CRC-32 is CBF43926.
        let trailer = [1, 0, 0, 0xff, 0xff, 0x26, 0x39, 0xf4, 0xcb, 9, 0, 0, 0];
        assert_eq!(sum.trailer(), trailer);
    }

    #[test]
    fn a_block_holds_its_length_twice() {
        assert_eq!(blocks(b"ab"), [0, 2, 0, 0xfd, 0xff, b'a', b'b']);
        assert_eq!(blocks(&vec![b'x'; 0x10000]).len(), 0x10000 + 10);
    }

    #[test]
    fn the_stream_says_that_it_is_compressed_and_keeps_its_events() {
        let plan = play(&["gzip"], stream());
        assert_eq!(plan.header("content-encoding"), Some("gzip"));
        let bytes = plan.body.bytes();
        assert_eq!(bytes[..10], HEADER);
        // Header, sixteen blocks of five bytes more, trailer.
        assert_eq!(bytes.len(), stream().body.bytes().len() + 10 + 16 * 5 + 13);
    }

    #[test]
    fn a_cut_stream_has_no_last_block() {
        let plan = play(&["cut:index=1", "gzip"], stream());
        let sketch = crate::testing::sketch(&plan);
        assert_eq!(sketch.len(), 4);
        assert_eq!(sketch[3], "cut");
    }

    #[test]
    fn a_document_is_left_alone() {
        assert_eq!(play(&["gzip"], document()), document());
    }
}
