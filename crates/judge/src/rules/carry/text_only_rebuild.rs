//! `text-only-rebuild`: the assistant's turn came back as words, without its reasoning.

use holdover_wire::item::ItemKind;

use crate::draft::Draft;
use crate::finding::Severity;
use crate::ledger::Origin;
use crate::rules::rule;
use crate::sighting::{Excuse, Gone, Sighting};

rule! {
    name: "text-only-rebuild", class: Carry, severity: Error,
    summary: "an assistant turn was rebuilt from its visible text or its calls; the reasoning is gone",
    what: "A response issued a reasoning item and what it led to. The next request brings the message or the call back as a new item without its server id, and the reasoning item not at all.",
    why: "`output_text` is for display. The model does not see what it had worked out: it asks again, or does finished work twice. The API answers 200, so nothing else shows it.",
    fix: "append every item of `response.output` to the history, unchanged and in order, and not the text",
    clients: {
        OpenAiPython: "`history += response.output` instead of `history.append({\"role\": \"assistant\", \"content\": response.output_text})`",
        OpenAiNode: "`history.push(...response.output)` instead of a message made from `response.output_text`",
        AgentsPython: "use `result.to_input_list()` or a session instead of `result.final_output`",
        AgentsJs: "use `result.history` or a session instead of `result.finalOutput`",
        Meai: "`history.AddMessages(response)` (streaming: `history.AddMessages(updates)` with every update) instead of `new ChatMessage(ChatRole.Assistant, response.Text)`",
        AiSdk: "append `response.messages` of the result instead of `{ role: 'assistant', content: text }`",
        LangChain: "keep the `AIMessage` itself, with `output_version=\"responses/v1\"`, instead of its text",
    },
}

/// The reasoning is gone and its followers were made anew.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    let head = seen.lost_head().filter(|_| seen.is_rebuilt())?;
    let message = format!(
        "what {} led to came back rebuilt, without it: {}; {}",
        head.label(),
        causes(seen, head.origin),
        seen.consequence()
    );
    let kept = seen
        .kept()
        .map(|(_, sent)| form(sent.view))
        .collect::<Vec<_>>()
        .join(", ");
    let issued = seen.followers.iter().map(|follower| follower.issued.label());
    let expected = std::iter::once(head.label())
        .chain(issued)
        .collect::<Vec<_>>()
        .join(", ");
    Some(
        seen.draft(&RULE, message)
            .severity(severity(seen))
            .sent(kept)
            .expected(expected),
    )
}

/// A warning where the model is not shown that reasoning anyway: the same code loses it in a tool loop.
fn severity(seen: &Sighting<'_>) -> Severity {
    match (seen.loss(), seen.excuse, seen.gone) {
        (Severity::Note, Excuse::None, Gone::No) => Severity::Warning,
        (severity, ..) => severity,
    }
}

/// Likely causes with the evidence for each; an outsider cannot tell them apart.
fn causes(seen: &Sighting<'_>, origin: Origin) -> String {
    let mut causes = Vec::new();
    let messages = || seen.kept().filter(|(issued, _)| issued.kind == ItemKind::Message);
    if origin == Origin::Stream {
        causes.push("the client kept only the text of the stream (the response was streamed)");
    } else if messages().next().is_some() {
        causes.push("the client appended the visible text instead of the output items");
    }
    if messages().any(|(_, sent)| sent.view.type_name().is_none()) {
        causes.push("or its store keeps role and text (the message has no `type`)");
    }
    if seen.kept().any(|(issued, _)| issued.kind.is_client_call()) {
        causes.push("calls were made anew from name and arguments (their ids are gone)");
    }
    causes.join(", ")
}

fn form(view: holdover_wire::item::ItemView<'_>) -> String {
    let members: Vec<&str> = view.object().keys().map(String::as_str).collect();
    format!("{{{}}}", members.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Talk, easy, fc, fo, msg, rs, user, without};

    #[test]
    fn the_text_alone_is_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        talk.turn(&[user("plan"), easy("a plan"), user("go on")], &[msg(2, "done")]);
        let verdict = talk.verdict();
        let finding = &verdict.findings[0];
        assert_eq!(
            (finding.rule, finding.severity),
            ("text-only-rebuild", Severity::Error)
        );
        assert_eq!(finding.exchange, Some(2));
        assert_eq!(finding.pointer.as_deref(), Some("/input/1"));
        assert_eq!(finding.sent.as_deref(), Some("{role, content}"));
        assert_eq!(verdict.findings.len(), 1);
    }

    #[test]
    fn calls_made_anew_in_a_tool_loop_are_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1")]);
        let call = without(&fc(1, "call_1"), "id");
        talk.turn(&[user("look"), call, fo("call_1", "42")], &[msg(2, "42")]);
        assert_eq!(talk.found(), ["text-only-rebuild:error"]);
    }

    #[test]
    fn the_whole_output_is_clean() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        talk.turn(
            &[user("plan"), rs(1), msg(1, "a plan"), user("go on")],
            &[msg(2, "done")],
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn it_stays_a_warning_where_the_model_is_not_shown_earlier_reasoning() {
        let mut talk = Talk::stateless();
        talk.set("model", "gpt-5.5");
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        talk.turn(&[user("plan"), easy("a plan"), user("go on")], &[msg(2, "done")]);
        assert_eq!(talk.found(), ["text-only-rebuild:warning"]);
    }
}
