//! Bytes: a document in pieces, and an answer that ends at a byte.

use holdover_wire::{End, Plan, PlanBody, Step};

use super::steps;
use crate::card::Acted;
use crate::scene::Scene;

/// Cuts bytes into pieces of one size.
pub(crate) fn of_size(bytes: &[u8], size: usize) -> Vec<Vec<u8>> {
    bytes.chunks(size.max(1)).map(<[u8]>::to_vec).collect()
}

/// Makes a document one piece of bytes with its length in the headers, as the shell would send it; streams stay.
pub(crate) fn in_pieces(plan: &mut Plan) {
    if let PlanBody::Json(body) = &plan.body {
        let bytes = body.bytes();
        plan.body = document("application/json", bytes.into(), &mut plan.headers);
    }
}

/// A document of any kind, in one piece.
pub(crate) fn document(kind: &str, bytes: Vec<u8>, headers: &mut Vec<(String, String)>) -> PlanBody {
    if !headers.iter().any(|(name, _)| name == "content-type") {
        headers.push(("content-type".to_owned(), kind.to_owned()));
    }
    headers.retain(|(name, _)| name != "content-length");
    headers.push(("content-length".to_owned(), bytes.len().to_string()));
    PlanBody::Stream(vec![Step::Raw(bytes)])
}

/// Ends an answer after so many bytes of its body; `None` stands for half of a document. Says whether there was such a
/// byte.
pub(crate) fn end_at_byte(plan: &mut Plan, byte: Option<usize>, end: End) -> bool {
    let whole = plan.body.bytes();
    let byte = byte.unwrap_or(whole.len() / 2);
    if byte >= whole.len() {
        return false;
    }
    in_pieces(plan);
    let PlanBody::Stream(steps) = &mut plan.body else {
        return false;
    };
    let (mut kept, mut left) = (Vec::new(), byte);
    for step in std::mem::take(steps) {
        let mut bytes = Vec::new();
        step.encode(&mut bytes);
        if bytes.len() > left {
            bytes.truncate(left);
            if !bytes.is_empty() {
                kept.push(Step::Raw(bytes));
            }
            break;
        }
        left -= bytes.len();
        kept.push(step);
    }
    *steps = kept;
    plan.end = end;
    true
}

/// Ends an answer at the place that a fault names: after an event, or at a byte; a document without a byte in its middle.
pub(crate) fn end_there(scene: &Scene<'_>, plan: &mut Plan, end: End) -> Acted {
    if let Some(byte) = scene.byte() {
        return Acted::when(end_at_byte(plan, Some(byte), end));
    }
    if let Some(steps) = steps::steps(plan) {
        let spot = scene.spot(steps);
        if let Some(spot) = spot {
            steps::end_after(plan, spot + 1, end);
        }
        return Acted::when(spot.is_some());
    }
    // An event that is named is none of a document's.
    Acted::when(!scene.names_event() && end_at_byte(plan, None, end))
}
