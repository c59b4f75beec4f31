//! The error envelope of the API, with the grade of its evidence.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How well the wording of a refusal is known (`tests/facts/errors.md`, grades). Sent as `x-holdover-evidence`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// M: a third party recorded it from the live API.
    Measured,
    /// R: quoted word for word in public reports.
    Reported,
    /// F: seen in fixtures and mirrors only.
    Fixture,
    /// I: inferred by analogy; never frozen in a golden file.
    Inferred,
    /// Not an answer of the API at all: a limit of Holdover itself.
    Ours,
}

impl Evidence {
    /// The word in the header.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Reported => "reported",
            Self::Fixture => "fixture",
            Self::Inferred => "inferred",
            Self::Ours => "ours",
        }
    }
}

/// One refusal: the HTTP status and the four members of the envelope, which are always there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// HTTP status, 400 to 599.
    pub status: u16,
    /// `error.message`
    pub message: String,
    /// `error.type`, nearly always `invalid_request_error` for a 4xx.
    pub kind: String,
    /// `error.param`
    pub param: Option<String>,
    /// `error.code`
    pub code: Option<String>,
    /// Entry of `tests/facts/errors.md` (`E01`), or of `endpoints.md` (`endpoints`), where it comes from.
    pub source: &'static str,
    /// How well it is known.
    pub evidence: Evidence,
}

impl ApiError {
    /// A 400 `invalid_request_error` without param and code.
    pub fn invalid(source: &'static str, evidence: Evidence, message: impl Into<String>) -> Self {
        Self {
            status: 400,
            message: message.into(),
            kind: "invalid_request_error".to_owned(),
            param: None,
            code: None,
            source,
            evidence,
        }
    }

    /// With `param`.
    #[must_use]
    pub fn at(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    /// With `code`.
    #[must_use]
    pub fn code(mut self, code: &str) -> Self {
        self.code = Some(code.to_owned());
        self
    }

    /// With another status.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// The body.
    pub fn body(&self) -> Value {
        json!({"error": {"message": self.message, "type": self.kind, "param": self.param, "code": self.code}})
    }
}
