//! The compaction item is taken apart and put together again.

use holdover_wire::Item;

use crate::config::StateMode;
use crate::slip::{Card, Stage};

pub(crate) const CARD: Card = Card {
    about: "reads the token of a compaction item as base64 and writes what it read in the other alphabet",
    stage: Stage::Append,
    seen: "a compaction item comes back with another token",
    needs: "client-replay and a compaction",
    exists: |config| config.state == StateMode::ClientReplay && config.compact_before.is_some(),
};

pub(crate) fn apply(items: Vec<Item>) -> Vec<Item> {
    items.into_iter().map(parsed).collect()
}

fn parsed(item: Item) -> Item {
    if item.view().type_name() != Some("compaction") {
        return item;
    }
    let mut object = item.view().object().clone();
    if let Some(serde_json::Value::String(token)) = object.get_mut("encrypted_content") {
        *token = token.trim_end_matches('=').replace('-', "+").replace('_', "/");
    }
    Item::new(object)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::slip::Slip;
    use crate::testing::{self, drive, input, message, reasoning, response, stateless, talk_turns};
    use crate::turn::TurnInput;

    #[test]
    fn the_token_of_the_item_is_another_one() {
        let token = |slips: Vec<Slip>| {
            let mut agent = stateless(|config| {
                config.compact_before = Some(2);
                config.slips = slips;
            });
            let (first, answer) = talk_turns().remove(0);
            drive(&mut agent, first, &[answer]);
            let compaction = json!({"id": "resp_c", "object": "response.compaction", "output": [
                {"id": "cmp_1", "type": "compaction", "encrypted_content": "gAAAAAB-a_b=="},
            ]});
            let output = json!([reasoning("rs_2"), message("msg_2", "Two.")]);
            let answers = [
                testing::json(&compaction),
                testing::json(&response("resp_2", &output)),
            ];
            let (calls, _) = drive(&mut agent, TurnInput::user("Next"), &answers);
            let body = calls[1].body.object().expect("a body");
            input(body)[0]["encrypted_content"].clone()
        };
        assert_eq!(token(vec![]), "gAAAAAB-a_b==");
        assert_eq!(token(vec![Slip::CompactionItemParsed]), "gAAAAAB+a/b");
    }
}
