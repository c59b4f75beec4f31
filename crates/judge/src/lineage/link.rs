//! Which earlier exchange a request continues.
//!
//! In this order: response id, conversation, item ids, tokens and call ids; then the input's prefix; then issued text
//! in assistant messages. Equal text in a user message is never a link (`docs/architecture.md`, Lineage).

use std::collections::BTreeSet;

use holdover_wire::request::CreateRequest;

use super::book::Lineages;
use super::node::{Ending, Node};
use super::voice::Voice;
use crate::hash::Hash;
use crate::ledger::{ItemIx, Ledger, NodeIx};
use crate::sent::Sent;
use crate::turn::tools_key;

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
    let newest = newest_item(input, ledger).map(|item| ledger.item(item).node);
    let prefix = longest_prefix(body, input, chain, lineages, newest);
    if let Some(issuer) = newest {
        let (parent, repeated) = match prefix {
            Some(prefix) if prefix.node >= issuer => (prefix.node, prefix.length),
            Some(_) | None => (issuer, 0),
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

/// The longest proper prefix of the input that was the whole input of an exchange which got an answer; of several such
/// exchanges the one that issued the newest item, else the newest. A prefix of user messages alone counts where an
/// assistant's item follows it, and where the same agent goes on with a history of its own: what was answered is lost.
fn longest_prefix(
    body: CreateRequest<'_>,
    input: &[Sent<'_>],
    chain: &[(usize, Hash)],
    lineages: &Lineages,
    issuer: Option<NodeIx>,
) -> Option<Prefix> {
    let (_, whole) = chain.last()?;
    let shorter = chain.iter().rev();
    let mut shorter = shorter.filter(|(length, hash)| hash != whole && *length > 0);
    shorter.find_map(|(length, hash)| {
        let speaks = |sent: &Sent<'_>| !sent.view.is_user_message() && !is_system(sent);
        let head = input.iter().take(*length).any(speaks);
        let next = input.iter().find(|sent| sent.index >= *length);
        let is_spoken = head || next.is_some_and(speaks);
        let fits = |node: &&NodeIx| {
            let node = lineages.node(**node);
            let goes_on = || issuer.is_none() && goes_on_unanswered(body, node);
            node.ending != Ending::Refused && (is_spoken || goes_on())
        };
        let answered: Vec<NodeIx> = lineages.by_chain(*hash).iter().filter(fits).copied().collect();
        let chosen = issuer.filter(|issuer| answered.contains(issuer));
        Some(Prefix {
            node: chosen.or_else(|| answered.last().copied())?,
            length: *length,
            several: answered.len() > 1,
        })
    })
}

/// Whether a request may go on from this exchange though it carries nothing that any exchange issued: the same agent,
/// which keeps its own history, after an answer that it got.
fn goes_on_unanswered(body: CreateRequest<'_>, node: &Node) -> bool {
    let is_anchored = body.previous_response_id().is_some() || body.conversation().is_some();
    let voice = Voice::compare(node.instructions.as_deref(), body.instructions());
    !is_anchored
        && !node.mode.is_server_side()
        && node.ending.counts()
        && matches!(voice, Voice::Same | Voice::Edited)
        && node.tools == tools_key(body)
        && node.model.as_deref() == body.model()
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
