//! The other spelling of schema errors, with a prefix (`tests/facts/errors.md` section 0).

use holdover_profile::SchemaErrors;
use holdover_wire::ApiError;

/// A refusal as a profile spells it. The prefix is known for three kinds of parameter only.
pub(crate) fn spelled(error: &ApiError, spelling: SchemaErrors) -> ApiError {
    let kind = match (error.source, error.code.as_deref()) {
        ("E09", Some("invalid_id_prefix")) => ("ApiIdParam", "invalid_id_prefix"),
        ("E30", Some("invalid_value")) => ("ItemParam", "invalid_enum_value"),
        ("E13", Some("invalid_type")) => ("LargeStringParam", "invalid_type"),
        _ => return error.clone(),
    };
    let (SchemaErrors::Tagged, Some(param)) = (spelling, &error.param) else {
        return error.clone();
    };
    ApiError {
        message: format!("[{}] [{param}] [{}] {}", kind.0, kind.1, error.message),
        ..error.clone()
    }
    .code("invalid_request_error")
}
