//! One file, or one folder, to its sink.

use std::io::BufRead;

use crate::formats::{bodies::Bodies, flows, har, node_log, otlp, pairs, python_log, rollout, sse};
use crate::front::Front;
use crate::kind::{Kind, PEEK_BYTES};
use crate::sink::{Sink, Unread};

/// A file that is no capture of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotACapture {
    /// What it seems to be instead, in a few words.
    pub looks_like: &'static str,
}

/// Reads a file: its kind is told from its first bytes. The reader should buffer at least [`PEEK_BYTES`].
pub fn file(mut reader: impl BufRead, sink: &mut dyn Sink) -> Result<Kind, NotACapture> {
    let head = match reader.fill_buf() {
        Ok(bytes) => &bytes[..bytes.len().min(PEEK_BYTES)],
        Err(_) => {
            return Err(NotACapture {
                looks_like: "a file that cannot be read",
            });
        }
    };
    let Some(kind) = Kind::of(head) else {
        return Err(NotACapture {
            looks_like: looks_like(head),
        });
    };
    let mut front = Front::new(sink);
    let sink = &mut front;
    match kind {
        Kind::Har => har::read(reader, sink),
        Kind::Recording | Kind::Pairs | Kind::Folder => pairs::read(reader, sink),
        Kind::Sse => sse::read(reader, sink),
        Kind::Rollout => rollout::read(reader, sink),
        Kind::PythonLog => python_log::read(reader, sink),
        Kind::NodeLog => node_log::read(reader, sink),
        Kind::Otlp => otlp::read(reader, sink),
        Kind::Flows => flows::read(reader, sink),
    }
    Ok(kind)
}

fn looks_like(head: &[u8]) -> &'static str {
    if head.is_empty() {
        "an empty file"
    } else if head.starts_with(b"PK") {
        "a ZIP archive"
    } else if head.starts_with(&[0x1f, 0x8b]) {
        "a gzip archive"
    } else if head.starts_with(&[0xd4, 0xc3, 0xb2, 0xa1]) || head.starts_with(&[0x0a, 0x0d, 0x0d, 0x0a]) {
        "a packet capture"
    } else if std::str::from_utf8(&head[..head.len().min(512)]).is_ok() {
        "text without a request of the API"
    } else {
        "a file of another kind"
    }
}

/// Takes the files of a folder one after the other, in the order of their names.
pub struct Folder<'a> {
    front: Front<'a>,
    bodies: Bodies,
}

/// A folder of bodies, or of captures.
pub fn folder(sink: &mut dyn Sink) -> Folder<'_> {
    Folder {
        front: Front::new(sink),
        bodies: Bodies::default(),
    }
}

impl Folder<'_> {
    /// The next file of the folder.
    pub fn take(&mut self, name: &str, bytes: &[u8]) {
        self.bodies.take(name, bytes, &mut self.front);
    }

    /// A file that could not be read.
    pub fn unread(&mut self, name: &str, reason: &str) {
        self.front.unread(Unread::new(name, reason));
    }

    /// The end of the folder; whether it held any exchange.
    pub fn finish(mut self) -> bool {
        self.bodies.finish(&mut self.front);
        self.front.passed_any()
    }
}
