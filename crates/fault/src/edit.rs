//! Changes that several acts share.
//!
//! | module | what is there |
//! |---|---|
//! | [`steps`] | events: make, insert, renumber, end a stream |
//! | [`items`] | the items of an answer, wherever they stand |
//! | [`pieces`] | bytes: a document in pieces, an answer that ends at a byte |
//! | [`failure`] | responses that fail after they began |
//! | [`refusal`] | answers of the API that refuse |
//! | [`reply`] | what the model says |
//! | [`scope`] | what is foreign after a change |
//! | [`tokens`] | tokens of reasoning items |

pub(crate) mod failure;
pub(crate) mod items;
pub(crate) mod pieces;
pub(crate) mod refusal;
pub(crate) mod reply;
pub(crate) mod scope;
pub(crate) mod steps;
pub(crate) mod tokens;
