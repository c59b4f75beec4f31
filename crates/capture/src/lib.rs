//! Other people's recordings to ours: whatever a user has of a session becomes exchanges that can be judged.
//!
//! A capture is read from a stream, one entry at a time, and each exchange is handed to a [`Sink`] as soon as it is
//! there: memory is bounded by the largest entry, not by the file. What cannot be read is told with its place and its
//! reason, and the rest is kept.
//!
//! | module | what is there |
//! |---|---|
//! | [`kind`] | which kind of capture a file is, told from its first bytes |
//! | [`sink`] | who takes what was read, and what else there is to say |
//! | [`read`] | one file or one folder to its sink |
//! | `front` | numbers exchanges, and notices what began before the capture did |
//! | `formats` | one reader for each kind |
//! | `message` | an HTTP message or the frames of a socket to an exchange |
//! | [`export`] | recordings to the forms of other tools |
//! | `loose` | what Python and Node print of a value |
//! | [`diff`] | the first place where two recordings part |
//! | [`repair`] | a poisoned history made acceptable again |
//! | [`script`] | exchanges as a scenario with pasted requests |
//! | [`shrink`] | the smallest scenario that still fails the same way |
//! | [`redact`] | stand-ins that keep every relation (law 6 of `docs/architecture.md`) |

pub mod diff;
pub mod export;
mod formats;
mod front;
pub mod kind;
mod loose;
mod message;
pub mod read;
pub mod redact;
pub mod repair;
pub mod script;
pub mod shrink;
pub mod sink;

pub use kind::Kind;
pub use read::{Folder, NotACapture, file, folder};
pub use redact::{Redacting, Redactor, Text};

pub use sink::{Captured, Session, Sink, Unread};
