//! `adjacency-broken`: reasoning stands in another message, or in another order, than it was issued in.

use holdover_profile::provider::AccountScope;
use holdover_wire::neutral::Part;

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::provider::Sent;
use crate::provider::issued::{IssuedIx, reasoning};
use crate::rules::rule;

rule! {
    name: "adjacency-broken", class: Provider, severity: Error,
    summary: "reasoning stands in another message, or in another order, than it was issued in",
    what: "A message holds reasoning that belongs to another answer, or reasoning of its own in another order.",
    why: "Signed reasoning is bound to its place: two answers in one message are refused, or the reasoning of one of them is dropped without a word.",
    fix: "keep one message for each answer, with its parts in the order in which they came",
    clients: {},
}

/// Messages with reasoning of another answer, or in another order.
pub(crate) fn check(sent: &Sent<'_>) -> Vec<Draft> {
    let severity = match sent.endpoint.account_scope {
        AccountScope::None => Severity::Warning,
        AccountScope::Account | AccountScope::Backend | AccountScope::Resource => Severity::Error,
    };
    let broken = sent.known().filter_map(|(brought, issued)| {
        let own = brought.issued()?;
        let parts: Vec<&Part> = reasoning(brought.turn).collect();
        // Two answers may have thought the same: what this one issued is its own.
        let is_own = |part: &&&Part| issued.reasoning().any(|old| old.raw == part.raw);
        let others = parts.iter().filter(|part| !is_own(part));
        let issuers: Vec<IssuedIx> = others.filter_map(|part| sent.book.issuer(part)).collect();
        let stranger = issuers.iter().find(|issuer| **issuer != own);
        let what = match stranger {
            Some(stranger) => format!("reasoning of exchange {}", sent.book.get(*stranger).exchange),
            None if is_reordered(&parts, &issued.reasoning().collect::<Vec<_>>()) => {
                "its reasoning in another order".to_owned()
            }
            None => return None,
        };
        let message = format!("the message of exchange {} holds {what}", issued.exchange);
        Some(
            Draft::of(&RULE, message)
                .severity(severity)
                .at(brought.pointer())
                .sent(what)
                .expected("each answer's reasoning in its own message, in order")
                .once(Once::Thing(issued.exchange.to_string())),
        )
    });
    broken.collect()
}

/// Whether the same parts stand in another order.
fn is_reordered(now: &[&Part], before: &[&Part]) -> bool {
    let places: Vec<usize> = now
        .iter()
        .filter_map(|part| before.iter().position(|old| old.raw == part.raw))
        .collect();
    places.windows(2).any(|pair| pair[0] > pair[1])
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::chat::Chat;

    fn entry(number: u32) -> Value {
        json!({"type": "reasoning.text", "text": format!("thought number {number} of this talk"),
            "signature": format!("signature-of-number-{number}"), "index": number})
    }

    fn message(text: &str, details: &[Value]) -> Value {
        json!({"role": "assistant", "content": text, "reasoning_details": details})
    }

    fn talk(kept: &[Value]) -> Vec<String> {
        let mut chat = Chat::at("/api/v1/chat/completions", "anthropic/claude-opus-4.5");
        chat.says("one", &message("First.", &[entry(1), entry(2)]));
        chat.keeps(&message("First.", &[entry(1), entry(2)]));
        chat.asks("two");
        chat.answers(&message("Second.", &[entry(3)]));
        chat.forget();
        for message in kept {
            chat.keeps(message);
        }
        chat.asks("three");
        chat.answers(&message("Third.", &[entry(4)]));
        chat.found()
    }

    fn user(text: &str) -> Value {
        json!({"role": "user", "content": text})
    }

    /// The bytes of what was sent before changed as well, which is the lesser evil.
    const BROKEN: [&str; 2] = ["adjacency-broken:error", "prefix-not-byte-stable:note"];

    #[test]
    fn two_answers_in_one_message_are_an_error() {
        let merged = message("First.", &[entry(1), entry(2), entry(3)]);
        assert_eq!(talk(&[user("one"), merged]), BROKEN[..1]);
    }

    #[test]
    fn another_order_is_an_error() {
        let turned = message("First.", &[entry(2), entry(1)]);
        let second = message("Second.", &[entry(3)]);
        assert_eq!(talk(&[user("one"), turned, user("two"), second]), BROKEN);
    }

    #[test]
    fn a_thought_that_two_answers_had_belongs_to_both() {
        let mut same = entry(2);
        same["text"] = entry(1)["text"].clone();
        same["signature"] = entry(1)["signature"].clone();
        same["index"] = 1.into();
        let mut chat = Chat::at("/api/v1/chat/completions", "anthropic/claude-opus-4.5");
        let first = message("First.", &[entry(1)]);
        chat.says("one", &first);
        chat.keeps(&first);
        chat.asks("two");
        let second = message("Second.", &[same]);
        chat.answers(&second);
        chat.keeps(&second);
        chat.asks("three");
        chat.answers(&message("Third.", &[entry(4)]));
        assert_eq!(chat.found(), Vec::<String>::new());
    }

    #[test]
    fn each_in_its_own_message_is_clean() {
        let first = message("First.", &[entry(1), entry(2)]);
        let second = message("Second.", &[entry(3)]);
        assert_eq!(
            talk(&[user("one"), first, user("two"), second]),
            Vec::<String>::new()
        );
    }
}
