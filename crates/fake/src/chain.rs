//! What a stored response says about everything before it, in constant size: no request ever walks its history.

use std::collections::BTreeMap;

use holdover_profile::Context;
use serde::{Deserialize, Serialize};

use crate::cache::{ContentHash, Position};
use crate::ids::Recall;

/// Characters of a user message that the state keeps, to be quoted in a default answer.
const QUOTE_CHARS_MAX: usize = 120;

/// Tokens that a context has after its compaction, at most: those of the summary.
pub(crate) const COMPACTED_TOKENS: u64 = 190;

/// Two kinds of tool that a client answers; their outputs may not be mixed (`tests/facts/items.md`, Custom tools).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToolFamily {
    /// `function_call` and `function_call_output`.
    Function,
    /// `custom_tool_call` and `custom_tool_call_output`.
    Custom,
}

/// A call that waits for its output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenCall {
    /// `call_id`
    pub call_id: String,
    /// Kind of the tool.
    pub family: ToolFamily,
}

/// What the last item of a context is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tail {
    /// No item at all.
    #[default]
    Empty,
    /// A reasoning item, which still needs its follower (E01e).
    Reasoning(String),
    /// Anything else.
    Other,
}

/// Reasoning items of one model family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// How many there are.
    pub count: u32,
    /// Recall nonce of the latest.
    pub recall: Recall,
}

/// Summary of a context: the fold over all its items.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainState {
    /// Partition key that its ids share.
    pub partition: Option<u64>,
    /// Highest virtual tick in it.
    pub tick: Option<u32>,
    /// Reasoning and compaction items whose payload verified.
    pub protected: u32,
    /// Reasoning items, verified or not: a model that does not reason refuses them (E05).
    pub reasoning: u32,
    /// Verified reasoning since the last user message, by model family.
    pub current: BTreeMap<String, Seen>,
    /// Verified reasoning since the newest compaction, by model family.
    pub all: BTreeMap<String, Seen>,
    /// Whether a compaction item is in it.
    pub compacted: bool,
    /// Recall nonce that the newest compaction item kept.
    pub compacted_recall: Option<Recall>,
    /// Calls that wait for their output, in order.
    pub open_calls: Vec<OpenCall>,
    /// Whether an output of a tool came after the last user message.
    pub tool_answered: bool,
    /// Head of the last user message.
    pub asked: Option<String>,
    /// Whether that message asks for the recall nonce.
    pub recall_asked: bool,
    /// Last item.
    pub tail: Tail,
    /// Tokens of all items.
    pub tokens: u64,
    /// Content of all items, for the prompt cache.
    pub prefix: ContentHash,
    /// Where the input of the newest response ended.
    pub breakpoint: Option<Position>,
}

/// What the model is shown of past reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rendered {
    /// Reasoning and compaction items.
    pub(crate) count: u32,
    /// Recall nonce of the latest.
    pub(crate) recall: Option<Recall>,
}

impl ChainState {
    /// What the next item costs and says.
    pub(crate) fn count(&mut self, tokens: u64, content: ContentHash) {
        self.tokens += tokens;
        self.prefix = self.prefix.then(content);
    }

    /// A tick that an id, a token or a loaded object carries.
    pub(crate) fn see_tick(&mut self, tick: u32) {
        self.tick = self.tick.max(Some(tick));
    }

    /// A message of the user: reasoning before it is no longer of the current turn.
    pub(crate) fn user(&mut self, text: &str) {
        self.current.clear();
        self.tool_answered = false;
        self.recall_asked = text.contains("holdover:recall");
        self.asked = Some(quote(text));
        self.tail = Tail::Other;
    }

    /// Any item that changes nothing but the tail.
    pub(crate) fn other(&mut self) {
        self.tail = Tail::Other;
    }

    /// A reasoning item. `recall` is there when its payload verified, with the family of the model that made it.
    pub(crate) fn reasoning(&mut self, id: Option<&str>, verified: Option<(&str, Recall)>) {
        self.reasoning += 1;
        self.tail = id.map_or(Tail::Other, |id| Tail::Reasoning(id.to_owned()));
        let Some((family, recall)) = verified else { return };
        self.protected += 1;
        for seen in [&mut self.current, &mut self.all] {
            match seen.get_mut(family) {
                Some(seen) => {
                    seen.count += 1;
                    seen.recall = recall;
                }
                None => {
                    seen.insert(family.to_owned(), Seen { count: 1, recall });
                }
            }
        }
    }

    /// What was carried so far is shown to no model.
    pub(crate) fn forget_reasoning(&mut self) {
        self.current.clear();
        self.all.clear();
        self.protected = 0;
    }

    /// A compaction item: what came before it is no longer shown, nor charged (`tests/facts/state.md`, Compaction A).
    pub(crate) fn compaction(&mut self, recall: Option<Recall>) {
        self.tokens = self.tokens.min(COMPACTED_TOKENS);
        self.protected += 1;
        self.current.clear();
        self.all.clear();
        self.compacted = true;
        self.compacted_recall = recall;
        self.tail = Tail::Other;
    }

    /// A call that the client has to answer.
    pub(crate) fn call(&mut self, call_id: &str, family: ToolFamily) {
        self.tail = Tail::Other;
        if !self.is_open(call_id, family) {
            self.open_calls.push(OpenCall {
                call_id: call_id.to_owned(),
                family,
            });
        }
    }

    /// Whether such a call waits.
    pub(crate) fn is_open(&self, call_id: &str, family: ToolFamily) -> bool {
        self.open_calls
            .iter()
            .any(|open| open.call_id == call_id && open.family == family)
    }

    /// The output of a call.
    pub(crate) fn output(&mut self, call_id: &str) {
        self.open_calls.retain(|open| open.call_id != call_id);
        self.tool_answered = true;
        self.tail = Tail::Other;
    }

    /// What a model of this family is shown (`tests/facts/state.md`, "What happens to reasoning between turns").
    pub(crate) fn rendered(&self, context: Context, family: &str) -> Rendered {
        let seen = match context {
            Context::CurrentTurn => self.current.get(family),
            Context::AllTurns => self.all.get(family),
        };
        Rendered {
            count: seen.map_or(0, |seen| seen.count) + u32::from(self.compacted),
            recall: seen.map(|seen| seen.recall).or(self.compacted_recall),
        }
    }
}

/// The head of a text, short enough to be quoted.
fn quote(text: &str) -> String {
    match text.char_indices().nth(QUOTE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_message_ends_the_current_turn() {
        let mut chain = ChainState::default();
        chain.user("one");
        chain.reasoning(Some("rs_1"), Some(("m", Recall(1))));
        assert_eq!(chain.rendered(Context::CurrentTurn, "m").recall, Some(Recall(1)));
        chain.other();
        chain.user("two");
        let (current, all) = (Context::CurrentTurn, Context::AllTurns);
        assert_eq!(
            chain.rendered(current, "m"),
            Rendered {
                count: 0,
                recall: None
            }
        );
        assert_eq!(
            chain.rendered(all, "m"),
            Rendered {
                count: 1,
                recall: Some(Recall(1))
            }
        );
        assert_eq!(chain.rendered(all, "another").count, 0);
        assert_eq!(chain.protected, 1);
    }

    #[test]
    fn a_compaction_keeps_the_recall_nonce_and_hides_the_rest() {
        let mut chain = ChainState::default();
        chain.reasoning(None, Some(("m", Recall(1))));
        chain.compaction(Some(Recall(1)));
        let rendered = chain.rendered(Context::AllTurns, "m");
        assert_eq!(
            rendered,
            Rendered {
                count: 1,
                recall: Some(Recall(1))
            }
        );
        assert_eq!(chain.protected, 2);
        chain.reasoning(None, Some(("m", Recall(2))));
        assert_eq!(chain.rendered(Context::AllTurns, "m").recall, Some(Recall(2)));
    }

    #[test]
    fn an_output_closes_its_call() {
        let mut chain = ChainState::default();
        chain.call("call_1", ToolFamily::Function);
        chain.call("call_1", ToolFamily::Function);
        assert_eq!(chain.open_calls.len(), 1);
        assert!(!chain.is_open("call_1", ToolFamily::Custom));
        chain.output("call_1");
        assert_eq!(chain.open_calls, vec![]);
        assert!(chain.tool_answered);
    }

    #[test]
    fn long_messages_are_quoted_in_part() {
        let mut chain = ChainState::default();
        chain.user(&"é".repeat(500));
        assert_eq!(
            chain.asked.map(|text| text.chars().count()),
            Some(QUOTE_CHARS_MAX + 1)
        );
    }
}
