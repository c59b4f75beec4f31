//! The items of an answer, wherever they stand: in `output_item` events, in the terminal object, in a document.

use holdover_wire::item::ItemView;
use holdover_wire::{Object, Plan, PlanBody, Step};
use serde_json::Value;

use super::steps::event_mut;

/// Where an item stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// `response.output_item.added`
    Added,
    /// `response.output_item.done`
    Done,
    /// `output` of the response, in the terminal event or in a document.
    Final,
}

/// Shows every item of an answer to `change`, in the order in which they cross; says whether any was changed.
pub(crate) fn change(plan: &mut Plan, mut change: impl FnMut(Stage, &mut Object) -> bool) -> bool {
    match &mut plan.body {
        PlanBody::Json(body) => in_output(body, &mut change),
        PlanBody::Nothing => false,
        PlanBody::Stream(steps) => {
            let mut changed = false;
            for step in steps.iter_mut().filter(|step| has_items(step)) {
                if let Some(event) = event_mut(step) {
                    changed |= in_event(event, &mut change);
                }
            }
            changed
        }
    }
}

fn has_items(step: &Step) -> bool {
    step.event()
        .is_some_and(|event| event.item().is_some() || event.response().is_some())
}

fn in_event(event: &mut holdover_wire::Event, change: &mut impl FnMut(Stage, &mut Object) -> bool) -> bool {
    let stage = match event.name() {
        "response.output_item.added" => Stage::Added,
        "response.output_item.done" => Stage::Done,
        _ => {
            let response = event.object_mut().get_mut("response");
            return response.is_some_and(|response| in_output(response, change));
        }
    };
    let item = event.object_mut().get_mut("item").and_then(Value::as_object_mut);
    item.is_some_and(|item| change(stage, item))
}

fn in_output(response: &mut Value, change: &mut impl FnMut(Stage, &mut Object) -> bool) -> bool {
    let output = response.get_mut("output").and_then(Value::as_array_mut);
    let mut changed = false;
    for item in output.into_iter().flatten().filter_map(Value::as_object_mut) {
        changed |= change(Stage::Final, item);
    }
    changed
}

/// Sets a member; says whether that changed anything.
pub(crate) fn set(item: &mut Object, name: &str, value: Value) -> bool {
    let before = item.insert(name.to_owned(), value);
    before.as_ref() != item.get(name)
}

/// Removes a member and leaves the order of the others.
pub(crate) fn remove(item: &mut Object, name: &str) -> bool {
    item.shift_remove(name).is_some()
}

/// A view of an item.
pub(crate) fn view(item: &Object) -> ItemView<'_> {
    ItemView::new(item)
}
