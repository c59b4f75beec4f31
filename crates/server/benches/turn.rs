//! Time of one turn in this process, without a socket: what validation, state, sealing and rendering cost.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use holdover_fake::{FakeConfig, Session};
use holdover_wire::{Call, CallBody, PlanBody};
use serde_json::{Value, json};

const HISTORY_BYTES: usize = 48 << 10;

fn body(input: &[Value]) -> Value {
    json!({
        "model": "gpt-5.6",
        "input": input,
        "store": false,
        "include": ["reasoning.encrypted_content"],
    })
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

/// The output of a turn with this input.
fn output(session: &mut Session, input: &[Value]) -> Vec<Value> {
    let answer = session.handle(&Call::post("/v1/responses", body(input)));
    match answer.plan.body {
        PlanBody::Json(answer) => answer["output"].as_array().cloned().expect("output"),
        PlanBody::Stream(_) | PlanBody::Nothing => panic!("a document was asked for"),
    }
}

/// A history of whole turns of at least this many bytes, and the session that knows it.
fn history(bytes_min: usize) -> (Session, Vec<Value>) {
    let mut session = Session::new(FakeConfig::default());
    let mut input = vec![user("Turn 0.")];
    for turn in 1.. {
        let output = output(&mut session, &input);
        input.extend(output);
        input.push(user(&format!("Turn {turn}: {}", "go on, please. ".repeat(20))));
        if body(&input).to_string().len() >= bytes_min {
            break;
        }
    }
    (session, input)
}

fn turns(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("turn");
    group
        .sample_size(50)
        .measurement_time(std::time::Duration::from_secs(4));
    let mut session = Session::new(FakeConfig::default());
    let mut number = 0_u64;
    group.bench_function("first turn", |bencher| {
        bencher.iter(|| {
            number += 1;
            let call = Call::post("/v1/responses", body(&[user(&format!("Hello {number}."))]));
            session.handle(&call)
        });
    });
    let (mut session, input) = history(HISTORY_BYTES);
    let bytes = body(&input).to_string().into_bytes();
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("parse and answer 48 KiB of history", |bencher| {
        bencher.iter(|| {
            let mut call = Call::post("/v1/responses", Value::Null);
            call.body = CallBody::parse(&bytes);
            session.handle(&call)
        });
    });
    group.finish();
}

criterion_group!(benches, turns);
criterion_main!(benches);
