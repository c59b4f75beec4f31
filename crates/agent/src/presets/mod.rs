//! What is peculiar to one real client.
//!
//! | module | what is there |
//! |---|---|
//! | [`agents_sdk`] | how the Agents SDK prepares input from a session and a run |
//! | [`dump`] | member order of items as that SDK dumps them |
//! | [`meai`] | responses to messages and back, as Microsoft.Extensions.AI does it |

pub(crate) mod agents_sdk;
pub(crate) mod dump;
pub(crate) mod meai;
