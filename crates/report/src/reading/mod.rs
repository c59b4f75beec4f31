//! What can be read off the exchanges of a recording, without the judge and without the client.
//!
//! | module | what is there |
//! |---|---|
//! | [`exchange`] | one exchange: is it a create, its ids, headers, item types |
//! | [`context`] | what the model of an exchange was given, state of the server included |
//! | [`state`] | the columns of `state_modes.csv` |
//! | [`pairing`] | calls and their outputs, exchange by exchange |

pub(crate) mod context;
pub(crate) mod exchange;
pub(crate) mod pairing;
pub(crate) mod state;
