//! `forbidden-reasoning-sent`: reasoning stands where its endpoint refuses it.

use holdover_profile::provider::{BreachKind, Replay};

use crate::draft::{Draft, Once};
use crate::provider::Sent;
use crate::provider::sent::severity_of;
use crate::rules::rule;

rule! {
    name: "forbidden-reasoning-sent", class: Provider, severity: Error,
    summary: "a message holds reasoning in a field that its endpoint forbids",
    what: "A message of the assistant has a field or a block of reasoning that this endpoint refuses.",
    why: "The request is refused: fields that one provider requires are unknown to the next, and one model of a provider refuses what the next one requires.",
    fix: "send reasoning in the fields of the endpoint that is asked, and leave it out where the endpoint wants none (`holdover explain PROFILE`)",
    clients: {},
}

/// Messages at which an entry forbids what stands there.
pub(crate) fn check(sent: &Sent<'_>) -> Vec<Draft> {
    let forbidden = sent.breaches.iter().filter(|breach| {
        let kind = matches!(
            breach.rule.breach,
            BreachKind::Present | BreachKind::Part | BreachKind::Shape | BreachKind::Tail
        );
        kind && breach.rule.replay == Replay::Forbidden
    });
    let mut drafts = Vec::new();
    for breach in forbidden {
        let entry = breach.rule;
        let placed = breach.spots.iter().filter_map(|spot| spot.message);
        // One finding for each message, whichever entry says it first.
        for at in placed {
            let pointer = sent.pointer(at);
            let message = format!(
                "message {at} holds {}, which `{}` forbids (entry `{}`)",
                entry.field, sent.endpoint.name, entry.name
            );
            let draft = Draft::of(&RULE, message)
                .severity(severity_of(entry))
                .at(pointer.clone())
                .sent(entry.field.clone())
                .expected("a message without it")
                .once(Once::Thing(pointer));
            drafts.push(draft);
        }
    }
    drafts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::chat::{Chat, thought};

    #[test]
    fn a_field_of_another_provider_is_an_error() {
        let mut chat = Chat::of("mistral-medium-3.5");
        let message = chat.says("hello", &json!({"role": "assistant", "content": "Hi."}));
        let mut kept = message;
        kept["reasoning_content"] = "Let me think about this.".into();
        chat.keeps(&kept);
        chat.asks("and then?");
        chat.refused(422);
        assert_eq!(chat.found(), ["forbidden-reasoning-sent:error"]);
    }

    #[test]
    fn the_same_field_is_fine_where_it_is_read() {
        let mut chat = Chat::of("deepseek-v4-pro");
        let message = chat.says("hello", &thought("Let me think about this, nonce one."));
        chat.keeps(&message);
        chat.asks("and then?");
        chat.answers(&thought("Done thinking about it, nonce two."));
        assert_eq!(chat.found(), Vec::<String>::new());
    }

    #[test]
    fn what_was_reported_once_is_a_note() {
        let mut chat = Chat::of("zai-glm-4.7");
        let message = chat.says("hello", &json!({"role": "assistant", "content": "Hi."}));
        let mut kept = message;
        kept["reasoning_content"] = "Let me think about this.".into();
        chat.keeps(&kept);
        chat.asks("and then?");
        chat.answers(&json!({"role": "assistant", "content": "Then."}));
        assert_eq!(chat.found(), ["forbidden-reasoning-sent:note"]);
    }
}
