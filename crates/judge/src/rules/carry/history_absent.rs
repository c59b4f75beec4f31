//! `history-absent`: a conversation goes on without its history.

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::lineage::{Endpoint, Mode, Node, Voice};
use crate::rules::rule;
use crate::sighting::{Gone, Sighting};
use crate::turn::{Turn, tools_key};

rule! {
    name: "history-absent", class: Carry, severity: Error,
    summary: "a conversation goes on without its history (a note where only its front was cut)",
    what: "A request has the continuity key of an earlier conversation (thread or session header, metadata, `prompt_cache_key`), the same instructions and the same tools, and nothing of what was issued there. As a note: whole groups are gone from the front of a history that goes on.",
    why: "The model starts from nothing, and neither an error nor the text shows it.",
    fix: "send the history with every request under `store: false`, or an anchor (`previous_response_id`, `conversation`)",
    clients: {},
}

/// The front of the history is gone, or all of it.
pub(crate) fn check(turn: &Turn<'_>, sightings: &[Sighting<'_>]) -> Vec<Draft> {
    front(turn, sightings).into_iter().chain(all(turn)).collect()
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

fn all(turn: &Turn<'_>) -> Option<Draft> {
    if turn.mode != Mode::Root || turn.repeats.is_some() || turn.endpoint == Endpoint::Compact {
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
    use serde_json::json;

    use crate::testkit::{Talk, msg, rs, user};

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
}
