//! What is known about endpoints and models, as data: which facts hold where, with the day on which they were seen.
//!
//! A fact that is disputed or marked (unsure) in `tests/facts/` is a switch of [`Switches`]; profiles differ in data
//! and not in code.
//!
//! | module | what is there |
//! |---|---|
//! | [`model`] | models by name: snapshot, effort, context, phase |
//! | [`policy`] | replay policies: files, what they send, where they break an endpoint |
//! | [`profile`] | how one endpoint treats replayed reasoning |
//! | [`provider`] | endpoints of other providers: wires, rules by date, evidence |
//! | [`switch`] | one switch of a profile, set by hand |

pub mod model;
pub mod policy;
pub mod profile;
pub mod provider;
pub mod switch;

pub use model::{CacheRule, Context, Model, ModelKind, Models, Shape};
pub use profile::{
    CreateRules, CrossModel, Encrypted, ErrorEvent, EventKeys, FollowerLineage, IdRule, KeepAlive, LifeCycle,
    NotFoundWords, Org, PartialToken, Probe, Profile, SchemaErrors, StreamDone, Switches, TokenRefusal,
    UnfinishedParent, UnknownName, WebSocket, WithheldReasoning,
};
pub use switch::{Switch, SwitchError};
