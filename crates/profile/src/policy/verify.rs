//! Where a policy would break an endpoint, told without traffic.

use holdover_wire::neutral::Carrier;

use crate::policy::file::{Decision, Policy};
use crate::policy::situation::Situation;
use crate::provider::{Action, BreachKind, Endpoint, Replay, Rule};

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Nobody is sure, or the policy is older than what is known.
    Unsure,
    /// The request is taken, and what was thought is lost.
    Silent,
    /// The request is refused.
    Refused,
}

impl Grade {
    /// The word in the output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unsure => "unsure",
            Self::Silent => "silent",
            Self::Refused => "refused",
        }
    }
}

/// One place at which a policy breaks an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How bad it is.
    pub grade: Grade,
    /// The entry of the endpoint; empty where the policy as a whole is meant.
    pub entry: String,
    /// What would happen and why.
    pub why: String,
}

/// Every place at which a policy breaks an endpoint, the entries in their order.
pub fn verify(policy: &Policy, endpoint: &Endpoint) -> Vec<Problem> {
    let stale = policy
        .endpoint_capability_version
        .of(&endpoint.name)
        .filter(|day| **day < endpoint.as_of);
    let stale = stale.map(|day| Problem {
        grade: Grade::Unsure,
        entry: String::new(),
        why: format!(
            "the policy was written for the capabilities of {day}, and `{}` is known as of {}: review it",
            endpoint.name, endpoint.as_of
        ),
    });
    let entries = endpoint.rule.iter();
    let broken = entries.filter_map(|entry| {
        let situation = Situation::usual(endpoint, entry.mode).by(entry);
        let decision = policy.decide(endpoint, situation);
        problem(endpoint, entry, &decision)
    });
    stale.into_iter().chain(broken).collect()
}

fn problem(endpoint: &Endpoint, entry: &Rule, decision: &Decision<'_>) -> Option<Problem> {
    // A policy decides what goes back. Placeholders, altered signatures and other members of a request are the client's.
    let decides = match entry.breach {
        BreachKind::None | BreachKind::Missing | BreachKind::Head | BreachKind::Present => SENDS,
        BreachKind::Altered
        | BreachKind::Forged
        | BreachKind::Edited
        | BreachKind::Reordered
        | BreachKind::Prefix
        | BreachKind::Gap
        | BreachKind::Model
        | BreachKind::Account
        | BreachKind::Elsewhere
        | BreachKind::Stored
        | BreachKind::Tail
        | BreachKind::Alone
        | BreachKind::Has
        | BreachKind::Lacks
        | BreachKind::Null
        | BreachKind::Text
        | BreachKind::Merged
        | BreachKind::Value
        | BreachKind::Request
        | BreachKind::Part
        | BreachKind::Shape => !SENDS,
    };
    if !decides || decision.action == Action::StopAndProbe {
        return None;
    }
    let sends = sends(endpoint, entry, decision);
    let by = match decision.rule {
        Some(place) => format!("rule {} says `{}`", place + 1, decision.action.as_str()),
        None => format!("the fallback says `{}`", decision.action.as_str()),
    };
    let mode = entry.mode.as_str();
    let told = |grade, why: String| {
        Some(Problem {
            grade,
            entry: entry.name.clone(),
            why,
        })
    };
    if entry.is_probe() {
        return told(
            Grade::Unsure,
            format!(
                "{by} in {mode}, and nobody is sure of {}: stop_and_probe",
                entry.field
            ),
        );
    }
    match (entry.replay, sends) {
        (Replay::Required, Sends::No) if matches!(entry.breach, BreachKind::Missing | BreachKind::Head) => {
            let field = &entry.field;
            match entry.violation.as_ref().filter(|how| how.status >= 400) {
                Some(how) => told(
                    Grade::Refused,
                    format!(
                        "{by} in {mode}, and {field} is required: {} {}",
                        how.status, how.message
                    ),
                ),
                None => told(
                    Grade::Silent,
                    format!("{by} in {mode}, and {field} is required: 200, and what was thought is lost"),
                ),
            }
        }
        (Replay::Forbidden, Sends::Yes) => {
            let how = entry.violation.as_ref();
            let text = how.map_or_else(String::new, |how| format!(": {} {}", how.status, how.message));
            told(
                Grade::Refused,
                format!("{by} in {mode}, and {} is forbidden{text}", entry.field),
            )
        }
        _ => None,
    }
}

/// Whether a policy sends what an entry is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sends {
    Yes,
    No,
}

fn sends(endpoint: &Endpoint, entry: &Rule, decision: &Decision<'_>) -> Sends {
    let carrier = entry.carrier.or(endpoint.speech.writes);
    let named = |carrier: Carrier| {
        let member = member(carrier);
        decision.fields.iter().any(|field| field == member)
    };
    // A client keeps what came: a field that the endpoint never writes comes from a rule that names it.
    let issued = |carrier: Carrier| {
        endpoint.speech.writes == Some(carrier) || endpoint.speech.also_writes.contains(&carrier)
    };
    let sends = match decision.action {
        Action::ReplayExact => carrier.is_some_and(issued),
        Action::ReplayRequiredFields if decision.fields.is_empty() => carrier.is_some_and(issued),
        Action::ReplayRequiredFields => carrier.is_some_and(named),
        Action::DropReasoning | Action::SummarizeVisibleContent | Action::StopAndProbe => !SENDS,
    };
    if sends { Sends::Yes } else { Sends::No }
}

const SENDS: bool = true;

/// The member of a message that a carrier stands in.
fn member(carrier: Carrier) -> &'static str {
    match carrier {
        Carrier::ReasoningContent => "reasoning_content",
        Carrier::Reasoning => "reasoning",
        Carrier::ReasoningDetails => "reasoning_details",
        Carrier::ToolSignature => "tool_calls",
        Carrier::ThoughtSignature | Carrier::ThoughtText => "parts",
        Carrier::ThoughtStep | Carrier::ReasoningItem | Carrier::ReasoningText => "input",
        Carrier::ThinkTags
        | Carrier::ThinkingChunk
        | Carrier::ThinkingBlock
        | Carrier::RedactedThinking
        | Carrier::CompactionBlock
        | Carrier::ReasoningBlock => "content",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Book;

    fn problems(rule: &str, profile: &str) -> Vec<(Grade, String)> {
        let text = format!("policy_id = 'p'\nfallback_on_unknown = 'stop_and_probe'\n[[rule]]\n{rule}");
        let policy = Policy::parse(&text).expect("a policy");
        let endpoint = Book::builtin().find(profile).expect("an endpoint");
        let found = verify(&policy, endpoint).into_iter();
        found.map(|problem| (problem.grade, problem.entry)).collect()
    }

    fn one(grade: Grade, entry: &str) -> (Grade, String) {
        (grade, entry.to_owned())
    }

    /// `tests/facts/providers.md` section 18.
    #[test]
    fn what_section_18_says_of_each_endpoint_holds() {
        let drop = "action = 'drop_reasoning'";
        let exact = "action = 'replay_exact'";
        assert_eq!(problems(drop, "deepseek-r1"), []);
        assert_eq!(
            problems(exact, "deepseek-r1"),
            [
                one(Grade::Refused, "ordinary-sent"),
                one(Grade::Refused, "new-user-turn-sent")
            ]
        );
        assert_eq!(
            problems(drop, "deepseek-v3.2"),
            [one(Grade::Refused, "tool-loop-omitted")]
        );
        assert_eq!(problems(exact, "deepseek-v3.2"), []);
        assert_eq!(problems(drop, "mistral"), []);
        assert_eq!(problems(exact, "mistral"), []);
        assert_eq!(
            problems(drop, "glm-4.7-preserved"),
            [one(Grade::Silent, "new-user-turn")]
        );
        assert_eq!(
            problems(drop, "minimax-m2"),
            [one(Grade::Silent, "ordinary"), one(Grade::Silent, "tool-loop")]
        );
    }

    #[test]
    fn a_field_of_another_provider_breaks_both_ways() {
        let wrong = "action = 'replay_required_fields'\nfields = ['reasoning_content']";
        assert_eq!(
            problems(wrong, "mistral"),
            [one(Grade::Refused, "reasoning-content")]
        );
        assert_eq!(problems(wrong, "deepseek-v3.2"), []);
        let other = "action = 'replay_required_fields'\nfields = ['reasoning']";
        assert_eq!(
            problems(other, "deepseek-v3.2"),
            [one(Grade::Refused, "tool-loop-omitted")]
        );
    }

    #[test]
    fn what_nobody_is_sure_of_wants_a_probe() {
        let found = problems("action = 'replay_exact'", "kimi-k3");
        assert_eq!(
            found,
            [
                one(Grade::Unsure, "ordinary-omitted"),
                one(Grade::Unsure, "tool-loop-omitted")
            ]
        );
        assert_eq!(problems("action = 'stop_and_probe'", "kimi-k3"), []);
    }

    #[test]
    fn an_old_policy_is_told() {
        let text = "policy_id = 'p'\nendpoint_capability_version = '2026-01-01'\nfallback_on_unknown = 'stop_and_probe'";
        let policy = Policy::parse(text).expect("a policy");
        let endpoint = Book::builtin().find("deepseek-v4").expect("an endpoint");
        let problems = verify(&policy, endpoint);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].why.contains("2026-01-01"), "{}", problems[0].why);
    }
}
