//! Interactions of Gemini (`tests/facts/providers.md` sections 3.3 and 15.4).
//!
//! | module | what is there |
//! |---|---|
//! | [`document`] | steps, envelope, usage, and the choice between a document and a stream |
//! | [`stream`] | the same as events |

pub mod document;
pub mod stream;

pub(crate) use document::answer;
