//! `data-lines`: the data of an event over several lines.

use holdover_wire::{Event, Plan, Step};

use crate::card::{Act, Acted, Decides, FaultCard, Framing, Group, card};
use crate::edit::steps;
use crate::place::Places;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::EveryEvent,
    decides: Decides::Framing,
    framing: Framing::Lines,
    ..card(
        Group::Stream,
        "data-lines",
        "the JSON of an event is spread over several `data:` lines",
        "legal, and sent by servers that indent their JSON: parsers that take a line for an event fail",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let spots = scene.spots(steps);
    for spot in &spots {
        if let Some(event) = steps[*spot].event().cloned() {
            let bytes = lines(&event);
            steps[*spot] = Step::Framed(event, bytes);
        }
    }
    Acted::when(!spots.is_empty())
}

fn lines(event: &Event) -> Vec<u8> {
    let json = serde_json::to_string_pretty(event).unwrap_or_default();
    let lines: Vec<String> = json.lines().map(|line| format!("data: {line}\n")).collect();
    format!("event: {}\n{}\n", event.name(), lines.concat()).into_bytes()
}

#[cfg(test)]
mod tests {
    use holdover_wire::Event;
    use holdover_wire::sse::Decoder;

    use crate::testing::{play, sketch, stream};

    #[test]
    fn one_member_a_line() {
        let plan = play(&["data-lines:event=response.output_text.delta,index=2"], stream());
        assert_eq!(
            sketch(&plan)[12],
            "framed event: response.output_text.delta\\ndata: {\\ndata:   \"type\": \"response.output_text.delta\",\\ndata:   \"content_index\": 0,\\ndata:   \"delta\": \"\\xc3\\x9fe\",\\ndata:   \"item_id\": \"msg_1\",\\ndata:   \"output_index\": 1,\\ndata:   \"sequence_number\": 11\\ndata: }\\n\\n"
        );
    }

    #[test]
    fn it_decodes_to_the_same_events() {
        let events = |plan: &holdover_wire::Plan| -> Vec<Event> {
            let frames = Decoder::new().push(&plan.body.bytes());
            frames
                .iter()
                .filter_map(holdover_wire::sse::Frame::event)
                .collect()
        };
        assert_eq!(events(&play(&["data-lines"], stream())), events(&stream()));
    }
}
