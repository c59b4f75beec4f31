//! `error-chat`: an error as another API frames it.

use holdover_wire::{Plan, Step};
use serde_json::json;

use crate::card::{Act, Acted, Decides, FaultCard, Framing, Group, card};
use crate::edit::failure::{CODES, Failure};
use crate::edit::steps;
use crate::options::word;
use crate::place::{Places, Spot};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[word("code", &CODES, "`error.code`")],
    places: Places::OneEvent(Spot::Middle),
    decides: Decides::End,
    framing: Framing::Lines,
    ..card(
        Group::Stream,
        "error-chat",
        "`data: {\"error\": {…}}` without `event:` and without `type`, and nothing after it",
        "gateways for several APIs: a client that looks at `type` ignores it and waits (classes.md N15)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let failure = Failure::of_code(scene.word("code"));
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let Some(spot) = scene.spot(steps) else {
        return Acted::No;
    };
    let spot = spot.min(steps::terminal(steps).map_or(usize::MAX, |terminal| terminal.saturating_sub(1)));
    let error = json!({"error": {"message": failure.message, "type": failure.code, "param": null, "code": failure.code}});
    let bytes = format!("data: {error}\n\n").into_bytes();
    steps.truncate(spot + 1);
    steps.push(Step::Framed(steps::event(error), bytes));
    Acted::Yes
}

#[cfg(test)]
mod tests {
    use crate::testing::{play, sketch, stream};

    #[test]
    fn the_frame_has_only_data() {
        let plan = play(&["error-chat:index=1"], stream());
        assert_eq!(
            sketch(&plan)[1..],
            [
                "0 created",
                "framed data: {\"error\":{\"message\":\"An error occurred while processing your request. You can retry your request.\",\"type\":\"server_error\",\"param\":null,\"code\":\"server_error\"}}\\n\\n",
                "complete",
            ]
        );
    }
}
