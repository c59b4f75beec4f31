//! `no-terminal`: the stream ends without its terminal event.

use holdover_wire::Plan;

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::steps;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    decides: Decides::End,
    ..card(
        Group::Stream,
        "no-terminal",
        "the stream ends properly, but without a terminal event",
        "a stream that just ends must count as failed (errors.md E35, classes.md N15)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(_: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let terminal = steps::terminal(steps);
    if let Some(terminal) = terminal {
        steps.truncate(terminal);
    }
    Acted::when(terminal.is_some())
}

#[cfg(test)]
mod tests {
    use crate::session::Delivery;
    use crate::testing::{Scripted, body, document, play, sketch, stream};

    #[test]
    fn the_last_event_is_a_finished_item_and_the_end_is_no_cut() {
        let played = Scripted::new(&["no-terminal"]).send(body(), stream());
        let sketch = sketch(&played.plan);
        assert_eq!(
            sketch[sketch.len() - 2..],
            ["14 output_item.done message msg_1", "complete"]
        );
        assert_eq!(played.delivery, Delivery::Lost);
    }

    #[test]
    fn a_document_has_no_terminal_event() {
        assert_eq!(play(&["no-terminal"], document()), document());
    }
}
