//! Plays a plan on a connection: status and headers, then one JSON document or events one by one.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue};
use http::{HeaderMap, Response, StatusCode};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::Sleep;

use holdover_wire::{Document, End, Plan, PlanBody, Step, sse};

use crate::exchange::{Content, Open};
use crate::listen::{Ending, Handle};
use crate::refusal;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream; charset=utf-8");
/// Events are framed ahead of being sent into buffers of about this size, so that a stream costs few allocations.
const BATCH_BYTES: usize = 8 << 10;

/// The answer to one request, and the exchange that it closes when its last byte is on its way. A plan of silence never
/// comes to an end here: the connection's does it.
pub(crate) async fn play(mut plan: Plan, mut open: Open, connection: Option<Arc<Handle>>) -> Response<Body> {
    if !plan.wait.is_zero() {
        // A client that goes away meanwhile drops the exchange, which records that.
        tokio::time::sleep(plan.wait).await;
    }
    if let (PlanBody::Json(_), End::Complete) = (&plan.body, plan.end)
        && let Err(error) = open.commit()
    {
        plan = Plan::refusal(&refusal::no_state(&error), Vec::new());
    }
    let status = StatusCode::from_u16(plan.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut headers = header_map(&plan.headers);
    open.head(plan.status, plan.headers);
    let body = match plan.body {
        PlanBody::Json(document) => {
            headers.entry(CONTENT_TYPE).or_insert(JSON);
            json_body(document, plan.end, open, connection, &mut headers)
        }
        PlanBody::Stream(steps) => {
            headers.entry(CONTENT_TYPE).or_insert(EVENT_STREAM);
            Body::new(StreamBody::new(steps, plan.end, open, connection))
        }
        PlanBody::Nothing => return silence(plan.end, open, connection).await,
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// Not a byte leaves.
async fn silence(end: End, open: Open, connection: Option<Arc<Handle>>) -> Response<Body> {
    open.close(Content::Nothing, end);
    if let Some(connection) = connection {
        match end {
            End::Complete | End::Cut => connection.close_now(),
            End::Reset => connection.reset_now(),
            End::HalfClose => connection.end_after_flush(Ending::HalfClose),
            // Until the client has had enough.
            End::Timeout | End::ClientGone => {}
        }
    }
    std::future::pending().await
}

/// The headers that HTTP can carry; a plan with others is played without them.
fn header_map(pairs: &[(String, String)]) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(pairs.len() + 2);
    for (name, value) in pairs {
        if let (Some(name), Ok(value)) = (header_name(name), HeaderValue::from_str(value)) {
            headers.append(name, value);
        }
    }
    headers
}

/// Names that most answers have, made once.
static USUAL: [HeaderName; 13] = [
    HeaderName::from_static("openai-version"),
    HeaderName::from_static("openai-organization"),
    HeaderName::from_static("openai-project"),
    HeaderName::from_static("openai-processing-ms"),
    HeaderName::from_static("x-request-id"),
    HeaderName::from_static("x-holdover-prior-protected"),
    HeaderName::from_static("x-holdover-rendered"),
    HeaderName::from_static("x-ratelimit-limit-requests"),
    HeaderName::from_static("x-ratelimit-limit-tokens"),
    HeaderName::from_static("x-ratelimit-remaining-requests"),
    HeaderName::from_static("x-ratelimit-remaining-tokens"),
    HeaderName::from_static("x-ratelimit-reset-requests"),
    HeaderName::from_static("x-ratelimit-reset-tokens"),
];

fn header_name(name: &str) -> Option<HeaderName> {
    let usual = USUAL.iter().find(|usual| usual.as_str() == name);
    usual
        .cloned()
        .or_else(|| HeaderName::from_bytes(name.as_bytes()).ok())
}

fn json_body(
    document: Document,
    end: End,
    mut open: Open,
    connection: Option<Arc<Handle>>,
    headers: &mut HeaderMap,
) -> Body {
    let bytes = document.bytes();
    open.sent(bytes.len());
    if end == End::Complete {
        open.close(Content::Json(document, bytes.clone()), end);
        return Body::from(bytes);
    }
    // The length is promised and half of it is sent: the client must see that the rest is missing.
    headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
    let half = bytes[..bytes.len() / 2].to_vec();
    Body::new(StreamBody::new(vec![Step::Raw(half)], end, open, connection))
}

/// Steps that are played one by one: each event is one frame, and so one chunk.
struct StreamBody {
    steps: Vec<Step>,
    /// Steps that left.
    next: usize,
    /// Index of the step before which the writes are committed: the last event, or the last piece of a document.
    commit_at: usize,
    framed: Framed,
    /// What was framed so far, while all steps are events.
    batches: Option<Vec<Bytes>>,
    pause: Option<Pin<Box<Sleep>>>,
    end: End,
    /// `None` once the exchange is closed.
    open: Option<Open>,
    connection: Option<Arc<Handle>>,
}

/// Events framed ahead: their bytes, and where each ends.
#[derive(Default)]
struct Framed {
    bytes: Bytes,
    lengths: std::vec::IntoIter<usize>,
}

impl StreamBody {
    fn new(steps: Vec<Step>, end: End, open: Open, connection: Option<Arc<Handle>>) -> Self {
        let commit_at = steps
            .iter()
            .rposition(|step| step.event().is_some())
            .unwrap_or(steps.len().saturating_sub(1));
        let is_plain = steps.iter().all(|step| matches!(step, Step::Event(_)));
        Self {
            steps,
            next: 0,
            commit_at,
            framed: Framed::default(),
            batches: is_plain.then(Vec::new),
            pause: None,
            end,
            open: Some(open),
            connection,
        }
    }

    /// The next event, framed; frames a few that follow it in the same buffer.
    fn event_bytes(&mut self) -> Bytes {
        if self.framed.lengths.len() == 0 {
            self.frame_ahead();
        }
        let length = self.framed.lengths.next().unwrap_or(0);
        self.framed.bytes.split_to(length)
    }

    fn frame_ahead(&mut self) {
        let mut buffer = Vec::with_capacity(BATCH_BYTES);
        let mut lengths = Vec::new();
        for step in &self.steps[self.next..] {
            let Step::Event(event) = step else { break };
            let start = buffer.len();
            sse::encode(event, &mut buffer);
            lengths.push(buffer.len() - start);
            if buffer.len() >= BATCH_BYTES / 2 {
                break;
            }
        }
        let bytes = Bytes::from(buffer);
        if let Some(batches) = &mut self.batches {
            batches.push(bytes.clone());
        }
        self.framed = Framed {
            bytes,
            lengths: lengths.into_iter(),
        };
    }

    /// Before a step leaves: the writes if it is the last event, and the whole exchange if it is the last step of an
    /// answer that ends well. So whoever has read the end of an answer finds it stored and recorded; where it cannot be
    /// stored, the answer ends here.
    fn leaving(&mut self, bytes: usize) -> Result<(), Aborted> {
        if let Some(open) = &mut self.open {
            if self.next == self.commit_at && open.commit().is_err() {
                self.close(End::Cut);
                return Err(Aborted);
            }
            open.sent(bytes);
        }
        self.next += 1;
        if self.next == self.steps.len() && self.end == End::Complete {
            self.close(End::Complete);
        }
        Ok(())
    }

    fn close(&mut self, end: End) {
        if let Some(open) = self.open.take() {
            let steps = std::mem::take(&mut self.steps);
            let left = self.next;
            let content = match self.batches.take() {
                // One buffer of the right size: the batches have room to spare.
                Some(batches) if left == steps.len() => Content::Events(steps, batches.concat().into()),
                _ => Content::Steps { steps, left },
            };
            open.close(content, end);
        }
    }

    /// The steps are over: ends as planned.
    fn end(&mut self) -> Poll<Option<Result<Frame<Bytes>, Aborted>>> {
        let end = self.end;
        self.close(end);
        let ending = match end {
            End::Complete => return Poll::Ready(None),
            // Nothing more comes, and the connection stays, until the client has had enough.
            End::Timeout | End::ClientGone => return Poll::Pending,
            End::Cut => Ending::Cut,
            End::HalfClose => Ending::HalfClose,
            End::Reset => Ending::Reset,
        };
        match &self.connection {
            Some(connection) => {
                // The connection ends itself once it has written what it holds. It is asked once: asked at each poll, it
                // would wake itself for ever while its client keeps a half-closed one.
                connection.end_after_flush(ending);
                self.end = End::Timeout;
                Poll::Pending
            }
            None => Poll::Ready(Some(Err(Aborted))),
        }
    }

    fn start_pause(&mut self, pause: Duration) {
        self.pause = Some(Box::pin(tokio::time::sleep(pause)));
    }
}

/// The plan says that the answer ends in the middle, or it cannot be kept.
#[derive(Debug, thiserror::Error)]
#[error("the answer ends here")]
struct Aborted;

impl HttpBody for StreamBody {
    type Data = Bytes;
    type Error = Aborted;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Aborted>>> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(context));
                self.pause = None;
            }
            let next = self.next;
            let bytes = match self.steps.get(next) {
                None => return self.end(),
                Some(Step::Wait(pause)) => {
                    let pause = *pause;
                    self.start_pause(pause);
                    match self.leaving(0) {
                        Ok(()) => continue,
                        Err(aborted) => return Poll::Ready(Some(Err(aborted))),
                    }
                }
                // Copied: the recording reads the pieces of a document once more.
                Some(Step::Raw(bytes) | Step::Framed(_, bytes)) => Bytes::copy_from_slice(bytes),
                Some(Step::Close(_)) => match self.leaving(0) {
                    Ok(()) => continue,
                    Err(aborted) => return Poll::Ready(Some(Err(aborted))),
                },
                Some(Step::Event(_)) => self.event_bytes(),
            };
            let left = self.leaving(bytes.len());
            return Poll::Ready(Some(left.map(|()| Frame::data(bytes))));
        }
    }

    fn is_end_stream(&self) -> bool {
        self.open.is_none() && self.end == End::Complete && self.pause.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

impl Drop for StreamBody {
    /// A body that is dropped before its end was not wanted any more: the client went away.
    fn drop(&mut self) {
        self.close(End::ClientGone);
    }
}

#[cfg(test)]
mod tests;
