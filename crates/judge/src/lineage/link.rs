//! Which earlier exchange a request continues.
//!
//! In this order: response id, conversation, item ids, tokens and call ids; then the input's prefix; then issued text
//! in assistant messages. Equal text in a user message is never a link (`docs/architecture.md`, Lineage).

use std::collections::BTreeSet;

use holdover_wire::request::CreateRequest;

use super::book::Lineages;
use super::node::Ending;
use crate::hash::Hash;
use crate::ledger::{ItemIx, Ledger, NodeIx};
use crate::sent::Sent;

/// What a link rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strength {
    /// Nothing was found.
    None,
    /// An anchor on the server.
    Anchor,
    /// Ids, tokens or call ids.
    Items,
    /// Equal words only.
    Words,
}

/// The exchange that a request continues.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) parent: Option<NodeIx>,
    pub(crate) strength: Strength,
    /// Several exchanges fit equally.
    pub(crate) ambiguous: bool,
    /// How many items of `input` repeat the parent's input.
    pub(crate) prefix: usize,
}

impl Link {
    const NONE: Self = Self {
        parent: None,
        strength: Strength::None,
        ambiguous: false,
        prefix: 0,
    };
}

/// Finds the exchange that this request continues.
pub(crate) fn find(
    body: CreateRequest<'_>,
    input: &[Sent<'_>],
    chain: &[(usize, Hash)],
    ledger: &Ledger,
    lineages: &Lineages,
) -> Link {
    let by_response = body
        .previous_response_id()
        .and_then(|id| lineages.by_response(id));
    let anchor = by_response.or_else(|| body.conversation().and_then(|id| lineages.by_conversation(id)));
    if anchor.is_some() {
        return Link {
            parent: anchor,
            strength: Strength::Anchor,
            ..Link::NONE
        };
    }
    let prefix = longest_prefix(input, chain, lineages);
    if let Some(item) = newest_item(input, ledger) {
        let issuer = ledger.item(item).node;
        let (parent, repeated) = match prefix {
            Some(prefix) if prefix.node > issuer => (prefix.node, prefix.length),
            Some(prefix) => (issuer, if prefix.node == issuer { prefix.length } else { 0 }),
            None => (issuer, 0),
        };
        return Link {
            parent: Some(parent),
            strength: Strength::Items,
            ambiguous: false,
            prefix: repeated,
        };
    }
    by_words(input, prefix, ledger)
}

/// The item of the input that was issued last.
fn newest_item(input: &[Sent<'_>], ledger: &Ledger) -> Option<ItemIx> {
    let strong = input.iter().filter_map(|sent| {
        let found = sent.found.filter(|found| found.how.is_strong());
        found.map(|found| found.item).or(sent.answers)
    });
    strong.max_by_key(|item| (ledger.item(*item).node, ledger.item(*item).slot))
}

#[derive(Clone, Copy)]
struct Prefix {
    node: NodeIx,
    length: usize,
    several: bool,
}

/// The longest proper prefix of the input that was the whole input of an exchange which got an answer. A prefix of
/// user messages alone counts only when an assistant's item follows it.
fn longest_prefix(input: &[Sent<'_>], chain: &[(usize, Hash)], lineages: &Lineages) -> Option<Prefix> {
    let (_, whole) = chain.last()?;
    for (length, hash) in chain.iter().rev().filter(|(_, hash)| hash != whole) {
        let answered = lineages.by_chain(*hash).iter().rev();
        let mut answered = answered.filter(|node| lineages.node(**node).ending != Ending::Refused);
        let Some(node) = answered.next().filter(|_| *length > 0) else {
            continue;
        };
        let speaks = |sent: &Sent<'_>| !sent.view.is_user_message() && !is_system(sent);
        let head = input.iter().take(*length).any(speaks);
        let next = input
            .iter()
            .find(|sent| sent.index >= *length)
            .is_some_and(speaks);
        if head || next {
            return Some(Prefix {
                node: *node,
                length: *length,
                several: answered.next().is_some(),
            });
        }
    }
    None
}

fn is_system(sent: &Sent<'_>) -> bool {
    matches!(sent.view.role(), Some("system" | "developer"))
}

fn by_words(input: &[Sent<'_>], prefix: Option<Prefix>, ledger: &Ledger) -> Link {
    let spoken = input.iter().rev().find_map(|sent| {
        let text = sent.view.is_assistant_message().then(|| sent.view.text())?;
        let nodes: BTreeSet<NodeIx> = ledger
            .by_text(&text)
            .iter()
            .map(|ix| ledger.item(*ix).node)
            .collect();
        (!nodes.is_empty()).then_some(nodes)
    });
    match (spoken, prefix) {
        (Some(nodes), Some(prefix)) if nodes.contains(&prefix.node) => Link {
            parent: Some(prefix.node),
            strength: Strength::Words,
            ambiguous: false,
            prefix: prefix.length,
        },
        (Some(nodes), _) => Link {
            parent: nodes.last().copied(),
            strength: Strength::Words,
            ambiguous: nodes.len() > 1,
            prefix: 0,
        },
        (None, Some(prefix)) => Link {
            parent: Some(prefix.node),
            strength: Strength::Words,
            ambiguous: prefix.several,
            prefix: prefix.length,
        },
        (None, None) => Link::NONE,
    }
}
