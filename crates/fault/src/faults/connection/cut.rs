//! `cut`: the connection closes after an event, or after a byte.

use holdover_wire::{End, Plan};

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::pieces::end_there;
use crate::place::{Places, Spot};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::EventOrByte(Spot::Middle),
    decides: Decides::End,
    ..card(
        Group::Connection,
        "cut",
        "the connection closes after an event, or after a byte",
        "a proxy or a deploy ends long streams; what arrived is no answer (classes.md N15, N16)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    end_there(scene, plan, End::Cut)
}

#[cfg(test)]
mod tests {
    use crate::testing::{document, play, sketch, stream};

    #[test]
    fn after_the_event_that_is_named() {
        let plan = play(&["cut:event=response.in_progress"], stream());
        assert_eq!(sketch(&plan)[1..], ["0 created", "1 in_progress", "cut"]);
    }

    #[test]
    fn by_default_in_the_middle() {
        let plan = play(&["cut"], stream());
        let sketch = sketch(&plan);
        assert_eq!(
            sketch[sketch.len() - 2..],
            ["8 output_item.added message msg_1", "cut"]
        );
    }

    #[test]
    fn a_document_keeps_its_promised_length() {
        let bytes = document().body.bytes();
        let plan = play(&["cut:byte=5"], document());
        let length = bytes.len();
        assert_eq!(
            sketch(&plan),
            [
                format!("200 content-type=application/json content-length={length}"),
                "raw {\\n  \"".to_owned(),
                "cut".to_owned(),
            ]
        );
        assert_eq!(play(&["cut"], document()).body.bytes(), bytes[..length / 2]);
    }

    #[test]
    fn a_place_that_the_stream_does_not_have_changes_nothing() {
        let flags = [
            "cut:event=response.refusal.done",
            "cut:index=99",
            "cut:byte=1000000",
        ];
        for flag in flags {
            assert_eq!(play(&[flag], stream()), stream(), "{flag}");
        }
    }

    #[test]
    fn after_the_byte_that_is_named() {
        let plan = play(&["cut:byte=10"], stream());
        assert_eq!(sketch(&plan)[1..], ["raw event: res", "cut"]);
        assert_eq!(sketch(&play(&["cut:byte=0"], stream()))[1..], ["cut"]);
    }
}
