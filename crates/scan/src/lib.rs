//! Places in source code that lose or leak reasoning, or stop working when the id policy changes (P18 of
//! `docs/mission.md`): text in, places out.
//!
//! A parser makes leaves of the text, so that comments and strings are no hits; the patterns look at chains of names
//! (`response.output[0]`), which read the same in every language.
//!
//! | module | what is there |
//! |---|---|
//! | [`language`] | the languages, by the extension of a file |
//! | [`place`] | what was found |
//! | `leaves` | a text as the leaves of its tree |
//! | `chain` | a name with its members, calls and indexes |
//! | `patterns` | one file for each kind of code |

pub mod language;
pub mod place;

mod chain;
mod leaves;
mod patterns;
mod words;

pub use language::Language;
pub use patterns::{rules, scan};
pub use place::Place;
