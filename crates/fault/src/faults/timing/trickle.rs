//! `trickle`: the body comes in small pieces.

use std::time::Duration;

use holdover_wire::{Plan, PlanBody, Step};

use crate::card::{Act, Acted, FaultCard, Group, card};
use crate::edit::pieces;
use crate::options::{milliseconds, whole};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[
        whole("size", (1, 1 << 20), 16, "bytes of a piece"),
        milliseconds("ms", 0, "wait between pieces"),
    ],
    ..card(
        Group::Timing,
        "trickle",
        "the body comes in pieces of so many bytes",
        "small packets: parsers that take a read for an event, or a piece for whole characters",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let size = scene.size("size");
    let wait = Duration::from_millis(scene.whole("ms"));
    in_pieces(plan, size, |_| wait)
}

/// Cuts the bytes of every step into pieces, with a wait after each that is not the last.
pub(super) fn in_pieces(plan: &mut Plan, size: usize, wait: impl Fn(usize) -> Duration) -> Acted {
    if !has_longer(plan, size) {
        return Acted::No;
    }
    pieces::in_pieces(plan);
    let PlanBody::Stream(steps) = &mut plan.body else {
        return Acted::No;
    };
    let mut cut = Vec::with_capacity(2 * steps.len());
    for step in std::mem::take(steps) {
        let mut bytes = Vec::new();
        step.encode(&mut bytes);
        if bytes.len() <= size {
            cut.push(step);
        } else {
            cut.extend(of_step(&step, &bytes, size, &wait));
        }
    }
    *steps = cut;
    Acted::Yes
}

fn has_longer(plan: &Plan, size: usize) -> bool {
    match &plan.body {
        PlanBody::Json(_) => plan.body.bytes().len() > size,
        PlanBody::Nothing => false,
        PlanBody::Stream(steps) => steps.iter().any(|step| {
            let mut bytes = Vec::new();
            step.encode(&mut bytes);
            bytes.len() > size
        }),
    }
}

/// The event leaves with its last piece.
fn of_step(step: &Step, bytes: &[u8], size: usize, wait: &impl Fn(usize) -> Duration) -> Vec<Step> {
    let pieces = pieces::of_size(bytes, size);
    let last = pieces.len() - 1;
    let mut steps = Vec::with_capacity(2 * pieces.len());
    for (index, piece) in pieces.into_iter().enumerate() {
        let pause = wait(piece.len());
        match (step, index == last) {
            (Step::Event(event) | Step::Framed(event, _), true) => {
                steps.push(Step::Framed(event.clone(), piece));
            }
            _ => steps.push(Step::Raw(piece)),
        }
        if index != last && !pause.is_zero() {
            steps.push(Step::Wait(pause));
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use holdover_wire::PlanBody;

    use crate::testing::{document, play, sketch, stream};

    #[test]
    fn a_document_comes_piece_by_piece() {
        let PlanBody::Json(body) = document().body else {
            panic!("no document");
        };
        let whole = body.bytes();
        let plan = play(&["trickle:size=400,ms=2"], document());
        let sketch = sketch(&plan);
        assert_eq!(
            sketch[0],
            format!("200 content-type=application/json content-length={}", whole.len())
        );
        // A head, pieces with pauses between them, an end.
        assert_eq!(sketch.len(), 2 + 2 * whole.len().div_ceil(400) - 1);
        assert_eq!(sketch[2], "wait 2ms");
        assert_eq!(plan.body.bytes(), whole);
        assert_eq!(play(&["trickle:size=100000"], document()), document());
    }

    #[test]
    fn the_bytes_of_a_stream_stay_the_same() {
        let bytes = stream().body.bytes();
        for size in [1, 7, 64] {
            let flag = format!("trickle:size={size}");
            let plan = play(&[flag.as_str()], stream());
            assert_eq!(plan.body.bytes(), bytes);
            let PlanBody::Stream(steps) = &plan.body else {
                panic!("no stream");
            };
            assert!(steps.iter().all(|step| {
                let mut bytes = Vec::new();
                step.encode(&mut bytes);
                bytes.len() <= size
            }));
            assert_eq!(steps.iter().filter_map(|step| step.event()).count(), 16);
        }
    }
}
