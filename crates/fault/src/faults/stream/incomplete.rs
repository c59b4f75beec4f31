//! `incomplete`: the response stops at a limit.

use holdover_wire::{Plan, PlanBody};
use serde_json::{Value, json};

use crate::card::{Act, Acted, FaultCard, Group, card};
use crate::edit::steps;
use crate::options::word;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[word(
        "reason",
        &["max_output_tokens", "content_filter"],
        "`incomplete_details.reason`",
    )],
    ..card(
        Group::Stream,
        "incomplete",
        "the terminal event is `response.incomplete`, and the last item is not finished",
        "a token limit or a filter ends the answer: it is no error and no good answer (errors.md E35, classes.md N15)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    make_incomplete(plan, scene.word("reason"))
}

/// Makes an answer that of an incomplete response.
pub(in crate::faults) fn make_incomplete(plan: &mut Plan, reason: &str) -> Acted {
    if let PlanBody::Json(body) = &mut plan.body {
        return Acted::when(body.get("output").is_some() && stop(body, reason));
    }
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let mut changed = false;
    for event in steps.iter_mut().filter_map(steps::event_mut) {
        if event.name() == "response.completed" {
            let members = event.object_mut();
            members.insert("type".to_owned(), "response.incomplete".into());
            changed |= members
                .get_mut("response")
                .is_some_and(|response| stop(response, reason));
        }
    }
    if changed {
        stop_last_item(steps);
    }
    Acted::when(changed)
}

fn stop(response: &mut Value, reason: &str) -> bool {
    response["status"] = "incomplete".into();
    response["incomplete_details"] = json!({"reason": reason});
    response["completed_at"] = Value::Null;
    let last = response.get_mut("output").and_then(Value::as_array_mut);
    if let Some(item) = last.and_then(|output| output.last_mut()) {
        stop_item(item);
    }
    true
}

fn stop_last_item(steps: &mut [holdover_wire::Step]) {
    let mut events = steps.iter_mut().rev().filter_map(steps::event_mut);
    let done = events.find(|event| event.name() == "response.output_item.done");
    if let Some(item) = done.and_then(|event| event.object_mut().get_mut("item")) {
        stop_item(item);
    }
}

/// Reasoning has no status to change.
fn stop_item(item: &mut Value) {
    if item.get("status").is_some() {
        item["status"] = "incomplete".into();
    }
}

#[cfg(test)]
mod tests {
    use crate::session::Delivery;
    use crate::testing::{Scripted, body, document, sketch, stream};

    #[test]
    fn the_terminal_event_has_another_name_and_the_answer_counts() {
        let played = Scripted::new(&["incomplete"]).send(body(), stream());
        assert_eq!(
            sketch(&played.plan)[16],
            r#"15 incomplete incomplete_details={"reason":"max_output_tokens"} [reasoning rs_1 "Think." token=last, message msg_1]"#
        );
        assert_eq!(played.delivery, Delivery::Whole);
    }

    #[test]
    fn the_last_item_is_not_finished() {
        let flag = "incomplete:reason=content_filter";
        for plan in [stream(), document()] {
            let plan = Scripted::new(&[flag]).send(body(), plan).plan;
            let text = String::from_utf8(plan.body.bytes()).expect("text");
            let text = text.replace(": ", ":");
            assert!(text.contains(r#""status":"incomplete""#), "{text}");
            assert!(!text.contains(r#""status":"completed""#), "{text}");
            assert!(text.contains("content_filter"), "{text}");
        }
    }
}
