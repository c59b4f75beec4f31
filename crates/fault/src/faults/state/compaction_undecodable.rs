//! `compaction-undecodable`: the token of a compaction item cannot be read.

use holdover_wire::{ApiError, Evidence, ItemKind, Plan};

use crate::card::{Act, FaultCard, Group, card};
use crate::edit::refusal;
use crate::options::word;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[word(
        "wording",
        &["api", "other"],
        "how the API or another server says it",
    )],
    ..card(
        Group::State,
        "compaction-undecodable",
        "requests with a compaction item are refused: its token cannot be read",
        "the snapshot that replaced the history is lost: only a kept old version goes on (M8, errors.md E12)",
        Act::refuse(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Option<Plan> {
    let mut items = scene.protected();
    items.retain(|item| item.kind() == ItemKind::Compaction);
    let item = *items.first()?;
    let error = if scene.word("wording") == "other" {
        let message =
            "Could not decode the compaction blob. Ensure it is unmodified from the compact response.";
        ApiError::invalid("E12", Evidence::Reported, message)
    } else {
        refusal::not_verified(item, refusal::UNREADABLE)
    };
    Some(refusal::refuse(scene, &error))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{Scripted, replay};

    #[test]
    fn only_compaction_items_are_refused() {
        let body = json!({"model": "gpt-5.6", "input": [
            {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"},
            {"role": "user", "content": "And?"},
        ]});
        let api = "The encrypted content for item cmp_1 could not be verified. Reason: Encrypted content could not be decrypted or parsed.";
        let other =
            "Could not decode the compaction blob. Ensure it is unmodified from the compact response.";
        for (flag, message) in [
            ("compaction-undecodable", api),
            ("compaction-undecodable:wording=other", other),
        ] {
            let mut session = Scripted::new(&[flag]);
            assert_eq!(session.refused(replay("gAAA")), None);
            assert_eq!(session.refused(body.clone()), Some((400, message.to_owned())));
        }
    }
}
