//! Who answers: our own fake, or an endpoint that somebody else runs.

use std::time::{Duration, Instant};

use holdover_fake::{FakeConfig, Session};
use holdover_profile::Profile;
use holdover_profile::provider::Endpoint;
use holdover_wire::recording::{End, Kept, ResponseRecord};
use holdover_wire::sse::{Decoder, Frame};
use holdover_wire::{Call, Document, PlanBody, Reply};
use serde_json::Value;

/// Letters of a note: a sentence or two, and no page of somebody else's.
const NOTE_CHARS_MAX: usize = 300;

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(300);

/// An endpoint that somebody else runs, as a client of it would name it.
#[derive(Clone, Debug)]
pub struct Live {
    /// What comes before `/chat/completions`.
    pub base_url: String,
    /// The user's key.
    pub key: Secret,
    /// The model that is asked.
    pub model: String,
}

/// A key. It is sent, and neither shown nor written.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// A key. What a header does not carry around it is none of it: a server that repeats the key leaves it out.
    pub fn new(key: &str) -> Self {
        Self(key.trim().to_owned())
    }

    /// A text of somebody else's as it may be noted: on one line, cut, and without the key, which servers repeat.
    fn noted(&self, text: &str) -> String {
        let text = if self.0.is_empty() {
            text.to_owned()
        } else {
            text.replace(&self.0, "[key]")
        };
        let mut letters = text
            .chars()
            .map(|letter| if letter.is_control() { ' ' } else { letter });
        let mut note: String = letters.by_ref().take(NOTE_CHARS_MAX).collect();
        if letters.next().is_some() {
            note.push('…');
        }
        note
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

/// What a row rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evidence {
    /// Our own fake answered: it tells what Holdover knows, and no more.
    #[default]
    Simulated,
    /// Somebody else's server answered.
    Live,
}

impl Evidence {
    /// The word in the table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Simulated => "simulated",
            Self::Live => "live",
        }
    }
}

/// What came back.
pub(crate) struct Answer {
    /// Status, and body or events; status 0 where nothing came.
    pub(crate) response: ResponseRecord,
    /// The entry that refused, the entries of which nobody is sure, or why nothing came.
    pub(crate) notes: Vec<String>,
    /// From the request to the last byte; nothing where time is virtual.
    pub(crate) latency: Option<Duration>,
    /// Who answered.
    pub(crate) evidence: Evidence,
}

/// Who answers.
pub(crate) enum Server {
    /// Our own fake.
    Fake(Box<Session>),
    /// Somebody else's server.
    Live(Box<Live>),
}

impl Server {
    /// Our own fake of an endpoint.
    pub(crate) fn fake(endpoint: &std::sync::Arc<Endpoint>, seed: u64) -> Self {
        Self::Fake(Box::new(Session::new(FakeConfig {
            seed,
            profile: Profile::of_endpoint(endpoint),
            ..FakeConfig::default()
        })))
    }

    /// Posts a body. What the model says is scripted where that can be done.
    pub(crate) fn ask(&mut self, path: &str, body: Value, reply: Reply) -> Answer {
        match self {
            Self::Fake(session) => simulated(session, path, body, reply),
            Self::Live(live) => asked(live, &body),
        }
    }
}

fn simulated(session: &mut Session, path: &str, body: Value, reply: Reply) -> Answer {
    session.script(vec![reply]);
    let plan = session.handle(&Call::post(path, body)).plan;
    let names = ["x-holdover-refusal", "x-holdover-probe"];
    let notes = names
        .iter()
        .filter_map(|name| plan.header(name).map(str::to_owned));
    let notes = notes.collect();
    let kept = match plan.body {
        PlanBody::Json(value) => Kept::document(value),
        PlanBody::Stream(steps) => {
            let left = steps.len();
            Kept::steps(steps, left)
        }
        PlanBody::Nothing => Kept::default(),
    };
    Answer {
        response: ResponseRecord {
            status: plan.status,
            body: kept.body,
            events: kept.events,
            ..ResponseRecord::default()
        },
        notes,
        latency: None,
        evidence: Evidence::Simulated,
    }
}

fn asked(live: &Live, body: &Value) -> Answer {
    let begun = Instant::now();
    let url = format!("{}/chat/completions", live.base_url.trim_end_matches('/'));
    let request = ureq::post(url)
        .config()
        .http_status_as_error(false)
        .timeout_global(Some(TIMEOUT))
        .build()
        .header("authorization", format!("Bearer {}", live.key.0));
    let read = request.send_json(body).and_then(|mut response| {
        let is_ours = response
            .headers()
            .keys()
            .any(|name| name.as_str().starts_with("x-holdover-"));
        let text = response.body_mut().read_to_string()?;
        Ok((response.status().as_u16(), is_ours, text))
    });
    let (status, is_ours, text) = match read {
        Ok(read) => read,
        Err(error) => {
            return Answer {
                response: ResponseRecord {
                    status: 0,
                    ..ResponseRecord::default()
                },
                notes: vec![live.key.noted(&format!("no answer: {error}"))],
                latency: None,
                evidence: Evidence::Live,
            };
        }
    };
    let response = record(status, &text);
    let message = || response.body.as_ref()?.pointer("/error/message")?.as_str();
    let note = match message() {
        _ if status == 200 => None,
        Some(message) => Some(live.key.noted(&format!("{status}: {message}"))),
        None => Some(format!("{status}, without an error message")),
    };
    Answer {
        notes: note.into_iter().collect(),
        response,
        latency: Some(begun.elapsed()),
        evidence: if is_ours {
            Evidence::Simulated
        } else {
            Evidence::Live
        },
    }
}

/// The body as JSON, or its events. A stream is at its end with `[DONE]`, or with a choice that says why it finished.
pub(crate) fn record(status: u16, text: &str) -> ResponseRecord {
    let body: Option<Document> = serde_json::from_str(text).ok();
    let frames = body.is_none().then(|| {
        let mut decoder = Decoder::new();
        let mut frames = decoder.push(text.as_bytes());
        // The last frame may lack the line that ends it.
        frames.extend(decoder.push(b"\n\n"));
        frames
    });
    let is_over = frames.as_ref().is_none_or(|frames| frames.iter().any(is_last));
    ResponseRecord {
        status,
        body,
        events: frames.map(|frames| frames.iter().filter_map(Frame::event).collect()),
        end: if is_over { End::Complete } else { End::Cut },
        ..ResponseRecord::default()
    }
}

fn is_last(frame: &Frame) -> bool {
    let finishes = |event: holdover_wire::Event| {
        let choices = event.object().get("choices").and_then(Value::as_array);
        choices.is_some_and(|choices| choices.iter().any(|choice| choice["finish_reason"].is_string()))
    };
    frame.data.trim() == "[DONE]" || frame.event().is_some_and(finishes)
}
