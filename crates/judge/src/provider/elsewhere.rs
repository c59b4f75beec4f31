//! What was issued on other wires than the Responses API, for requests of that API that bring it, and where a session
//! moved from one provider to another.

use std::collections::BTreeMap;

use holdover_wire::ItemKind;
use holdover_wire::neutral::AssistantTurn;

use crate::hash::Hash;
use crate::ledger::Ledger;
use crate::provider::issued::{call_key, is_telling, marks, reasoning};
use crate::sent::{Sent as Carried, TokenSeen};
use crate::words::text_key;

/// A move of history from one provider to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Handover {
    /// The exchange whose request shows it.
    pub(crate) exchange: u64,
    /// Provider that issued what is brought.
    pub(crate) from: String,
    /// Provider that is asked.
    pub(crate) to: String,
}

/// Who issued something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Issuer {
    /// The exchange.
    pub(crate) exchange: u64,
    /// Name of the provider.
    pub(crate) provider: String,
}

/// What other wires issued so far: of each thing the newest answer of each provider that issued it.
#[derive(Debug, Default)]
pub(crate) struct Elsewhere {
    payloads: BTreeMap<Hash, Vec<Issuer>>,
    calls: BTreeMap<Hash, Vec<Issuer>>,
    texts: BTreeMap<Hash, Vec<Issuer>>,
    /// The first move that the wires show.
    pub(crate) handover: Option<Handover>,
}

impl Elsewhere {
    /// Takes an answer of another wire.
    pub(crate) fn learn(&mut self, turn: &AssistantTurn, issuer: &Issuer) {
        for mark in reasoning(turn).flat_map(marks) {
            enter(&mut self.payloads, mark, issuer);
        }
        for call in turn.calls().filter(|call| !call.id.is_empty()) {
            enter(&mut self.calls, call_key(&call.id, &call.name), issuer);
        }
        let text = turn.text();
        if is_telling(&text) {
            enter(&mut self.texts, text_key(&text), issuer);
        }
    }

    /// Who issued a payload that stands in a request of the Responses API, newest last.
    pub(crate) fn issuers_of_token(&self, token: &str) -> &[Issuer] {
        listed(&self.payloads, Hash::of(token.as_bytes()))
    }

    /// Whether some answer of another wire made this call of this tool.
    pub(crate) fn knows_call(&self, call_id: &str, name: &str) -> bool {
        self.calls.contains_key(&call_key(call_id, name))
    }

    /// Notes the first move.
    pub(crate) fn note(&mut self, exchange: u64, from: &str, to: &str) {
        if self.handover.is_none() && from != to {
            self.handover = Some(Handover {
                exchange,
                from: from.to_owned(),
                to: to.to_owned(),
            });
        }
    }

    /// The provider whose history a request of the Responses API brings, where it is another one than `asked`.
    ///
    /// What the Responses API issued itself, or the provider that is asked issued on another wire, is its own.
    pub(crate) fn moved_from(&self, input: &[Carried<'_>], ledger: &Ledger, asked: &str) -> Option<String> {
        let nothing = self.payloads.is_empty() && self.calls.is_empty() && self.texts.is_empty();
        if self.handover.is_some() || nothing {
            return None;
        }
        let issuers = input.iter().map(|sent| self.issuers(sent, ledger));
        let mut strange = issuers.filter(|issuers| issuers.iter().all(|issuer| issuer.provider != asked));
        strange.find_map(|issuers| Some(issuers.last()?.provider.clone()))
    }

    /// Who issued an item on another wire, where the Responses API did not.
    fn issuers(&self, sent: &Carried<'_>, ledger: &Ledger) -> &[Issuer] {
        let found = match sent.kind {
            ItemKind::FunctionCall => {
                let call = sent.view.call_id().zip(sent.view.name());
                let call = call.filter(|(id, name)| !ledger.knows_call(id, name));
                call.map(|(id, name)| listed(&self.calls, call_key(id, name)))
            }
            ItemKind::Reasoning if sent.token == TokenSeen::Unknown => {
                let token = sent.view.encrypted_content();
                token.map(|token| self.issuers_of_token(token))
            }
            ItemKind::Message if sent.view.role() == Some("assistant") && sent.found.is_none() => {
                let text = sent.view.text();
                let words = text_key(&text);
                let is_own = !is_telling(&text) || !ledger.by_words(words).is_empty();
                (!is_own).then(|| listed(&self.texts, words))
            }
            _ => None,
        };
        found.unwrap_or_default()
    }
}

fn enter(known: &mut BTreeMap<Hash, Vec<Issuer>>, key: Hash, issuer: &Issuer) {
    let issuers = known.entry(key).or_default();
    issuers.retain(|old| old.provider != issuer.provider);
    issuers.push(issuer.clone());
}

fn listed(known: &BTreeMap<Hash, Vec<Issuer>>, key: Hash) -> &[Issuer] {
    known.get(&key).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::chat::{Chat, call, thought};
    use crate::testkit::{easy, fo, msg, user};

    const TELLING: &str = "The order was sent on Monday.";

    fn said(text: &str) -> Value {
        json!({"role": "assistant", "content": text})
    }

    /// What one provider said stands in a request of the Responses API of this profile.
    fn brought_to_responses(model: &str, profile: &str, text: &str) -> Vec<String> {
        let mut chat = Chat::of(model).served_by(profile);
        chat.says("hello", &said(text));
        chat.responses(&[user("hello"), easy(text), user("more")], &[msg(1, "More.")]);
        chat.audited()
    }

    #[test]
    fn a_telling_text_of_another_provider_shows_a_move() {
        assert_eq!(
            brought_to_responses("deepseek-v4-pro", "openai", TELLING),
            ["handover-unchecked:error"]
        );
    }

    #[test]
    fn a_text_that_everybody_says_shows_none() {
        let found = brought_to_responses("deepseek-v4-pro", "openai", "Done.");
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn the_responses_api_is_of_the_provider_of_the_profile() {
        let move_of = |profile: &str| brought_to_responses("grok-4", profile, TELLING);
        assert_eq!(move_of("xai-responses"), Vec::<String>::new());
        assert_eq!(move_of("openai"), ["handover-unchecked:error"]);
        // And what it says to another provider is its own.
        let back = |profile: &str| {
            let mut chat = Chat::of("grok-4").served_by(profile);
            chat.responses(&[user("hello")], &[msg(1, TELLING)]);
            chat.asks("hello");
            chat.keeps(&said(TELLING));
            chat.asks("more");
            chat.answers(&said("More."));
            chat.audited()
        };
        assert_eq!(back("xai-responses"), Vec::<String>::new());
        assert_eq!(back("azure"), ["handover-unchecked:error"]);
    }

    /// One server speaks both: chat completions of a model that nobody knows are its own.
    #[test]
    fn chat_completions_beside_the_responses_api_are_of_the_same_provider() {
        for profile in ["openai", "azure", "compat", "vllm-responses"] {
            let mut chat = Chat::of("a-model-of-ours").served_by(profile);
            chat.responses(&[user("hello")], &[msg(1, TELLING)]);
            chat.asks("hello");
            chat.keeps(&said(TELLING));
            chat.asks("more");
            chat.answers(&said("More."));
            assert_eq!(chat.audited(), Vec::<String>::new(), "{profile}");
        }
    }

    /// A call in the input of the Responses API, of an id that another wire gave to `lookup`.
    fn call_brought(name: &str, first: &[Value]) -> Vec<String> {
        let mut chat = Chat::of("deepseek-v4-pro");
        chat.says("look", &call(&said(""), "call_1"));
        let call = json!({"type": "function_call", "call_id": "call_1", "name": name, "arguments": "{}"});
        if !first.is_empty() {
            chat.responses(&[user("look")], first);
        }
        chat.responses(&[user("look"), call, fo("call_1", "42")], &[msg(2, "42")]);
        let found = chat.audited().into_iter();
        found.filter(|found| found.starts_with("handover")).collect()
    }

    #[test]
    fn a_call_is_told_by_its_id_and_its_tool() {
        assert_eq!(call_brought("lookup", &[]), ["handover-unchecked:error"]);
        assert_eq!(call_brought("search", &[]), Vec::<String>::new());
    }

    #[test]
    fn a_call_that_was_issued_here_is_none_of_others() {
        let own = json!({"type": "function_call", "call_id": "call_1", "name": "lookup", "arguments": "{}"});
        assert_eq!(call_brought("lookup", &[own]), Vec::<String>::new());
    }

    /// Between two providers of one wire.
    fn moved(first: &Value, same: Option<&Value>, brought: &Value) -> Vec<String> {
        let mut chat = Chat::of("deepseek-v4-pro");
        if let Some(same) = same {
            chat.moves("/v1/chat/completions", "glm-4.7");
            chat.says("hello", same);
            chat.forget();
            chat.moves("/v1/chat/completions", "deepseek-v4-pro");
        }
        chat.says("hello", first);
        chat.forget();
        chat.moves("/v1/chat/completions", "glm-4.7");
        chat.asks("something else");
        chat.keeps(brought);
        chat.asks("more");
        chat.answers(&thought("Done thinking about it, nonce two."));
        let found = chat.audited().into_iter();
        found.filter(|found| found.starts_with("handover")).collect()
    }

    #[test]
    fn what_the_asked_provider_issued_too_is_its_own() {
        let moved_by = |message: &Value| moved(message, None, message);
        let shared_by = |message: &Value| moved(message, Some(message), message);
        for message in [said(TELLING), call(&said(""), "call_1")] {
            assert_eq!(moved_by(&message), ["handover-unchecked:error"], "{message}");
            assert_eq!(shared_by(&message), Vec::<String>::new(), "{message}");
        }
        assert_eq!(moved_by(&said("Done.")), Vec::<String>::new());
    }

    /// Ids and names are written anew for the next provider: an id like no other, or arguments like no others, tell.
    #[test]
    fn a_call_that_was_written_anew_shows_a_move() {
        let issued = call(&said(""), "call_abcdef");
        let mut brought = issued.clone();
        brought["tool_calls"][0]["id"] = "abc123xyz".into();
        assert_eq!(
            moved(&issued, None, &brought),
            Vec::<String>::new(),
            "common arguments"
        );
        let (mut issued, mut brought) = (issued, brought);
        for message in [&mut issued, &mut brought] {
            message["tool_calls"][0]["function"]["arguments"] = r#"{"customer":"Jane Smithson 4711"}"#.into();
        }
        assert_eq!(moved(&issued, None, &brought), ["handover-unchecked:error"]);
        let issued = call(&said(""), "call_9f8e7d6c5b4a39281706f5e4");
        let mut brought = issued.clone();
        brought["tool_calls"][0]["function"]["name"] = "look_up".into();
        assert_eq!(moved(&issued, None, &brought), ["handover-unchecked:error"]);
    }

    #[test]
    fn a_call_of_another_tool_is_another_call() {
        let issued = call(&said(""), "call_1");
        let mut brought = issued.clone();
        brought["tool_calls"][0]["function"] = json!({"name": "search", "arguments": "{}"});
        assert_eq!(moved(&issued, None, &brought), Vec::<String>::new());
    }
}
