//! Every fault of the catalogue meets a client that mishandles it, somewhere in the suite; or it stands here why not.

use std::collections::{BTreeMap, BTreeSet};

use holdover_runner::faults;
use holdover_runner::settings::Settings;
use holdover_runner::vocabulary::vocabulary;
use holdover_scenario::{parse, suites};

/// Why no slip can mishandle a fault. There are no other reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unpaired {
    /// It is time alone, and the played client has no clock.
    TimeAlone,
    /// It is the framing of a stream: the played client reads it with the decoder that the server writes with, which has
    /// its own properties and a fuzz test (`crates/wire`). Real clients meet it in `docs/faults.md`.
    FramingAlone,
    /// The same request passes a moment later, whatever the client did meanwhile.
    PassesByItself,
    /// Its harm is a turn that is never sent again, and no stage of the played client forgets a turn. The rule that sees
    /// it has tests of its own (`concurrent-turn`).
    OneTurnLost,
    /// What a client could keep of it is what the service gave: whether that is wrong shows in a later refusal only,
    /// which is another fault of the catalogue.
    NothingToKeep,
}

const UNPAIRED: &[(&str, Unpaired)] = &[
    ("first-byte", Unpaired::TimeAlone),
    ("pause", Unpaired::TimeAlone),
    ("jitter", Unpaired::TimeAlone),
    ("trickle", Unpaired::TimeAlone),
    ("bandwidth", Unpaired::TimeAlone),
    ("silence", Unpaired::TimeAlone),
    ("comment", Unpaired::FramingAlone),
    ("crlf", Unpaired::FramingAlone),
    ("data-lines", Unpaired::FramingAlone),
    ("data-only", Unpaired::FramingAlone),
    ("gzip", Unpaired::FramingAlone),
    ("content-type", Unpaired::FramingAlone),
    ("keepalive-event", Unpaired::FramingAlone),
    ("event-unknown", Unpaired::FramingAlone),
    ("event-dropped", Unpaired::FramingAlone),
    ("sequence-gap", Unpaired::FramingAlone),
    ("not-visible", Unpaired::PassesByItself),
    ("other-backend", Unpaired::PassesByItself),
    ("conversation-locked", Unpaired::OneTurnLost),
    ("reasoning-only", Unpaired::NothingToKeep),
    ("reasoning-only-incomplete", Unpaired::NothingToKeep),
];

#[test]
fn every_fault_is_paired_with_a_slip_or_has_a_reason() {
    let names = vocabulary(&Settings::default());
    let mut paired = BTreeSet::new();
    for file in suites::find("faults").expect("the suite") {
        let scenario = parse(file.path, file.text, &names).expect("a scenario");
        if scenario.has_slip() {
            let found = scenario.expect.findings.as_ref().map_or(0, Vec::len);
            assert!(found > 0, "{} expects nothing", file.path);
            paired.extend(faults::lower(&scenario).iter().map(|fault| fault.card().name));
        }
    }
    let reasons: BTreeMap<&str, Unpaired> = UNPAIRED.iter().copied().collect();
    assert_eq!(reasons.len(), UNPAIRED.len(), "a fault has two reasons");
    let all = holdover_fault::catalogue::all();
    for card in &all {
        let (is_paired, reason) = (paired.contains(card.name), reasons.get(card.name));
        assert!(
            is_paired != reason.is_some(),
            "`{}` is paired: {is_paired}, and has the reason {reason:?}",
            card.name
        );
    }
    let unknown = reasons
        .keys()
        .find(|name| !all.iter().any(|card| card.name == **name));
    assert_eq!(unknown, None);
}
