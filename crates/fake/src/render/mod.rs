//! From what the model says to the bytes' JSON.
//!
//! | module | what is there |
//! |---|---|
//! | [`budget`] | where `max_output_tokens` or a script ends an output |
//! | [`build`] | from what is said to output items |
//! | [`draft`] | an event that is written member by member |
//! | [`events`] | the events of a stream, in order |
//! | [`headers`] | headers of every answer |
//! | [`hosted`] | hosted tools: one table from type to events |
//! | [`item`] | output items in their three forms |
//! | [`object`] | the response object |
//! | [`progress`] | the events of hosted tools |
//! | [`tools`] | how tools and `text` are echoed |
//! | [`usage`] | token counts |

pub(crate) mod budget;
pub(crate) mod build;
pub(crate) mod draft;
pub(crate) mod events;
pub(crate) mod headers;
pub(crate) mod hosted;
pub(crate) mod item;
pub(crate) mod object;
pub(crate) mod progress;
pub(crate) mod tools;
pub(crate) mod usage;
