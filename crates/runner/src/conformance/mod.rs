//! The conformance programs, which any client can run: an adapter speaks for it, one JSON line a step.
//!
//! | module | what is there |
//! |---|---|
//! | [`program`] | a program: its id, MUST or SHOULD, and its steps |
//! | [`catalogue`] | all programs |
//! | [`contract`] | what is said to an adapter, and what it answers |
//! | [`adapter`] | the process of an adapter |
//! | [`cell`] | one program with one adapter, judged |
//! | [`carried`] | what the requests of a recording brought, in words |
//! | [`expected`] | the file of expected failures |
//! | [`files`] | what a run leaves for other programs |
//! | [`mod@run`] | many programs at a time |

pub mod adapter;
pub mod carried;
pub mod catalogue;
pub mod cell;
pub mod contract;
pub mod expected;
pub mod files;
pub mod program;
pub mod run;

pub use cell::{Cell, End};
pub use expected::{Comparison, Expected, ExpectedError};
pub use program::{Level, Program, Special};
pub use run::{Plan, run};
