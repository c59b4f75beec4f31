//! `summary-two-parts`: a summary of two parts.

use holdover_wire::{ItemKind, Plan, Step};
use serde_json::{Value, json};

use super::summary_empty::drop_summary_events;
use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::items::Stage;
use crate::edit::{items, steps};
use crate::place::Places;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::Items,
    decides: Decides::Summaries,
    ..card(
        Group::Reasoning,
        "summary-two-parts",
        "`summary` has two parts, each with its events",
        "long reasoning: clients that keep one text a reasoning item merge or lose a part (classes.md N25)",
        Act::rewrite(rewrite),
    )
};

const PARTS: [&str; 2] = ["First part.", "Second part."];

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let parts = PARTS.map(|text| json!({"type": "summary_text", "text": text}));
    let changed = items::change(plan, |stage, item| {
        stage != Stage::Added
            && scene.concerns(items::view(item), Some(ItemKind::Reasoning))
            && items::set(item, "summary", json!(parts))
    });
    if let Some(steps) = steps::steps(plan).filter(|_| changed) {
        drop_summary_events(steps);
        insert_events(scene, steps);
        steps::renumber(steps);
    }
    Acted::when(changed)
}

/// After each reasoning item that was added.
fn insert_events(scene: &Scene<'_>, steps: &mut Vec<Step>) {
    let mut with = Vec::with_capacity(steps.len() + 8);
    for step in std::mem::take(steps) {
        let added = step
            .event()
            .filter(|event| event.name() == "response.output_item.added");
        let item = added.and_then(|event| Some((event.item()?, event.output_index()?)));
        let meant = item.filter(|(item, _)| scene.concerns(*item, Some(ItemKind::Reasoning)));
        let events = meant.map(|(item, index)| events(item.id().unwrap_or_default(), index));
        with.push(step);
        with.extend(
            events
                .into_iter()
                .flatten()
                .map(|members| Step::Event(steps::event(members))),
        );
    }
    *steps = with;
}

fn events(id: &str, output_index: u64) -> Vec<Value> {
    let event = |name: &str, index: usize, member: &str, value: Value| {
        json!({
            "type": format!("response.reasoning_summary_{name}"),
            "item_id": id,
            "output_index": output_index,
            "summary_index": index,
            member: value,
            "sequence_number": 0,
        })
    };
    let part = |text: &str| json!({"type": "summary_text", "text": text});
    let of_part = |(index, text): (usize, &str)| {
        [
            event("part.added", index, "part", part("")),
            event("text.delta", index, "delta", text.into()),
            event("text.done", index, "text", text.into()),
            event("part.done", index, "part", part(text)),
        ]
    };
    PARTS.into_iter().enumerate().flat_map(of_part).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::{changes, document, play, sketch, stream};

    #[test]
    fn the_parts_come_one_after_the_other() {
        let sketch = sketch(&play(&["summary-two-parts"], stream()));
        assert_eq!(
            sketch[3..13],
            [
                "2 output_item.added reasoning rs_1 token=partial",
                "3 reasoning_summary_part.added rs_1",
                "4 reasoning_summary_text.delta rs_1 First part.",
                "5 reasoning_summary_text.done rs_1 First part.",
                "6 reasoning_summary_part.done rs_1",
                "7 reasoning_summary_part.added rs_1",
                "8 reasoning_summary_text.delta rs_1 Second part.",
                "9 reasoning_summary_text.done rs_1 Second part.",
                "10 reasoning_summary_part.done rs_1",
                r#"11 output_item.done reasoning rs_1 "First part." "Second part." token=full"#,
            ]
        );
    }

    #[test]
    fn a_document_has_both() {
        let changes = changes(&["summary-two-parts"], document());
        assert!(changes[1].contains("First part.") && changes[1].contains("Second part."));
    }
}
