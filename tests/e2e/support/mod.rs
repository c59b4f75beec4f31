//! Starts the built binary in a folder of its own, with a time limit, and stops it again.

mod command;

pub(crate) use command::{Holdover, Outcome};
