//! Which kind of capture a file is.

/// How many bytes are looked at.
pub const PEEK_BYTES: usize = 1 << 16;

/// A kind of capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What a browser or a proxy exports.
    Har,
    /// A recording of Holdover's.
    Recording,
    /// JSON lines, a list or a document of request and response pairs.
    Pairs,
    /// A folder of bodies.
    Folder,
    /// The bytes of one or more streams.
    Sse,
    /// A session file of the Codex command line.
    Rollout,
    /// What openai-python prints at level debug.
    PythonLog,
    /// What openai-node prints at level debug.
    NodeLog,
    /// OpenTelemetry spans as JSON.
    Otlp,
    /// A flow dump of mitmproxy.
    Flows,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::Har,
        Self::Recording,
        Self::Pairs,
        Self::Folder,
        Self::Sse,
        Self::Rollout,
        Self::PythonLog,
        Self::NodeLog,
        Self::Otlp,
        Self::Flows,
    ];

    /// How a user calls it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Har => "HAR file",
            Self::Recording => "recording of holdover",
            Self::Pairs => "file of request and response pairs",
            Self::Folder => "folder of bodies",
            Self::Sse => "transcript of a stream",
            Self::Rollout => "rollout of codex",
            Self::PythonLog => "debug log of openai-python",
            Self::NodeLog => "debug log of openai-node",
            Self::Otlp => "file of OpenTelemetry spans",
            Self::Flows => "flow dump of mitmproxy",
        }
    }

    /// Whether the times of its exchanges are real ones.
    pub fn has_real_time(self) -> bool {
        matches!(self, Self::Har | Self::Flows)
    }

    /// The kind that a file with these first bytes is; `None` for something else.
    pub fn of(head: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(head);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if is_netstring(text.as_bytes()) {
            return Some(Self::Flows);
        }
        match text.as_bytes().first()? {
            b'{' => Some(of_object(text)),
            b'[' if text[1..].trim_start().starts_with('{') => Some(Self::Pairs),
            _ => of_text(text),
        }
    }
}

fn of_object(text: &str) -> Kind {
    let line = text.lines().next().unwrap_or_default();
    let has = |name: &str| text.contains(&format!("\"{name}\""));
    let on_line = |name: &str| line.contains(&format!("\"{name}\""));
    if on_line("recording") {
        Kind::Recording
    } else if has("resourceSpans") || has("scopeSpans") || has("resource_spans") {
        Kind::Otlp
    } else if on_line("payload") && on_line("type") {
        Kind::Rollout
    } else if text[1..].trim_start().starts_with("\"log\"") {
        Kind::Har
    } else {
        Kind::Pairs
    }
}

fn of_text(text: &str) -> Option<Kind> {
    let mut lines = text.lines().map(str::trim_start);
    let is_stream = lines.clone().take(40).any(|line| line.starts_with("data:"));
    if is_stream || text.starts_with("event:") {
        return Some(Kind::Sse);
    }
    let python = ["Request options:", "openai._base_client", "HTTP Response: "];
    let node = [
        "] sending request",
        "] response start",
        "] response parsed",
        "OpenAI:DEBUG",
    ];
    let says = |line: &str, marks: &[&str]| marks.iter().any(|mark| line.contains(mark));
    lines.find_map(|line| {
        if says(line, &python) {
            Some(Kind::PythonLog)
        } else if says(line, &node) {
            Some(Kind::NodeLog)
        } else {
            None
        }
    })
}

/// Digits, a colon and something behind it: the length of what follows.
fn is_netstring(bytes: &[u8]) -> bool {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (1..=12).contains(&digits)
        && bytes.get(digits) == Some(&b':')
        && bytes.get(digits + 1).is_some_and(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_told_from_the_first_bytes() {
        let cases: [(&str, Option<Kind>); 14] = [
            ("{\"log\": {\"version\": \"1.2\", \"entries\": [", Some(Kind::Har)),
            (
                "{\"recording\":\"holdover.recording/1\"}\n",
                Some(Kind::Recording),
            ),
            ("{\"request\":{\"body\":{}}}\n", Some(Kind::Pairs)),
            ("{\"input\": \"hi\", \"model\": \"m\"}", Some(Kind::Pairs)),
            ("[\n {\"request\": {}}]", Some(Kind::Pairs)),
            ("event: response.created\ndata: {}\n\n", Some(Kind::Sse)),
            (": ping\n\ndata: {}\n\n", Some(Kind::Sse)),
            (
                "{\"timestamp\":\"t\",\"type\":\"session_meta\",\"payload\":{}}\n",
                Some(Kind::Rollout),
            ),
            (
                "DEBUG:openai._base_client:Request options: {}",
                Some(Kind::PythonLog),
            ),
            ("[log_1a2b3c] sending request {", Some(Kind::NodeLog)),
            ("{\"resourceSpans\":[]}", Some(Kind::Otlp)),
            ("1042:5:flows,", Some(Kind::Flows)),
            ("Dear all,\nthe agent forgot everything.", None),
            ("", None),
        ];
        for (text, kind) in cases {
            assert_eq!(Kind::of(text.as_bytes()), kind, "{text}");
        }
    }
}
