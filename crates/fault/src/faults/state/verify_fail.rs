//! `verify-fail`: tokens that are right are not verified.

use holdover_wire::item::ItemView;
use holdover_wire::{ApiError, Evidence, Plan};

use crate::card::{Act, FaultCard, Group, card};
use crate::edit::refusal;
use crate::options::word;
use crate::scene::Scene;

const WORDINGS: [&str; 6] = ["newer", "older", "no-code", "renamed", "xai", "gateway"];

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[word(
        "wording",
        &WORDINGS,
        "how the refusal reads: the API's newer or older form, without a code, with another code, or as other servers say it",
    )],
    ..card(
        Group::State,
        "verify-fail",
        "every token is refused, valid ones too; `times` says for how many calls",
        "an outage refused valid tokens for hours; a resend of the same history never helps (errors.md E12, classes.md N5, N20)",
        Act::refuse(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Option<Plan> {
    let item = *scene.protected().first()?;
    let error = error(scene.word("wording"), item);
    Some(refusal::refuse(scene, &error))
}

fn error(wording: &str, item: ItemView<'_>) -> ApiError {
    let newer = refusal::not_verified(item, refusal::UNREADABLE);
    match wording {
        "older" => ApiError {
            message: refusal::elided(item),
            ..newer
        },
        "no-code" => ApiError { code: None, ..newer },
        "renamed" => newer.code("invalid_request_body"),
        "xai" => other_server(
            "Could not decrypt the provided encrypted_content. Ensure the value is the unmodified encrypted_content from a previous response.",
        ),
        "gateway" => other_server("reasoning `encrypted_content` was not issued to this caller"),
        _ => newer,
    }
}

fn other_server(message: &str) -> ApiError {
    ApiError::invalid("E12", Evidence::Reported, message)
}

#[cfg(test)]
mod tests {
    use crate::testing::{Scripted, body, replay};

    #[test]
    fn tokens_are_refused_for_so_many_calls() {
        let mut session = Scripted::new(&["verify-fail:times=2"]);
        let refused: Vec<bool> = [body(), replay("gAAAx"), replay("gAAAx"), replay("gAAAx")]
            .map(|body| session.refused(body).is_some())
            .to_vec();
        assert_eq!(refused, [false, true, true, false]);
    }

    #[test]
    fn or_until_the_client_sends_something_else() {
        let mut session = Scripted::new(&["verify-fail:until=recovered"]);
        let refused: Vec<bool> = [replay("a"), replay("a"), body(), replay("a")]
            .map(|body| session.refused(body).is_some())
            .to_vec();
        assert_eq!(refused, [true, true, false, false]);
    }

    #[test]
    fn the_refusal_reads_as_was_asked_for() {
        for (wording, expected) in [
            (
                "newer",
                "The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
            ),
            (
                "older",
                "The encrypted content gAAA...xyz= could not be verified.",
            ),
            (
                "gateway",
                "reasoning `encrypted_content` was not issued to this caller",
            ),
        ] {
            let flag = format!("verify-fail:wording={wording}");
            let refused = Scripted::new(&[flag.as_str()]).refused(replay("gAAAABBBBxyz="));
            assert_eq!(refused, Some((400, expected.to_owned())), "{wording}");
        }
    }
}
