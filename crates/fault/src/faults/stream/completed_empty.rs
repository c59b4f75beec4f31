//! `completed-empty`: the terminal object has no output.

use holdover_wire::Plan;
use serde_json::{Value, json};

use crate::card::{Act, Acted, FaultCard, Group, card};
use crate::edit::steps;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    ..card(
        Group::Stream,
        "completed-empty",
        "`output` of the terminal event is `[]`; the items were in the events",
        "some backends leave it empty: `output_item.done` is the only source (errors.md E35)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(_: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let terminal = steps::terminal(steps).and_then(|terminal| steps::event_mut(&mut steps[terminal]));
    let response = terminal.and_then(|event| event.object_mut().get_mut("response"));
    match response.and_then(|response| response.get_mut("output")) {
        Some(output @ Value::Array(_)) => {
            *output = json!([]);
            Acted::Yes
        }
        _ => Acted::No,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{changes, stream};

    #[test]
    fn only_the_terminal_event_changes() {
        assert_eq!(
            changes(&["completed-empty"], stream()),
            [
                r#"- 15 completed [reasoning rs_1 "Think." token=last, message msg_1]"#,
                "+ 15 completed"
            ]
        );
    }
}
