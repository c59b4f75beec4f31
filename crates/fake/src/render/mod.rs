//! From what the model says to the bytes' JSON.
//!
//! | module | what is there |
//! |---|---|
//! | [`events`] | the events of a stream, in order |
//! | [`headers`] | headers of every answer |
//! | [`item`] | output items in their three forms |
//! | [`object`] | the response object |
//! | [`tools`] | how tools and `text` are echoed |
//! | [`usage`] | token counts |

pub(crate) mod events;
pub(crate) mod headers;
pub(crate) mod item;
pub(crate) mod object;
pub(crate) mod tools;
pub(crate) mod usage;
