//! How exchanges continue one another.
//!
//! | module | what is there |
//! |---|---|
//! | `node` | one create or compact exchange: what it sent, how it ended, what a follower must carry |
//! | `book` | [`Lineages`]: all nodes, and the indexes by which a request finds the one it continues |
//! | `link` | the search itself |
//! | `voice` | whether two instructions are the same agent's |
//! | `refusal` | a refusal as the next request must take it |

mod book;
mod link;
mod node;
mod refusal;
mod voice;

pub(crate) use book::{Conversation, Lineages};
pub(crate) use link::{Link, Strength, find};
pub(crate) use node::{Before, Ending, Endpoint, Mode, Node, ending_of};
pub(crate) use refusal::{Refusal, Retryable};
pub(crate) use voice::Voice;
