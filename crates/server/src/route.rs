//! Which session a request belongs to, and which path of the API it means.

use http::{HeaderMap, Uri};

use holdover_wire::{SessionName, Wire};

/// What keys begin with; the rest names the session.
pub const KEY_PREFIX: &str = "sk-holdover-";
/// The header that names a session.
pub const SESSION_HEADER: &str = "x-holdover-session";
/// Query members that hold a credential; a recording never shows them (law 6).
const SECRET_QUERY: [&str; 5] = ["api-key", "api_key", "key", "token", "access_token"];

/// Where a request goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Session.
    pub(crate) session: SessionName,
    /// What stood before the API's own path: empty, or `/s/<session>` as it was sent.
    pub(crate) prefix: String,
    /// Path, percent-decoded: with its leading `/v1`, or as it was sent where it is one of another provider.
    pub(crate) path: String,
    /// Query as it was sent.
    pub(crate) query: Option<String>,
    /// Whether the base URL was written down twice.
    pub(crate) shape: PathShape,
}

/// Whether a path is one that a right base URL can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathShape {
    /// As it should be.
    Plain,
    /// A part of it stands there twice (`/v1/v1/…`, `/v1/responses/responses`).
    Doubled,
}

impl Target {
    /// Reads the path, then the header, then the key.
    pub(crate) fn of(uri: &Uri, headers: &HeaderMap) -> Self {
        let (named, rest) = split_session(uri.path());
        let prefix = uri.path()[..uri.path().len() - rest.len()].to_owned();
        let bare = strip_version(rest);
        let session = match named {
            Some(text) => session_or_default(&decode(text)),
            None => session_of_headers(headers),
        };
        Self {
            session,
            prefix,
            path: path_of(rest, bare),
            query: uri.query().map(str::to_owned),
            shape: shape_of(bare),
        }
    }

    /// The pairs of the query, decoded, in order.
    pub(crate) fn query_pairs(&self) -> Vec<(String, String)> {
        pairs(self.query.as_deref().unwrap_or(""))
            .map(|(name, value)| (decode_form(name), decode_form(value)))
            .collect()
    }

    /// The path as a recording shows it: with its query, but without credentials.
    pub(crate) fn recorded(&self) -> String {
        let Some(query) = self.query.as_deref().filter(|query| !query.is_empty()) else {
            return self.path.clone();
        };
        let shown: Vec<String> = pairs(query).map(|(name, value)| shown(name, value)).collect();
        format!("{}?{}", self.path, shown.join("&"))
    }
}

/// The path of the API itself has its `/v1` whether it was sent or not. What another provider's base URL puts before it
/// stays: it says who is meant.
fn path_of(rest: &str, bare: &str) -> String {
    let sent = decode(rest);
    let plain = matches!(bare, "/chat/completions" | "/messages");
    match Wire::of_path(&sent) {
        Some(wire) if wire != Wire::Responses && !plain => sent,
        _ => format!("/v1{}", decode(bare)),
    }
}

fn shown(name: &str, value: &str) -> String {
    let secret = SECRET_QUERY.contains(&decode_form(name).to_ascii_lowercase().as_str());
    let value = if secret { "…" } else { value };
    format!("{name}={value}")
}

fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

/// The name in `/s/<name>/…` and what follows it.
fn split_session(path: &str) -> (Option<&str>, &str) {
    let Some(rest) = path.strip_prefix("/s/") else {
        return (None, path);
    };
    match rest.find('/') {
        Some(at) => (Some(&rest[..at]), &rest[at..]),
        None => (Some(rest), ""),
    }
}

/// The path without its leading `/v1`.
fn strip_version(path: &str) -> &str {
    match path.strip_prefix("/v1") {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => rest,
        _ => path,
    }
}

fn shape_of(bare: &str) -> PathShape {
    let is = |prefix: &str| {
        bare.strip_prefix(prefix)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let doubled = is("/v1") || is("/responses/responses") || is("/responses/v1");
    if doubled {
        PathShape::Doubled
    } else {
        PathShape::Plain
    }
}

fn session_or_default(text: &str) -> SessionName {
    SessionName::parse(text).unwrap_or_else(SessionName::default_session)
}

/// The first of header and key that is there decides; a name outside the grammar means `default`.
fn session_of_headers(headers: &HeaderMap) -> SessionName {
    if let Some(value) = headers.get(SESSION_HEADER) {
        return session_or_default(value.to_str().unwrap_or(""));
    }
    let named = key(headers).and_then(|key| key.strip_prefix(KEY_PREFIX));
    named.map_or_else(SessionName::default_session, session_or_default)
}

/// The key of `Authorization: Bearer …`, or of the headers that other endpoints use for it.
fn key(headers: &HeaderMap) -> Option<&str> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    if let Some(value) = text("authorization") {
        let (scheme, key) = value.split_once(' ')?;
        return scheme.eq_ignore_ascii_case("bearer").then(|| key.trim());
    }
    text("api-key")
        .or_else(|| text("x-api-key"))
        .or_else(|| text("x-goog-api-key"))
}

/// Percent-decodes a path. `%2F` stays, because decoded it would cut an id in two; what is no escape stays as it is;
/// bytes that are no UTF-8 become U+FFFD.
fn decode(text: &str) -> String {
    unescape(text, |byte| byte != b'/')
}

/// Percent-decodes a member of a query, in which `+` is a space.
fn decode_form(text: &str) -> String {
    unescape(&text.replace('+', " "), |_| true)
}

fn unescape(text: &str, takes: impl Fn(u8) -> bool) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escape = escaped(&bytes[at..]).filter(|byte| takes(*byte));
        out.push(escape.unwrap_or(bytes[at]));
        at += escape.map_or(1, |_| 3);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The byte of an escape (`%41`) at the start of `bytes`.
fn escaped(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = *bytes else {
        return None;
    };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn target(uri: &str, headers: &[(&'static str, &str)]) -> Target {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(
                *name,
                HeaderValue::from_bytes(value.as_bytes()).expect("a legal value"),
            );
        }
        Target::of(&uri.parse().expect("a URI"), &map)
    }

    #[test]
    fn paths_work_with_and_without_version() {
        for uri in [
            "/v1/responses",
            "/responses",
            "/s/a/v1/responses",
            "/s/a/responses",
        ] {
            assert_eq!(target(uri, &[]).path, "/v1/responses", "{uri}");
        }
        assert_eq!(target("/v1x/responses", &[]).path, "/v1/v1x/responses");
    }

    #[test]
    fn paths_of_other_providers_stay_as_they_were_sent() {
        for (uri, path) in [
            ("/v1/chat/completions", "/v1/chat/completions"),
            ("/chat/completions", "/v1/chat/completions"),
            ("/s/a/v1/messages", "/v1/messages"),
            ("/s/a/api/v1/chat/completions", "/api/v1/chat/completions"),
            (
                "/api/coding/paas/v4/chat/completions",
                "/api/coding/paas/v4/chat/completions",
            ),
            ("/anthropic/v1/messages", "/anthropic/v1/messages"),
            (
                "/s/a/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
                "/v1beta/models/gemini-3-pro:streamGenerateContent",
            ),
        ] {
            assert_eq!(target(uri, &[]).path, path, "{uri}");
        }
        let key = [("x-goog-api-key", "sk-holdover-g")];
        assert_eq!(target("/v1beta/interactions", &key).session.as_str(), "g");
    }

    #[test]
    fn path_beats_header_beats_key() {
        let both = [
            (SESSION_HEADER, "header"),
            ("authorization", "Bearer sk-holdover-key"),
        ];
        assert_eq!(target("/s/path/v1/responses", &both).session.as_str(), "path");
        assert_eq!(target("/v1/responses", &both).session.as_str(), "header");
        assert_eq!(target("/v1/responses", &both[1..]).session.as_str(), "key");
        assert_eq!(target("/v1/responses", &[]).session.as_str(), "default");
    }

    #[test]
    fn other_key_headers_and_schemes_are_read() {
        let session = |name, value| target("/responses", &[(name, value)]).session.as_str().to_owned();
        assert_eq!(session("authorization", "bearer  sk-holdover-a"), "a");
        assert_eq!(session("api-key", "sk-holdover-b"), "b");
        assert_eq!(session("authorization", "Basic sk-holdover-a"), "default");
        assert_eq!(session("authorization", "Bearer sk-real"), "default");
        assert_eq!(session("authorization", "nonsense"), "default");
    }

    #[test]
    fn a_name_outside_the_grammar_is_default() {
        let long = format!("/s/{}/v1/responses", "x".repeat(65));
        for uri in [
            "/s/a%20b/v1/responses",
            "/s/%00/v1/responses",
            "/s//v1/responses",
            &long,
        ] {
            let target = target(uri, &[(SESSION_HEADER, "header")]);
            assert_eq!(target.session.as_str(), "default", "{uri}");
            assert_eq!(target.path, "/v1/responses", "{uri}");
        }
        assert_eq!(
            target("/v1/responses", &[(SESSION_HEADER, "a/b")])
                .session
                .as_str(),
            "default"
        );
        assert_eq!(
            target("/v1/responses", &[(SESSION_HEADER, "ä")]).session.as_str(),
            "default"
        );
    }

    #[test]
    fn a_doubled_path_is_seen() {
        for uri in [
            "/v1/v1/responses",
            "/v1/responses/responses",
            "/responses/responses/compact",
            "/v1/responses/v1/responses",
            "/s/a/v1/v1/models",
            "/v1/v1",
        ] {
            assert_eq!(target(uri, &[]).shape, PathShape::Doubled, "{uri}");
        }
        for uri in [
            "/v1/responses/resp_1",
            "/v1/responses/responses_1",
            "/v1",
            "/",
            "/v1/v1x",
        ] {
            assert_eq!(target(uri, &[]).shape, PathShape::Plain, "{uri}");
        }
    }

    #[test]
    fn escapes_are_decoded_once_and_broken_ones_stay() {
        assert_eq!(target("/v1/responses/a%5Fb", &[]).path, "/v1/responses/a_b");
        assert_eq!(target("/v1/responses/a%2Fb", &[]).path, "/v1/responses/a%2Fb");
        assert_eq!(target("/v1/responses/%zz%4", &[]).path, "/v1/responses/%zz%4");
        assert_eq!(target("/v1/responses/%2541", &[]).path, "/v1/responses/%41");
        assert_eq!(target("/v1/responses/%FF", &[]).path, "/v1/responses/\u{fffd}");
    }

    #[test]
    fn query_pairs_keep_their_brackets_and_order() {
        let target = target(
            "/v1/responses/r?include[]=a&include%5B%5D=b%20c+d&flag&after=",
            &[],
        );
        let pairs = target.query_pairs();
        let expected = [
            ("include[]", "a"),
            ("include[]", "b c d"),
            ("flag", ""),
            ("after", ""),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(pairs, expected);
    }

    #[test]
    fn a_recorded_path_shows_no_credential() {
        let recorded = |uri| target(uri, &[]).recorded();
        assert_eq!(recorded("/responses"), "/v1/responses");
        assert_eq!(
            recorded("/s/a/v1/responses?include[]=x"),
            "/v1/responses?include[]=x"
        );
        assert_eq!(
            recorded("/responses?Api-Key=s3cret&x=1"),
            "/v1/responses?Api-Key=…&x=1"
        );
    }
}
