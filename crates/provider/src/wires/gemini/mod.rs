//! `generateContent` and `streamGenerateContent` (`tests/facts/providers.md` sections 3.1 and 15.3).
//!
//! | module | what is there |
//! |---|---|
//! | [`parts`] | the parts of an answer, with the signature where the model puts it |
//! | [`document`] | envelope, usage, and the choice between a document, events and a list of documents |

pub mod document;
pub mod parts;

pub(crate) use document::answer;
