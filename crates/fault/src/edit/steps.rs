//! Events of a stream: make, insert, renumber, end.

use holdover_wire::{End, Event, Plan, PlanBody, Step, event_stream};
use serde_json::Value;

/// The steps of a stream of events; `None` for a document, also for one in pieces.
pub(crate) fn steps(plan: &mut Plan) -> Option<&mut Vec<Step>> {
    match &mut plan.body {
        PlanBody::Stream(steps) if steps.iter().any(|step| step.event().is_some()) => Some(steps),
        PlanBody::Stream(_) | PlanBody::Json(_) | PlanBody::Nothing => None,
    }
}

/// Whether a stream comes in the frames of an AWS event stream.
pub(crate) fn is_framed(plan: &Plan) -> bool {
    plan.header("content-type") == Some(event_stream::CONTENT_TYPE)
}

/// Puts events that were changed back into frames of their own; `None` where one is no event of such a stream: it has a
/// frame for each type, under whose name its members stand.
pub(crate) fn frame_again(plan: &mut Plan) -> Option<()> {
    let PlanBody::Stream(steps) = &mut plan.body else {
        return Some(());
    };
    for step in steps {
        if let Step::Event(event) = step {
            let bytes = event_stream::event(event)?;
            *step = Step::Framed(event.clone(), bytes);
        }
    }
    Some(())
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

#[cfg(test)]
mod tests {
    use holdover_wire::{Call, Plan, PlanBody, Step, event_stream};
    use serde_json::json;

    use super::event;
    use crate::catalogue;
    use crate::testing::Scripted;

    /// Converse in pieces.
    fn framed() -> Plan {
        let events = [
            json!({"messageStart": {"role": "assistant"}}),
            json!({"contentBlockDelta": {"delta": {"text": "Hi\nthere"}, "contentBlockIndex": 0}}),
            json!({"contentBlockStop": {"contentBlockIndex": 0}}),
            json!({"messageStop": {"stopReason": "end_turn"}}),
        ];
        let step = |members| {
            let event = event(members);
            let bytes = event_stream::event(&event).expect("a frame");
            Step::Framed(event, bytes)
        };
        let mut plan = Plan::stream(Vec::new(), Vec::new());
        let kind = event_stream::CONTENT_TYPE.to_owned();
        plan.headers = vec![("content-type".to_owned(), kind)];
        plan.body = PlanBody::Stream(events.map(step).to_vec());
        plan
    }

    fn played(flag: &str) -> Plan {
        let call = Call::post("/model/m/converse-stream", json!({"messages": []}));
        let joint = if flag.contains(':') { ',' } else { ':' };
        let flag = format!("{flag}{joint}path=/model/m/converse-stream");
        Scripted::new(&[&flag]).call(&call, framed()).plan
    }

    /// Whole frames, one after the other; a cut stream may end inside one.
    fn is_frames(mut bytes: &[u8], may_end: bool) -> bool {
        while !bytes.is_empty() {
            let Some(length) = bytes.first_chunk::<4>().map(|length| u32::from_be_bytes(*length)) else {
                return may_end;
            };
            let length = usize::try_from(length).expect("a length");
            if length < 16 || length > bytes.len() {
                return may_end && length >= 16;
            }
            bytes = &bytes[length..];
        }
        true
    }

    #[test]
    fn no_fault_writes_lines_between_frames() {
        let mut left_alone = Vec::new();
        for card in catalogue::all() {
            let plan = played(card.name);
            // Refusals and compressed streams are none.
            let is_stream = plan.header("content-type") == Some(event_stream::CONTENT_TYPE);
            if !is_stream || plan.header("content-encoding").is_some() {
                continue;
            }
            let bytes = plan.body.bytes();
            let may_end = plan.end != holdover_wire::End::Complete;
            assert!(
                is_frames(&bytes, may_end),
                "{}: {}",
                card.name,
                String::from_utf8_lossy(&bytes)
            );
            if plan == framed() {
                left_alone.push(card.name);
            }
        }
        for name in [
            "comment",
            "crlf",
            "data-lines",
            "data-only",
            "done-early",
            "error-chat",
            "keepalive-event",
        ] {
            assert!(left_alone.contains(&name), "{name}");
        }
    }

    #[test]
    fn what_only_ends_or_delays_a_stream_acts_on_frames() {
        let whole = framed().body.bytes();
        let cut = played("cut:index=2");
        let bytes = cut.body.bytes();
        assert!(is_frames(&bytes, false) && bytes.len() < whole.len() && whole.starts_with(&bytes));
        assert_eq!(cut.header("x-holdover-fault"), Some("cut"));
        let trickled = played("trickle:size=5");
        assert_eq!(trickled.body.bytes(), whole);
        assert_eq!(trickled.header("x-holdover-fault"), Some("trickle"));
        assert_eq!(played("comment").header("x-holdover-fault"), None);
    }

    #[test]
    fn a_changed_event_gets_a_frame_and_one_of_another_api_has_none() {
        let mut plan = framed();
        let PlanBody::Stream(steps) = &mut plan.body else {
            panic!("no stream");
        };
        let changed = super::event_mut(&mut steps[3]).expect("an event");
        changed.object_mut()["messageStop"]["stopReason"] = "max_tokens".into();
        let changed = changed.clone();
        assert_eq!(super::frame_again(&mut plan), Some(()));
        let frame = event_stream::event(&changed).expect("a frame");
        assert!(plan.body.bytes().ends_with(&frame));
        let PlanBody::Stream(steps) = &mut plan.body else {
            panic!("no stream");
        };
        steps.push(Step::Event(event(json!({"type": "keepalive"}))));
        assert_eq!(super::frame_again(&mut plan), None);
    }
}
