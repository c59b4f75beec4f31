//! A response in short, kept beside its text by whoever wrote it.

use std::sync::Arc;

use crate::Object;

/// What the readers of an answer ask of a response. Whoever writes a response as text knows all of it, so nobody has to
/// read the text again for these.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// `id`
    pub id: String,
    /// `created_at`
    pub created_at: u64,
    /// `status`
    pub status: &'static str,
    /// `completed_at`
    pub completed_at: Option<u64>,
    /// `store`
    pub store: bool,
    /// `reasoning.context`, where the response has it.
    pub context: Option<&'static str>,
    /// The items of `output`.
    pub output: Vec<Arc<Object>>,
}
