//! The wires of other providers: a request is read, held against the rules of its endpoint, and answered in the
//! envelope and the order of events of its wire.
//!
//! These wires keep no state: every history comes with its request, or is sealed into an id that the request names. What differs between providers is data
//! ([`holdover_profile::provider`]); what differs between wires is a module of [`wires`].
//!
//! | module | what is there |
//! |---|---|
//! | [`ask`] | a call, read and checked: what is asked and what the model is shown, or the refusal |
//! | [`look`] | what an endpoint of the Responses API makes of a call, before the API itself looks |
//! | [`bound`] | to what stands before it a signature is bound |
//! | [`clear`] | reasoning of earlier turns that the server takes away |
//! | [`notes`] | what an answer says about its request |
//! | [`sign`] | signatures: sealed, and bound to what their provider binds them to |
//! | [`past`] | what an interaction says about everything before the next one |
//! | [`refusal`] | refusals in the words and the envelope of an endpoint |
//! | [`fill`] | `{places}` of the data files |
//! | [`said`] | what the model says |
//! | [`wires`] | how each wire writes an answer |

pub mod ask;
mod betas;
pub mod bound;
pub mod clear;
pub mod fill;
mod form;
pub mod look;
pub mod notes;
pub mod past;
pub mod refusal;
pub mod said;
pub mod sign;
pub mod wires;

pub use ask::{Ask, Desk, Reading};
pub use look::{Fate, Look, Stored, Texts};
pub use said::{Finish, Said, SaidPart};
pub use sign::{Signer, Stamp};
pub use wires::{Pen, answer, serves};
