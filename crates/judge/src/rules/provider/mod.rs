//! Rules about the wires of other providers: what a request brought back, against what its endpoint wants.

pub(crate) mod adjacency_broken;
pub(crate) mod forbidden_reasoning_sent;
pub(crate) mod prefix_not_byte_stable;
pub(crate) mod reasoning_of_another_provider;
pub(crate) mod required_reasoning_missing;
pub(crate) mod signature_altered;
