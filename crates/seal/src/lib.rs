//! Keys that derive from a seed, and tokens that are really sealed: what the Responses API calls encrypted content and
//! other providers a signature.
//!
//! | module | what is there |
//! |---|---|
//! | [`key`] | keys by purpose, digits that look random |
//! | [`fernet`] | the token itself: Fernet by its parts, because the IV and the clock are handed in |

pub mod fernet;
pub mod key;

pub use fernet::{Fernet, Unreadable};
pub use key::{Key, hex, push_base62, push_hex};
