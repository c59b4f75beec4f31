//! All checks of one request, and what is entered into the books afterwards.

use std::sync::Arc;

use holdover_wire::item::ItemKind;
use holdover_wire::recording::{End, Exchange};
use holdover_wire::response::ResponseView;

use crate::board::{Board, Site, Trust};
use crate::draft::Draft;
use crate::hash::Hash;
use crate::ledger::{GroupIx, NodeIx, learn};
use crate::lineage::{Before, Ending, Endpoint, Mode, Node, Strength};
use crate::refused::{Explained, explains};
use crate::rules::{self, carry::history_absent};
use crate::sighting::{Gone, Sighting, sightings};
use crate::tally::Tally;
use crate::turn::{Turn, any_response, output_hash, tools_key};
use crate::verdict::Inconclusive;
use crate::world::World;

/// What later requests showed of one group.
struct Seen {
    group: GroupIx,
    fate: Shown,
}

/// What one request showed of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// Its reasoning was carried whole by the client.
    Intact,
    /// Its reasoning was carried in some form, or the server holds it.
    Carried,
    /// Its reasoning is gone and that is a loss.
    Lost,
    /// It is gone as a whole, from the front or behind a compaction.
    Gone,
}

/// What one request showed, free of what it was read from.
pub(crate) struct Survey {
    drafts: Vec<Draft>,
    pub(crate) explained: Explained,
    pub(crate) inconclusive: Vec<Inconclusive>,
    seen: Vec<Seen>,
    node: Node,
    parent: Option<NodeIx>,
    repeats: Option<NodeIx>,
    trust: Trust,
    client: crate::Client,
    conversation_id: Option<String>,
    keys: Vec<String>,
    texts: Vec<Hash>,
    outputs: Vec<(String, Hash)>,
    calls: Vec<String>,
    user: Option<Hash>,
    is_retry: bool,
    effort_is_none: bool,
}

/// Runs all checks of one request.
pub(crate) fn take(turn: &Turn<'_>) -> Survey {
    let sights = if turn.mode.is_server_side() {
        Vec::new()
    } else {
        sightings(turn)
    };
    let mut drafts = Vec::new();
    for sight in sights.iter().filter(|sight| !is_old_loss(sight)) {
        drafts.extend(rules::GROUP_CHECKS.iter().filter_map(|check| check(sight)));
    }
    drafts.extend(rules::TURN_CHECKS.iter().flat_map(|check| check(turn)));
    drafts.extend(history_absent::check(turn, &sights));
    let explained = explained(turn, &drafts, &sights);
    let (drafts, withheld) = rules::withhold(drafts, turn);
    let mut inconclusive = gaps(turn);
    inconclusive.extend(withheld);
    Survey {
        drafts,
        explained,
        inconclusive,
        seen: fates(turn, &sights),
        node: node(turn, &sights),
        parent: turn.link.parent,
        repeats: turn.repeats,
        trust: match turn.link.strength {
            _ if turn.may_be_side_call() => Trust::MayBeSideCall,
            Strength::Words => Trust::Words,
            Strength::None | Strength::Anchor | Strength::Items => Trust::Firm,
        },
        client: turn.client,
        conversation_id: turn.body.conversation().map(str::to_owned),
        keys: history_absent::keys(turn),
        texts: turn.fresh.iter().map(|fresh| fresh.hash).collect(),
        outputs: outputs(turn),
        calls: calls(turn),
        user: turn.user_hash(),
        is_retry: is_retry(turn),
        effort_is_none: turn.body.effort() == Some("none"),
    }
}

/// Whether what was found here, or was told of these groups before, says why the request was refused.
fn explained(turn: &Turn<'_>, drafts: &[Draft], sights: &[Sighting<'_>]) -> Explained {
    if sights.iter().any(is_old_loss) {
        return Explained::Yes;
    }
    let found = drafts.iter().map(|draft| (draft.rule.name, draft.severity));
    explains(found, turn.refusal.as_ref())
}

/// A loss that was told before and has not changed.
fn is_old_loss(sight: &Sighting<'_>) -> bool {
    sight.group.fate.lost && sight.carried.is_none()
}

fn fates(turn: &Turn<'_>, sights: &[Sighting<'_>]) -> Vec<Seen> {
    if turn.mode.is_server_side() {
        let held = turn.ending != Ending::Refused;
        let groups = turn.expected.iter().filter(|_| held);
        return groups
            .map(|group| Seen {
                group: *group,
                fate: Shown::Carried,
            })
            .collect();
    }
    let seen = sights.iter().map(|sight| Seen {
        group: sight.ix,
        fate: shown(sight),
    });
    seen.collect()
}

fn shown(sight: &Sighting<'_>) -> Shown {
    if sight.carried.is_some() && sight.token_verifies() {
        Shown::Intact
    } else if sight.carried.is_some() {
        Shown::Carried
    } else if sight.lost_head().is_some() || matches!(sight.gone, Gone::Middle | Gone::Answer) {
        Shown::Lost
    } else {
        Shown::Gone
    }
}

fn outputs(turn: &Turn<'_>) -> Vec<(String, Hash)> {
    let outputs = turn.input.iter().filter(|sent| sent.kind.is_client_output());
    outputs
        .filter_map(|sent| Some((sent.view.call_id()?.to_owned(), output_hash(sent.view))))
        .collect()
}

fn calls(turn: &Turn<'_>) -> Vec<String> {
    let calls = turn
        .input
        .iter()
        .filter(|sent| sent.kind.is_client_call() && turn.mode == Mode::Root);
    calls
        .filter_map(|sent| sent.view.call_id())
        .map(str::to_owned)
        .collect()
}

/// Whether an exchange and the one before with the same body are one exchange retried.
fn is_retry(turn: &Turn<'_>) -> bool {
    let counted = turn
        .exchange
        .request
        .header("x-stainless-retry-count")
        .is_some_and(|count| count != "0");
    let unanswered = turn
        .repeats
        .is_some_and(|ix| !turn.world.lineages.node(ix).ending.counts());
    counted || unanswered
}

/// What cannot be judged for want of evidence.
fn gaps(turn: &Turn<'_>) -> Vec<Inconclusive> {
    let gap = |what: String, missing: &str| Inconclusive {
        what,
        missing: missing.to_owned(),
        exchange: Some(turn.number),
    };
    let mut gaps = Vec::new();
    let strangers = turn
        .input
        .iter()
        .filter(|sent| sent.kind == ItemKind::Reasoning && sent.found.is_none())
        .count();
    if strangers > 0 && turn.ending != Ending::Refused {
        gaps.push(gap(
            format!("{strangers} reasoning items in the input that no response here issued"),
            "the exchanges that issued them",
        ));
    }
    let anchor = turn.body.previous_response_id();
    if anchor.is_some_and(|id| turn.world.lineages.by_response(id).is_none())
        && turn.ending != Ending::Refused
    {
        gaps.push(gap(
            "what the server holds behind `previous_response_id`".to_owned(),
            "the exchange that made that response",
        ));
    }
    if turn.ending == Ending::Missing {
        gaps.push(gap("what this exchange issued".to_owned(), "its response"));
    }
    gaps
}

fn node(turn: &Turn<'_>, sights: &[Sighting<'_>]) -> Node {
    let parent = turn.parent();
    let response = turn.exchange.response.as_ref().and_then(any_response);
    let is_compact = turn.endpoint == Endpoint::Compact;
    let kept = |own: Option<Arc<str>>| own.or_else(|| parent.filter(|_| is_compact)?.instructions.clone());
    let has_system_message = turn
        .input
        .iter()
        .any(|sent| matches!(sent.view.role(), Some("system" | "developer")));
    let carried = sights
        .iter()
        .filter(|sight| sight.gone == Gone::No)
        .map(|sight| sight.ix);
    Node {
        exchange: turn.number,
        at_ms: turn.exchange.at_ms,
        lineage: 0,
        parent: turn.link.parent,
        mode: turn.mode,
        transport: turn.exchange.transport,
        endpoint: turn.endpoint,
        model: turn.body.model().map(str::to_owned),
        stored: response
            .and_then(ResponseView::store)
            .unwrap_or_else(|| turn.body.store())
            && !is_compact,
        asked_for_tokens: turn.asks_for_tokens(),
        instructions: kept(turn.body.instructions().map(Arc::from)),
        tools: tools_key(turn.body).or_else(|| parent.filter(|_| is_compact)?.tools),
        has_system_message: has_system_message
            || (turn.mode.is_server_side() && parent.is_some_and(|node| node.has_system_message)),
        context: turn.context,
        live: if is_compact { Vec::new() } else { carried.collect() },
        inherits: turn
            .link
            .parent
            .filter(|_| turn.mode.is_server_side() && !is_compact),
        chain: turn.whole_chain,
        said: turn.said(),
        body: turn.body_hash,
        response_id: response.and_then(ResponseView::id).map(str::to_owned),
        ending: turn.ending,
        end: turn
            .exchange
            .response
            .as_ref()
            .map_or(End::Complete, |record| record.end),
        before: if sights.iter().any(|sight| sight.gone == Gone::Answer) {
            Before::AnswerGone
        } else {
            Before::Carried
        },
        refusal: turn.refusal.clone(),
        refused_after: Vec::new(),
        refused_user: None,
        open_calls: Vec::new(),
        completed_at: response.and_then(ResponseView::completed_at),
        sends: turn
            .repeats
            .map_or(1, |ix| turn.world.lineages.node(ix).sends + 1),
    }
}

impl Survey {
    /// Puts up the findings, learns the answer, adds the node.
    pub(crate) fn enter(
        mut self,
        exchange: &Exchange,
        world: &mut World,
        board: &mut Board,
        tally: &mut Tally,
    ) {
        let ix = world.lineages.next();
        self.node.lineage = self.lineage(world);
        board.continued(self.node.lineage, self.parent);
        for seen in &self.seen {
            let fate = &mut world.ledger.group_mut(seen.group).fate;
            fate.judged = true;
            match seen.fate {
                Shown::Intact | Shown::Carried => {
                    fate.carried = true;
                    fate.lost = false;
                }
                Shown::Lost => fate.lost = true,
                Shown::Gone => {}
            }
            if seen.fate == Shown::Intact {
                board.intact(seen.group);
            }
        }
        let site = Site {
            node: ix,
            exchange: self.node.exchange,
            lineage: self.node.lineage,
            client: self.client,
            trust: self.trust,
        };
        let refusal = self.node.refusal.as_ref().map(|refusal| refusal.message.as_str());
        board.put(std::mem::take(&mut self.drafts), site, refusal);
        self.learn(ix, exchange, world, tally);
        self.count(tally);
        self.remember(world);
        world
            .lineages
            .push(self.node, self.conversation_id.as_deref(), &self.keys);
    }

    fn lineage(&self, world: &mut World) -> u32 {
        let known = self.parent.or(self.repeats);
        match known {
            Some(node) => world.lineages.node(node).lineage,
            None => world.lineages.open(),
        }
    }

    fn learn(&mut self, ix: NodeIx, exchange: &Exchange, world: &mut World, tally: &mut Tally) {
        let Some(record) = &exchange.response else { return };
        if let (Some(refusal), Endpoint::Create) = (&self.node.refusal, self.node.endpoint) {
            world
                .lineages
                .refused(self.parent, self.node.lineage, refusal, self.user);
        }
        if self.node.ending == Ending::Refused {
            return;
        }
        let learnt = learn(&mut world.ledger, ix, record, self.node.stored);
        if !self.node.ending.counts() {
            return;
        }
        tally.issued(&world.ledger, &learnt.groups);
        self.node.issue(learnt, &world.ledger);
    }

    fn count(&self, tally: &mut Tally) {
        if self.node.endpoint != Endpoint::Create {
            return;
        }
        tally.creates += 1;
        tally.turns += u32::from(!self.is_retry);
        tally.turns_without_effort += u32::from(self.effort_is_none);
    }

    fn remember(&mut self, world: &mut World) {
        world.seen_texts.extend(self.texts.drain(..));
        if let Some(conversation) = world.lineages.conversation_mut(self.node.lineage) {
            conversation.outputs.extend(self.outputs.drain(..));
            conversation.brought_calls.extend(self.calls.drain(..));
        }
    }
}
