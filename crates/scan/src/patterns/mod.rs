//! One file for each kind of code that is found.
//!
//! | module | rule of the judge |
//! |---|---|
//! | `rebuild` | `text-only-rebuild` |
//! | `first_output` | `orphan-reasoning` |
//! | `by_id` | `resume-by-stripped-id`, and `dedupe-by-stripped-id` |
//! | `whole_item` | `protected-data-in-export` |
//! | `run` | all of them over one text |

mod by_id;
mod first_output;
mod rebuild;
mod run;
mod whole_item;

pub use run::{rules, scan};
