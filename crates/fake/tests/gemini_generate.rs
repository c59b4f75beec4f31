//! `generateContent`: exact bodies, streams, and requests that nobody should send (`tests/facts/providers.md` sections 3.1
//! and 15.3).

mod common;

use common::{body as refused, bytes, ok};
use holdover_fake::{Answer, FakeConfig, Session};
use holdover_wire::{Call, Reply, ReplyPart};
use serde_json::{Value, json};

const MODEL: &str = "/v1beta/models/gemini-3-pro";
const VERTEX: &str = "/v1/projects/p/locations/global/publishers/google/models/gemini-3-pro";

fn session() -> Session {
    Session::new(FakeConfig::default())
}

fn send(session: &mut Session, path: &str, alt: &str, body: Value) -> Answer {
    let mut call = Call::post(path, body);
    if !alt.is_empty() {
        call.query.push(("alt".to_owned(), alt.to_owned()));
    }
    session.handle(&call)
}

/// Thinks and makes two calls at once.
fn calls_twice() -> Reply {
    let call = |name: &str| ReplyPart::Call {
        id: None,
        name: name.to_owned(),
        arguments: Some("{\"key\":\"a\"}".to_owned()),
    };
    Reply {
        parts: vec![ReplyPart::Reasoning { summary: None }, call("f"), call("g")],
    }
}

fn asks(text: &str) -> Value {
    json!({"contents": [{"role": "user", "parts": [{"text": text}]}]})
}

fn whole(path: &str) -> String {
    format!("{path}:generateContent")
}

fn streamed(path: &str) -> String {
    format!("{path}:streamGenerateContent")
}

/// A history whose call, in the second content, lost its signature.
fn stripped() -> Value {
    let call = json!({"functionCall": {"name": "Bash", "args": {}, "id": "call_1"}});
    let output = json!({"functionResponse": {"name": "Bash", "id": "call_1", "response": {}}});
    json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [call]},
        {"role": "user", "parts": [output]}]})
}

/// Only the first of parallel calls is signed; a summary is there only for who asks.
#[test]
fn an_answer_has_the_parts_of_the_facts() {
    let mut session = session();
    session.script(vec![calls_twice(), calls_twice()]);
    let document = ok(&send(&mut session, &whole(MODEL), "", asks("Hi")));
    let candidate = &document["candidates"][0];
    assert_eq!(
        (&candidate["finishReason"], &candidate["index"]),
        (&json!("STOP"), &json!(0))
    );
    assert_eq!(candidate["content"]["role"], "model");
    let parts = candidate["content"]["parts"].as_array().expect("parts");
    let shape: Vec<(bool, bool)> = parts
        .iter()
        .map(|part| {
            (
                part["functionCall"].is_object(),
                part["thoughtSignature"].is_string(),
            )
        })
        .collect();
    assert_eq!(shape, [(true, true), (true, false)]);
    assert_eq!(parts[0]["functionCall"]["args"], json!({"key": "a"}));
    assert_eq!(document["modelVersion"], "gemini-3-pro");
    assert!(document["usageMetadata"]["thoughtsTokenCount"].as_u64() > Some(0));
    let mut shown = asks("Hi");
    shown["generationConfig"] = json!({"thinkingConfig": {"includeThoughts": true}});
    let document = ok(&send(&mut session, &whole(MODEL), "", shown));
    assert_eq!(document["candidates"][0]["content"]["parts"][0]["thought"], true);
}

/// Section 15.3: CRLF, no names, no `[DONE]`; a call is never split; the signature of a text sits on an empty last part.
#[test]
fn a_stream_has_the_documents_of_the_facts() {
    let mut session = session();
    session.script(vec![calls_twice()]);
    let mut stream = || {
        let answer = send(&mut session, &streamed(MODEL), "sse", asks("Hi"));
        assert_eq!(answer.plan.header("content-type"), Some("text/event-stream"));
        let text = String::from_utf8(bytes(&answer)).expect("text");
        let frames = text.split("\r\n\r\n").filter(|frame| !frame.is_empty());
        let documents: Vec<Value> = frames
            .map(|frame| serde_json::from_str(frame.strip_prefix("data: ").expect("data")).expect("json"))
            .collect();
        documents
    };
    let part = |document: &Value| document["candidates"][0]["content"]["parts"][0].clone();
    let calls = stream();
    assert_eq!(calls.len(), 3);
    assert_eq!(part(&calls[0])["functionCall"]["name"], "f");
    assert!(part(&calls[0])["thoughtSignature"].is_string());
    assert_eq!(part(&calls[1])["functionCall"]["name"], "g");
    assert_eq!(part(&calls[2]), json!({"text": ""}));
    let text = stream();
    let last = text.last().expect("a document");
    assert_eq!(last["candidates"][0]["finishReason"], "STOP");
    assert_eq!(part(last)["text"], "");
    assert!(part(last)["thoughtSignature"].is_string());
    assert_eq!(text[0]["candidates"][0].get("finishReason"), None);
}

/// The documents of section 3.1, whole: `position` counts from 1; without `alt=sse` the error stands in a list.
#[test]
fn a_refusal_has_the_document_of_the_facts() {
    let text = "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, \
        and missing thought_signature may lead to degraded model performance. Additional data, function call \
        `default_api:Bash` , position 2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.";
    let document = json!({"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}});
    let answer = send(&mut session(), &whole(MODEL), "", stripped());
    assert_eq!((answer.plan.status, refused(&answer)), (400, document.clone()));
    assert_eq!(
        refused(&send(&mut session(), &streamed(MODEL), "sse", stripped())),
        document
    );
    assert_eq!(
        refused(&send(&mut session(), &streamed(MODEL), "", stripped())),
        json!([document])
    );
    let text = "Unable to submit request because function call `Bash` in the 2. content block is missing a `thought_signature`. \
        Learn more: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures";
    assert_eq!(
        refused(&send(&mut session(), &whole(VERTEX), "", stripped()))["error"]["message"],
        text
    );
}

/// AI Studio and Vertex take no signatures of each other.
#[test]
fn a_signature_is_bound_to_its_backend() {
    let mut session = session();
    session.script(vec![calls_twice()]);
    let document = ok(&send(&mut session, &whole(MODEL), "", asks("Hi")));
    let mut history = stripped();
    history["contents"][1] = document["candidates"][0]["content"].clone();
    assert_eq!(
        send(&mut session, &whole(MODEL), "", history.clone()).plan.status,
        200
    );
    let answer = send(&mut session, &whole(VERTEX), "", history.clone());
    assert_eq!(refused(&answer)["error"]["message"], "Invalid thought signature.");
    // Gemini 2.5 looks at none.
    for model in [
        "/v1beta/models/gemini-2.5-flash",
        "/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-pro",
    ] {
        assert_eq!(
            send(&mut session, &whole(model), "", stripped()).plan.status,
            200,
            "{model}"
        );
    }
}

/// No fact says how these are refused: the words are ours, and the answer says so.
#[test]
fn what_is_no_request_is_refused_in_our_words() {
    for body in [
        json!({}),
        json!({"contents": "hi"}),
        json!({"contents": [{"role": "user"}]}),
        json!({"contents": [{"role": "user", "parts": ["hi"]}]}),
        json!([1]),
    ] {
        let answer = send(&mut session(), &whole(MODEL), "", body.clone());
        assert_eq!(answer.plan.status, 400, "{body}");
        assert_eq!(
            answer.plan.header("x-holdover-evidence"),
            Some("inferred"),
            "{body}"
        );
        assert_eq!(refused(&answer)["error"]["status"], "INVALID_ARGUMENT", "{body}");
    }
}

/// Odd members are taken or refused, never a panic.
#[test]
fn odd_members_do_no_harm() {
    for member in ["generationConfig", "tools", "systemInstruction", "toolConfig"] {
        for value in [
            json!(5),
            json!(null),
            json!("x"),
            json!([]),
            json!({"parts": 7}),
            json!(true),
        ] {
            let mut body = asks("Hi");
            body[member] = value.clone();
            let status = send(&mut session(), &whole(MODEL), "", body).plan.status;
            assert!(matches!(status, 200 | 400), "{member} {value}: {status}");
        }
    }
    let mut history = stripped();
    history["contents"][1]["parts"] =
        json!([{}, {"functionCall": 5, "thoughtSignature": 7}, {"text": null, "thought": "x"}]);
    for path in [
        whole(MODEL),
        whole(VERTEX),
        streamed(MODEL),
        ":generateContent".to_owned(),
    ] {
        let status = send(&mut session(), &path, "sse", history.clone()).plan.status;
        assert!(matches!(status, 200 | 400 | 404), "{path}: {status}");
    }
}
