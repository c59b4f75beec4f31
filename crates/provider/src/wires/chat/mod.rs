//! Chat completions (`tests/facts/providers.md` sections 2 to 10, 13 and 15.1).
//!
//! | module | what is there |
//! |---|---|
//! | [`message`] | the message of the assistant, with its reasoning where the endpoint puts it |
//! | [`chunks`] | the same as the chunks of a stream |
//! | [`document`] | envelope, usage, and the choice between the two |

pub mod chunks;
pub mod document;
pub mod message;

pub(crate) use document::answer;
