//! `branch-overwritten`: two turns at once from the same point, and one of them is forgotten.

use crate::config::Clock;
use crate::draft::{Draft, Once};
use crate::lineage::Mode;
use crate::rules::rule;
use crate::turn::{Turn, any_response};

rule! {
    name: "branch-overwritten", class: State, severity: Error,
    summary: "two requests continued the same response at the same time; the later one hides the other",
    what: "Two requests with the same `previous_response_id` and different input ran at the same time (by the times in the responses).",
    why: "A client that keeps one \"latest response id\" remembers whichever came back last: the other turn, and what its tools did, is forgotten.",
    fix: "keep the anchor with a version number and refuse to overwrite a newer one, or send one request at a time",
    clients: {},
}

/// A sibling ran while this one was made. Virtual time cannot show that.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    found(turn).into_iter().collect()
}

fn found(turn: &Turn<'_>) -> Option<Draft> {
    if turn.world.clock != Clock::Wall || turn.mode != Mode::ServerChain || turn.repeats.is_some() {
        return None;
    }
    let anchor = turn.link.parent?;
    let sibling = turn
        .world
        .lineages
        .node(turn.world.lineages.newest_child(anchor)?);
    let response = turn.exchange.response.as_ref().and_then(any_response)?;
    let made = response.created_at()?;
    let is_same_question = sibling.chain == turn.whole_chain;
    if sibling.completed_at? <= made || is_same_question {
        return None;
    }
    let message = format!(
        "exchange {} continued the same response and was still running; whichever comes back last hides the other",
        sibling.exchange
    );
    let draft = Draft::of(&RULE, message)
        .at("/previous_response_id")
        .once(Once::Exchange(turn.number));
    Some(
        draft
            .sent("a second continuation")
            .expected("one continuation at a time"),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::{Talk, msg, user};
    use crate::{Clock, JudgeConfig};

    fn two_continuations(clock: Clock, second_made_at: u64) -> Vec<String> {
        let mut talk = Talk::stored().judged_by(JudgeConfig {
            clock,
            ..JudgeConfig::default()
        });
        let line = |id: &str, previous: Option<&str>, text: &str, made: u64, done: u64, number: u64| {
            json!({"request": {"body": {"model": "gpt-5.6", "previous_response_id": previous, "input": [user(text)]}},
                "response": {"body": {"id": id, "status": "completed", "created_at": made, "completed_at": done, "output": [msg(number, "ok")]}}})
        };
        talk.exchange(line("resp_1", None, "a", 10, 11, 1));
        talk.exchange(line("resp_2", Some("resp_1"), "b", 12, 20, 2));
        talk.exchange(line("resp_3", Some("resp_1"), "c", second_made_at, 30, 3));
        talk.found()
    }

    #[test]
    fn two_turns_at_once_are_an_error() {
        assert_eq!(two_continuations(Clock::Wall, 15), ["branch-overwritten:error"]);
    }

    #[test]
    fn a_fork_after_the_first_came_back_is_clean() {
        assert_eq!(two_continuations(Clock::Wall, 25), Vec::<String>::new());
    }

    #[test]
    fn one_question_asked_twice_is_best_of_two() {
        let mut talk = Talk::stored().judged_by(JudgeConfig {
            clock: Clock::Wall,
            ..JudgeConfig::default()
        });
        let line = |id: &str, previous: Option<&str>, text: &str, number: u64| {
            json!({"request": {"body": {"model": "gpt-5.6", "previous_response_id": previous, "metadata": {"n": id}, "input": [user(text)]}},
                "response": {"body": {"id": id, "status": "completed", "created_at": 12, "completed_at": 20, "output": [msg(number, "ok")]}}})
        };
        talk.exchange(line("resp_1", None, "a", 1));
        talk.exchange(line("resp_2", Some("resp_1"), "b", 2));
        talk.exchange(line("resp_3", Some("resp_1"), "b", 3));
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn virtual_time_shows_nothing() {
        assert_eq!(two_continuations(Clock::Virtual, 15), Vec::<String>::new());
    }
}
