//! `data-only`: events without their `event:` line.

use holdover_wire::Plan;

use super::crlf::reframe;
use crate::card::{Act, Acted, Decides, FaultCard, Framing, Group, card};
use crate::place::Places;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::EveryEvent,
    decides: Decides::Framing,
    framing: Framing::Lines,
    ..card(
        Group::Stream,
        "data-only",
        "events have no `event:` line, only their data",
        "compatible servers leave it out: a client that dispatches by it sees nothing, `type` is in the data as well",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    reframe(scene, plan, |bytes| {
        let line = bytes.iter().position(|byte| *byte == b'\n');
        let has_name = bytes.starts_with(b"event:");
        match line.filter(|_| has_name) {
            Some(end) => bytes[end + 1..].to_vec(),
            None => bytes,
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{play, sketch, stream};

    #[test]
    fn the_data_line_is_the_first() {
        let plan = play(&["data-only:event=response.output_text.delta,index=2"], stream());
        assert_eq!(
            sketch(&plan)[12],
            "framed data: {\"type\":\"response.output_text.delta\",\"content_index\":0,\"delta\":\"\\xc3\\x9fe\",\"item_id\":\"msg_1\",\"output_index\":1,\"sequence_number\":11}\\n\\n"
        );
    }
}
