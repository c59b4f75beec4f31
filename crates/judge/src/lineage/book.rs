//! All nodes, and the indexes by which a request finds the one it continues.

use std::collections::{BTreeMap, BTreeSet};

use super::node::{Ending, Endpoint, Node};
use super::refusal::Refusal;
use crate::hash::{ByHash, Hash};
use crate::ledger::{Learnt, Ledger, NodeIx};

/// What is remembered of one conversation as a whole.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    /// How often a refusal with this wording came.
    pub(crate) refusals: BTreeMap<String, u32>,
    /// Output that the client sent for a call id, by its hash.
    pub(crate) outputs: BTreeMap<String, Hash>,
    /// Hashes of calls that its first request already held: they come from before the recording.
    pub(crate) brought_calls: BTreeSet<String>,
    /// Its newest node.
    pub(crate) newest: Option<NodeIx>,
}

/// How many nodes with the same input are told apart.
const SAME_INPUT_MAX: usize = 16;

/// All nodes and their indexes.
#[derive(Debug, Default)]
pub(crate) struct Lineages {
    nodes: Vec<Node>,
    conversations: Vec<Conversation>,
    by_response: ByHash<NodeIx>,
    by_conversation: BTreeMap<String, NodeIx>,
    by_chain: ByHash<Vec<NodeIx>>,
    by_body: ByHash<NodeIx>,
    by_key: BTreeMap<String, NodeIx>,
    newest_child: BTreeMap<NodeIx, NodeIx>,
    deleted: BTreeSet<String>,
}

impl Lineages {
    /// One node.
    pub(crate) fn node(&self, ix: NodeIx) -> &Node {
        &self.nodes[ix.0]
    }

    /// The index the next node gets.
    pub(crate) fn next(&self) -> NodeIx {
        NodeIx(self.nodes.len())
    }

    /// One conversation, by its number from 1.
    pub(crate) fn conversation(&self, number: u32) -> Option<&Conversation> {
        self.conversations.get(slot(number)?)
    }

    /// One conversation, to remember more of it.
    pub(crate) fn conversation_mut(&mut self, number: u32) -> Option<&mut Conversation> {
        self.conversations.get_mut(slot(number)?)
    }

    /// How many conversations there are.
    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.conversations.len()).unwrap_or(u32::MAX)
    }

    /// Opens a conversation and gives its number.
    pub(crate) fn open(&mut self) -> u32 {
        self.conversations.push(Conversation::default());
        self.count()
    }

    /// The node that issued this response.
    pub(crate) fn by_response(&self, id: &str) -> Option<NodeIx> {
        self.by_response.get(&Hash::of(id.as_bytes())).copied()
    }

    /// The newest node in this conversation object.
    pub(crate) fn by_conversation(&self, id: &str) -> Option<NodeIx> {
        self.by_conversation.get(id).copied()
    }

    /// Nodes whose whole input has this chain hash, oldest first.
    pub(crate) fn by_chain(&self, chain: Hash) -> &[NodeIx] {
        self.by_chain.get(&chain).map_or(&[], Vec::as_slice)
    }

    /// The newest node with this body.
    pub(crate) fn by_body(&self, body: Hash) -> Option<NodeIx> {
        self.by_body.get(&body).copied()
    }

    /// The newest node with this continuity key.
    pub(crate) fn by_key(&self, key: &str) -> Option<NodeIx> {
        self.by_key.get(key).copied()
    }

    /// The newest node that continued this one.
    pub(crate) fn newest_child(&self, parent: NodeIx) -> Option<NodeIx> {
        self.newest_child.get(&parent).copied()
    }

    /// Whether the client deleted this response.
    pub(crate) fn is_deleted(&self, response_id: &str) -> bool {
        self.deleted.contains(response_id)
    }

    /// Notes a `DELETE`.
    pub(crate) fn delete(&mut self, response_id: &str) {
        self.deleted.insert(response_id.to_owned());
    }

    /// Adds a node under its indexes.
    pub(crate) fn push(&mut self, node: Node, conversation_id: Option<&str>, keys: &[String]) -> NodeIx {
        let ix = self.next();
        if let Some(id) = &node.response_id {
            self.by_response.insert(Hash::of(id.as_bytes()), ix);
        }
        if let (Some(id), true) = (conversation_id, node.ending != Ending::Refused) {
            self.by_conversation.insert(id.to_owned(), ix);
        }
        let same = self.by_chain.entry(node.chain).or_default();
        if same.len() < SAME_INPUT_MAX && node.endpoint == Endpoint::Create {
            same.push(ix);
        }
        if let Some(parent) = node.parent {
            self.newest_child.insert(parent, ix);
        }
        self.by_body.insert(node.body, ix);
        for key in keys {
            self.by_key.insert(key.clone(), ix);
        }
        if let Some(conversation) = self.conversation_mut(node.lineage) {
            conversation.newest = Some(ix);
        }
        self.nodes.push(node);
        ix
    }

    /// The rest of an answer came later.
    pub(crate) fn complete(&mut self, ix: NodeIx, ending: Ending, ledger: &Ledger, learnt: Learnt) {
        let node = &mut self.nodes[ix.0];
        node.ending = ending;
        node.issue(learnt, ledger);
    }

    /// Notes a refusal with the node that was continued, and with its conversation.
    pub(crate) fn refused(
        &mut self,
        parent: Option<NodeIx>,
        lineage: u32,
        refusal: &Refusal,
        user: Option<Hash>,
    ) {
        if let Some(parent) = parent {
            self.nodes[parent.0].refused_user = user;
            let refused = &mut self.nodes[parent.0].refused_after;
            if refused.last() != Some(refusal) {
                refused.push(refusal.clone());
            }
        }
        if let Some(conversation) = self.conversation_mut(lineage) {
            *conversation.refusals.entry(refusal.message.clone()).or_default() += 1;
        }
    }
}

fn slot(number: u32) -> Option<usize> {
    usize::try_from(number).ok()?.checked_sub(1)
}
