//! `key-rotated`: the key that was used until now is refused, another one is taken.

use holdover_wire::{ApiError, Evidence, Plan};

use crate::card::{Act, FaultCard, Group, Lasts, card};
use crate::edit::refusal;
use crate::memory::Mark;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    lasts: Lasts::FromThenOn,
    ..card(
        Group::Refusals,
        "key-rotated",
        "401 for the key that was used until now; another key is taken",
        "a key is rotated while a conversation goes on; a client that holds the old one never recovers",
        Act::refuse(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Option<Plan> {
    let call = scene.occasion.call;
    let key = call.header("authorization").or(call.header("api-key"))?;
    (scene.begun.key == Some(Mark::of(key.as_bytes()))).then(|| refusal::refuse(scene, &error()))
}

/// The key is not shown, not even in part: what is refused here may be a real one.
fn error() -> ApiError {
    let message = "Incorrect API key provided: sk-*****. You can find your API key at https://platform.openai.com/account/api-keys.";
    ApiError::invalid("endpoints", Evidence::Fixture, message)
        .status(401)
        .code("invalid_api_key")
}

#[cfg(test)]
mod tests {
    use holdover_wire::Call;

    use crate::testing::{self, Scripted};

    fn with_key(key: &str) -> Call {
        let mut call = testing::call();
        call.headers = vec![("authorization".to_owned(), key.to_owned())];
        call
    }

    #[test]
    fn the_old_key_is_refused_until_another_one_comes() {
        let mut session = Scripted::new(&["key-rotated:call=2"]);
        let refused: Vec<bool> = ["Bearer a", "Bearer a", "Bearer a", "Bearer b", "Bearer a"]
            .map(|key| session.refusal_of(&with_key(key)).is_some())
            .to_vec();
        assert_eq!(refused, [false, true, true, false, true]);
    }

    #[test]
    fn the_message_shows_nothing_of_the_key() {
        let refused = Scripted::new(&["key-rotated"]).refusal_of(&with_key("Bearer sk-secret"));
        let (status, message) = refused.expect("a refusal");
        assert_eq!(status, 401);
        assert!(
            message.starts_with("Incorrect API key provided: sk-*****."),
            "{message}"
        );
    }
}
