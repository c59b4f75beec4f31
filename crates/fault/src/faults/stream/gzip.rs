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
            Step::Event(event) | Step::Framed(event, _) => Step::Framed(event, block(&bytes)),
            Step::Raw(_) => Step::Raw(block(&bytes)),
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

/// One block of deflate with the fixed code, then an empty stored one, so that it ends with a byte and can be read at
/// once. Nothing is said twice in fewer bytes: the point is that raw bytes are no events any more.
fn block(bytes: &[u8]) -> Vec<u8> {
    const FIXED_BLOCK: Code = Code {
        bits: 0b010,
        length: 3,
    };
    const END_OF_BLOCK: Code = Code { bits: 0, length: 7 };
    const STORED_BLOCK: Code = Code { bits: 0, length: 3 };
    let mut out = Bits::default();
    out.push(FIXED_BLOCK);
    for byte in bytes {
        out.push(literal(*byte));
    }
    out.push(END_OF_BLOCK);
    out.push(STORED_BLOCK);
    let mut bytes = out.bytes;
    bytes.extend_from_slice(&[0, 0, 0xff, 0xff]);
    bytes
}

/// A code word; its highest bit comes first.
#[derive(Clone, Copy)]
struct Code {
    bits: u16,
    length: u8,
}

/// The fixed code of a byte.
fn literal(byte: u8) -> Code {
    match byte {
        0..=143 => Code {
            bits: 0x30 + u16::from(byte),
            length: 8,
        },
        144..=255 => Code {
            bits: 0x190 + u16::from(byte - 144),
            length: 9,
        },
    }
}

/// Bits, packed into bytes from the lowest bit on.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    free: u8,
}

impl Bits {
    fn push(&mut self, code: Code) {
        for place in (0..code.length).rev() {
            if self.free == 0 {
                self.bytes.push(0);
                self.free = 8;
            }
            let bit = u8::from(code.bits >> place & 1 == 1);
            if let Some(last) = self.bytes.last_mut() {
                *last |= bit << (8 - self.free);
            }
            self.free -= 1;
        }
    }
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
        let mut bytes = vec![3, 0];
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
        assert_eq!(sum.trailer(), [3, 0, 0x26, 0x39, 0xf4, 0xcb, 9, 0, 0, 0]);
    }

    #[test]
    fn a_block_holds_its_bytes_in_the_fixed_code() {
        // 0 10, then 10010001 for `a`, 0000000 for the end, 000 for the stored block; zlib flushes the same bytes.
        assert_eq!(block(b"a"), [0x4a, 0x04, 0, 0, 0, 0xff, 0xff]);
        // 9 bits from 144 on: 0 10, 110010000, 0000000, 000 are 22 bits.
        assert_eq!(block(&[144]), [0x9a, 0, 0, 0, 0, 0xff, 0xff]);
    }

    #[test]
    fn the_stream_says_that_it_is_compressed_and_keeps_its_events() {
        let plan = play(&["gzip"], stream());
        assert_eq!(plan.header("content-encoding"), Some("gzip"));
        let bytes = plan.body.bytes();
        assert_eq!(bytes[..10], HEADER);
        assert!(holdover_wire::sse::Decoder::new().push(&bytes).is_empty());
        let kept = holdover_wire::recording::Kept::steps(steps_of(&plan), usize::MAX);
        assert_eq!(
            kept.events,
            holdover_wire::recording::Kept::steps(steps_of(&stream()), usize::MAX).events
        );
    }

    fn steps_of(plan: &Plan) -> Vec<Step> {
        match &plan.body {
            holdover_wire::PlanBody::Stream(steps) => steps.clone(),
            _ => Vec::new(),
        }
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
