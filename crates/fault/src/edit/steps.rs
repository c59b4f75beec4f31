//! Events of a stream: make, insert, renumber, end.

use holdover_wire::{End, Event, Plan, PlanBody, Step};
use serde_json::Value;

/// The steps of a stream of events; `None` for a document, also for one in pieces.
pub(crate) fn steps(plan: &mut Plan) -> Option<&mut Vec<Step>> {
    match &mut plan.body {
        PlanBody::Stream(steps) if steps.iter().any(|step| step.event().is_some()) => Some(steps),
        PlanBody::Stream(_) | PlanBody::Json(_) | PlanBody::Nothing => None,
    }
}

/// An event of these members; anything but an object has none.
pub(crate) fn event(members: Value) -> Event {
    match members {
        Value::Object(object) => Event::new(object),
        _ => Event::new(holdover_wire::Object::new()),
    }
}

/// The event of a step, to change. Special framing is given up: it would no longer fit.
pub(crate) fn event_mut(step: &mut Step) -> Option<&mut Event> {
    if let Step::Framed(event, _) = step {
        *step = Step::Event(event.clone());
    }
    match step {
        Step::Event(event) => Some(event),
        Step::Framed(..) | Step::Wait(_) | Step::Raw(_) | Step::Close(_) => None,
    }
}

/// The step of the terminal event.
pub(crate) fn terminal(steps: &[Step]) -> Option<usize> {
    steps
        .iter()
        .position(|step| step.event().is_some_and(Event::is_terminal))
}

/// `sequence_number` of an event.
pub(crate) fn number(event: &Event) -> Option<u64> {
    event.object().get("sequence_number").and_then(Value::as_u64)
}

/// Sets `sequence_number`, where the event has one.
pub(crate) fn set_number(event: &mut Event, number: u64) {
    if let Some(member) = event.object_mut().get_mut("sequence_number") {
        *member = number.into();
    }
}

/// Numbers all events again, without gaps, from the first number on.
pub(crate) fn renumber(steps: &mut [Step]) {
    let first = steps.iter().filter_map(Step::event).find_map(number).unwrap_or(0);
    let events = steps.iter_mut().filter(|step| step.event().is_some());
    for (event, number) in events.filter_map(event_mut).zip(first..) {
        set_number(event, number);
    }
}

/// Ends a stream after `kept` steps.
pub(crate) fn end_after(plan: &mut Plan, kept: usize, end: End) {
    if let PlanBody::Stream(steps) = &mut plan.body {
        steps.truncate(kept);
        plan.end = end;
    }
}
