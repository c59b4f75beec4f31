//! The shape of a replayed item.

pub(crate) mod id_grammar;
pub(crate) mod null_id;
pub(crate) mod required_field_missing;
pub(crate) mod unknown_field_sent;
