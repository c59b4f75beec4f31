//! The turn as a sequence of calls.

use holdover_wire::response::ResponseView;
use holdover_wire::{AuditRecord, Call, CallBody, Item, ItemKind, Object, Response};
use serde_json::{Value, json};

use crate::config::{AgentConfig, Preset, StateMode};
use crate::flight::{Flight, Reset, Step, TurnKind};
use crate::history::{Entry, entries};
use crate::input;
use crate::open_calls;
use crate::peer::Peer;
use crate::presets::{agents_sdk, dump};
use crate::slip::Slip;
use crate::slips;
use crate::stages::export::{self, Finished};
use crate::stages::receive::{self, Answer, Ending, Failure, Outcome};
use crate::stages::replay::{self, Decided};
use crate::stages::resume;
use crate::stages::{append, build, coalesce, persist, policy, send};
use crate::state::{Instructed, Run, Snapshot, State};
use crate::turn::{Export, Next, Received, Refusal, TurnInput, TurnResult, TurnStatus};
use crate::wires::part::Origin;
use crate::wires::request::{self, Asked};
use crate::wires::responses;
use crate::wires::talk::{self, Foreign};

const RESPONSES: &str = "/v1/responses";
const COMPACT: &str = "/v1/responses/compact";
const CONVERSATIONS: &str = "/v1/conversations";
/// Most items that one call to the items API takes (`tests/facts/endpoints.md`).
const ITEMS_PER_CALL: usize = 20;

/// The client. See the crate's documentation for how it is driven.
#[derive(Debug)]
pub struct Agent {
    config: AgentConfig,
    state: State,
    flight: Flight,
    exports: Vec<Export>,
    audit: Vec<AuditRecord>,
}

impl Agent {
    /// A client that has not begun.
    pub fn new(config: AgentConfig) -> Self {
        let state = State::new(input::configured_policy(&config));
        Self {
            config,
            state,
            flight: Flight::default(),
            exports: Vec::new(),
            audit: Vec::new(),
        }
    }

    /// Begins a turn and gives its first call.
    pub fn start(&mut self, turn: TurnInput) -> Next {
        self.state.turn += 1;
        let TurnInput {
            user,
            tool_outputs,
            effort,
            profile,
        } = turn;
        if let Some(profile) = profile {
            self.config.peer = Peer::named(&profile);
        }
        let kind = match user {
            Some(_) => TurnKind::Begins,
            None => TurnKind::Continues,
        };
        self.flight = Flight {
            kind,
            effort,
            ..Flight::default()
        };
        self.resume_when_due();
        if kind == TurnKind::Begins && self.config.has(Slip::LatestOverwritten) {
            slips::latest_overwritten::apply(&mut self.state);
        }
        self.plan();
        self.flight.new = self.new_entries(user.as_deref(), &tool_outputs);
        if self.flight.new.is_empty() {
            return Next::Done(TurnResult {
                status: TurnStatus::Skipped,
                ..self.view()
            });
        }
        self.next()
    }

    /// Takes the answer to the call that was asked for last.
    pub fn receive(&mut self, received: &Received) -> Next {
        if let Some(next) = self.try_again(received) {
            return next;
        }
        match self.flight.current.take() {
            Some(Step::CreateConversation) => self.conversation_created(received),
            Some(Step::ListItems(_)) => self.items_listed(received),
            Some(Step::Compact) => self.compacted(received),
            Some(Step::Create) => self.created(received),
            Some(Step::SaveItems) => self.items_saved(received),
            // An answer nobody asked for changes nothing.
            Some(Step::TakeIn | Step::Retrieve) | None => {}
        }
        self.next()
    }

    /// Exports since the last call.
    pub fn take_exports(&mut self) -> Vec<Export> {
        std::mem::take(&mut self.exports)
    }

    /// Audit records since the last call: one for each turn that is over.
    pub fn take_audit(&mut self) -> Vec<AuditRecord> {
        std::mem::take(&mut self.audit)
    }

    /// The client's configuration.
    pub fn config(&self) -> &AgentConfig {
        &self.config
    }

    fn resume_when_due(&mut self) {
        if self.config.resume_before != Some(self.state.turn) {
            return;
        }
        let (state, resumed) = resume::rebuilt(&self.state, &self.config);
        self.state = state;
        self.flight.resumed = Some(resumed);
    }

    fn plan(&mut self) {
        let has_session = self.config.uses_conversations_session();
        let has_conversation = has_session || self.config.state == StateMode::Conversation;
        let begins = self.flight.kind == TurnKind::Begins;
        let steps = [
            (
                has_conversation && self.state.conversation.is_none(),
                Step::CreateConversation,
            ),
            (has_session && begins, Step::ListItems(None)),
            (!has_conversation && self.compaction_is_due(), Step::Compact),
            (true, Step::TakeIn),
            (has_session, Step::SaveItems),
            (true, Step::Create),
        ];
        let due = steps.into_iter().filter(|(is_due, _)| *is_due);
        self.flight.steps = due.map(|(_, step)| step).collect();
    }

    /// Once from the configured turn on, but never while calls are open; and again under a new policy, since a
    /// snapshot is bound to the one it was made under (P11).
    fn compaction_is_due(&self) -> bool {
        let is_possible = self.state.open_calls.is_empty() && !self.state.session.is_empty();
        if self.config.has(Slip::CompactEveryTurn) {
            let is_due = slips::compact_every_turn::is_due(self.state.turn, self.config.compact_before);
            return is_possible && is_due;
        }
        let is_due = match (&self.state.compaction, self.config.compact_before) {
            (None, Some(turn)) => self.state.turn >= turn,
            (None, None) => false,
            (Some(snapshot), _) => {
                snapshot.policy != self.state.policy && !self.config.has(Slip::PolicyChangedAfterCompaction)
            }
        };
        is_possible && is_due
    }

    fn new_entries(&mut self, user: Option<&str>, tool_outputs: &[(String, String)]) -> Vec<Entry> {
        let mut new = Vec::new();
        for (key, output) in tool_outputs {
            let call = open_calls::take(&mut self.state.open_calls, key);
            new.extend(call.map(|call| input::tool_output(&self.config, &call, output)));
        }
        new.extend(user.map(|text| input::user(&self.config, text)));
        new
    }

    fn next(&mut self) -> Next {
        while let Some(step) = self.flight.steps.pop_front() {
            if let Some(call) = self.call_of(&step) {
                return Next::Send(self.begin(step, call));
            }
        }
        Next::Done(self.finish())
    }

    fn call_of(&mut self, step: &Step) -> Option<Call> {
        Some(match step {
            Step::CreateConversation => send::post(&self.config, CONVERSATIONS, self.conversation_body()),
            Step::ListItems(after) => {
                let mut query = vec![("order", "asc")];
                query.extend(after.as_deref().map(|id| ("after", id)));
                send::get(&self.config, &self.items_path(), &query)
            }
            Step::Compact => send::post(&self.config, COMPACT, self.compact_body()),
            Step::Retrieve => {
                let response = self.state.response.as_deref()?;
                let path = slips::retrieve_after_store_false::path(response);
                send::get(&self.config, &path, &[])
            }
            Step::TakeIn => {
                self.take_in_new();
                return None;
            }
            Step::Create => self.create_call()?,
            Step::SaveItems => {
                let body = self.items_to_save()?;
                send::post(&self.config, &self.items_path(), body)
            }
        })
    }

    /// The next items that are not saved yet, as many as one call takes.
    fn items_to_save(&mut self) -> Option<Object> {
        let unsaved = &mut self.state.unsaved;
        let items: Vec<Value> = unsaved
            .drain(..unsaved.len().min(ITEMS_PER_CALL))
            .map(Item::into_value)
            .collect();
        if !unsaved.is_empty() {
            self.flight.steps.push_front(Step::SaveItems);
        }
        (!items.is_empty()).then(|| Object::from_iter([("items".to_owned(), Value::Array(items))]))
    }

    fn items_path(&self) -> String {
        let id = self.state.conversation.as_deref().unwrap_or_default();
        format!("{CONVERSATIONS}/{id}/items")
    }

    fn conversation_body(&self) -> Object {
        match self.config.preset {
            Preset::AgentsSdk => Object::from_iter([("items".to_owned(), json!([]))]),
            Preset::Plain | Preset::Meai => Object::new(),
        }
    }

    /// A stored chain is compacted by its last response, anything else by its items. The Agents SDK sends the session
    /// as it is stored.
    fn compact_body(&self) -> Object {
        let mut body = Object::from_iter([("model".to_owned(), Value::from(self.config.model.clone()))]);
        let chained = (self.config.state == StateMode::ServerChain && self.config.stores())
            .then(|| self.state.response.clone())
            .flatten();
        if let Some(id) = chained {
            body.insert("previous_response_id".to_owned(), id.into());
        } else {
            let items = input::converted(&self.state.session, &self.config);
            let items = items.into_iter().map(Item::into_value).collect();
            body.insert("input".to_owned(), Value::Array(items));
        }
        body
    }

    /// `None` where the replay policy stops it.
    fn create_call(&mut self) -> Option<Call> {
        let peer = self.config.peer.as_ref();
        let (mut call, reset) = match self.config.elsewhere() {
            None => {
                let anchor = send::anchor(&self.config, &self.state);
                let items = input::items(&self.config, &self.state, &anchor);
                let reset = reset(&items, peer);
                let items = responses::input(items, peer, self.foreign());
                let effort = self.flight.effort.as_deref();
                let body = build::body(&self.config, &self.state, &anchor, effort, items);
                (send::post(&self.config, RESPONSES, body), reset)
            }
            Some(peer) => {
                let items = input::whole(&self.config, &self.state);
                let asked = self.asked(peer);
                let call = request::call(peer, asked.delivery(), &self.config.session, asked.body(&items));
                (call, reset(&items, Some(peer)))
            }
        };
        let CallBody::Json(Value::Object(mut body)) = call.body else {
            return None;
        };
        if let Some(policy) = &self.config.replay_policy {
            match replay::decided(policy, self.config.peer.as_ref(), &call.path, body) {
                Decided::Send(sent, record) => {
                    body = sent;
                    self.flight.replayed = Some(record);
                }
                Decided::Stop(record) => {
                    self.flight.result.status = TurnStatus::Stopped;
                    self.flight.replayed = Some(record);
                    return None;
                }
            }
        }
        self.flight.reset = reset;
        self.flight.sent = Some(body.clone());
        call.body = CallBody::Json(Value::Object(body));
        Some(call)
    }

    /// What goes back of reasoning that the one who is asked did not issue.
    fn foreign(&self) -> Foreign {
        if self.config.has(Slip::ForeignReasoningSent) {
            return slips::foreign_reasoning_sent::apply();
        }
        Foreign::Dropped
    }

    /// A request on another wire.
    fn asked<'a>(&'a self, peer: &'a Peer) -> Asked<'a> {
        let effort = self.flight.effort.as_deref();
        Asked {
            peer,
            config: &self.config,
            instructions: build::instructions(&self.config, &self.state),
            effort: effort.or(self.config.effort.as_deref()),
            foreign: self.foreign(),
        }
    }

    /// The new input becomes part of the history before it is sent: if the request is refused it stays there.
    fn take_in_new(&mut self) {
        let new = std::mem::take(&mut self.flight.new);
        if input::keeps_run(&self.config) {
            self.take_into_run(&new);
        }
        self.keep_unsaved(&new);
        self.state.session.extend(new);
        self.state.session = persist::stored(std::mem::take(&mut self.state.session), &self.config);
    }

    fn keep_unsaved(&mut self, new: &[Entry]) {
        if self.config.uses_conversations_session() {
            let items = input::converted(new, &self.config);
            self.state.unsaved.extend(agents_sdk::for_conversation(items));
        }
    }

    fn take_into_run(&mut self, new: &[Entry]) {
        let items = input::converted(new, &self.config);
        match self.flight.kind {
            TurnKind::Continues => self.state.run.generated.extend(items),
            TurnKind::Begins => {
                let history = if self.config.uses_conversations_session() {
                    agents_sdk::from_conversation(std::mem::take(&mut self.flight.listed))
                } else {
                    input::converted(&self.state.session, &self.config)
                };
                let (caller, added) = agents_sdk::prepared(history, items, self.state.policy, &self.config);
                self.state.session.extend(entries(added));
                self.state.run = Run {
                    caller,
                    generated: Vec::new(),
                };
            }
        }
    }

    fn conversation_created(&mut self, received: &Received) {
        match receive::object(received) {
            Ok(object) => {
                let id = object.get("id").and_then(Value::as_str);
                self.state.conversation = id.map(str::to_owned);
            }
            Err(refusal) => self.give_up(refusal),
        }
    }

    fn items_listed(&mut self, received: &Received) {
        let page = match receive::object(received) {
            Ok(page) => page,
            Err(refusal) => return self.give_up(refusal),
        };
        let data = page.get("data").and_then(Value::as_array);
        self.flight
            .listed
            .extend(data.into_iter().flatten().filter_map(Item::from_value));
        let last = page.get("last_id").and_then(Value::as_str);
        if page.get("has_more") == Some(&Value::Bool(true)) && last.is_some() {
            self.flight
                .steps
                .push_front(Step::ListItems(last.map(str::to_owned)));
        }
    }

    fn items_saved(&mut self, received: &Received) {
        if let Err(refusal) = receive::object(received) {
            self.flight.result.refusal = Some(refusal);
        }
    }

    /// The output becomes the history; what it replaces is kept (M8). A refused compaction leaves the history alone.
    fn compacted(&mut self, received: &Received) {
        let object = match receive::object(received) {
            Ok(object) => object,
            Err(refusal) => {
                self.flight.result.refusal = Some(refusal);
                return;
            }
        };
        let output: Vec<Item> = ResponseView::new(&object)
            .output()
            .map(|(_, item)| item.to_item())
            .collect();
        let output = match self.config.preset {
            Preset::AgentsSdk => agents_sdk::after_compaction(output.iter().map(dump::item).collect()),
            Preset::Plain | Preset::Meai => output,
        };
        let output = if self.config.has(Slip::CompactionItemParsed) {
            slips::compaction_item_parsed::apply(output)
        } else {
            output
        };
        self.state.compaction = Some(Snapshot {
            policy: self.state.policy,
            replaced: std::mem::replace(&mut self.state.session, entries(output)),
            response: self.state.response.take(),
        });
        self.state.delivered = 0;
        if self.config.has(Slip::PolicyChangedAfterCompaction) {
            self.state.policy = slips::policy_changed_after_compaction::apply(self.state.policy);
        }
    }

    fn created(&mut self, received: &Received) {
        self.flight.request_id = received.header("x-request-id").map(str::to_owned);
        if let Some(answer) = self.cut_answer(received) {
            return self.take_in_answer(answer);
        }
        let result = &mut self.flight.result;
        match receive::answer(received, &self.config) {
            Outcome::Answered(answer) => self.take_in_answer(*answer),
            Outcome::Refused(refusal) => self.give_up(refusal),
            Outcome::Failed(Failure { message, .. }) => {
                result.status = TurnStatus::Failed;
                result.refusal = Some(Refusal {
                    status: received.status,
                    message,
                });
            }
            Outcome::Broken(message) => {
                result.status = TurnStatus::Broken;
                result.refusal = Some(Refusal { status: 0, message });
            }
        }
    }

    fn take_in_answer(&mut self, answer: Answer) {
        self.flight.result.status = match answer.ending {
            Ending::Completed => TurnStatus::Completed,
            Ending::Incomplete => TurnStatus::Incomplete,
        };
        self.flight.result.text = answer.response.view().output_text();
        self.flight.result.has_protected_in_response = answer.has_protected;
        self.remember(&answer.response, &answer.items);
        let kept = append::appended(coalesce::kept(&answer, &self.config), answer.ending, &self.config);
        self.keep_unsaved(&kept);
        if self.config.uses_conversations_session() && self.state.open_calls.is_empty() {
            // A call is saved together with its output, before the next request.
            self.flight.steps.push_back(Step::SaveItems);
        }
        if self.config.has(Slip::RetrieveAfterStoreFalse) {
            self.flight.steps.push_back(Step::Retrieve);
        }
        self.extend_history(kept);
        self.flight.answer = Some(answer);
    }

    fn remember(&mut self, response: &Response, items: &[Item]) {
        self.state.answered += 1;
        self.state.instructed = Instructed::Yes;
        self.state.response = response.view().id().map(str::to_owned);
        self.state
            .open_calls
            .extend(items.iter().filter_map(open_calls::of_item));
        let reasoning = items.iter().rfind(|item| item.kind() == ItemKind::Reasoning);
        if let Some(item) = reasoning {
            self.state.last_reasoning_id = item.id().map(str::to_owned);
        }
    }

    /// The run keeps raw ids; what is saved has gone through the policy, so under `omit` the id is lost from the
    /// store and not only hidden.
    fn extend_history(&mut self, kept: Vec<Entry>) {
        if input::keeps_run(&self.config) {
            let items = input::converted(&kept, &self.config);
            self.state.run.generated.extend(items.clone());
            let saved_policy = agents_sdk::read_policy(self.state.policy, &self.config);
            let saved = policy::applied(items, saved_policy, &self.config);
            self.state.session.extend(entries(saved));
        } else {
            self.state.session.extend(kept);
        }
        self.state.session = persist::stored(std::mem::take(&mut self.state.session), &self.config);
        self.state.delivered = self.state.session.len();
    }

    fn give_up(&mut self, refusal: Refusal) {
        self.flight.result.status = TurnStatus::Refused;
        self.flight.result.refusal = Some(refusal);
        let steps = std::mem::take(&mut self.flight.steps);
        if steps.contains(&Step::TakeIn) {
            self.take_in_new();
        }
    }

    fn finish(&mut self) -> TurnResult {
        let view = self.view();
        let result = std::mem::take(&mut self.flight.result);
        let next_input = input::whole(&self.config, &self.state);
        let finished = Finished {
            config: &self.config,
            state: &self.state,
            sent: self.flight.sent.as_ref(),
            answer: self.flight.answer.as_ref(),
            request_id: self.flight.request_id.as_deref(),
            next_input: &next_input,
            resumed: self.flight.resumed,
            replayed: self.flight.replayed.as_ref(),
            reset: self.flight.reset.as_ref(),
        };
        let exports = export::exports(&finished);
        let audit = export::audit(&finished);
        self.exports.extend(exports);
        self.audit.push(audit);
        TurnResult {
            open_calls: view.open_calls,
            has_protected_in_history: view.has_protected_in_history,
            reasoning_parts: view.reasoning_parts,
            ..result
        }
    }

    /// What the client holds between turns.
    fn view(&self) -> TurnResult {
        TurnResult {
            open_calls: self.state.open_calls.clone(),
            has_protected_in_history: self.state.session.iter().any(Entry::is_protected),
            reasoning_parts: self.state.session.iter().map(Entry::reasoning_parts).sum(),
            ..TurnResult::default()
        }
    }
}

/// What the one who is asked cannot read of the items that would be sent, where there is such reasoning.
fn reset(items: &[Item], peer: Option<&Peer>) -> Option<Reset> {
    let mut from: Vec<&str> = Vec::new();
    let mut left_behind = 0;
    for item in items.iter().filter(|item| talk::is_foreign(item, peer)) {
        let issuer = Origin::of(item).map_or("openai", Origin::profile);
        if !from.contains(&issuer) {
            from.push(issuer);
        }
        left_behind += 1;
    }
    let to = peer.map_or("openai", |peer| peer.endpoint().name.as_str());
    (left_behind > 0).then(|| Reset {
        to: to.to_owned(),
        from: from.into_iter().map(str::to_owned).collect(),
        left_behind,
    })
}

mod recovery;
#[cfg(test)]
mod tests;
