//! From a response to items and groups.

use holdover_wire::Members as _;
use std::collections::BTreeMap;

use holdover_wire::event::Event;
use holdover_wire::item::{ItemKind, ItemView};
use holdover_wire::recording::ResponseRecord;
use holdover_wire::response::ResponseView;
use serde_json::Value;

use super::book::{Issue, Ledger};
use super::item::{GroupIx, ItemIx, NodeIx, Origin, Progress, Stage};

/// What a response taught.
#[derive(Debug, Default)]
pub(crate) struct Learnt {
    /// Groups of the response, in output order.
    pub(crate) groups: Vec<GroupIx>,
    /// Calls that wait for an output of the client.
    pub(crate) open_calls: Vec<ItemIx>,
}

/// Reads the answer of a create or compact exchange into the ledger.
pub(crate) fn learn(ledger: &mut Ledger, node: NodeIx, record: &ResponseRecord, persisted: bool) -> Learnt {
    let mut pupil = Pupil {
        ledger,
        node,
        persisted,
        texts: BTreeMap::new(),
    };
    let events = record.events.as_deref().unwrap_or_default();
    for event in events {
        pupil.take_event(event);
    }
    // What an item says stands in it when it ends; deltas tell of those that never did.
    if pupil.has_unfinished() {
        for event in events {
            pupil.take_delta(event);
        }
    }
    let origin = if record.events.is_some() {
        Origin::Stream
    } else {
        Origin::Json
    };
    if let Some(response) = record.terminal() {
        pupil.take_output(response, origin);
    }
    pupil.close()
}

/// Place of an event's item in the output.
fn slot_of(event: &Event) -> Option<usize> {
    usize::try_from(event.output_index()?).ok()
}

/// Attaches what a `GET` or a list showed to items that are known; unknown ones are no issue of a response.
pub(crate) fn learn_listed(ledger: &mut Ledger, body: &Value) {
    let lists = ["output", "data"].iter().filter_map(|name| body.member(name));
    let objects = lists
        .filter_map(Value::as_array)
        .flatten()
        .filter_map(Value::as_object);
    for view in objects.map(ItemView::new) {
        if let Some(ix) = view.id().and_then(|id| ledger.by_id(id)) {
            ledger.attach_token(ix, view, Stage::Full);
        }
    }
}

struct Pupil<'a> {
    ledger: &'a mut Ledger,
    node: NodeIx,
    persisted: bool,
    /// Text of the deltas, by output index.
    texts: BTreeMap<usize, (ItemIx, String)>,
}

impl Pupil<'_> {
    fn issue(&self, slot: usize, progress: Progress, origin: Origin) -> Issue {
        Issue {
            node: self.node,
            slot,
            progress,
            origin,
            persisted: self.persisted,
        }
    }

    fn take_event(&mut self, event: &Event) {
        let progress = match event.name() {
            "response.output_item.added" => Progress::Begun,
            "response.output_item.done" => Progress::Done,
            _ => return,
        };
        let (Some(slot), Some(view)) = (slot_of(event), event.item()) else {
            return;
        };
        let ix = self
            .ledger
            .issue(view, self.issue(slot, progress, Origin::Stream));
        self.texts.entry(slot).or_insert((ix, String::new()));
    }

    fn has_unfinished(&self) -> bool {
        let mut items = self.texts.values();
        items.any(|(ix, _)| self.ledger.item(*ix).progress == Progress::Begun)
    }

    fn take_delta(&mut self, event: &Event) {
        if event.name() != "response.output_text.delta" {
            return;
        }
        let text = slot_of(event).and_then(|slot| self.texts.get_mut(&slot));
        if let (Some((_, text)), Some(delta)) = (text, event.delta()) {
            text.push_str(delta);
        }
    }

    fn take_output(&mut self, response: ResponseView<'_>, origin: Origin) {
        for (slot, view) in response.output() {
            self.ledger.issue(view, self.issue(slot, Progress::Done, origin));
        }
    }

    fn close(self) -> Learnt {
        for (ix, text) in self.texts.into_values() {
            if self.ledger.item(ix).progress == Progress::Begun && !text.is_empty() {
                self.ledger.stream_text(ix, &text);
            }
        }
        let groups = self.ledger.regroup(self.node);
        let members: Vec<ItemIx> = groups
            .iter()
            .flat_map(|group| self.ledger.group(*group).followers.clone())
            .collect();
        let messages: Vec<ItemIx> = of_kind(self.ledger, &members, |kind| kind == ItemKind::Message);
        if let [first, _, ..] = messages.as_slice() {
            let texts = messages.iter().map(|ix| self.ledger.item(*ix).text.as_str());
            let joined: String = texts.collect();
            self.ledger.index_joined(&joined, *first);
        }
        let open_calls = of_kind(self.ledger, &members, ItemKind::is_client_call);
        Learnt { groups, open_calls }
    }
}

fn of_kind(ledger: &Ledger, members: &[ItemIx], fits: impl Fn(ItemKind) -> bool) -> Vec<ItemIx> {
    let fitting = members.iter().filter(|ix| fits(ledger.item(**ix).kind));
    fitting.copied().collect()
}
