//! What a lossy source withholds: where something may be missing from the record, absence proves nothing.

use crate::config::Source;
use crate::draft::Draft;
use crate::turn::Turn;
use crate::verdict::Inconclusive;

/// Rules whose findings rest on something that is not there.
const ABSENCE: [&str; 18] = [
    "history-absent",
    "reasoning-dropped",
    "text-only-rebuild",
    "late-part-dropped",
    "encrypted-content-missing",
    "half-stripped-group",
    "orphan-reasoning",
    "orphan-follower",
    "reasoning-id-lost",
    "item-dropped",
    "phase-lost",
    "call-without-output",
    "output-without-call",
    "call-fabricated",
    "instructions-not-resent",
    "tools-not-resent",
    "required-field-missing",
    // An id of another grammar is right where the server itself issued it.
    "id-grammar",
];

/// Findings of a lossy source that stand, and one gap for those that do not.
pub(crate) fn withhold(drafts: Vec<Draft>, turn: &Turn<'_>) -> (Vec<Draft>, Option<Inconclusive>) {
    if turn.world.source == Source::Whole {
        return (drafts, None);
    }
    let (absent, stand): (Vec<Draft>, Vec<Draft>) = drafts
        .into_iter()
        .partition(|draft| ABSENCE.contains(&draft.rule.name));
    let mut names: Vec<&str> = absent.iter().map(|draft| draft.rule.name).collect();
    names.dedup();
    let gap = (!names.is_empty()).then(|| Inconclusive {
        what: names.join(", "),
        missing: "a whole record: this source leaves things out, so that absence proves nothing".to_owned(),
        exchange: Some(turn.number),
    });
    (stand, gap)
}

#[cfg(test)]
mod tests {
    use super::ABSENCE;
    use crate::testkit::{Talk, easy, msg, rs, token, user, with};
    use crate::{JudgeConfig, Outcome, Source};

    fn lossy() -> Talk {
        Talk::stateless().judged_by(JudgeConfig {
            source: Source::Lossy,
            ..JudgeConfig::default()
        })
    }

    #[test]
    fn absence_in_a_lossy_source_is_inconclusive() {
        let mut talk = lossy();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        talk.turn(&[user("plan"), easy("a plan"), user("go on")], &[msg(2, "done")]);
        let verdict = talk.verdict();
        assert_eq!(verdict.outcome, Outcome::Inconclusive);
        assert_eq!(verdict.findings, []);
        assert_eq!(verdict.inconclusive[0].what, "text-only-rebuild");
    }

    #[test]
    fn what_is_there_and_wrong_still_counts() {
        let mut talk = lossy();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        let cut = with(&rs(1), "encrypted_content", token(1, "done")[..200].to_owned());
        talk.turn(
            &[user("plan"), cut, msg(1, "a plan"), user("go on")],
            &[msg(2, "done")],
        );
        assert_eq!(talk.found(), ["encrypted-content-altered:error"]);
    }

    #[test]
    fn the_list_names_rules_that_exist() {
        for name in ABSENCE {
            assert!(crate::rules::find(name).is_some(), "{name}");
        }
    }
}
