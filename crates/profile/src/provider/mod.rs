//! Endpoints of other providers: what each wants of replayed reasoning, since when, and how that is known.
//!
//! The data are `data/providers/*.toml`, from `tests/facts/providers.md` and `tests/facts/replay_matrix.csv`. Nothing
//! here knows a provider by name: who speaks a wire that there is needs a file and no code.
//!
//! | module | what is there |
//! |---|---|
//! | [`day`] | a day, of which the end may be unknown |
//! | [`condition`] | what a request must be for something to hold |
//! | [`endpoint`] | one endpoint: its wire, its models, how it speaks |
//! | [`rule`] | one entry: what it wants, what happens otherwise, evidence |
//! | [`engine`] | the rules over one history: what breaks them, what the model is shown |
//! | [`book`] | all endpoints, and which one a request means |
//! | [`page`] | the page of `holdover explain` |

pub mod book;
pub mod condition;
pub mod day;
pub mod endpoint;
pub mod engine;
pub mod page;
pub mod rule;

pub use book::{Book, BookError};
pub use condition::Condition;
pub use day::Day;
pub use endpoint::{AccountScope, Display, Endpoint, Refusal, Speech};
pub use engine::{Breach, Misfit, Outcome, Seal, Sealed, Spot, check};
pub use rule::{
    Action, BreachKind, Confidence, Effect, Evidence, Mode, Replay, Rule, Transformation, TransformationKind,
    Violation,
};
