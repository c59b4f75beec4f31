//! What holds for every fault of the catalogue, whatever it does: a file that is added is tested here as well.

use holdover_wire::{End, Event, Plan, PlanBody, Step};
use proptest::prelude::*;
use serde_json::json;

use crate::catalogue;
use crate::session::Played;
use crate::testing::{Scripted, body, document, replay, stream};

/// Requests that give every kind of fault something to act on.
fn requests() -> Vec<serde_json::Value> {
    vec![
        body(),
        replay("full"),
        json!({"model": "gpt-5.6", "input": "And?", "previous_response_id": "resp_1"}),
        json!({"model": "gpt-5.6", "input": "And?", "conversation": "conv_1"}),
        replay("full"),
    ]
}

fn play(seed: u64, flags: &[&str], answer: &Plan) -> Vec<Played> {
    let mut session = Scripted::seeded(seed, flags);
    let requests = requests().into_iter();
    requests
        .map(|request| session.send(request, answer.clone()))
        .collect()
}

fn plans(seed: u64, flags: &[&str], answer: &Plan) -> Vec<Plan> {
    play(seed, flags, answer)
        .into_iter()
        .map(|played| played.plan)
        .collect()
}

/// The stream as it is when something ended it after so many steps.
fn closed(after: usize, end: End) -> Plan {
    let mut plan = stream();
    if let PlanBody::Stream(steps) = &mut plan.body {
        steps.truncate(after);
    }
    plan.end = end;
    plan
}

fn has_terminal(plan: &Plan) -> bool {
    match &plan.body {
        PlanBody::Stream(steps) => steps.iter().filter_map(Step::event).any(Event::is_terminal),
        PlanBody::Json(_) | PlanBody::Nothing => false,
    }
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(catalogue::all()).prop_map(|card| card.name)
}

fn end() -> impl Strategy<Value = End> {
    prop::sample::select(vec![End::Cut, End::HalfClose, End::Reset, End::Timeout])
}

proptest! {
    #[test]
    fn the_same_seed_gives_the_same_verdicts(seed in any::<u64>(), first in name(), second in name()) {
        for answer in [stream(), document()] {
            let flags = [first, second];
            prop_assert_eq!(plans(seed, &flags, &answer), plans(seed, &flags, &answer));
        }
    }

    #[test]
    fn a_closed_stream_stays_closed(seed in any::<u64>(), name in name(), after in 0_usize..15, end in end()) {
        let answer = closed(after, end);
        for played in play(seed, &[name], &answer) {
            // A refusal is another answer: there the stream was never begun.
            if played.plan.status == 200 {
                prop_assert_eq!(played.plan.end, end, "{}", name);
                prop_assert!(!has_terminal(&played.plan), "{}", name);
            }
        }
    }

    #[test]
    fn what_ends_first_stays_the_end(seed in any::<u64>(), name in name(), after in 1_usize..15) {
        let flag = format!("cut:index={after}");
        for played in play(seed, &[flag.as_str(), name], &stream()) {
            if played.plan.status == 200 {
                prop_assert_eq!(played.plan.end, End::Cut, "{}", name);
                prop_assert!(!has_terminal(&played.plan), "{}", name);
            }
        }
    }

    #[test]
    fn silence_stays_silent(seed in any::<u64>(), name in name()) {
        for played in play(seed, &["close-before-headers", name], &stream()) {
            prop_assert_eq!(&played.plan.body, &PlanBody::Nothing, "{}", name);
            prop_assert_eq!(played.plan.end, End::Cut, "{}", name);
        }
    }

    #[test]
    fn what_did_not_act_changed_nothing(seed in any::<u64>(), name in name()) {
        for answer in [stream(), document()] {
            for played in play(seed, &[name], &answer) {
                if played.acted.is_empty() {
                    prop_assert_eq!(&played.plan, &answer, "{}", name);
                } else {
                    prop_assert_eq!(&played.acted, &vec![name]);
                }
            }
        }
    }

    #[test]
    fn once_is_once(seed in any::<u64>(), name in name()) {
        let flag = format!("{name}:once=true");
        let acted = play(seed, &[flag.as_str()], &stream());
        prop_assert!(acted.iter().filter(|played| !played.acted.is_empty()).count() <= 1, "{}", name);
    }
}
