//! The Responses API as a state machine without I/O: offline, deterministic, as lenient and as strict as the real one.
//!
//! A [`Fake`] is a pure function: [`Fake::read`] looks at a call, a shell loads what [`Reading::references`] names,
//! [`Fake::answer`] gives a plan and what to keep. A [`Session`] is that shell in memory.
//!
//! Ids, tokens and pauses derive from the seed, the world, the fingerprint of the request and how often the session saw
//! it (law 1 of `docs/architecture.md`). The fingerprint skips how an answer travels (`stream`) and what only labels a
//! request, so both transports give the same ids.
//!
//! | module | what is there |
//! |---|---|
//! | [`config`] | settings |
//! | [`fake`] | the pure function |
//! | [`session`] | store, counts and script in memory |
//! | [`reading`] | one look at a call: endpoint, fingerprint, tokens, references |
//! | [`store`] | what is kept, and what a request needs of it |
//! | [`cache`] | which prefix of a context was seen before |
//! | [`chain`] | the summary of a context, in constant size |
//! | [`mod@derive`] | everything that looks random |
//! | `seen` | how often a request was seen |
//! | `generations` | a table of bounded size |
//! | `ids`, `seal` | ids and tokens, and what can be told from them |
//! | `validate` | checks in the API's own order |
//! | `refusal` | every refusal, word for word |
//! | `turn`, `speech`, `auto_tools`, `schema_args` | what the model is asked and what it says |
//! | `render` | items, objects, events, usage, headers |
//! | `routes` | the endpoints |
//! | [`tokens`] | the o200k tokenizer |

mod auto_tools;
pub mod cache;
pub mod chain;
pub mod config;
pub mod derive;
pub mod fake;
mod generations;
mod ids;
pub mod reading;
mod refusal;
mod render;
mod routes;
mod schema_args;
mod seal;
mod seen;
pub mod session;
mod speech;
pub mod store;
pub mod tokens;
mod turn;
mod validate;

pub use config::{
    Account, AccountPlace, AutoTools, FakeConfig, IdShape, ItemOrder, OtherAccount, TokenShape,
};
pub use derive::{Fingerprint, Moment, Time};
pub use fake::{Answer, Carried, Fake};
pub use ids::Recall;
pub use reading::Reading;
pub use session::{Given, Prepared, Script, Session};
pub use store::{
    Change, Connection, ConnectionMemory, ConversationUse, Lease, Leases, Loaded, References, ReplyUse,
    Store, StoreSize, Writes,
};
