//! Converse and ConverseStream of Amazon Bedrock (`tests/facts/providers.md` section 11).
//!
//! | module | what is there |
//! |---|---|
//! | [`content`] | the blocks of an answer |
//! | [`document`] | envelope, usage, and the choice between a document and a stream |
//! | [`stream`] | the same as frames of an event stream |

pub mod content;
pub mod document;
pub mod stream;

pub(crate) use document::answer;
