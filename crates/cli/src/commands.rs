//! One file for each command.

pub(crate) mod check;
pub(crate) mod conformance;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod experiment;
pub(crate) mod explain;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod judge;
pub(crate) mod list;
pub(crate) mod policy;
pub(crate) mod repair;
pub(crate) mod run;
pub(crate) mod scan;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod shell;
pub(crate) mod shrink;
pub(crate) mod symptom;
pub(crate) mod test;
