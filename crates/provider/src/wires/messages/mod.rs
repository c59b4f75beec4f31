//! Anthropic Messages (`tests/facts/providers.md` sections 1, 2.4, 5 and 15.2).
//!
//! | module | what is there |
//! |---|---|
//! | [`content`] | the blocks of an answer |
//! | [`document`] | envelope, usage, and the choice between a document and a stream |
//! | [`stream`] | the same as events |

pub mod content;
pub mod document;
pub mod stream;

pub(crate) use document::answer;
