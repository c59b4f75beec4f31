//! `too-large`: 413 for a body above some size.

use holdover_wire::{ApiError, Evidence, Plan};

use crate::card::{Act, FaultCard, Group, card};
use crate::edit::refusal;
use crate::options::whole;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[whole(
        "bytes",
        (0, 1 << 40),
        0,
        "bodies of more bytes than these are refused",
    )],
    ..card(
        Group::Refusals,
        "too-large",
        "413 for a request body of more than so many bytes",
        "histories and tokens grow with every turn until a gateway refuses them; a resend of the same body cannot help",
        Act::refuse(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Option<Plan> {
    let body = scene.occasion.call.body.object()?;
    let bytes = serde_json::to_vec(body).map_or(0, |body| body.len());
    (bytes > scene.size("bytes")).then(|| {
        let error = ApiError::invalid("endpoints", Evidence::Inferred, "Request body too large.");
        refusal::refuse(scene, &error.status(413).code("request_too_large"))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::Scripted;

    #[test]
    fn only_a_body_above_the_size_is_refused() {
        // {"model":"m","input":"abc"} has 27 bytes.
        let body = json!({"model": "m", "input": "abc"});
        assert_eq!(Scripted::new(&["too-large:bytes=27"]).refused(body.clone()), None);
        let refused = Scripted::new(&["too-large:bytes=26"]).refused(body);
        assert_eq!(refused, Some((413, "Request body too large.".to_owned())));
    }
}
