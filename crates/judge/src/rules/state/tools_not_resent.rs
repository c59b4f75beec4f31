//! `tools-not-resent`: tools that were sent once only.

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::lineage::{Endpoint, Voice};
use crate::rules::rule;
use crate::turn::{Turn, tools_key};

rule! {
    name: "tools-not-resent", class: State, severity: Error,
    summary: "`tools` were sent before in this conversation and are absent now",
    what: "An earlier request of the conversation had `tools`; this one has none.",
    why: "Tools are not inherited through an anchor: the model answers without ever calling one again, and no error says so.",
    fix: "send `tools` with every request; to forbid calls for one turn send `tool_choice: \"none\"`",
    clients: {},
}

/// Tools were there and are not: an error behind an anchor, where clients believe in inheritance.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    found(turn).into_iter().collect()
}

fn found(turn: &Turn<'_>) -> Option<Draft> {
    let parent = turn.parent()?;
    let is_meant = turn
        .body
        .member("tool_choice")
        .is_some_and(|choice| choice == "none");
    let is_other = matches!(turn.voice, Voice::Other | Voice::Absent) || turn.endpoint == Endpoint::Compact;
    if parent.tools.is_none() || tools_key(turn.body).is_some() || is_meant || is_other {
        return None;
    }
    let severity = if turn.mode.is_server_side() {
        Severity::Error
    } else {
        Severity::Warning
    };
    let message = format!(
        "exchange {} sent `tools`, this request sends none ({}); they are not inherited, and the model cannot call one",
        parent.exchange,
        turn.mode.as_str()
    );
    let draft = Draft::of(&RULE, message)
        .severity(severity)
        .at("/tools")
        .once(Once::Lineage);
    Some(draft.sent("no `tools`").expected("the `tools` of every turn"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::{Talk, msg, rs, user};

    fn tools() -> serde_json::Value {
        json!([{"type": "function", "name": "lookup", "parameters": {}}])
    }

    #[test]
    fn absent_tools_behind_an_anchor_are_an_error() {
        let mut talk = Talk::stored();
        talk.set("tools", tools());
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let anchor = talk.response_id(1);
        talk.unset("tools").set("previous_response_id", anchor);
        talk.turn(&[user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), ["tools-not-resent:error"]);
    }

    #[test]
    fn absent_tools_in_a_replay_are_a_warning() {
        let mut talk = Talk::stateless();
        talk.set("tools", tools());
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.unset("tools");
        talk.turn(&[user("a"), rs(1), msg(1, "one"), user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), ["tools-not-resent:warning"]);
    }

    #[test]
    fn forbidding_calls_for_a_turn_is_clean() {
        let mut talk = Talk::stateless();
        talk.set("tools", tools());
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.unset("tools").set("tool_choice", "none");
        talk.turn(&[user("a"), rs(1), msg(1, "one"), user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
