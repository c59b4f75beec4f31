//! One create or compact request, with everything that a rule may look at.

use holdover_wire::Members as _;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use holdover_profile::Context;
use holdover_wire::item::ItemKind;
use holdover_wire::recording::{Exchange, ResponseRecord};
use holdover_wire::request::CreateRequest;
use holdover_wire::response::ResponseView;

use crate::client::Client;
use crate::hash::{Hash, Hasher};
use crate::ledger::{GroupIx, ItemIx, NodeIx};
use crate::lineage::{self, Ending, Endpoint, Link, Mode, Node, Refusal, Strength, Voice, ending_of};
use crate::sent::{self, Found, How, Sent, TokenSeen};
use crate::world::World;

/// One create or compact request.
pub(crate) struct Turn<'a> {
    pub(crate) number: u64,
    pub(crate) exchange: &'a Exchange,
    pub(crate) body: CreateRequest<'a>,
    pub(crate) endpoint: Endpoint,
    pub(crate) client: Client,
    pub(crate) input: Vec<Sent<'a>>,
    /// Chain hash of the whole input.
    pub(crate) whole_chain: Hash,
    pub(crate) body_hash: Hash,
    pub(crate) link: Link,
    pub(crate) mode: Mode,
    /// The earlier exchange with the same body, if there is one.
    pub(crate) repeats: Option<NodeIx>,
    pub(crate) voice: Voice,
    pub(crate) ending: Ending,
    pub(crate) refusal: Option<Refusal>,
    pub(crate) context: Option<Context>,
    /// Index of the last user message in `input`.
    pub(crate) last_user: Option<usize>,
    /// Groups that a client which replays its history must carry, oldest first.
    pub(crate) expected: Vec<GroupIx>,
    /// Places of items in `input`, by the issued item they are.
    pub(crate) index: BTreeMap<ItemIx, Vec<usize>>,
    /// Issued items whose token stands somewhere in `input`.
    pub(crate) tokens: BTreeSet<ItemIx>,
    /// Texts that no earlier request held.
    pub(crate) fresh: Vec<Fresh>,
    pub(crate) world: &'a World,
}

/// A visible text of a request that was not scanned before.
pub(crate) struct Fresh {
    pub(crate) pointer: String,
    pub(crate) hash: Hash,
    pub(crate) text: String,
}

/// An exchange whose request and response were seen before.
pub(crate) struct Copied {
    /// Number of the first one.
    pub(crate) exchange: u64,
    pub(crate) by: CopiedBy,
}

/// Who made a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopiedBy {
    /// The client sent it again under the same key, and got the same response.
    Retry,
    /// Whoever put the recording together.
    Recording,
}

impl<'a> Turn<'a> {
    /// Reads a request against what is known; `None` when its body is no object.
    pub(crate) fn read(
        exchange: &'a Exchange,
        number: u64,
        endpoint: Endpoint,
        world: &'a World,
    ) -> Option<Self> {
        let body = exchange.request.create()?;
        let input = sent::read(body, &world.ledger);
        let chain = sent::chain(body, &input);
        let link = lineage::find(body, &input, &chain, &world.ledger, &world.lineages);
        let parent = link.parent.map(|ix| world.lineages.node(ix));
        let record = exchange.response.as_ref();
        let body_hash = body_key(body);
        let mut turn = Self {
            number,
            exchange,
            body,
            endpoint,
            client: Client::of(&exchange.request),
            whole_chain: chain.last().map_or(Hash::default(), |(_, hash)| *hash),
            body_hash,
            mode: mode(body, link),
            repeats: world.lineages.by_body(body_hash),
            voice: Voice::compare(
                parent.and_then(|node| node.instructions.as_deref()),
                body.instructions(),
            ),
            ending: ending_of(record),
            refusal: record.and_then(Refusal::of),
            context: context(body, record, parent, world),
            last_user: input
                .iter()
                .rev()
                .find(|sent| sent.view.is_user_message())
                .map(|sent| sent.index),
            expected: link.parent.map_or_else(Vec::new, |ix| expected(ix, world, body)),
            input,
            link,
            index: BTreeMap::new(),
            tokens: BTreeSet::new(),
            fresh: Vec::new(),
            world,
        };
        turn.recognise_words();
        turn.fresh = fresh(&turn);
        Some(turn)
    }

    /// The exchange it continues.
    pub(crate) fn parent(&self) -> Option<&'a Node> {
        self.link.parent.map(|ix| self.world.lineages.node(ix))
    }

    /// The earlier exchange with the same body and the same response: no two responses share an id.
    pub(crate) fn copy_of(&self) -> Option<Copied> {
        let response = self.exchange.response.as_ref().and_then(any_response)?;
        let first = self.world.lineages.by_response(response.id()?)?;
        let first = self.world.lineages.node(first);
        if first.body != self.body_hash || first.ending != self.ending || !first.ending.counts() {
            return None;
        }
        let header = |name: &str| self.exchange.request.header(name);
        let is_retry = header("idempotency-key").is_some()
            || header("x-stainless-retry-count").is_some_and(|count| count != "0");
        Some(Copied {
            exchange: first.exchange,
            by: if is_retry {
                CopiedBy::Retry
            } else {
                CopiedBy::Recording
            },
        })
    }

    /// Whether `include` asks for tokens.
    pub(crate) fn asks_for_tokens(&self) -> bool {
        self.body.includes("reasoning.encrypted_content")
    }

    /// Items of the input that are this issued item, in order.
    pub(crate) fn carried(&self, item: ItemIx) -> impl Iterator<Item = &Sent<'a>> {
        let places = self.index.get(&item).map_or(&[][..], Vec::as_slice);
        places.iter().map(|place| &self.input[*place])
    }

    /// Whether another agent of the client speaks: other instructions, and not the same tools.
    pub(crate) fn is_handoff(&self) -> bool {
        let Some(parent) = self.parent() else { return false };
        let tools = tools_key(self.body);
        self.voice == Voice::Other && !(tools.is_some() && tools == parent.tools)
    }

    /// Whether it may be a side call (a title, a summary, a grader): linked by words only, with other instructions.
    pub(crate) fn may_be_side_call(&self) -> bool {
        self.link.strength == Strength::Words
            && matches!(self.voice, Voice::Other | Voice::Absent | Voice::Added)
    }

    /// Call ids that outputs of the input answer.
    pub(crate) fn answered_calls(&self) -> BTreeSet<&'a str> {
        let outputs = self.input.iter().filter(|sent| sent.kind.is_client_output());
        outputs.filter_map(|sent| sent.view.call_id()).collect()
    }

    /// What is remembered of the conversation it belongs to.
    pub(crate) fn conversation(&self) -> Option<&'a lineage::Conversation> {
        self.world.lineages.conversation(self.parent()?.lineage)
    }

    /// Hash of the last user message.
    pub(crate) fn user_hash(&self) -> Option<Hash> {
        let place = self.last_user?;
        self.input
            .iter()
            .find(|sent| sent.index == place)
            .map(|sent| sent.content)
    }

    /// How often the conversation met a refusal of this wording before.
    pub(crate) fn refusals_before(&self, message: &str) -> u32 {
        let node = self
            .link
            .parent
            .or(self.repeats)
            .map(|ix| self.world.lineages.node(ix));
        let conversation = node.and_then(|node| self.world.lineages.conversation(node.lineage));
        conversation
            .and_then(|conversation| conversation.refusals.get(message))
            .copied()
            .unwrap_or(0)
    }

    /// Items of the input that stand between these two indexes.
    pub(crate) fn between(&self, after: usize, before: usize) -> &[Sent<'a>] {
        let start = self.input.partition_point(|sent| sent.index <= after);
        let end = self.input.partition_point(|sent| sent.index < before);
        self.input.get(start..end).unwrap_or(&[])
    }

    /// Whether this is the exchange that the request continues and its whole input came back, with no output for one
    /// of its calls: what of its answer is not here is gone, and neither cut off nor split.
    pub(crate) fn is_answer_gone(&self, node: NodeIx) -> bool {
        let of_answer = |item: ItemIx| self.world.ledger.item(item).node == node;
        self.link.prefix > 0
            && self.link.parent == Some(node)
            && !self.input.iter().any(|sent| sent.answers.is_some_and(of_answer))
    }

    /// Content hashes of the input, item by item; a text is one user message.
    pub(crate) fn said(&self) -> Vec<Hash> {
        match self.body.input_text() {
            Some(text) => vec![sent::message("user", text)],
            None => self.input.iter().map(|sent| sent.content).collect(),
        }
    }

    /// Items of the input after the whole input of the exchange that is continued.
    pub(crate) fn after_prefix(&self) -> &[Sent<'a>] {
        let start = self.input.partition_point(|sent| sent.index < self.link.prefix);
        self.input.get(start..).unwrap_or(&[])
    }

    /// Finds what has neither id nor token nor call id among the expected groups, by its words and by its place.
    fn recognise_words(&mut self) {
        let mut open = self.open_items();
        let mut said = self.said_items(&open);
        for place in 0..self.input.len() {
            if self.input[place].found.is_none() {
                let found = self.by_words(place, &open, &mut said);
                self.take(place, found, &mut open);
            }
        }
        for place in 0..self.input.len() {
            if self.input[place].found.is_none() {
                let found = self.by_place(place, &open);
                self.take(place, found, &mut open);
            }
        }
        for (place, sent) in self.input.iter().enumerate() {
            if let Some(item) = sent.item() {
                self.index.entry(item).or_default().push(place);
            }
            if let TokenSeen::Issued(item, _) = sent.token {
                self.tokens.insert(item);
            }
        }
    }

    fn take(&mut self, place: usize, found: Option<Found>, open: &mut BTreeSet<ItemIx>) {
        if let Some(found) = found {
            open.remove(&found.item);
            self.input[place].found = Some(found);
        }
    }

    /// Items of expected groups that nothing in the input is yet.
    fn open_items(&self) -> BTreeSet<ItemIx> {
        let ledger = &self.world.ledger;
        let groups = self.expected.iter().map(|group| ledger.group(*group));
        let mut open: BTreeSet<ItemIx> = groups
            .flat_map(|group| group.head.into_iter().chain(group.followers.iter().copied()))
            .collect();
        for item in self.input.iter().filter_map(Sent::item) {
            open.remove(&item);
        }
        open
    }

    /// Open items by kind and words, oldest first.
    fn said_items(&self, open: &BTreeSet<ItemIx>) -> BTreeMap<(ItemKind, Hash), VecDeque<ItemIx>> {
        let mut said: BTreeMap<(ItemKind, Hash), VecDeque<ItemIx>> = BTreeMap::new();
        for issued in open.iter().map(|item| self.world.ledger.item(*item)) {
            if let Some(words) = issued.words {
                said.entry((issued.kind, words)).or_default().push_back(issued.ix);
            }
        }
        said
    }

    fn by_words(
        &self,
        place: usize,
        open: &BTreeSet<ItemIx>,
        said: &mut BTreeMap<(ItemKind, Hash), VecDeque<ItemIx>>,
    ) -> Option<Found> {
        let sent = &self.input[place];
        let is_message = sent.kind == ItemKind::Message;
        if is_message && !sent.view.is_assistant_message() {
            return None;
        }
        let words = crate::words::key(sent.view)?;
        let how = if is_message { How::Text } else { How::Content };
        let same = said.get_mut(&(sent.kind, words)).and_then(VecDeque::pop_front);
        // Several messages of one response may come back as one text.
        let joined = || {
            let known = self.world.ledger.by_words(words).iter().copied();
            known.filter(|_| is_message).find(|item| open.contains(item))
        };
        let item = same.or_else(joined)?;
        Some(Found { item, how })
    }

    fn by_place(&self, place: usize, open: &BTreeSet<ItemIx>) -> Option<Found> {
        let sent = &self.input[place];
        let ledger = &self.world.ledger;
        let position = |item: ItemIx| Found {
            item,
            how: How::Position,
        };
        if sent.kind == ItemKind::Reasoning {
            let next = self.input[place + 1..]
                .iter()
                .find(|next| next.kind != ItemKind::Reasoning)?;
            let group = ledger.item(next.item()?).group?;
            let head = ledger.group(group).head?;
            return open.contains(&head).then(|| position(head));
        }
        let parent = self.link.parent?;
        if self.link.prefix == 0 || sent.index < self.link.prefix || !sent.view.is_assistant_message() {
            return None;
        }
        let of_parent = |item: &&ItemIx| {
            let issued = ledger.item(**item);
            issued.node == parent && issued.kind == ItemKind::Message
        };
        open.iter().find(of_parent).copied().map(position)
    }
}

fn mode(body: CreateRequest<'_>, link: Link) -> Mode {
    match (body.previous_response_id(), body.conversation()) {
        (Some(_), Some(_)) => Mode::BothAnchors,
        (Some(_), None) => Mode::ServerChain,
        (None, Some(_)) => Mode::Conversation,
        (None, None) if link.parent.is_none() => Mode::Root,
        (None, None) => Mode::ClientReplay,
    }
}

/// Groups that the exchange held, oldest first; what the server alone holds counts only for a request without anchor.
fn expected(node: NodeIx, world: &World, body: CreateRequest<'_>) -> Vec<GroupIx> {
    let anchored = body.previous_response_id().is_some() || body.conversation().is_some();
    let mut chain = vec![node];
    let mut next = world.lineages.node(node).inherits.filter(|_| !anchored);
    while let Some(ix) = next {
        chain.push(ix);
        next = world.lineages.node(ix).inherits;
    }
    let held = chain
        .iter()
        .rev()
        .flat_map(|ix| world.lineages.node(*ix).live.iter().copied());
    held.collect()
}

/// The response object of an answer, as far as it came.
pub(crate) fn any_response(record: &ResponseRecord) -> Option<ResponseView<'_>> {
    let first = || {
        record
            .events
            .as_ref()?
            .iter()
            .find_map(holdover_wire::Event::response)
    };
    record.terminal().or_else(first)
}

fn context(
    body: CreateRequest<'_>,
    record: Option<&ResponseRecord>,
    parent: Option<&Node>,
    world: &World,
) -> Option<Context> {
    let echoed = record.and_then(any_response).and_then(ResponseView::context);
    let asked = body.context().filter(|asked| *asked != "auto");
    match echoed.or(asked) {
        Some("current_turn") => Some(Context::CurrentTurn),
        Some("all_turns") => Some(Context::AllTurns),
        _ => world
            .default_context(body.model())
            .or_else(|| parent.and_then(|node| node.context)),
    }
}

/// Hash of the tools of a request; `None` when it has none.
pub(crate) fn tools_key(body: CreateRequest<'_>) -> Option<Hash> {
    let tools = body
        .member("tools")
        .filter(|tools| tools.as_array().is_none_or(|list| !list.is_empty()))?;
    let mut hasher = Hasher::new("tools");
    hasher.value(tools);
    Some(hasher.finish())
}

/// Hash of a whole body.
fn body_key(body: CreateRequest<'_>) -> Hash {
    let mut hasher = Hasher::new("body");
    hasher.object(body.object());
    hasher.finish()
}

/// Hash of what an output says.
pub(crate) fn output_hash(view: holdover_wire::item::ItemView<'_>) -> Hash {
    let mut hasher = Hasher::new("output");
    hasher.optional(view.object().member("output"));
    hasher.finish()
}

/// Visible texts that were not scanned before: instructions, messages and outputs, without what was issued as text.
fn fresh(turn: &Turn<'_>) -> Vec<Fresh> {
    let texts = [
        ("/instructions", turn.body.instructions()),
        ("/input", turn.body.input_text()),
    ];
    let texts = texts
        .into_iter()
        .filter_map(|(pointer, text)| unseen(turn, text?.into(), || pointer.to_owned()));
    let items = turn.input.iter().filter_map(|sent| {
        let text: Cow<'_, str> = match sent.kind {
            ItemKind::Message if sent.found.is_none_or(|found| found.how == How::Position) => {
                sent.view.text().into()
            }
            kind if kind.is_client_output() => match sent.view.object().member("output")? {
                serde_json::Value::String(text) => text.into(),
                other => other.to_string().into(),
            },
            _ => return None,
        };
        unseen(turn, text, || sent.pointer())
    });
    texts.chain(items).collect()
}

fn unseen(turn: &Turn<'_>, text: Cow<'_, str>, pointer: impl FnOnce() -> String) -> Option<Fresh> {
    let hash = Hash::of(text.as_bytes());
    let is_seen = turn.world.seen_texts.contains(&hash);
    (!is_seen).then(|| Fresh {
        pointer: pointer(),
        hash,
        text: text.into_owned(),
    })
}
