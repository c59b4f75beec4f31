//! One file each, by group: the folders are the catalogue.

pub(crate) mod connection;
pub(crate) mod reasoning;
pub(crate) mod refusals;
pub(crate) mod state;
pub(crate) mod stream;
pub(crate) mod timing;
