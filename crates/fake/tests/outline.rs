//! What an answer tells beside its text is what the text says: whoever reads the one instead of the other judges alike.

mod common;

use common::golden::{message, pasted, reply};
use common::{calls, create, session, thought};
use holdover_fake::Answer;
use holdover_wire::response::ResponseView;
use holdover_wire::{Document, Event, Object, PlanBody, Reply, ReplyEnd, ReplyPart, Step};
use serde_json::{Value, json};

/// Everything that a view tells.
fn told(view: ResponseView<'_>) -> Value {
    let output: Vec<(usize, &Object)> = view
        .output()
        .map(|(index, item)| (index, item.object()))
        .collect();
    json!([
        view.id(),
        view.status(),
        view.store(),
        view.context(),
        view.created_at(),
        view.completed_at(),
        output,
        view.object(),
    ])
}

/// The same answer with nothing told beside its text, compared with it.
fn assert_told(answer: &Answer) {
    match &answer.plan.body {
        PlanBody::Json(document) => {
            let read: Value = serde_json::from_slice(&document.bytes()).expect("JSON");
            let read = Document::from(read);
            assert_eq!(document.id(), read.id());
            assert_eq!(document.response().map(told), read.response().map(told));
            assert_eq!(document.bytes(), read.bytes());
        }
        PlanBody::Stream(steps) => {
            let events = steps.iter().filter_map(Step::event);
            events.for_each(assert_event_told);
        }
        PlanBody::Nothing => panic!("nothing was said"),
    }
}

fn assert_event_told(event: &Event) {
    let mut text = Vec::new();
    event.encode(&mut text);
    let read = Event::new(serde_json::from_slice(&text).expect("JSON"));
    let item = |event: &Event| event.item().map(|item| item.object().clone());
    assert_eq!(event.name(), read.name());
    assert_eq!(event.output_index(), read.output_index());
    assert_eq!(item(event), item(&read));
    assert_eq!(event.response().map(told), read.response().map(told));
}

fn ends(end: ReplyEnd) -> Reply {
    reply([message("As far as it goes."), ReplyPart::End(end)])
}

fn replies() -> Vec<Reply> {
    let search = json!({"type": "web_search_call", "action": {"type": "search", "query": "tea"}});
    vec![
        thought("Yes."),
        calls(&["call_1", "call_2"]),
        reply([pasted(&search), message("Tea \"is\"\n hot.")]),
        reply([ReplyPart::Refusal("No.".to_owned())]),
        ends(ReplyEnd::Incomplete {
            reason: "content_filter".to_owned(),
        }),
        ends(ReplyEnd::Failed {
            code: "server_error".to_owned(),
            message: None,
        }),
    ]
}

#[test]
fn an_answer_tells_what_its_text_says() {
    let settings = [
        json!({"model": "gpt-5.6"}),
        json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"]}),
        json!({"model": "gpt-4.1", "temperature": 0.25, "metadata": {"a": "b"}, "user": "u"}),
        json!({"model": "gpt-5.6", "background": true, "instructions": "Be \"brief\"."}),
    ];
    for setting in settings {
        for stream in [false, true] {
            for reply in replies() {
                let mut session = session();
                session.script(vec![reply]);
                let mut body = setting.clone();
                body["input"] = "Hi".into();
                body["stream"] = stream.into();
                assert_told(&create(&mut session, &body));
            }
        }
    }
}
