//! What a refusal of the API means: from pasted error text to its usual cause and recovery.
//!
//! | module | what is there |
//! |---|---|
//! | `pages` | one [`RefusalPage`] for each entry of `tests/facts/errors.md` |
//! | `wording` | the words by which each is known |

mod pages;
mod wording;

pub use pages::{RefusalPage, refusals};
pub use wording::refusal;
