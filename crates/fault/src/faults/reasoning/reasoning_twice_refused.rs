//! `reasoning-twice-refused`: two reasoning items in a row that the server itself refuses later.

use holdover_wire::{ApiError, Evidence, ItemKind, Plan, Reply};

use super::reasoning_twice::doubled;
use crate::card::{Act, Decides, FaultCard, Group, Lasts, card};
use crate::edit::refusal;
use crate::scene::Scene;
use crate::session::Said;

pub(crate) static CARD: FaultCard = FaultCard {
    decides: Decides::Reply,
    lasts: Lasts::FromThenOn,
    ..card(
        Group::Reasoning,
        "reasoning-twice-refused",
        "two reasoning items in a row, and every request that carries them both with ids is refused",
        "the service refuses what it emitted: the history is poisoned until one is dropped (errors.md E01d)",
        Act::say(say).and_refuse(refuse),
    )
};

/// Only the answer with which it begins is doubled.
fn say(scene: &mut Scene<'_>, scripted: Option<&Reply>) -> Said {
    if scene.occasion.exchange == scene.begun.exchange {
        Said::Changed(doubled(scripted))
    } else {
        Said::Scripted
    }
}

fn refuse(scene: &mut Scene<'_>) -> Option<Plan> {
    let items = scene.carried();
    let is_bound = |index: usize| {
        let item = items.get(index)?;
        (item.kind() == ItemKind::Reasoning).then(|| item.id())?
    };
    let orphan = (0..items.len()).find_map(|index| is_bound(index + 1).and(is_bound(index)))?;
    let message =
        format!("Item '{orphan}' of type 'reasoning' was provided without its required following item.");
    let error = ApiError::invalid("E01", Evidence::Reported, message).at("input");
    Some(refusal::refuse(scene, &error))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::session::Said;
    use crate::testing::{Scripted, body};

    fn carrying(items: &Value) -> Value {
        json!({"model": "gpt-5.6", "input": items})
    }

    #[test]
    fn the_pair_is_refused_until_it_is_broken_up() {
        let mut session = Scripted::new(&["reasoning-twice-refused"]);
        assert_eq!(session.refused(body()), None);
        let first = json!({"type": "reasoning", "id": "rs_1", "summary": []});
        let second = json!({"type": "reasoning", "id": "rs_2", "summary": []});
        let message = json!({"type": "message", "id": "msg_1", "role": "assistant", "content": []});
        let refused = session.refused(carrying(&json!([first, second, message])));
        let text = "Item 'rs_1' of type 'reasoning' was provided without its required following item.";
        assert_eq!(refused, Some((400, text.to_owned())));
        assert_eq!(session.refused(carrying(&json!([second, message]))), None);
        let nameless = json!({"type": "reasoning", "summary": []});
        assert_eq!(
            session.refused(carrying(&json!([nameless, second, message]))),
            None
        );
    }

    #[test]
    fn only_one_answer_is_doubled() {
        let mut session = Scripted::new(&["reasoning-twice-refused"]);
        assert!(matches!(session.reply(None).0, Said::Changed(_)));
        assert_eq!(session.reply(None).0, Said::Scripted);
    }
}
