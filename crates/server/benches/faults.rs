//! What the fault layer costs an exchange when nothing is planted, beside what the whole exchange costs.
//!
//! ```text
//! cargo bench -p holdover-server --bench faults
//! ```
//!
//! Each pair of samples plays the same exchanges with the layer and without it, in turn, so that a slow moment of the
//! machine strikes both. The layer by itself is measured too: its share of an exchange is far too small to be seen as a
//! difference between two noisy numbers. More than two parts in a hundred fail.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use holdover_fake::{FakeConfig, Session};
use holdover_fault::{Chance, Faults, model_name};
use holdover_wire::{Call, CallBody, Plan};

const PAIRS: usize = 60;
const EXCHANGES: usize = 50;
const LAYERS: u32 = 200_000;
/// The most that the layer may cost, in parts of a thousand.
const SHARE_MAX: f64 = 20.0;

/// What the server does for a call when no fault is planted: it looks for faults in the name of the model, and whether
/// there are any for the session.
fn layer(call: &mut Call, faults: &Faults) -> bool {
    model_name::take(call).is_none() && faults.is_empty()
}

fn call(number: usize) -> Call {
    let text = format!(r#"{{"model":"gpt-5.6","input":"Hello {number}.","store":false}}"#);
    let mut call = Call::post("/v1/responses", serde_json::Value::Null);
    call.body = CallBody::parse(text.as_bytes());
    call
}

fn exchange(session: &mut Session, call: &Call) -> Plan {
    let plan = session.handle(call).plan;
    black_box(plan.body.bytes());
    plan
}

fn without(session: &mut Session) -> Duration {
    let start = Instant::now();
    for number in 0..EXCHANGES {
        black_box(exchange(session, &call(number)));
    }
    start.elapsed()
}

fn with(session: &mut Session, faults: &Faults) -> Duration {
    let start = Instant::now();
    for number in 0..EXCHANGES {
        let mut call = call(number);
        assert!(layer(&mut call, faults));
        black_box(exchange(session, &call));
    }
    start.elapsed()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn nanoseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

fn layer_alone(faults: &Faults) -> f64 {
    let mut call = call(0);
    let start = Instant::now();
    for _ in 0..LAYERS {
        black_box(layer(black_box(&mut call), black_box(faults)));
    }
    nanoseconds(start.elapsed()) / f64::from(LAYERS)
}

#[expect(clippy::print_stdout, reason = "a benchmark tells what it measured")]
fn main() -> ExitCode {
    let faults = Faults::new(Vec::new(), Chance::new(7, "bench"));
    let mut session = Session::new(FakeConfig::default());
    with(&mut session, &faults);
    let pairs: Vec<(f64, f64)> = (0..PAIRS)
        .map(|pair| {
            // Neither of the two comes first each time.
            if pair % 2 == 0 {
                let plain = without(&mut session);
                (nanoseconds(plain), nanoseconds(with(&mut session, &faults)))
            } else {
                let layered = with(&mut session, &faults);
                (nanoseconds(without(&mut session)), nanoseconds(layered))
            }
        })
        .collect();
    let exchange_ns = median(pairs.iter().map(|pair| pair.0).collect()) / 50.0;
    let paired = median(pairs.iter().map(|pair| pair.1 / pair.0).collect());
    let layer_ns = median((0..9).map(|_| layer_alone(&faults)).collect());
    let share = layer_ns / exchange_ns * 1_000.0;
    println!("an exchange in this process: {exchange_ns:.0} ns");
    println!("the fault layer, nothing planted: {layer_ns:.1} ns, {share:.3} parts of a thousand");
    println!("with the layer / without, median of {PAIRS} pairs: {paired:.4}");
    if share > SHARE_MAX {
        println!("more than {SHARE_MAX} parts of a thousand");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
