//! The scenario file format: text in, a checked plain specification out, every problem with its place.
//!
//! Nothing here opens a file or knows a rule, a slip, a fault or a model: the caller hands in the text and the
//! [`Vocabulary`].
//!
//! | module | what is there |
//! |---|---|
//! | [`problem`] | what can be wrong: code, message, spans, hint; short and JSON rendering |
//! | [`spec`] | the checked scenario |
//! | [`vocabulary`] | names that other crates know |
//! | [`suites`] | the scenarios that come with the program |
//! | `ask` | checks that need the knowledge of another crate |
//! | `schema`, `reference` | the JSON Schema and the reference of the format |
//! | `keys` | the tables of keys that reader, schema and reference share |
//! | `tree`, `read` | the way from text to [`spec`] |

mod ask;
mod expand;
mod keys;
pub mod problem;
mod read;
mod reference;
mod schema;
pub mod spec;
pub mod suggest;
pub mod suites;
mod tree;
pub mod vocabulary;
mod words;

pub use ask::{bad_patterns, misplaced_slips};
pub use expand::{duplicate_names, expand};
pub use problem::{Code, Label, Located, Position, Problem, Span, json, position, short};
pub use read::{parse, parse_project};
pub use reference::reference;
pub use schema::{schema, schema_of};
pub use spec::*;
pub use vocabulary::{Impossible, Names, Vocabulary};
