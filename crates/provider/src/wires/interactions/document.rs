//! Steps, envelope, usage, and the choice between a document and a stream.

use holdover_wire::neutral::Delivery;
use holdover_wire::{Object, Plan};
use serde_json::{Value, json};

use super::stream;
use crate::ask::{Ask, Keeps};
use crate::fill;
use crate::past::Past;
use crate::said::{Finish, Said, SaidPart};
use crate::wires::{Pen, Thought};

/// The steps of an answer, and what they cost.
#[derive(Default)]
struct Steps {
    list: Vec<Value>,
    thoughts: u32,
    thought_tokens: u64,
    tokens: u64,
    recall: Option<u64>,
}

/// The answer.
pub(crate) fn answer(ask: &Ask, said: &Said, pen: &Pen<'_>) -> Plan {
    let steps = steps(ask, said, pen);
    let texts: u64 = ask.billed.iter().map(|text| (pen.count)(text)).sum();
    let input = ask.billed_unseen.saturating_add(texts);
    let total = input.saturating_add(steps.tokens + steps.thought_tokens);
    let usage = json!({
        "total_input_tokens": input,
        "total_output_tokens": steps.tokens,
        "total_thought_tokens": steps.thought_tokens,
        "total_cached_tokens": 0,
        "total_tool_use_tokens": 0,
        "total_tokens": total,
    });
    let past = Past {
        recall: steps.recall.or(ask.recall),
        thoughts: ask.shown.saturating_add(steps.thoughts),
        turns: ask.past.turns.saturating_add(1),
        tokens: total,
        asked: ask.history.asked().to_owned(),
    };
    let id = match ask.keeps {
        Keeps::Stored => pen
            .signer
            .past_id(&past, &pen.key.hash(b"interaction"), pen.second),
        // Nothing is kept, so the id leads nowhere.
        Keeps::Nothing => fill::id(&ask.endpoint.speech.id, pen.key, "answer", &[]),
    };
    let status = match said.finish {
        Finish::Length => "incomplete",
        Finish::Done if said.calls() => "requires_action",
        Finish::Done => "completed",
    };
    let mut document = Object::new();
    document.insert("id".to_owned(), id.into());
    document.insert("object".to_owned(), "interaction".into());
    document.insert("model".to_owned(), ask.history.model.clone().into());
    if ask.history.delivery == Delivery::Stream {
        return stream::stream(&document, &steps.list, status, &usage);
    }
    document.insert("status".to_owned(), status.into());
    document.insert("steps".to_owned(), Value::Array(steps.list));
    document.insert("usage".to_owned(), usage);
    let kind = "application/json; charset=UTF-8".to_owned();
    Plan::json(
        200,
        vec![("content-type".to_owned(), kind)],
        Value::Object(document),
    )
}

fn steps(ask: &Ask, said: &Said, pen: &Pen<'_>) -> Steps {
    let mut steps = Steps::default();
    let mut previous = [0; 8];
    let mut order = 0;
    for (index, part) in said.parts.iter().enumerate() {
        let step = match part {
            SaidPart::Reasoning { text, recall } => {
                let tokens = (pen.count)(text);
                let thought = Thought {
                    recall: *recall,
                    tokens,
                    text,
                    order,
                    previous,
                };
                let signature = pen.sign(ask, &thought);
                previous = pen.signer.hash(signature.as_bytes());
                order += 1;
                steps.thoughts += 1;
                steps.thought_tokens += tokens;
                steps.recall = Some(*recall);
                if ask.shows_thoughts {
                    let summary = json!([{"type": "text", "text": text}]);
                    json!({"type": "thought", "summary": summary, "signature": signature})
                } else {
                    json!({"type": "thought", "signature": signature})
                }
            }
            SaidPart::Text(text) => {
                steps.tokens += (pen.count)(text);
                json!({"type": "model_output", "content": [{"type": "text", "text": text}]})
            }
            SaidPart::Call { id, name, arguments } => {
                steps.tokens += (pen.count)(name) + (pen.count)(arguments);
                let places = [("name", name.clone()), ("index", index.to_string())];
                let template = &ask.endpoint.speech.call_id;
                let made = || fill::id(template, pen.key, &format!("call {index}"), &places);
                let id = id.clone().unwrap_or_else(made);
                let arguments: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
                json!({"type": "function_call", "id": id, "name": name, "arguments": arguments})
            }
        };
        steps.list.push(step);
    }
    steps
}

#[cfg(test)]
mod tests {
    use holdover_profile::Profile;
    use holdover_profile::provider::Book;
    use holdover_seal::Key;
    use holdover_wire::{Call, PlanBody, Wire};

    use super::*;
    use crate::{Desk, Reading, Signer};

    /// What an interaction answers that says this; a token is a byte.
    fn answered(signer: &Signer, mut request: Value, said: &[SaidPart]) -> Value {
        let (seed, profile) = (Key::of_seed(7), Profile::builtin("openai").expect("a profile"));
        let desk = Desk {
            book: Book::builtin(),
            profile: &profile,
            signer,
            seed: &seed,
        };
        request["model"] = "gemini-3-pro".into();
        let call = Call::post("/v1beta/interactions", request);
        let Reading::Asks(ask) = desk.read(Wire::GeminiInteractions, &call) else {
            panic!("it is refused");
        };
        let said = Said {
            parts: said.to_vec(),
            finish: Finish::Done,
        };
        let pen = Pen {
            key: &seed,
            second: 1_795_000_000,
            signer,
            count: &|text| text.len() as u64,
        };
        match answer(&ask, &said, &pen).body {
            PlanBody::Json(body) => body.value().clone(),
            PlanBody::Stream(_) | PlanBody::Nothing => panic!("no document"),
        }
    }

    fn signer() -> Signer {
        Signer::new(&Key::of_seed(7), "org", "eu")
    }

    fn text(text: &str) -> SaidPart {
        SaidPart::Text(text.to_owned())
    }

    /// Input and total of an answer.
    fn used(body: &Value) -> [u64; 2] {
        ["total_input_tokens", "total_tokens"].map(|name| body["usage"][name].as_u64().expect("a number"))
    }

    /// Three questions of 3, 8 and 2 bytes, and answers of 5 + 5, 2 and 1: what was before is billed once.
    #[test]
    fn what_an_interaction_continues_is_billed_once() {
        let signer = signer();
        let thought = SaidPart::Reasoning {
            text: "think".to_owned(),
            recall: 8,
        };
        let first = answered(&signer, json!({"input": "Hi?"}), &[thought, text("Hello")]);
        assert_eq!(used(&first), [3, 13]);
        let follow =
            |before: &Value, input: &str| json!({"previous_interaction_id": before["id"], "input": input});
        let second = answered(&signer, follow(&first, "And now?"), &[text("Ok")]);
        assert_eq!(used(&second), [13 + 8, 13 + 8 + 2]);
        let third = answered(&signer, follow(&second, "So"), &[text("!")]);
        assert_eq!(used(&third), [23 + 2, 23 + 2 + 1]);
    }

    #[test]
    fn counts_of_a_conversation_without_end_stay_at_their_highest() {
        let signer = signer();
        let past = Past {
            recall: Some(7),
            thoughts: u32::MAX,
            turns: u32::MAX,
            tokens: u64::MAX,
            asked: "Hi".to_owned(),
        };
        let id = signer.past_id(&past, b"1", 0);
        let thought = SaidPart::Reasoning {
            text: "Hm".to_owned(),
            recall: 8,
        };
        let request = json!({"previous_interaction_id": id, "input": "And?"});
        let body = answered(&signer, request, &[thought, text("Yes")]);
        assert_eq!(body["usage"]["total_tokens"], u64::MAX);
        let next = signer
            .past_of(body["id"].as_str().expect("an id"))
            .expect("a state");
        assert_eq!(
            (next.thoughts, next.turns, next.tokens),
            (u32::MAX, u32::MAX, u64::MAX)
        );
    }
}
