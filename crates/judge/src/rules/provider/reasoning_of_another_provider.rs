//! `reasoning-of-another-provider`: what one provider thought is sent to another one.

use holdover_profile::provider::Endpoint;
use holdover_wire::ItemKind;

use crate::draft::{Draft, Once};
use crate::provider::Sent;
use crate::provider::issued::reasoning;
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "reasoning-of-another-provider", class: Provider, severity: Error,
    summary: "a request holds reasoning that another provider issued",
    what: "A session moved from one provider to another, and the request brings the reasoning of the first in the field in which the second has its own.",
    why: "A signature or an encrypted payload opens only where it was made: the request is refused, now or at the next turn that sends it again. Plain text is read as what the model itself thought.",
    fix: "at a handover keep text, calls and outputs, leave the reasoning behind, and record the reset",
    clients: {},
}

/// Reasoning in a request that an answer of another provider, or of a backend with other keys, issued.
pub(crate) fn check(sent: &Sent<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for brought in &sent.brought {
        for part in reasoning(brought.turn) {
            let known = sent.book.issuer(part).map(|place| sent.book.get(place));
            let by_responses = || {
                let token = part.signature.as_deref()?;
                sent.ledger
                    .by_token(token)
                    .map(|_| "the Responses API".to_owned())
            };
            let from = match known {
                Some(issued) if !is_kin(&issued.endpoint, sent.endpoint) => {
                    format!("`{}` (exchange {})", issued.endpoint.name, issued.exchange)
                }
                Some(_) => continue,
                None => match by_responses() {
                    Some(from) => from,
                    None => continue,
                },
            };
            drafts.push(draft(&from, &sent.endpoint.name, brought.pointer()));
        }
    }
    drafts
}

/// Reasoning items in a request of the Responses API whose payload another wire issued.
pub(crate) fn to_responses(turn: &Turn<'_>) -> Vec<Draft> {
    let reasoning = turn.input.iter().filter(|sent| sent.kind == ItemKind::Reasoning);
    let strange = reasoning.filter_map(|sent| {
        let token = sent.view.encrypted_content()?;
        let issuer = turn.world.elsewhere.issuer_of_token(token)?;
        let from = format!("`{}` (exchange {})", issuer.provider, issuer.exchange);
        Some(draft(&from, &turn.world.profile.name, sent.pointer()))
    });
    strange.collect()
}

/// Whether one reads what the other issued: one provider, one wire, one backend, one family.
fn is_kin(issuer: &Endpoint, asked: &Endpoint) -> bool {
    issuer.name == asked.name
        || (issuer.provider == asked.provider
            && issuer.wire == asked.wire
            && issuer.backend == asked.backend
            && issuer.model_family == asked.model_family)
}

fn draft(from: &str, to: &str, pointer: String) -> Draft {
    let message = format!("reasoning that {from} issued is sent to `{to}`, which cannot read it");
    Draft::of(&RULE, message)
        .at(pointer.clone())
        .sent(format!("reasoning of {from}"))
        .expected("text, calls and outputs; reasoning of its own issuer only")
        .once(Once::Thing(pointer))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::chat::{Chat, thought};

    /// The path of the next request is another provider's.
    fn moved(kept: &serde_json::Value) -> Vec<String> {
        let mut chat = Chat::of("deepseek-v4-pro");
        chat.says("hello", &thought("Let me think about this, nonce one."));
        chat.keeps(kept);
        chat.moves("/v1/chat/completions", "glm-4.7");
        chat.asks("and then?");
        chat.answers(&thought("Done thinking about it, nonce two."));
        chat.found()
    }

    #[test]
    fn thoughts_of_one_provider_at_another_are_an_error() {
        let found = moved(&thought("Let me think about this, nonce one."));
        assert_eq!(found, ["reasoning-of-another-provider:error"]);
    }

    #[test]
    fn text_alone_is_clean() {
        let text = thought("Let me think about this, nonce one.")["content"].clone();
        assert_eq!(
            moved(&json!({"role": "assistant", "content": text})),
            Vec::<String>::new()
        );
    }

    #[test]
    fn another_model_of_one_family_is_clean() {
        let mut chat = Chat::of("kimi-k2-thinking");
        let first = chat.says("hello", &thought("Let me think about this, nonce one."));
        chat.keeps(&first);
        chat.moves("/v1/chat/completions", "kimi-k2.5");
        chat.asks("and then?");
        chat.answers(&thought("Done thinking about it, nonce two."));
        assert_eq!(chat.found(), Vec::<String>::new());
    }
}
