//! Starts the built binary in a folder of its own, with a time limit, and stops it again.

mod command;
mod serving;

pub(crate) use command::Holdover;
pub(crate) use serving::{Answer, Serving};
