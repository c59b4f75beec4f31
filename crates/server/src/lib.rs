//! The fake on a real socket: sessions, recordings and verdicts over HTTP.
//!
//! ```no_run
//! # async fn example() -> Result<(), holdover_server::BindError> {
//! use holdover_server::{Evidence, ServerConfig, bind};
//!
//! let server = bind(ServerConfig::default()).await?;
//! println!("OPENAI_BASE_URL={}", server.base_url());
//! let sessions = server.sessions();
//! server.run(std::future::pending()).await;
//! for name in sessions.names() {
//!     let report = sessions.finish(&name, Evidence::default()).await;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! How a request flows: `route` says whose it is, `body` reads it, `decode` unpacks it, `api` lets the session's fake answer, `play` writes
//! the answer. The `exchange` that this leaves goes through a bounded `queue` to a `worker` thread, which puts it into the
//! session's `log` (recording and judge) and into its file (`record_file`).
//!
//! | module | what is there |
//! |---|---|
//! | `config` | what a server is told |
//! | `server` | bind, run, stop |
//! | `faulty` | the faults of a session, around its fake |
//! | `listen` | the socket; connections that can be cut or reset |
//! | `sessions`, `session` | all sessions; one session |
//! | `answer`, `via` | one call answered; the way by which it came |
//! | `socket` | the WebSocket mode |
//! | `state` | where the state of sessions is kept: memory, SQLite, Redis |
//! | `own` | the routes under `/_holdover/` |
//! | `refusal` | answers that are ours and not the API's |
//! | `metrics`, `app` | counters; what all requests share |

mod answer;
mod api;
mod app;
mod body;
mod config;
mod decode;
mod entry;
mod exchange;
mod faulty;
mod listen;
mod log;
mod metrics;
mod own;
mod play;
mod queue;
mod record_file;
mod refusal;
mod route;
mod server;
mod session;
mod sessions;
mod socket;
mod state;
mod via;
mod worker;

pub use config::{Limits, OwnRoutes, ServerConfig, World};
pub use holdover_judge::Clock;
pub use listen::{Ending, Handle, Peer};
pub use log::Evicted;
pub use route::{KEY_PREFIX, SESSION_HEADER};
pub use server::{BindError, Server, bind};
pub use session::{Evidence, Meta, SessionReport, SessionSetup, SessionSummary};
pub use sessions::{OpenError, Opened, Removed, Sessions};
pub use state::{StateConfig, StateConfigError, StateError};
pub use worker::Live;
