//! `history-absent`: a conversation goes on without its history.

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::ledger::IssuedItem;
use crate::lineage::{Before, Endpoint, Mode, Node, Voice};
use crate::rules::carry::item_dropped;
use crate::rules::rule;
use crate::sent::Sent;
use crate::sighting::{Excuse, Gone, Sighting};
use crate::turn::{Turn, tools_key};

rule! {
    name: "history-absent", class: Carry, severity: Error,
    summary: "a conversation goes on without its history (a note where only its front was cut)",
    what: "A request has the continuity key of an earlier conversation (thread or session header, metadata, `prompt_cache_key`), the same instructions and the same tools, and nothing of what was issued there. As a note: whole groups are gone from the front of a history that goes on. Or the whole input of an exchange comes back and nothing of its answer (`item-dropped` where earlier answers are carried): a `warning`, because a client whose user aborted that answer may drop it whole; an `error` where that is no abort (the answer before it is gone as well, or the request goes on with what the answer's calls led to); a note where the answer did not end whole (cut, timed out, left by the client, incomplete), or where a system or developer text stands for it.",
    why: "The model starts from nothing, and neither an error nor the text shows it.",
    fix: "send the history with every request under `store: false`, or an anchor (`previous_response_id`, `conversation`)",
    clients: {},
}

/// The front of the history is gone, or all of it.
pub(crate) fn check(turn: &Turn<'_>, sightings: &[Sighting<'_>]) -> Vec<Draft> {
    let answer = answer(turn, sightings);
    let front = front(turn, sightings);
    answer.into_iter().chain(front).chain(all(turn)).collect()
}

fn front(turn: &Turn<'_>, sightings: &[Sighting<'_>]) -> Option<Draft> {
    let gone =
        |seen: &&Sighting<'_>| seen.gone == Gone::Front && seen.head.is_some() && !seen.group.fate.lost;
    let count = sightings.iter().filter(gone).count();
    if count == 0 || turn.mode != Mode::ClientReplay || turn.endpoint == Endpoint::Compact {
        return None;
    }
    let message = format!(
        "{count} whole groups with reasoning are gone from the front of the history; the model does not see them any more"
    );
    let draft = Draft::of(&RULE, message).severity(Severity::Note).at("/input");
    let draft = draft
        .sent("the newer part of the history")
        .expected("all of it, or a compaction item for the rest");
    Some(draft.once(Once::Exchange(turn.number)))
}

/// What to do about an answer that is gone whole.
const ANSWER_FIX: &str = "append every item of the answer (`response.output`) behind the input that it answered before the next message; where the user aborted the answer, nothing needs to be done";

/// The whole answer of the exchange that is continued is gone, and what it answered is there.
fn answer(turn: &Turn<'_>, sightings: &[Sighting<'_>]) -> Option<Draft> {
    let gone: Vec<&Sighting<'_>> = sightings
        .iter()
        .filter(|seen| seen.gone == Gone::Answer && !seen.group.fate.lost)
        .collect();
    let first = gone.first().filter(|_| turn.endpoint == Endpoint::Create)?;
    let before = turn.parent()?;
    let issued = gone
        .iter()
        .flat_map(|seen| seen.head.into_iter().chain(seen.missing()));
    let names = issued.map(IssuedItem::label).collect::<Vec<_>>().join(", ");
    let (severity, why) = answer_severity(turn, before, first.excuse);
    let message = format!(
        "the whole answer of exchange {} is not in the history, and what it answered is: {names}; {why}",
        before.exchange
    );
    // Where other answers are there, the history is, and one answer of it was dropped.
    let has_history = sightings.iter().any(|seen| seen.gone == Gone::No);
    let rule = if has_history { &item_dropped::RULE } else { &RULE };
    let draft = first.draft(rule, message).severity(severity).fix(ANSWER_FIX);
    Some(
        draft
            .sent(format!(
                "the input of exchange {} and what is new",
                before.exchange
            ))
            .expected(names),
    )
}

fn answer_severity(turn: &Turn<'_>, before: &Node, excuse: Excuse) -> (Severity, &'static str) {
    let after = turn.after_prefix();
    let speaks = |sent: &Sent<'_>| !sent.view.is_user_message() && !is_system(sent);
    let goes_on = after.iter().any(speaks) || !after.iter().any(|sent| sent.view.is_user_message());
    let most = if turn.link.ambiguous {
        Severity::Warning
    } else {
        Severity::Error
    };
    if excuse != Excuse::None {
        (
            Severity::Note,
            "the API, another model or another agent explains it",
        )
    } else if !before.is_delivered() {
        (
            Severity::Note,
            "it did not end whole, so that the client may leave it out",
        )
    } else if before.before == Before::AnswerGone {
        (
            most,
            "so was the answer before it: this client keeps no answers, and the model works without them",
        )
    } else if goes_on && !before.open_calls.is_empty() {
        (
            most,
            "its calls were open and the request goes on from them: the model is in the middle of a tool loop and sees neither its reasoning nor its calls",
        )
    } else if after.iter().any(is_system) {
        (Severity::Note, "a system or developer text stands in its place")
    } else {
        (
            Severity::Warning,
            "the model goes on without it; a client whose user aborted that answer may ignore this",
        )
    }
}

fn is_system(sent: &Sent<'_>) -> bool {
    matches!(sent.view.role(), Some("system" | "developer"))
}

fn all(turn: &Turn<'_>) -> Option<Draft> {
    if turn.mode != Mode::Root || turn.repeats.is_some() || turn.endpoint == Endpoint::Compact {
        return None;
    }
    // A warm-up of a socket asks for no answer: the history comes with the request behind it.
    if turn.body.member("generate") == Some(&serde_json::Value::Bool(false)) {
        return None;
    }
    let (key, before) = keys(turn).into_iter().find_map(|key| {
        let node = turn.world.lineages.node(turn.world.lineages.by_key(&key)?);
        is_same_agent(turn, node).then_some((key, node))
    })?;
    let severity = match key.strip_prefix(CACHE_KEY) {
        // One key for the whole application routes to a cache and names no conversation.
        Some(value) if !is_made_for_one(value) => Severity::Note,
        Some(_) => Severity::Warning,
        None => Severity::Error,
    };
    let message = format!(
        "the request has the key {key} of exchange {} with the same instructions and tools, and nothing of its history: the model starts from nothing",
        before.exchange
    );
    let draft = Draft::of(&RULE, message).severity(severity).at("/input");
    Some(
        draft
            .sent("no history")
            .expected("the history of that conversation, or an anchor to it"),
    )
}

fn is_same_agent(turn: &Turn<'_>, before: &Node) -> bool {
    let voice = Voice::compare(before.instructions.as_deref(), turn.body.instructions());
    voice == Voice::Same && before.tools == tools_key(turn.body) && !before.live.is_empty()
}

const CACHE_KEY: &str = "prompt_cache_key: ";

/// Whether a key looks made: eight hex digits or more in a row, as ids and random names have.
fn is_made_for_one(value: &str) -> bool {
    let runs = value.split(|letter: char| !letter.is_ascii_hexdigit());
    runs.into_iter().any(|run| run.len() >= 8)
}

/// Metadata keys that name a conversation.
const METADATA_KEYS: [&str; 8] = [
    "thread_id",
    "conversation_id",
    "session_id",
    "chat_id",
    "thread",
    "conversation",
    "session",
    "chat",
];

/// What names the conversation from outside, the most telling first.
pub(crate) fn keys(turn: &Turn<'_>) -> Vec<String> {
    let headers = ["thread-id", "session-id"].into_iter();
    let headers = headers.filter_map(|name| Some(format!("{name}: {}", turn.exchange.request.header(name)?)));
    let metadata = METADATA_KEYS.iter().filter_map(|name| {
        let value = turn.body.member("metadata")?.get(*name)?.as_str()?;
        Some(format!("metadata.{name}: {value}"))
    });
    let cache = turn
        .body
        .member("prompt_cache_key")
        .and_then(serde_json::Value::as_str);
    let cache = cache.map(|key| format!("{CACHE_KEY}{key}"));
    headers.chain(metadata).chain(cache).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::{Talk, easy, fc, msg, rs, user};

    fn two_turns_without_history(talk: &mut Talk) {
        talk.turn(&[user("my name is Ada")], &[rs(1), msg(1, "hello")]);
        talk.turn(&[user("what is my name?")], &[msg(2, "I do not know")]);
    }

    #[test]
    fn a_thread_that_goes_on_without_history_is_an_error() {
        let mut talk = Talk::stateless();
        talk.set("metadata", json!({"thread_id": "t1"}))
            .set("instructions", "be kind");
        two_turns_without_history(&mut talk);
        assert_eq!(talk.found(), ["history-absent:error"]);
    }

    /// Codex resumes a thread on a new socket, and warms it up first.
    #[test]
    fn a_warm_up_under_the_key_of_a_thread_is_clean() {
        let mut talk = Talk::stateless();
        talk.set("metadata", json!({"thread_id": "t1"}))
            .set("instructions", "be kind");
        talk.turn(&[user("one")], &[rs(1), msg(1, "two")]);
        talk.set("generate", false);
        talk.turn(&[], &[]);
        talk.set("generate", true);
        talk.turn(
            &[user("one"), rs(1), msg(1, "two"), user("three")],
            &[msg(2, "four")],
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn without_a_key_it_is_a_new_conversation() {
        let mut talk = Talk::stateless();
        talk.set("instructions", "be kind");
        two_turns_without_history(&mut talk);
        let verdict = talk.verdict();
        assert_eq!(verdict.findings, []);
        assert_eq!(verdict.coverage.conversations, 2);
    }

    #[test]
    fn a_cache_key_alone_is_a_warning_where_it_names_one_conversation_and_a_note_where_it_names_an_application()
     {
        let with_key = |key: &str| {
            let mut talk = Talk::stateless();
            talk.set("prompt_cache_key", key);
            two_turns_without_history(&mut talk);
            talk.found()
        };
        assert_eq!(with_key("chat-5f2c9a1e77"), ["history-absent:warning"]);
        assert_eq!(with_key("my-app-v2"), ["history-absent:note"]);
    }

    #[test]
    fn other_instructions_under_the_same_key_are_another_agent() {
        let mut talk = Talk::stateless();
        talk.set("metadata", json!({"thread_id": "t1"}))
            .set("instructions", "be kind");
        talk.turn(&[user("my name is Ada")], &[rs(1), msg(1, "hello")]);
        talk.set("instructions", "give a title of five words");
        talk.turn(&[user("my name is Ada hello")], &[msg(2, "Ada says hello")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    const NONE: [&str; 0] = [];

    /// One answer, then this input.
    fn after_answer(answer: &[Value], next: &[Value]) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], answer);
        talk.turn(next, &[msg(9, "done")]);
        talk.found()
    }

    #[test]
    fn a_client_that_never_appends_an_answer_is_found_at_its_second_turn_and_plain_at_its_third() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        talk.turn(&[user("plan"), user("go on")], &[rs(2), msg(2, "done")]);
        talk.turn(
            &[user("plan"), user("go on"), user("more")],
            &[rs(3), msg(3, "ok")],
        );
        let verdict = talk.verdict();
        let found: Vec<String> = verdict.findings.iter().map(crate::testkit::label).collect();
        assert_eq!(found, ["history-absent:warning", "history-absent:error"]);
        assert_eq!(verdict.coverage.conversations, 1);
        assert_eq!(verdict.coverage.judged, 2);
        assert!(verdict.findings[0].message.contains("exchange 1"));
        assert!(verdict.findings[0].help.contains("aborted"));
    }

    #[test]
    fn one_answer_that_is_gone_whole_may_have_been_aborted() {
        let history = [user("plan"), rs(1), msg(1, "a plan"), user("go on")];
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        talk.turn(&history, &[rs(2), msg(2, "done")]);
        talk.turn(
            &[&history[..], &[user("no, the other one")]].concat(),
            &[msg(3, "ok")],
        );
        assert_eq!(talk.found(), ["item-dropped:warning"]);
    }

    #[test]
    fn an_answer_that_the_client_left_is_a_note_though_all_of_it_was_written() {
        let mut talk = Talk::stateless();
        let body = json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"],
            "input": [user("plan")]});
        let answer = json!({"id": "resp_1", "status": "completed", "output": [rs(1), msg(1, "a plan")]});
        let done = json!({"type": "response.completed", "response": answer});
        talk.exchange(json!({"transport": "sse", "request": {"body": body},
            "response": {"events": [done], "end": "client-gone"}}));
        talk.turn(&[user("plan"), user("no, the other one")], &[msg(2, "ok")]);
        assert_eq!(talk.found(), ["history-absent:note"]);
    }

    #[test]
    fn an_incomplete_answer_may_be_left_out() {
        let mut talk = Talk::stateless();
        let body = json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"],
            "input": [user("plan")]});
        let answer = json!({"id": "resp_1", "status": "incomplete", "output": [rs(1), msg(1, "a pl")]});
        talk.exchange(json!({"request": {"body": body}, "response": {"body": answer}}));
        talk.turn(&[user("plan"), user("shorter")], &[msg(2, "ok")]);
        assert_eq!(talk.found(), ["history-absent:note"]);
    }

    #[test]
    fn calls_told_as_text_in_a_tool_loop_are_an_error() {
        let next = [user("plan"), easy("I called lookup."), user("The tool said 42.")];
        assert_eq!(
            after_answer(&[rs(1), fc(1, "call_1")], &next),
            ["history-absent:error"]
        );
    }

    #[test]
    fn an_interrupted_call_may_be_dropped_with_its_reasoning() {
        let next = [user("plan"), user("never mind")];
        assert_eq!(
            after_answer(&[rs(1), fc(1, "call_1")], &next),
            ["history-absent:warning"]
        );
    }

    #[test]
    fn a_developer_text_in_place_of_the_answer_is_a_note() {
        let summary = json!({"role": "developer", "content": "So far: a plan was made."});
        let next = [user("plan"), summary, user("go on")];
        assert_eq!(
            after_answer(&[rs(1), msg(1, "a plan")], &next),
            ["history-absent:note"]
        );
    }

    #[test]
    fn the_same_question_again_an_edited_one_and_another_agent_continue_nothing() {
        let answer = [rs(1), msg(1, "a plan")];
        assert_eq!(after_answer(&answer, &[user("plan")]), NONE);
        assert_eq!(after_answer(&answer, &[user("plan it"), user("go on")]), NONE);
        let mut talk = Talk::stateless();
        talk.set("instructions", "You plan migrations.");
        talk.turn(&[user("plan")], &answer);
        talk.set("instructions", "Write a title of five words.");
        talk.turn(&[user("plan"), user("the title, please")], &[msg(2, "Plans")]);
        assert_eq!(talk.found(), NONE);
    }

    #[test]
    fn an_aside_is_withdrawn_when_the_conversation_goes_on_whole() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        talk.turn(&[user("plan"), user("a title for this")], &[msg(2, "Plans")]);
        talk.turn(
            &[user("plan"), rs(1), msg(1, "a plan"), user("go on")],
            &[msg(3, "ok")],
        );
        assert_eq!(talk.found(), NONE);
    }

    #[test]
    fn the_first_of_two_answers_may_be_the_one_that_is_kept() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        talk.turn(&[user("plan")], &[rs(2), msg(2, "another plan")]);
        talk.turn(
            &[user("plan"), rs(1), msg(1, "a plan"), user("go on")],
            &[msg(3, "ok")],
        );
        assert_eq!(talk.found(), NONE);
    }
}
