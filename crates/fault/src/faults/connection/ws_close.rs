//! `ws-close`: a WebSocket closes with a code.

use holdover_wire::{End, Plan, Step, Transport};

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::steps;
use crate::options::whole;
use crate::place::{Places, Spot};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[whole(
        "code",
        (1_000, 4_999),
        1_012,
        "the close code: 1001, 1006, 1011, 1012, 1013, …",
    )],
    places: Places::OneEvent(Spot::Middle),
    decides: Decides::End,
    ..card(
        Group::Connection,
        "ws-close",
        "a WebSocket closes with a code after an event; other transports are left alone",
        "restarts and limits of the connection: SDKs reconnect on some codes and not on others (streaming.md section 11)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    if scene.occasion.transport != Some(Transport::Ws) {
        return Acted::No;
    }
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let Some(spot) = scene.spot(steps) else {
        return Acted::No;
    };
    steps.truncate(spot + 1);
    steps.push(Step::Close(u16::try_from(scene.whole("code")).unwrap_or(1_000)));
    plan.end = End::Cut;
    Acted::Yes
}

#[cfg(test)]
mod tests {
    use holdover_wire::Transport;

    use crate::session::Occasion;
    use crate::testing::{self, Scripted, play, sketch, stream};

    #[test]
    fn the_close_frame_is_the_last_step() {
        let mut session = Scripted::new(&["ws-close:code=1013,index=2"]);
        let call = testing::call();
        let occasion = Occasion {
            transport: Some(Transport::Ws),
            ..Occasion::new(1, &call)
        };
        let before = session.faults.before(&occasion);
        let plan = session.faults.rewrite(&occasion, before.ticket, stream()).plan;
        assert_eq!(
            sketch(&plan)[1..],
            ["0 created", "1 in_progress", "close 1013", "cut"]
        );
    }

    #[test]
    fn http_is_left_alone() {
        assert_eq!(play(&["ws-close"], stream()), stream());
    }
}
