//! The stages of the pipeline, each in its right form; where a slip is planted, the stage hands over to the slip's
//! file in [`crate::slips`].
//!
//! | stage | from | to |
//! |---|---|---|
//! | [`receive`] | bytes | an answer, or why there is none |
//! | [`recover`] | the reason why there is none | what to send next |
//! | [`coalesce`] | an answer | what the client keeps of it |
//! | [`append`] | that | the history |
//! | [`persist`] | the history | the history as the store gives it back |
//! | [`policy`] | items | items under the reasoning item id policy |
//! | [`callback`] | stored history, new input | one input, through the application's callback |
//! | [`trim`] | an input | an input without cut pairs, orphans and duplicates |
//! | [`build`] | an input | a request body |
//! | [`send`] | a body | a call |
//! | [`export`] | a finished turn | logs, dumps, the audit record |
//! | [`resume`] | the state | the state in a new process |

pub(crate) mod append;
pub(crate) mod build;
pub(crate) mod callback;
pub(crate) mod coalesce;
pub(crate) mod export;
pub(crate) mod persist;
pub(crate) mod policy;
pub(crate) mod receive;
pub(crate) mod recover;
pub(crate) mod replay;
pub(crate) mod resume;
pub(crate) mod send;
pub(crate) mod trim;
