//! What can go wrong on the way and when: a [`Plan`](holdover_wire::Plan) in, a plan out.
//!
//! A fault is data until a shell asks: [`Faults::before`] with each call (it may refuse instead of the fake),
//! [`Faults::reply`] with what the model was going to say, [`Faults::rewrite`] with what was going to be sent. Faults act in
//! the order in which they were declared; where two decide the same thing, the first decision stands, and an answer that
//! was ended stays ended. Nothing here waits, reads a clock or draws a random number that was not handed in: chance comes
//! from the seed and the world of the session.
//!
//! ```
//! use holdover_fault::{Chance, Fault, Faults, Occasion};
//! use holdover_wire::{Call, Plan};
//!
//! let fault = Fault::parse_flag("refuse:status=503,call=1").expect("a fault");
//! let mut faults = Faults::new(vec![fault], Chance::new(7, "doc"));
//! let call = Call::post("/v1/responses", serde_json::json!({"model": "gpt-5.6", "input": "Hello"}));
//! let before = faults.before(&Occasion::new(1, &call));
//! assert_eq!(before.refusal.map(|plan| plan.status), Some(503));
//! let retry = faults.before(&Occasion::new(2, &call));
//! assert_eq!(retry.refusal, None);
//! ```
//!
//! | module | what is there |
//! |---|---|
//! | [`card`] | how a fault describes itself |
//! | [`catalogue`] | all of them |
//! | `faults` | one file each, by group |
//! | [`fault`] | a fault with its options and its trigger; the flag form |
//! | `trigger`, `place` | when, and where in a stream |
//! | [`clash`] | faults that contradict each other |
//! | [`session`] | the faults of one session |
//! | [`model_name`] | faults in the name of a model |
//! | `options`, `known`, `scene`, `memory`, [`chance`] | what an act may use |
//! | `edit` | changes that several acts share |
//! | [`problem`] | why a fault cannot be planted |

pub mod card;
pub mod catalogue;
pub mod chance;
pub mod clash;
mod edit;
pub mod fault;
mod faults;
mod known;
mod memory;
pub mod model_name;
mod options;
mod place;
pub mod problem;
mod scene;
pub mod session;
mod trigger;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod testing;

pub use card::{FaultCard, Group};
pub use chance::Chance;
pub use clash::{Clash, clashes};
pub use fault::Fault;
pub use options::{OptionDefault, OptionKind, OptionSpec};
pub use place::{Places, Spot};
pub use problem::{FaultProblem, Part};
pub use session::{Before, Delivery, Faults, Occasion, Played, Said, Ticket, Turn};
pub use trigger::{KEYS, TriggerKey};
