//! Calls and their outputs.

pub(crate) mod call_fabricated;
pub(crate) mod call_id_altered;
pub(crate) mod call_without_output;
pub(crate) mod output_reassociated;
pub(crate) mod output_without_call;
