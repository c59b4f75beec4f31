//! One answer, played frame by frame.

use holdover_wire::plan::PlanBody;
use holdover_wire::{End, Event, Plan, Step};
use serde_json::Value;

use super::frame;
use super::lanes::Lane;
use super::writer::{Now, Out, Outlet};
use crate::exchange::{Content, Open};
use crate::listen::Ending;

/// Close code for an answer that no frame can carry: the server has an error (RFC 6455, section 7.4.1).
const INTERNAL_ERROR: u16 = 1011;

/// The steps of one answer, and the exchange that they close.
struct Playing<'a> {
    steps: Vec<Step>,
    /// Steps that left.
    next: usize,
    end: End,
    /// Whether not a byte was planned.
    is_silent: bool,
    /// `None` once the exchange is closed.
    open: Option<Open>,
    outlet: &'a Outlet,
}

/// Plays an answer to its end. Where the plan ends the connection it never returns: the connection drops it.
pub(super) async fn play(plan: Plan, mut open: Open, lane: &Lane, outlet: &Outlet) {
    if !plan.wait.is_zero() {
        tokio::time::sleep(plan.wait).await;
    }
    let is_silent = plan.body == PlanBody::Nothing;
    let end = plan.end;
    let steps = steps(plan.status, &plan.headers, plan.body, end, lane);
    open.head(plan.status, plan.headers);
    let playing = Playing {
        steps,
        next: 0,
        end,
        is_silent,
        open: Some(open),
        outlet,
    };
    playing.play().await;
}

/// The frames of an answer: events as they are, a refusal as an error frame.
fn steps(status: u16, headers: &[(String, String)], body: PlanBody, end: End, lane: &Lane) -> Vec<Step> {
    match body {
        PlanBody::Nothing => Vec::new(),
        // Half a document is no frame.
        PlanBody::Json(_) if end != End::Complete => Vec::new(),
        PlanBody::Json(value) => vec![Step::Event(document(status, headers, value.into_value(), lane))],
        PlanBody::Stream(steps) if steps.iter().any(|step| step.event().is_some()) => {
            steps.into_iter().map(|step| framed(step, lane)).collect()
        }
        PlanBody::Stream(steps) => {
            let bytes = PlanBody::Stream(steps).bytes();
            match serde_json::from_slice(&bytes) {
                Ok(value) => vec![Step::Event(document(status, headers, value, lane))],
                // A page of a proxy, or nothing at all.
                Err(_) => vec![Step::Close(INTERNAL_ERROR)],
            }
        }
    }
}

fn document(status: u16, headers: &[(String, String)], value: Value, lane: &Lane) -> Event {
    if status >= 400 {
        return frame::error(status, headers, &value, lane);
    }
    frame::on_lane(frame::event(value), lane)
}

/// An event is one frame however it would be framed over HTTP; what is no event has no frame.
fn framed(step: Step, lane: &Lane) -> Step {
    match step {
        Step::Event(event) | Step::Framed(event, _) => Step::Event(frame::on_lane(event, lane)),
        Step::Wait(_) | Step::Raw(_) | Step::Close(_) => step,
    }
}

/// What a step means on a socket.
enum Next {
    Frame(String),
    Wait(std::time::Duration),
    Close(u16),
    Nothing,
}

impl Playing<'_> {
    async fn play(mut self) {
        let commit_at = self
            .steps
            .iter()
            .rposition(|step| step.event().is_some())
            .unwrap_or(usize::MAX);
        while let Some(step) = self.steps.get(self.next) {
            let next = match step {
                Step::Event(event) | Step::Framed(event, _) => Next::Frame(frame::text(event)),
                Step::Wait(pause) => Next::Wait(*pause),
                Step::Close(code) => Next::Close(*code),
                Step::Raw(_) => Next::Nothing,
            };
            let next = if self.next == commit_at
                && let Some(open) = &mut self.open
                && open.commit().is_err()
            {
                // What cannot be kept may not end as if it were.
                Next::Close(INTERNAL_ERROR)
            } else {
                next
            };
            match next {
                Next::Frame(text) => {
                    self.leaving(text.len());
                    self.outlet.send(Out::Frame(text)).await;
                }
                Next::Wait(pause) => {
                    tokio::time::sleep(pause).await;
                    self.leaving(0);
                }
                Next::Close(code) => {
                    self.outlet.cut_by_server();
                    self.close(End::Cut);
                    self.outlet.send(Out::Close(code)).await;
                    return std::future::pending().await;
                }
                Next::Nothing => self.leaving(0),
            }
        }
        self.end().await;
    }

    /// Before a step leaves: the whole exchange is closed if it is the last one of an answer that ends well. So whoever
    /// has read the end of an answer finds it recorded.
    fn leaving(&mut self, bytes: usize) {
        if let Some(open) = &mut self.open {
            open.sent(bytes);
        }
        self.next += 1;
        if self.next == self.steps.len() && self.end == End::Complete {
            self.close(End::Complete);
        }
    }

    fn close(&mut self, end: End) {
        if let Some(open) = self.open.take() {
            let steps = std::mem::take(&mut self.steps);
            let left = self.next;
            open.close(Content::Frames { steps, left }, end);
        }
    }

    /// The steps are over: ends as planned.
    async fn end(mut self) {
        let end = self.end;
        self.close(end);
        let out = match (end, self.is_silent) {
            (End::Complete, false) => return,
            // Nothing more comes on this lane, until the client has had enough.
            (End::Timeout | End::ClientGone, _) => return std::future::pending().await,
            (End::Complete | End::Cut, true) => Out::Now(Now::Close),
            (End::Reset, true) => Out::Now(Now::Reset),
            (End::Cut, false) => Out::End(Ending::Cut),
            (End::Reset, false) => Out::End(Ending::Reset),
            (End::HalfClose, _) => Out::End(Ending::HalfClose),
        };
        self.outlet.cut_by_server();
        self.outlet.send(out).await;
        std::future::pending::<()>().await;
    }
}

impl Drop for Playing<'_> {
    /// An answer that is dropped before its end: the connection is gone.
    fn drop(&mut self) {
        self.close(self.outlet.end_of_dropped());
    }
}
