//! A session of Holdover for each `#[tokio::test]`: a fake of its own, judged when the test says so.
//!
//! ```
//! # async fn agent(_base_url: &str, _api_key: &str) {}
//! # tokio::runtime::Runtime::new().expect("a runtime").block_on(async {
//! use holdover_testing::Holdover;
//!
//! let holdover = Holdover::start("my_agent_carries_its_reasoning").await;
//! agent(&holdover.base_url(), &holdover.api_key()).await;
//! let verdict = holdover.finish().await;
//! assert_eq!(verdict.coverage.turns, 0);
//! # });
//! ```
//!
//! | module | what is there |
//! |---|---|
//! | [`session`] | [`Holdover`] and its [`Setup`] |

pub mod session;

pub use session::{Holdover, Setup};
