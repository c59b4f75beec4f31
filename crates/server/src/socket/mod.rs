//! The WebSocket mode of `GET /v1/responses` (`tests/facts/streaming.md` section 11).
//!
//! A connection is one task. It reads frames, queues what they ask for on their lanes, and answers up to 16 at once; a
//! writer beside it sends what they say. Each `response.create` is one exchange, like a request of HTTP.
//!
//! | module | what is there |
//! |---|---|
//! | `upgrade` | the request that opens a connection |
//! | `connection` | the task: what comes in, what is under way, when it ends |
//! | `frame` | client frames read, server frames written |
//! | `lanes` | which request is next |
//! | `turn` | one request: its answer, played frame by frame |
//! | `writer` | frames and ends on their way out |
//! | `limit` | the refusals that only a connection knows |

mod connection;
mod frame;
mod lanes;
mod limit;
mod turn;
mod upgrade;
mod writer;

pub(crate) use upgrade::{is_upgrade, upgrade};
