//! The checkpoint of a run is looked up by the id of its last reasoning item.

use holdover_wire::ItemKind;
use holdover_wire::audit::{IdPolicy, ResumeKey};

use crate::config::Preset;
use crate::history::Entry;
use crate::slip::{Card, Stage};
use crate::stages::resume::Resumed;
use crate::state::{Run, State};

pub(crate) const CARD: Card = Card {
    about: "looks the checkpoint of a run up by the id of its last reasoning item",
    stage: Stage::Resume,
    seen: "the audit record says resume_key_type=reasoning_id; under omit no stored item has such an id, and the \
           resume finds nothing",
    needs: "preset agents-sdk with the policy omit",
    exists: |config| config.preset == Preset::AgentsSdk && config.reasoning_item_id_policy == IdPolicy::Omit,
};

/// What the audit record says.
pub(crate) const KEY: ResumeKey = ResumeKey::ReasoningId;

/// Looks for the id that the business side remembered among the stored items. On a miss the run is gone; what is left
/// is the session, which has its own key.
pub(crate) fn apply(mut state: State) -> (State, Resumed) {
    let wanted = state.last_reasoning_id.as_deref();
    let is_checkpoint = |entry: &Entry| match entry {
        Entry::Item(item) => item.kind() == ItemKind::Reasoning && item.id() == wanted,
        Entry::Message(_) => false,
    };
    if wanted.is_some() && state.session.iter().any(is_checkpoint) {
        return (state, Resumed::Found);
    }
    let items = state.session.iter().filter_map(|entry| match entry {
        Entry::Item(item) => Some(item.clone()),
        Entry::Message(_) => None,
    });
    state.run = Run {
        caller: items.collect(),
        generated: Vec::new(),
    };
    (state, Resumed::Missed)
}

#[cfg(test)]
mod tests {
    use crate::slip::Slip;
    use crate::testing::{play, stateless, tool_turns};

    use super::*;

    fn played(policy: IdPolicy, slips: Vec<Slip>) -> (Vec<holdover_wire::Object>, ResumeKey, String) {
        let mut agent = stateless(|config| {
            config.preset = Preset::AgentsSdk;
            config.reasoning_item_id_policy = policy;
            config.resume_before = Some(2);
            config.slips = slips;
        });
        let (bodies, _) = play(&mut agent, &tool_turns());
        let record = agent.take_audit().remove(1);
        let resumed = record.other["resume"].as_str().expect("resume").to_owned();
        (bodies, record.resume_key_type.expect("key"), resumed)
    }

    #[test]
    fn under_omit_it_misses_and_the_wire_stays_right() {
        let (right, key, resumed) = played(IdPolicy::Omit, vec![]);
        assert_eq!((key, resumed.as_str()), (ResumeKey::RunState, "found"));
        let (slipped, key, resumed) = played(IdPolicy::Omit, vec![Slip::ResumeByReasoningId]);
        assert_eq!((key, resumed.as_str()), (ResumeKey::ReasoningId, "missed"));
        assert_eq!(slipped, right);
    }

    #[test]
    fn under_preserve_it_hits() {
        let (_, key, resumed) = played(IdPolicy::Preserve, vec![Slip::ResumeByReasoningId]);
        assert_eq!((key, resumed.as_str()), (ResumeKey::ReasoningId, "found"));
    }
}
