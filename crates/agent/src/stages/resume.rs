//! Stage `resume`: the client goes on in a new process, from one JSON document.

use holdover_wire::audit::ResumeKey;

use crate::config::{AgentConfig, Preset};
use crate::slip::Slip;
use crate::slips;
use crate::state::State;

use super::policy;

/// Whether the state of the run was found again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resumed {
    /// It was found.
    Found,
    /// The key led nowhere; only the session was left.
    Missed,
}

impl Resumed {
    /// The word in the audit record.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Missed => "missed",
        }
    }
}

/// What this client resumes by (P5): the serialised run state, which holds raw ids and the policy.
pub(crate) fn key(config: &AgentConfig) -> ResumeKey {
    if config.has(Slip::ResumeByReasoningId) {
        return slips::resume_by_reasoning_id::KEY;
    }
    ResumeKey::RunState
}

/// The state in a new process: through text and back, under the policy that holds there.
pub(crate) fn rebuilt(state: &State, config: &AgentConfig) -> (State, Resumed) {
    let text = serde_json::to_string(state).expect("a state has string keys only");
    let mut state: State = serde_json::from_str(&text).expect("a state that was just written");
    if config.preset == Preset::AgentsSdk {
        state.policy = policy::resolved(config.resume_policy, state.policy);
    }
    if config.has(Slip::ResumeByReasoningId) {
        return slips::resume_by_reasoning_id::apply(state);
    }
    (state, Resumed::Found)
}

#[cfg(test)]
mod tests {
    use holdover_wire::audit::IdPolicy;
    use serde_json::Value;

    use crate::config::Preset;
    use crate::testing::{input, play, stateless, tool_turns};

    fn second_input(policy: IdPolicy, resume: Option<IdPolicy>) -> Vec<Value> {
        let mut agent = stateless(|config| {
            config.preset = Preset::AgentsSdk;
            config.reasoning_item_id_policy = policy;
            config.resume_before = Some(2);
            config.resume_policy = resume;
        });
        let (bodies, _) = play(&mut agent, &tool_turns()[..2]);
        input(&bodies[1])
    }

    #[test]
    fn a_run_state_keeps_raw_ids_so_that_the_resuming_policy_decides() {
        let with_id = second_input(IdPolicy::None, None);
        assert_eq!(with_id[1]["id"], "rs_1");
        let stripped = second_input(IdPolicy::None, Some(IdPolicy::Omit));
        assert_eq!(stripped[1].get("id"), None);
        assert_eq!(second_input(IdPolicy::Omit, None), stripped);
        assert_eq!(second_input(IdPolicy::Omit, Some(IdPolicy::None)), stripped);
        assert_eq!(second_input(IdPolicy::Omit, Some(IdPolicy::Preserve)), with_id);
    }
}
