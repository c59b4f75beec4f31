//! How many answers a core gives: `cargo bench -p holdover-fake`.

use criterion::{Criterion, criterion_group, criterion_main};
use holdover_fake::{FakeConfig, Session, tokens};
use holdover_wire::Call;
use serde_json::{Value, json};

fn call(body: Value) -> Call {
    Call::post("/v1/responses", body)
}

fn output(session: &mut Session, body: &Value) -> Vec<Value> {
    let answer = session.handle(&call(body.clone()));
    let holdover_wire::PlanBody::Json(response) = answer.plan.body else {
        return Vec::new();
    };
    response["output"].as_array().cloned().unwrap_or_default()
}

/// A stateless replay of three turns, each with its reasoning.
fn replay(session: &mut Session) -> Value {
    let mut input = Vec::new();
    for turn in 0..3 {
        input
            .push(json!({"role": "user", "content": format!("Question number {turn} about the migration.")}));
        let body = json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": input});
        input.extend(output(session, &body));
    }
    input.push(json!({"role": "user", "content": "Go on."}));
    json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": input})
}

fn bench(criterion: &mut Criterion) {
    tokens::warm_up();
    let mut session = Session::new(FakeConfig::default());
    let replay = replay(&mut session);
    let streamed = |mut body: Value| {
        body["stream"] = true.into();
        body
    };
    let plain = json!({"model": "gpt-5.6", "store": false, "input": "How many days are in a week?"});
    let stored = json!({"model": "gpt-5.6", "input": "How many days are in a week?"});
    let cases = [
        ("json", plain.clone()),
        ("json_stored", stored),
        ("sse", streamed(plain)),
        ("replay_json", replay.clone()),
        ("replay_sse", streamed(replay)),
    ];
    for (name, body) in cases {
        let call = call(body);
        criterion.bench_function(name, |bencher| bencher.iter(|| session.handle(&call)));
        let answered = session.handle(&call).plan.body;
        criterion.bench_function(&format!("{name}_bytes"), |bencher| {
            bencher.iter(|| answered.bytes());
        });
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
