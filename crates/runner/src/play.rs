//! Plays one case in this process: the agent, the fake and the judge, with the same bytes that a socket would carry.

use holdover_agent::{Agent, Next, Received, TurnInput, TurnResult, TurnStatus};
use holdover_fake::{Answer, Carried, ConnectionMemory, Prepared, Script, Session, Writes};
use holdover_fault::{Before, Chance, Delivery, Faults, Occasion, Said, Turn};
use holdover_judge::{Export, Judge, PatternError, Verdict};
use holdover_report::ClientView;
use holdover_wire::recording::{Header, Kept, RequestRecord, ResponseRecord, kept_headers};
use holdover_wire::{AuditRecord, Call, CallBody, Exchange, Method, PlanBody, Recording, ServerId};
use serde_json::Value;

use crate::lower::{Setup, Way};
use crate::pasted::Issued;

mod socket;

/// The lane of a client that names none.
const DEFAULT_LANE: &str = "";

/// A turn that needs more calls than this goes round in circles.
const CALLS_PER_TURN_MAX: usize = 64;

/// What came of a case.
#[derive(Clone, Debug)]
pub struct Played {
    /// The exchanges.
    pub recording: Recording,
    /// What the judge says.
    pub verdict: Verdict,
    /// The client's audit records.
    pub audit: Vec<AuditRecord>,
    /// The client's own view after its last turn.
    pub client: ClientView,
    /// What the client let out.
    pub exports: Vec<Export>,
    /// How each turn ended, with the exchange that ended it.
    pub turns: Vec<PlayedTurn>,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedTurn {
    /// The client's own result.
    pub result: TurnResult,
    /// The last exchange of the turn; `None` when it sent nothing.
    pub exchange: Option<u64>,
}

/// Plays a session to its end.
pub fn play(setup: &Setup) -> Result<Played, PatternError> {
    let mut stage = Stage::new(setup)?;
    if !setup.pasted.is_empty() {
        return Ok(stage.play_pasted());
    }
    let mut agent = Agent::new(setup.agent.clone());
    let mut turns = Vec::new();
    for (number, input) in (1..).zip(&setup.turns) {
        turns.push(stage.turn(&mut agent, number, input));
    }
    let exports = agent.take_exports().into_iter().map(|export| Export {
        file: export.file,
        text: export.text,
    });
    let exports: Vec<Export> = exports.collect();
    let audit = agent.take_audit();
    for export in &exports {
        stage.judge.observe_export(export);
    }
    for record in &audit {
        stage.judge.observe_audit(record);
    }
    Ok(Played {
        verdict: stage.judge.finish(),
        recording: stage.recording,
        client: view(&turns),
        audit,
        exports,
        turns,
    })
}

struct Stage<'a> {
    setup: &'a Setup,
    session: Session,
    faults: Faults,
    judge: Judge,
    recording: Recording,
    /// What the WebSocket of the session remembers.
    connection: ConnectionMemory,
}

impl<'a> Stage<'a> {
    fn new(setup: &'a Setup) -> Result<Self, PatternError> {
        let mut session = Session::new(setup.fake.clone());
        session.script(setup.script.clone());
        let header = Header {
            seed: setup.fake.seed,
            profile: setup.fake.profile.name.clone(),
            session: setup.agent.session.clone(),
            ..Header::default()
        };
        let recording = Recording {
            header,
            exchanges: Vec::new(),
        };
        let chance = Chance::new(setup.fake.seed, &setup.fake.world);
        Ok(Self {
            setup,
            session,
            faults: Faults::new(setup.faults.clone(), chance),
            judge: Judge::new(setup.judge.clone())?,
            recording,
            connection: ConnectionMemory::default(),
        })
    }

    fn turn(&mut self, agent: &mut Agent, number: usize, input: &TurnInput) -> PlayedTurn {
        let played = self.calls(agent, number, input);
        if let Some(left) = self.setup.script_after.get(number - 1) {
            self.session.skip_to(*left);
        }
        played
    }

    fn calls(&mut self, agent: &mut Agent, number: usize, input: &TurnInput) -> PlayedTurn {
        let before = self.recording.exchanges.len();
        let mut next = agent.start(input.clone());
        for _ in 0..CALLS_PER_TURN_MAX {
            let done = self.recording.exchanges.len();
            let exchange = (done > before).then_some(done as u64);
            match next {
                Next::Done(result) => return PlayedTurn { result, exchange },
                Next::Send(call) => next = agent.receive(&self.exchange(number, 0, call)),
                Next::SendAfter { wait_ms, call } => {
                    next = agent.receive(&self.exchange(number, wait_ms, call));
                }
            }
        }
        PlayedTurn {
            result: TurnResult::default(),
            exchange: Some(self.recording.exchanges.len() as u64),
        }
    }

    fn exchange(&mut self, turn: usize, wait_ms: u64, call: Call) -> Received {
        let way = self.way_of(&call);
        let answer = if self.faults.is_empty() {
            self.answer_whole(&call)
        } else {
            self.answer_faulty(turn, &call)
        };
        let received = Received {
            status: answer.plan.status,
            headers: answer.plan.headers.clone(),
            body: answer.plan.body.bytes(),
            end: answer.plan.end,
        };
        let earliest_ms = self
            .recording
            .exchanges
            .last()
            .map_or(0, |exchange| exchange.at_ms.saturating_add(wait_ms));
        let number = self.recording.exchanges.len() as u64 + 1;
        let exchange = record(number, earliest_ms, call, answer, way);
        self.judge.observe(&exchange);
        self.recording.exchanges.push(exchange);
        received
    }
}

impl Stage<'_> {
    /// How a call travels: only create calls are frames.
    fn way_of(&self, call: &Call) -> Way {
        match self.setup.way {
            Way::Socket if call.method == Method::Post && call.path == "/v1/responses" => Way::Socket,
            Way::Socket | Way::Http => Way::Http,
        }
    }

    fn begin(&mut self, call: &Call) -> Prepared {
        let prepared = self.session.begin(call);
        match self.way_of(call) {
            Way::Socket => prepared.on(&self.connection),
            Way::Http => prepared,
        }
    }

    fn commit(&mut self, writes: Writes) {
        self.connection.keep(&writes, DEFAULT_LANE);
        self.session.commit(writes);
    }

    fn answer_whole(&mut self, call: &Call) -> Answer {
        let prepared = self.begin(call);
        let mut answer = prepared.answer(call);
        drop(prepared);
        self.commit(std::mem::take(&mut answer.writes));
        answer
    }

    /// Sends the pasted requests, one a turn.
    fn play_pasted(mut self) -> Played {
        let setup = self.setup;
        let mut issued = Issued::default();
        let mut turns = Vec::new();
        for (number, request) in (1..).zip(&setup.pasted) {
            self.exchange(number, 0, issued.call(request));
            if let Some(left) = setup.script_after.get(number - 1) {
                self.session.skip_to(*left);
            }
            let exchange = self.recording.exchanges.last();
            if let Some(exchange) = exchange {
                issued.learn(exchange);
            }
            turns.push(PlayedTurn {
                result: TurnResult {
                    status: exchange.map_or(TurnStatus::Skipped, status_of),
                    ..TurnResult::default()
                },
                exchange: exchange.map(|exchange| exchange.exchange),
            });
        }
        Played {
            verdict: self.judge.finish(),
            recording: self.recording,
            client: ClientView::default(),
            audit: Vec::new(),
            exports: Vec::new(),
            turns,
        }
    }

    /// The same steps as over a socket: the faults, the fake, the faults again.
    fn answer_faulty(&mut self, turn: usize, call: &Call) -> Answer {
        let occasion = Occasion {
            turn: Turn::Known(turn as u64),
            ..Occasion::new(self.recording.exchanges.len() as u64 + 1, call)
        };
        let Before { refusal, mut ticket } = self.faults.before(&occasion);
        if let Some(refusal) = refusal {
            return Answer {
                plan: self.faults.rewrite(&occasion, ticket, refusal).plan,
                writes: Writes::default(),
                carried: Carried::default(),
            };
        }
        let mut prepared = self.begin(call);
        match self.faults.reply(&occasion, &mut ticket, prepared.reply()) {
            Said::Scripted => {}
            Said::Changed(reply) => prepared.say(reply, Script::GoesOn),
            Said::Instead(reply) => prepared.say(reply, Script::Waits),
        }
        let Answer {
            plan,
            writes,
            carried,
        } = prepared.answer(call);
        let played = self.faults.rewrite(&occasion, ticket, plan);
        let writes = match played.delivery {
            Delivery::Whole => writes,
            Delivery::Lost => prepared.lost(),
        };
        drop(prepared);
        self.commit(writes);
        Answer {
            plan: played.plan,
            writes: Writes::default(),
            carried,
        }
    }
}

/// How a turn ended for a client that looks at nothing but its last answer.
fn status_of(exchange: &Exchange) -> TurnStatus {
    let Some(response) = &exchange.response else {
        return TurnStatus::Broken;
    };
    if response.status >= 400 {
        return TurnStatus::Refused;
    }
    match response
        .terminal()
        .and_then(holdover_wire::response::ResponseView::status)
    {
        Some("completed") => TurnStatus::Completed,
        Some("incomplete") => TurnStatus::Incomplete,
        Some("failed") => TurnStatus::Failed,
        // Answers of other endpoints have no status.
        None if response.body.is_some() => TurnStatus::Completed,
        _ => TurnStatus::Broken,
    }
}

/// The exchange of a call and its answer. Its time is a second for each tick of the response's id, and never before
/// `earliest_ms`: the exchange before it, and what the client waited since.
fn record(number: u64, earliest_ms: u64, call: Call, answer: Answer, way: Way) -> Exchange {
    let headers = answer
        .plan
        .headers
        .into_iter()
        .map(|(name, value)| (name, Value::String(value)))
        .collect();
    let kept = match (way, answer.plan.body) {
        (Way::Http, PlanBody::Json(value)) => Kept::document(value),
        (Way::Http, PlanBody::Stream(steps)) => {
            let left = steps.len();
            Kept::steps(steps, left)
        }
        (Way::Socket, PlanBody::Stream(steps)) => {
            let left = steps.len();
            Kept::frames(steps, left)
        }
        (Way::Socket, PlanBody::Json(value)) => socket::refusal(answer.plan.status, value.into_value()),
        (_, PlanBody::Nothing) => Kept::default(),
    };
    let response = ResponseRecord {
        status: answer.plan.status,
        headers,
        body: kept.body,
        events: kept.events,
        end: answer.plan.end,
    };
    let id = response
        .terminal()
        .and_then(holdover_wire::response::ResponseView::id)
        .and_then(ServerId::parse);
    let tick = id.and_then(|id| id.tick());
    let at_ms = tick.map_or(earliest_ms, |tick| earliest_ms.max(tick * 1000));
    let body = match call.body {
        CallBody::Empty => Value::Null,
        CallBody::Json(value) => match way {
            Way::Http => value,
            Way::Socket => socket::frame(value),
        },
        CallBody::Invalid(text) => Value::String(text),
    };
    let request = RequestRecord {
        method: call.method.as_str().to_owned(),
        path: call.path,
        headers: kept_headers(&call.headers),
        body,
    };
    Exchange {
        exchange: number,
        transport: kept.transport,
        at_ms,
        request,
        response: Some(response),
    }
}

/// The client's view: whether any response before the last brought protected data, and what its history held then.
fn view(turns: &[PlayedTurn]) -> ClientView {
    let before_last = turns.split_last().map_or(&[][..], |(_, before)| before);
    let last = before_last.last().or(turns.last()).map(|turn| &turn.result);
    ClientView {
        has_protected_in_response: Some(
            before_last
                .iter()
                .any(|turn| turn.result.has_protected_in_response),
        ),
        has_protected_in_history: last.map(|result| result.has_protected_in_history),
        reasoning_parts: last.map(|result| result.reasoning_parts),
    }
}
