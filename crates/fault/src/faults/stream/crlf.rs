//! `crlf`: lines end in a carriage return and a line feed.

use holdover_wire::{Plan, Step};

use crate::card::{Act, Acted, Decides, FaultCard, Framing, Group, card};
use crate::edit::steps;
use crate::options::word;
use crate::place::Places;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[word("end", &["crlf", "cr"], "how lines end: `\\r\\n` or `\\r`")],
    places: Places::EveryEvent,
    decides: Decides::Framing,
    framing: Framing::Lines,
    ..card(
        Group::Stream,
        "crlf",
        "lines of the stream end in `\\r\\n`, or in `\\r`",
        "both are legal, and servers other than the API send them: parsers that split at `\\n\\n` see no event",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let end: &[u8] = if scene.word("end") == "cr" { b"\r" } else { b"\r\n" };
    reframe(scene, plan, |bytes| {
        bytes
            .into_iter()
            .flat_map(|byte| if byte == b'\n' { end.to_vec() } else { vec![byte] })
            .collect()
    })
}

/// Lets every event that is meant cross as other bytes.
pub(super) fn reframe(scene: &Scene<'_>, plan: &mut Plan, frame: impl Fn(Vec<u8>) -> Vec<u8>) -> Acted {
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let spots = scene.spots(steps);
    for spot in &spots {
        let mut bytes = Vec::new();
        steps[*spot].encode(&mut bytes);
        if let Some(event) = steps[*spot].event().cloned() {
            steps[*spot] = Step::Framed(event, frame(bytes));
        }
    }
    Acted::when(!spots.is_empty())
}

#[cfg(test)]
mod tests {
    use holdover_wire::sse::Decoder;

    use crate::testing::{play, sketch, stream};

    #[test]
    fn every_line_ends_so() {
        let plan = play(&["crlf:event=response.output_text.delta,index=1"], stream());
        assert_eq!(
            sketch(&plan)[11],
            "framed event: response.output_text.delta\\r\\ndata: {\"type\":\"response.output_text.delta\",\"content_index\":0,\"delta\":\"Gr\\xc3\\xbc\",\"item_id\":\"msg_1\",\"output_index\":1,\"sequence_number\":10}\\r\\n\\r\\n"
        );
    }

    #[test]
    fn it_is_still_the_same_stream() {
        let frames = |plan: &holdover_wire::Plan| Decoder::new().push(&plan.body.bytes());
        let expected = frames(&stream());
        for flag in ["crlf", "crlf:end=cr"] {
            assert_eq!(frames(&play(&[flag], stream())), expected, "{flag}");
        }
    }
}
