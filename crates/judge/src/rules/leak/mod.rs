//! What gets out: in exports, and in members and texts of a request that others can read.

pub(crate) mod credential_in_export;
pub(crate) mod id_in_export;
pub(crate) mod id_in_foreign_field;
pub(crate) mod protected_data_as_text;
pub(crate) mod protected_data_in_export;
pub(crate) mod reasoning_as_visible_text;
pub(crate) mod reasoning_text_in_export;
