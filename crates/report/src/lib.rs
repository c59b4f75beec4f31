//! Run events and verdicts turned into bytes: tables, JUnit, Markdown, HTML and text for a terminal.
//!
//! Nothing here runs, reads a clock, touches a file or prints. A run tells what happened as [`RunEvent`]s; a [`Run`]
//! is what they told; [`tables`] turns it into the files of `out/` (`docs/architecture.md`, Tables). The same events
//! give the same bytes, in whichever order cases ended.
//!
//! | module | what is there |
//! |---|---|
//! | [`event`] | what a run tells |
//! | [`case`] | what is known of one case when it is over |
//! | [`run`] | a run as its events told it |
//! | [`files`] | the files of `out/`, by kind |
//! | [`result`] | the fixed map of finding to result |
//! | [`mod@gate`] | the release gate: five questions |
//! | [`mod@closing`] | the line that `run` closes with |
//! | [`text`] | verdicts, cases and the gate as text for people |
//! | [`schema`] | JSON Schemas of what other programs read |

pub mod case;
mod clean;
pub mod closing;
pub mod event;
pub mod files;
mod formats;
pub mod gate;
mod lines;
pub mod place;
mod reading;
pub mod result;
pub mod run;
pub mod schema;
#[cfg(test)]
mod testing;
pub mod text;
mod words;

pub use case::{Behaviour, CaseEnd, CaseReport, ClientView, Table, Treated, Unmet};
pub use closing::{Tally, closing, tally};
pub use event::{CaseName, RunEvent, RunStarted};
pub use files::{ReportFile, ReportKind, tables, tables_of};
pub use formats::replay_policy::rows as replay_policy;
pub use gate::{Answer, Gate, gate};
pub use place::{CodePlace, Look, TestPlace};
pub use result::{result_of, results};
pub use run::Run;
pub use text::Style;
