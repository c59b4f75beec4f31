//! One reader for each kind of capture.

pub(crate) mod bodies;
pub(crate) mod flows;
pub(crate) mod har;
pub(crate) mod lines;
pub(crate) mod node_log;
pub(crate) mod otlp;
pub(crate) mod pairs;
pub(crate) mod python_log;
pub(crate) mod rollout;
pub(crate) mod sse;
