//! How long judging takes, and that the cost of one exchange does not grow with the exchanges before it.
//!
//! `cargo bench -p holdover-judge`. The times of `exchanges/…` must grow in step with their number; those of
//! `one exchange after …` must stay the same.

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use holdover_judge::{Export, Judge, JudgeConfig};
use holdover_wire::recording::Exchange;
use serde_json::{Value, json};

/// Characters of a token: the usual size of a real one.
const TOKEN_LENGTH: usize = 856;

fn id(prefix: &str, number: usize) -> String {
    let tail = blake3::hash(format!("{prefix} {number}").as_bytes()).to_hex();
    format!("{prefix}_00000000000000aa006afd86c0{}", &tail[..24])
}

fn token(number: usize) -> String {
    let mut text = String::from("gAAAAABq_YbE");
    let mut seed = blake3::hash(&number.to_le_bytes());
    while text.len() < TOKEN_LENGTH {
        text.push_str(&seed.to_hex());
        seed = blake3::hash(seed.as_bytes());
    }
    text.truncate(TOKEN_LENGTH);
    text
}

fn output(number: usize) -> Vec<Value> {
    let text = [json!({"type": "output_text", "annotations": [], "text": format!("answer {number}")})];
    vec![
        json!({"id": id("rs", number), "type": "reasoning", "summary": [], "encrypted_content": token(number)}),
        json!({"id": id("msg", number), "type": "message", "status": "completed", "role": "assistant", "content": text}),
    ]
}

fn exchange(number: usize, body: &Value) -> Exchange {
    let response = json!({"id": id("resp", number), "status": "completed", "output": output(number)});
    let line = json!({"exchange": number + 1, "request": {"body": body}, "response": {"body": response}});
    serde_json::from_value(line).expect("an exchange")
}

/// One chain of stored responses: every request is as small as the first.
fn chain(count: usize) -> Vec<Exchange> {
    let body = |number: usize| {
        let previous = number.checked_sub(1).map(|before| id("resp", before));
        let input = [json!({"role": "user", "content": format!("question {number}")})];
        json!({"model": "gpt-5.6", "previous_response_id": previous, "input": input})
    };
    (0..count).map(|number| exchange(number, &body(number))).collect()
}

/// Conversations of ten turns that carry their history.
fn replays(count: usize) -> Vec<Exchange> {
    let mut history: Vec<Value> = Vec::new();
    let mut exchanges = Vec::with_capacity(count);
    for number in 0..count {
        if number % 10 == 0 {
            history.clear();
        }
        history.push(json!({"role": "user", "content": format!("question {number}")}));
        exchanges.push(exchange(number, &json!({"model": "gpt-5.6", "input": history})));
        history.extend(output(number));
    }
    exchanges
}

fn judge() -> Judge {
    Judge::new(JudgeConfig::default()).expect("a judge")
}

fn after(exchanges: &[Exchange]) -> Judge {
    let mut judge = judge();
    for exchange in exchanges {
        judge.observe(exchange);
    }
    judge
}

fn whole_recordings(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("exchanges");
    for count in [250, 1000] {
        group.throughput(Throughput::Elements(count as u64));
        for (name, recording) in [("chain", chain(count)), ("replay", replays(count))] {
            group.bench_with_input(BenchmarkId::new(name, count), &recording, |bencher, recording| {
                bencher.iter(|| black_box(after(recording).finish()));
            });
        }
    }
    group.finish();
}

fn one_exchange(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("one exchange after");
    for before in [10, 1000] {
        for (name, recording) in [("chain", chain(before + 10)), ("replay", replays(before + 10))] {
            let (past, next) = recording.split_at(before);
            group.bench_with_input(BenchmarkId::new(name, before), next, |bencher, next| {
                let fill = || after(past);
                bencher.iter_batched_ref(
                    fill,
                    |judge| next.iter().for_each(|exchange| judge.observe(exchange)),
                    BatchSize::LargeInput,
                );
            });
        }
    }
    group.finish();
}

fn exports(criterion: &mut Criterion) {
    let recording = replays(1000);
    let line = "an ordinary line of a log with a token-like word: c29tZS1vdGhlci10b2tlbg and nothing else\n";
    let export = Export {
        file: "app.log".to_owned(),
        text: line.repeat(10_000),
    };
    criterion.bench_function("finish with an export of 1 MB", |bencher| {
        let fill = || {
            let mut judge = after(&recording);
            judge.observe_export(&export);
            judge
        };
        bencher.iter_batched(fill, |judge| black_box(judge.finish()), BatchSize::LargeInput);
    });
}

criterion_group!(benches, whole_recordings, one_exchange, exports);
criterion_main!(benches);
