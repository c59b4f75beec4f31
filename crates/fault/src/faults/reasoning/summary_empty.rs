//! `summary-empty`: reasoning without a summary.

use holdover_wire::{ItemKind, Plan};
use serde_json::json;

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::{items, steps};
use crate::place::Places;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::Items,
    decides: Decides::Summaries,
    ..card(
        Group::Reasoning,
        "summary-empty",
        "`summary` is `[]`, and no summary event comes",
        "reasoning with nothing to show: clients that store only what they can show drop the token with it (classes.md L1)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let changed = items::change(plan, |_, item| {
        scene.concerns(items::view(item), Some(ItemKind::Reasoning)) && items::set(item, "summary", json!([]))
    });
    if let Some(steps) = steps::steps(plan).filter(|_| changed) {
        drop_summary_events(steps);
        steps::renumber(steps);
    }
    Acted::when(changed)
}

/// Takes the events of summaries out of a stream.
pub(super) fn drop_summary_events(steps: &mut Vec<holdover_wire::Step>) {
    steps.retain(|step| {
        let name = step.event().map_or("", holdover_wire::Event::name);
        !name.starts_with("response.reasoning_summary_")
    });
}

#[cfg(test)]
mod tests {
    use crate::testing::{changes, document, play, sketch, stream};

    #[test]
    fn events_and_members_are_gone() {
        let sketch = sketch(&play(&["summary-empty"], stream()));
        assert_eq!(
            sketch[3..6],
            [
                "2 output_item.added reasoning rs_1 token=partial",
                "3 output_item.done reasoning rs_1 token=full",
                "4 output_item.added message msg_1",
            ]
        );
        assert_eq!(
            sketch[12],
            "11 completed [reasoning rs_1 token=last, message msg_1]"
        );
    }

    #[test]
    fn a_document_has_none_either() {
        let changes = changes(&["summary-empty"], document());
        assert!(changes[1].contains(r#""summary":[]"#), "{changes:?}");
    }
}
