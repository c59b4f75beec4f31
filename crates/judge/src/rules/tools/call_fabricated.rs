//! `call-fabricated`: a call that no response made.

use holdover_wire::neutral::ToolCall;

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::lineage::{Mode, Strength};
use crate::provider::Sent;
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "call-fabricated", class: Tools, severity: Error,
    summary: "the history holds a tool call that no response issued",
    what: "A call stands in the input behind issued items; no response of the conversation made it.",
    why: "Something other than the model decided to call a tool: often a command read out of reasoning or text. Reasoning has no right to run anything.",
    fix: "run only calls that came as call items, and put only those into the history",
    clients: {},
}

/// Calls behind issued items that were never issued.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    let Some(first) = turn.input.iter().find(|sent| sent.item().is_some()) else {
        return Vec::new();
    };
    if turn.mode != Mode::ClientReplay || turn.is_handoff() {
        return Vec::new();
    }
    let calls = turn
        .input
        .iter()
        .filter(|sent| sent.index > first.index && sent.kind.is_client_call());
    let made_up = calls.filter(|sent| sent.found.is_none()).filter_map(|sent| {
        let call_id = sent.view.call_id()?;
        let brought = turn
            .conversation()
            .is_some_and(|conversation| conversation.brought_calls.contains(call_id));
        let name = sent.view.name().unwrap_or("?");
        if brought || turn.world.elsewhere.knows_call(call_id, name) {
            return None;
        }
        let message = format!("call `{call_id}` of `{name}` was issued by no response of this conversation; something other than the model decided to run it");
        let severity = match turn.link.strength {
            Strength::Words | Strength::None => Severity::Warning,
            Strength::Items | Strength::Anchor => Severity::Error,
        };
        let draft = Draft::of(&RULE, message).severity(severity).at(sent.pointer());
        Some(
            draft
                .sent(format!("a call of `{name}`"))
                .expected("no such call")
                .once(Once::Thing(call_id.to_owned())),
        )
    });
    made_up.collect()
}

/// The same on the wires of other providers, where a message is told by what it says.
pub(crate) fn on_other_wires(sent: &Sent<'_>) -> Vec<Draft> {
    let Some(first) = sent.brought.iter().position(|brought| brought.found.is_some()) else {
        return Vec::new();
    };
    let behind = sent.brought.iter().skip(first + 1);
    let calls = behind.flat_map(|brought| brought.turn.calls().map(move |call| (brought, call)));
    let known =
        |call: &ToolCall| sent.book.knows_call(call) || sent.world.ledger.knows_call(&call.id, &call.name);
    let made_up = calls.filter(|(_, call)| !known(call));
    let drafts = made_up.map(|(brought, call)| {
        let message = format!(
            "call `{}` of `{}` was issued by no answer of this session; something other than the model decided to run it",
            call.id, call.name
        );
        Draft::of(&RULE, message)
            .at(brought.pointer())
            .sent(format!("a call of `{}`", call.name))
            .expected("no such call")
            .once(Once::Thing(call.id.clone()))
    });
    drafts.collect()
}

#[cfg(test)]
mod tests {
    use crate::testkit::chat::{Chat, call, output, thought};
    use crate::testkit::{Talk, fc, fo, msg, rs, user};

    #[test]
    fn a_call_that_no_response_made_is_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), msg(1, "run lookup 9")]);
        let input = [
            user("look"),
            rs(1),
            msg(1, "run lookup 9"),
            fc(9, "call_9"),
            fo("call_9", "42"),
        ];
        talk.turn(&input, &[msg(2, "42")]);
        assert_eq!(talk.found(), ["call-fabricated:error"]);
    }

    #[test]
    fn a_call_that_no_answer_of_another_wire_made_is_an_error() {
        let mut chat = Chat::of("glm-4.7");
        let message = chat.says("look", &thought("I might run lookup 9 now, nonce one."));
        chat.keeps(&message);
        chat.keeps(&call(&serde_json::json!({"role": "assistant"}), "c9"));
        chat.keeps(&output("c9"));
        chat.answers(&thought("Done thinking about it, nonce two."));
        assert_eq!(chat.found(), ["call-fabricated:error"]);
    }

    #[test]
    fn an_id_that_was_written_anew_is_the_same_call() {
        let mut chat = Chat::of("glm-4.7");
        let mut message = chat.says(
            "look",
            &call(&thought("Let me think about this, nonce one."), "c1"),
        );
        chat.keeps(&message);
        chat.keeps(&output("c1"));
        chat.answers(&thought("Done thinking about it, nonce two."));
        chat.forget();
        chat.asks("look");
        chat.keeps(&thought("Something that stands before, nonce zero."));
        message["tool_calls"][0]["id"] = "abcdefghi".into();
        chat.keeps(&message);
        chat.keeps(&output("abcdefghi"));
        chat.answers(&thought("Done thinking about it, nonce two."));
        assert!(
            !chat
                .found()
                .iter()
                .any(|found| found.starts_with("call-fabricated"))
        );
    }

    /// `call_1` of `lookup` was issued, by another conversation; nobody issued one of `delete`.
    #[test]
    fn an_id_alone_makes_no_call_known() {
        let brings = |name: &str| {
            let mut chat = Chat::of("glm-4.7");
            chat.says(
                "look",
                &call(&thought("Let me think about this, nonce one."), "call_1"),
            );
            chat.forget();
            let message = chat.says("hello", &thought("I might run something now, nonce two."));
            chat.keeps(&message);
            let mut made = call(&serde_json::json!({"role": "assistant"}), "call_1");
            made["tool_calls"][0]["function"]["name"] = name.into();
            chat.keeps(&made);
            chat.keeps(&output("call_1"));
            chat.answers(&thought("Done thinking about it, nonce three."));
            let found = chat.found().into_iter();
            found
                .filter(|found| found.starts_with("call-fabricated"))
                .collect::<Vec<_>>()
        };
        assert_eq!(brings("delete"), ["call-fabricated:error"]);
        assert_eq!(brings("lookup"), Vec::<String>::new());
    }

    /// Some providers allow no `.` in the name of a tool, and clients write it anew.
    #[test]
    fn a_call_whose_tool_was_named_anew_is_known_by_an_id_like_no_other() {
        let mut chat = Chat::of("glm-4.7");
        let thought = thought("Let me think about this, nonce one.");
        let first = chat.says("hello", &thought);
        chat.keeps(&first);
        chat.says("look", &call(&thought, "call_9f8e7d6c5b4a39281706f5e4"));
        chat.moves("/v1/chat/completions", "deepseek-v4-pro");
        let mut made = call(
            &serde_json::json!({"role": "assistant"}),
            "call_9f8e7d6c5b4a39281706f5e4",
        );
        made["tool_calls"][0]["function"] = serde_json::json!({"name": "fs_lookup", "arguments": "{}"});
        chat.keeps(&made);
        chat.keeps(&output("call_9f8e7d6c5b4a39281706f5e4"));
        chat.answers(&serde_json::json!({"role": "assistant", "content": "42"}));
        let found = chat.found();
        assert!(
            !found.iter().any(|found| found.starts_with("call-fabricated")),
            "{found:?}"
        );
    }

    /// The same id on two wires, and the tool of neither.
    #[test]
    fn a_call_of_another_wire_is_known_by_its_tool() {
        let brings = |name: &str| {
            let mut chat = Chat::of("glm-4.7");
            chat.says(
                "look",
                &call(&thought("Let me think about this, nonce one."), "call_1"),
            );
            chat.responses(&[user("look")], &[rs(1), msg(1, "I will look.")]);
            let made = serde_json::json!({"type": "function_call", "call_id": "call_1", "name": name, "arguments": "{}"});
            let input = [
                user("look"),
                rs(1),
                msg(1, "I will look."),
                made,
                fo("call_1", "42"),
            ];
            chat.responses(&input, &[msg(2, "42")]);
            chat.found()
        };
        assert_eq!(brings("delete"), ["call-fabricated:error"]);
        assert_eq!(brings("lookup"), Vec::<String>::new());
    }

    #[test]
    fn an_issued_call_is_clean() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), fc(9, "call_9")]);
        talk.turn(
            &[user("look"), rs(1), fc(9, "call_9"), fo("call_9", "42")],
            &[msg(2, "42")],
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn a_call_from_before_the_recording_is_none_of_ours() {
        let mut talk = Talk::stateless();
        let before = [user("look"), fc(9, "call_9"), fo("call_9", "42")];
        talk.turn(&before, &[rs(1), msg(1, "42")]);
        talk.turn(
            &[&before[..], &[rs(1), msg(1, "42"), user("more")]].concat(),
            &[msg(2, "ok")],
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
