//! `ids-differ`: an item has another id when it is added than when it is done.

use holdover_wire::{Event, Plan};
use serde_json::Value;

use crate::card::{Act, Acted, FaultCard, Group, card};
use crate::edit::steps;
use crate::place::Places;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::Items,
    ..card(
        Group::Stream,
        "ids-differ",
        "an item is added under another id than the one it is finished under",
        "backends that make the id of the finished item anew: clients that key by id have two items (classes.md N6, N25)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let mut renamed: Vec<(String, String)> = Vec::new();
    for step in steps.iter_mut() {
        let added = step.event().and_then(|event| added_id(scene, event));
        if let Some(id) = added {
            let other = other_id(scene, &id);
            renamed.push((id, other));
        }
        if step.event().is_some_and(is_before_done)
            && let Some(event) = steps::event_mut(step)
        {
            rename(event, &renamed);
        }
    }
    Acted::when(!renamed.is_empty())
}

fn added_id(scene: &Scene<'_>, event: &Event) -> Option<String> {
    let item = event
        .item()
        .filter(|_| event.name() == "response.output_item.added")?;
    scene.concerns(item, None).then(|| item.id().map(str::to_owned))?
}

/// The finished item and the terminal object have the true id.
fn is_before_done(event: &Event) -> bool {
    event.name() != "response.output_item.done" && event.response().is_none()
}

/// The same prefix and length; the last eight characters are others.
fn other_id(scene: &mut Scene<'_>, id: &str) -> String {
    let digits = scene.dice.hex(8);
    let kept = id
        .len()
        .saturating_sub(8)
        .max(id.find('_').map_or(0, |at| at + 1));
    format!("{}{digits}", id.get(..kept).unwrap_or(id))
}

fn rename(event: &mut Event, renamed: &[(String, String)]) {
    let item = event.object().get("item").is_some();
    let member = if item {
        event
            .object_mut()
            .get_mut("item")
            .and_then(|item| item.get_mut("id"))
    } else {
        event.object_mut().get_mut("item_id")
    };
    if let Some(Value::String(id)) = member
        && let Some((_, other)) = renamed.iter().find(|(known, _)| known == id)
    {
        other.clone_into(id);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{play, sketch, stream};

    #[test]
    fn events_before_the_finished_item_have_the_other_id() {
        let sketch = sketch(&play(&["ids-differ:item=message"], stream()));
        let other = sketch[9]
            .strip_prefix("8 output_item.added message msg_")
            .expect("another id");
        assert_eq!(other.len(), 8);
        assert_eq!(sketch[11], format!("10 output_text.delta msg_{other} Grü"));
        assert_eq!(sketch[15], "14 output_item.done message msg_1");
        assert_eq!(sketch[3], "2 output_item.added reasoning rs_1 token=partial");
    }

    #[test]
    fn without_a_type_every_item_is_meant() {
        let sketch = sketch(&play(&["ids-differ"], stream()));
        assert!(!sketch[3].contains("rs_1 "), "{}", sketch[3]);
        assert!(!sketch[9].contains("msg_1"), "{}", sketch[9]);
    }
}
