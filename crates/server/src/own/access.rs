//! Who may use these routes: they show what was sent, and change what is answered.

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Response};

use crate::api::unrecorded;
use crate::config::OwnRoutes;
use crate::refusal;

/// Lets a request through, or says what is missing. `health` is for whoever starts the server, and shows nothing.
pub(super) async fn check(access: OwnRoutes, request: Request, next: Next) -> Response<Body> {
    let open = request.uri().path().ends_with("/health");
    if open || may(&access, request.headers()) {
        return next.run(request).await;
    }
    let help = match access {
        OwnRoutes::Closed => "they are closed; start `holdover serve` with HOLDOVER_TOKEN to open them",
        OwnRoutes::Open | OwnRoutes::Token(_) => {
            "send `Authorization: Bearer` with the token of HOLDOVER_TOKEN"
        }
    };
    let mut error = refusal::bad_own_request(format!("holdover's own routes need a token: {help}"));
    error.status = 401;
    unrecorded(&error)
}

fn may(access: &OwnRoutes, headers: &HeaderMap) -> bool {
    match access {
        OwnRoutes::Open => true,
        OwnRoutes::Closed => false,
        OwnRoutes::Token(token) => {
            let sent = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
            sent.and_then(|value| value.strip_prefix("Bearer ")) == Some(token.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn only_the_token_opens_what_has_one() {
        let with =
            |value: &'static str| HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(value))]);
        let token = OwnRoutes::Token("secret".to_owned());
        assert!(may(&token, &with("Bearer secret")));
        for wrong in [
            "Bearer secre",
            "Bearer secrets",
            "secret",
            "Bearer ",
            "Basic secret",
        ] {
            assert!(!may(&token, &with(wrong)), "{wrong}");
        }
        assert!(!may(&token, &HeaderMap::new()));
        assert!(!may(&OwnRoutes::Closed, &with("Bearer secret")));
        assert!(may(&OwnRoutes::Open, &HeaderMap::new()));
    }
}
