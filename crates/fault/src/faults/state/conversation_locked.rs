//! `conversation-locked`: another process works on the conversation.

use holdover_wire::{ApiError, CreateRequest, Evidence, Plan};

use crate::card::{Act, FaultCard, Group, card};
use crate::edit::refusal;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    ..card(
        Group::State,
        "conversation-locked",
        "requests with a `conversation` are refused: it is in use",
        "a second run on one conversation, or a stream that was never read to its end; one of the few 400s to retry (errors.md E19)",
        Act::refuse(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Option<Plan> {
    scene.request().and_then(CreateRequest::conversation)?;
    let message =
        "Another process is currently operating on this conversation. Please retry in a few seconds.";
    let error = ApiError::invalid("E19", Evidence::Reported, message)
        .at("conversation")
        .code("conversation_locked");
    Some(refusal::refuse(scene, &error))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{Scripted, body};

    #[test]
    fn only_conversations_are_locked() {
        let mut session = Scripted::new(&["conversation-locked:times=1"]);
        let inside = json!({"model": "gpt-5.6", "input": "Hi", "conversation": "conv_1"});
        let locked =
            "Another process is currently operating on this conversation. Please retry in a few seconds.";
        assert_eq!(session.refused(body()), None);
        assert_eq!(session.refused(inside.clone()), Some((400, locked.to_owned())));
        assert_eq!(session.refused(inside), None);
    }
}
