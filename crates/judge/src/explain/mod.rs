//! What a refusal of the API means: from pasted error text to its usual cause and recovery.

mod refusal;

pub use refusal::{RefusalPage, refusal, refusals};
