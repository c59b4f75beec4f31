//! One issued group in one request: what of it came back, and what speaks for the client.

use std::collections::{BTreeMap, BTreeSet};

use holdover_profile::Context;
use holdover_wire::item::ItemKind;

use crate::draft::Draft;
use crate::finding::Severity;
use crate::ledger::{Group, GroupIx, IssuedItem, ItemIx, Ledger, NodeIx, Stage};
use crate::lineage::Refusal;
use crate::rules::Rule;
use crate::sent::{Sent, TokenSeen};
use crate::turn::Turn;

/// Where a group stands against the last user message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Age {
    /// After it: the model is in the middle of its work.
    ToolLoop,
    /// Before it.
    EarlierTurn,
}

/// Whether a whole group is gone, and from where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gone {
    /// Something of it is there.
    No,
    /// Everything before it is gone as well: history was cut at its front.
    Front,
    /// A compaction item stands for it.
    Compacted,
    /// Earlier groups are still there.
    Middle,
    /// It is of the newest answer, of which nothing came back; the question came back.
    Answer,
}

/// What excuses a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excuse {
    None,
    /// The API refused the item, and dropping it once is the recovery.
    Refusal,
    /// The request goes to a model of another family.
    ModelSwitch,
    /// Another agent of the client speaks.
    Handoff,
}

/// One follower of a group.
pub(crate) struct Follower<'a> {
    pub(crate) issued: &'a IssuedItem,
    pub(crate) carried: Option<&'a Sent<'a>>,
}

/// One issued group in one request.
pub(crate) struct Sighting<'a> {
    pub(crate) turn: &'a Turn<'a>,
    pub(crate) ix: GroupIx,
    pub(crate) group: &'a Group,
    pub(crate) head: Option<&'a IssuedItem>,
    pub(crate) carried: Option<&'a Sent<'a>>,
    pub(crate) followers: Vec<Follower<'a>>,
    pub(crate) age: Age,
    pub(crate) gone: Gone,
    pub(crate) excuse: Excuse,
    /// It is the first group left, and the history before it was cut off.
    pub(crate) cut: Cut,
    pub(crate) response: Response,
}

/// What else of its response came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Response {
    /// Nothing.
    Gone,
    /// Reasoning items only.
    ReasoningOnly,
    /// At least one message, call or other item.
    Kept,
}

/// Whether the front of a cut history runs through a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Here,
    Elsewhere,
}

impl<'a> Sighting<'a> {
    /// Followers that came back, each with its carried form.
    pub(crate) fn kept(&self) -> impl Iterator<Item = (&'a IssuedItem, &'a Sent<'a>)> {
        self.followers
            .iter()
            .filter_map(|follower| Some((follower.issued, follower.carried?)))
    }

    /// Followers that did not come back.
    pub(crate) fn missing(&self) -> impl Iterator<Item = &'a IssuedItem> {
        let missing = self
            .followers
            .iter()
            .filter(|follower| follower.carried.is_none());
        missing.map(|follower| follower.issued)
    }

    /// The reasoning, when it is gone and something it led to is there.
    pub(crate) fn lost_head(&self) -> Option<&'a IssuedItem> {
        let head = self
            .head
            .filter(|_| self.carried.is_none() && self.gone == Gone::No)?;
        let is_elsewhere =
            |sent: &Sent<'_>| matches!(sent.token, TokenSeen::Issued(item, _) if item == head.ix);
        (!self.turn.input.iter().any(is_elsewhere)).then_some(head)
    }

    /// The reasoning and its carried form.
    pub(crate) fn carried_head(&self) -> Option<(&'a IssuedItem, &'a Sent<'a>)> {
        Some((self.head?, self.carried?))
    }

    /// Whether a carried follower lost its own id as well: it was made anew and not replayed.
    pub(crate) fn is_rebuilt(&self) -> bool {
        self.kept()
            .all(|(issued, sent)| issued.id.is_some() && sent.view.id() != issued.id.as_deref())
    }

    /// Whether the id alone brings the reasoning back on the server.
    pub(crate) fn is_persisted(&self) -> bool {
        self.head.is_some_and(|head| head.persisted)
    }

    /// Whether the API checks this group by ids.
    pub(crate) fn ids_are_enforced(&self) -> bool {
        self.is_persisted() || self.turn.world.enforces_every_id()
    }

    /// Whether the carried reasoning has a token that some item was issued with in full.
    pub(crate) fn token_verifies(&self) -> bool {
        let own = self.head.map(|head| head.ix);
        self.carried.is_some_and(|sent| match sent.token {
            TokenSeen::Issued(item, Stage::Full) => Some(item) == own,
            TokenSeen::Issued(_, Stage::Partial) | TokenSeen::Unknown => false,
            TokenSeen::Absent => sent.view.id().is_some() && self.is_persisted(),
        })
    }

    /// How bad it is that the model does not get this reasoning.
    pub(crate) fn loss(&self) -> Severity {
        if self.excuse != Excuse::None || matches!(self.gone, Gone::Front | Gone::Compacted) {
            return Severity::Note;
        }
        match (self.age, self.turn.context) {
            (Age::EarlierTurn, Some(Context::CurrentTurn)) => Severity::Note,
            _ if self.turn.link.ambiguous => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// Why it matters, in the words of this request.
    pub(crate) fn consequence(&self) -> &'static str {
        match (self.excuse, self.age, self.turn.context) {
            (Excuse::Refusal, ..) => "the API refused it before, and dropping it once is the right recovery",
            (Excuse::ModelSwitch, ..) => {
                "the request goes to a model of another family, which may not read it"
            }
            (Excuse::Handoff, ..) => "another agent speaks under new instructions",
            (_, Age::ToolLoop, _) => "the model is in the middle of a tool loop and starts its thinking over",
            (_, Age::EarlierTurn, Some(Context::CurrentTurn)) => {
                "this model is not shown reasoning from before the last user message, but the same code loses it in a tool loop and on newer models"
            }
            (_, Age::EarlierTurn, _) => "the model answers without what it had worked out before",
        }
    }

    /// A finding of this rule about this group, at the carried item or at what is left of the group.
    pub(crate) fn draft(&self, rule: &'static Rule, message: impl Into<String>) -> Draft {
        let draft = Draft::of(rule, message)
            .group(Some(self.ix))
            .response(self.group.node)
            .item(self.head.and_then(|head| head.id.as_deref()))
            .once(crate::draft::Once::Group(self.ix.0));
        match self.carried.or_else(|| self.kept().next().map(|(_, sent)| sent)) {
            Some(sent) => draft.at(sent.pointer()),
            None => draft.at("/input"),
        }
    }

    /// "exchange 3" for the response that issued the group.
    pub(crate) fn issued_in(&self) -> String {
        format!(
            "exchange {}",
            self.turn.world.lineages.node(self.group.node).exchange
        )
    }
}

/// All groups that this request must carry or touches, oldest first.
pub(crate) fn sightings<'a>(turn: &'a Turn<'a>) -> Vec<Sighting<'a>> {
    let ledger = &turn.world.ledger;
    let index = &turn.index;
    let touched: BTreeSet<GroupIx> = index.keys().filter_map(|item| ledger.item(*item).group).collect();
    let mut order: Vec<GroupIx> = turn.expected.clone();
    let expected: BTreeSet<GroupIx> = order.iter().copied().collect();
    order.extend(touched.difference(&expected));
    let floor = compaction_floor(turn);
    let excuse = excuse(turn);
    let first_spoken = turn
        .input
        .iter()
        .find(|sent| !matches!(sent.view.role(), Some("system" | "developer")));
    let responses = responses(index, ledger);
    let mut seen_earlier = false;
    let mut cut_front = false;
    let mut sightings = Vec::with_capacity(order.len());
    for ix in order {
        let node = ledger.group(ix).node;
        let response = responses.get(&node).copied().unwrap_or(Response::Gone);
        let is_answer = response == Response::Gone && turn.is_answer_gone(node);
        let gone = match (touched.contains(&ix), floor.covers(ix)) {
            (true, _) => Gone::No,
            (false, true) => Gone::Compacted,
            (false, false) if is_answer => Gone::Answer,
            (false, false) if seen_earlier => Gone::Middle,
            (false, false) => Gone::Front,
        };
        let mut sighting = sight(turn, ix, gone, excuse);
        sighting.response = response;
        let leads = sighting
            .kept()
            .any(|(_, sent)| Some(sent.index) == first_spoken.map(|first| first.index));
        if gone == Gone::No && !seen_earlier && (cut_front || leads) {
            sighting.cut = Cut::Here;
        }
        cut_front |= gone == Gone::Front;
        seen_earlier |= gone == Gone::No;
        sightings.push(sighting);
    }
    sightings
}

fn sight<'a>(turn: &'a Turn<'a>, ix: GroupIx, gone: Gone, excuse: Excuse) -> Sighting<'a> {
    let ledger = &turn.world.ledger;
    let group = ledger.group(ix);
    let first = |item: ItemIx| turn.carried(item).next();
    let head = group.head.map(|head| ledger.item(head));
    let carried = group.head.and_then(first);
    let followers: Vec<Follower<'a>> = group
        .followers
        .iter()
        .map(|item| Follower {
            issued: ledger.item(*item),
            carried: first(*item),
        })
        .collect();
    let places = carried
        .into_iter()
        .chain(followers.iter().filter_map(|follower| follower.carried));
    let last_place = places.map(|sent| sent.index).max();
    Sighting {
        turn,
        ix,
        group,
        head,
        carried,
        age: age(turn, last_place, &group.followers),
        followers,
        gone,
        excuse,
        cut: Cut::Elsewhere,
        response: Response::Gone,
    }
}

fn age(turn: &Turn<'_>, last_place: Option<usize>, followers: &[ItemIx]) -> Age {
    let answered = || {
        let outputs = turn
            .input
            .iter()
            .filter(|sent| sent.answers.is_some_and(|call| followers.contains(&call)));
        outputs.map(|sent| sent.index).max()
    };
    match (last_place.or_else(answered), turn.last_user) {
        (Some(place), Some(user)) if user > place => Age::EarlierTurn,
        (None, Some(_)) => Age::EarlierTurn,
        _ => Age::ToolLoop,
    }
}

/// What came back of each response.
fn responses(index: &BTreeMap<ItemIx, Vec<usize>>, ledger: &Ledger) -> BTreeMap<NodeIx, Response> {
    let mut responses = BTreeMap::new();
    for item in index.keys().map(|item| ledger.item(*item)) {
        let response = responses.entry(item.node).or_insert(Response::ReasoningOnly);
        if item.kind != ItemKind::Reasoning {
            *response = Response::Kept;
        }
    }
    responses
}

/// Which groups a compaction item in the input stands for.
enum Floor {
    Nothing,
    UpTo(GroupIx),
    Everything,
}

impl Floor {
    fn covers(&self, group: GroupIx) -> bool {
        match self {
            Self::Nothing => false,
            Self::UpTo(newest) => group <= *newest,
            Self::Everything => true,
        }
    }
}

fn compaction_floor(turn: &Turn<'_>) -> Floor {
    let mut floor = Floor::Nothing;
    for sent in turn.input.iter().filter(|sent| sent.kind == ItemKind::Compaction) {
        let group = sent.item().and_then(|item| turn.world.ledger.item(item).group);
        floor = match group {
            Some(group) => Floor::UpTo(group),
            None => return Floor::Everything,
        };
    }
    floor
}

fn excuse(turn: &Turn<'_>) -> Excuse {
    let Some(parent) = turn.parent() else {
        return Excuse::None;
    };
    let same_family = turn.world.same_family(parent.model.as_deref(), turn.body.model());
    if parent.refused_after.iter().any(Refusal::asks_to_drop_reasoning) {
        Excuse::Refusal
    } else if !same_family {
        Excuse::ModelSwitch
    } else if turn.is_handoff() {
        Excuse::Handoff
    } else {
        Excuse::None
    }
}
