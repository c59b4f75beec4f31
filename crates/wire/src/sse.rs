//! Server-sent-event framing, both ways (`tests/facts/streaming.md` section 1).

use crate::event::Event;

/// Appends one event as the API frames it: `event: <type>\ndata: <compact JSON>\n\n`.
pub fn encode(event: &Event, out: &mut Vec<u8>) {
    out.extend_from_slice(b"event: ");
    out.extend_from_slice(event.name().as_bytes());
    out.extend_from_slice(b"\ndata: ");
    event.encode(out);
    out.extend_from_slice(b"\n\n");
}

/// One frame as it came: the `event` field, and the `data` lines joined by line feeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// `event` field; empty when there was none.
    pub name: String,
    /// `data` lines joined by `\n`.
    pub data: String,
}

impl Frame {
    /// The event in `data`; `None` for `[DONE]`, a comment or broken JSON.
    pub fn event(&self) -> Option<Event> {
        serde_json::from_str(&self.data).ok().map(Event::new)
    }
}

/// Decoder that may be fed any split of the bytes; lines end in `\n`, `\r\n` or `\r`.
#[derive(Debug, Default)]
pub struct Decoder {
    line: Vec<u8>,
    frame: Frame,
    has_data: bool,
    after_carriage_return: bool,
}

impl Decoder {
    /// An empty decoder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes more bytes and returns the frames that they completed.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        for &byte in bytes {
            let skip = byte == b'\n' && self.after_carriage_return;
            self.after_carriage_return = byte == b'\r';
            match byte {
                _ if skip => {}
                b'\n' | b'\r' => frames.extend(self.end_line()),
                _ => self.line.push(byte),
            }
        }
        frames
    }

    /// Whether bytes of an unfinished frame are left: the stream was cut inside an event.
    pub fn has_rest(&self) -> bool {
        !self.line.is_empty() || self.has_data
    }

    fn end_line(&mut self) -> Option<Frame> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let frame = std::mem::take(&mut self.frame);
            return std::mem::take(&mut self.has_data).then_some(frame);
        }
        let text = String::from_utf8_lossy(&line);
        let (field, value) = text.split_once(':').unwrap_or((&text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.frame.name),
            "data" => {
                if self.has_data {
                    self.frame.data.push('\n');
                }
                self.frame.data.push_str(value);
                self.has_data = true;
            }
            // Comments, `id`, `retry` and unknown fields: a client ignores them.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8], split: usize) -> Vec<Frame> {
        let mut decoder = Decoder::new();
        let (head, rest) = bytes.split_at(split.min(bytes.len()));
        let mut frames = decoder.push(head);
        frames.extend(decoder.push(rest));
        frames
    }

    #[test]
    fn any_split_gives_the_same_frames() {
        let text = ": hi\r\nevent: a\r\ndata: {\"type\":\"a\"}\r\n\r\ndata: x\ndata: y\n\ndata: [DONE]\n\n"
            .as_bytes();
        let whole = decode(text, 0);
        assert_eq!(whole.len(), 3);
        assert_eq!(whole[0].event().expect("event").name(), "a");
        assert_eq!(whole[1].data, "x\ny");
        assert_eq!(whole[2].event(), None);
        for split in 0..text.len() {
            assert_eq!(decode(text, split), whole, "split at {split}");
        }
    }

    #[test]
    fn every_example_stream_survives_decode_and_encode() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/facts/examples");
        let mut seen = 0;
        for entry in std::fs::read_dir(folder).expect("examples") {
            let path = entry.expect("entry").path();
            if path.extension().is_none_or(|extension| extension != "sse") {
                continue;
            }
            let bytes = std::fs::read(&path).expect("example");
            let mut again = Vec::new();
            for frame in decode(&bytes, 7) {
                encode(&frame.event().expect("event"), &mut again);
            }
            let trimmed = String::from_utf8_lossy(&bytes).trim_end().to_owned();
            assert_eq!(
                String::from_utf8_lossy(&again).trim_end(),
                trimmed,
                "{}",
                path.display()
            );
            seen += 1;
        }
        assert_eq!(seen, 13);
    }

    #[test]
    fn a_cut_event_is_no_frame() {
        let mut decoder = Decoder::new();
        assert!(decoder.push(b"data: {\"type\"").is_empty());
        assert!(decoder.has_rest());
    }
}
