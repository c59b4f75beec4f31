//! The faults of one session: when each is due, how often it happened, and in which order they act.

use holdover_wire::{ApiError, Call, CreateRequest, End, Evidence, Method, Plan, PlanBody, Reply, Transport};

use crate::card::{Acted, Decides, Framing, Lasts};
use crate::chance::{Chance, Dice};
use crate::clash::{Clash, clashes};
use crate::edit::steps;
use crate::fault::Fault;
use crate::memory::{Mark, Memory};
use crate::model_name;
use crate::problem::{FaultProblem, Part};
use crate::scene::{Begun, Scene};
use crate::trigger::{Counts, Limit};

/// Different model names with faults that one session remembers.
const NAMES_MAX: usize = 64;

/// The call that is to be answered.
#[derive(Clone, Copy, Debug)]
pub struct Occasion<'a> {
    /// Number of the exchange within its session, from 1.
    pub exchange: u64,
    /// The turn of the scenario.
    pub turn: Turn,
    /// How the answer travels, where that is more than the request says.
    pub transport: Option<Transport>,
    /// Faults in the name of the model, as [`model_name::take`] took them.
    pub named: Option<&'a str>,
    /// The call.
    pub call: &'a Call,
}

/// Which turn a call belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The shell knows.
    Known(u64),
    /// One more than the create calls whose answer arrived whole.
    Counted,
}

impl<'a> Occasion<'a> {
    /// A call over HTTP without faults in its model's name.
    pub fn new(exchange: u64, call: &'a Call) -> Self {
        Self {
            exchange,
            turn: Turn::Counted,
            transport: None,
            named: None,
            call,
        }
    }

    pub(crate) fn is_create(&self) -> bool {
        self.call.method == Method::Post && self.call.path == "/v1/responses"
    }

    pub(crate) fn request(&self) -> Option<CreateRequest<'a>> {
        self.call.body.object().map(CreateRequest::new)
    }

    pub(crate) fn model(&self) -> Option<&'a str> {
        self.request()?.model()
    }

    pub(crate) fn has_header(&self, name: &str, value: Option<&str>) -> bool {
        let mut headers = self.call.headers.iter();
        headers.any(|(key, given)| key == name && value.is_none_or(|value| value == given))
    }

    fn key(&self) -> Option<Mark> {
        let key = self
            .call
            .header("authorization")
            .or(self.call.header("api-key"))?;
        Some(Mark::of(key.as_bytes()))
    }

    fn body(&self) -> Mark {
        let body = self.call.body.object();
        Mark::of(
            &body
                .and_then(|body| serde_json::to_vec(body).ok())
                .unwrap_or_default(),
        )
    }
}

/// What is decided before the fake is asked.
#[derive(Debug)]
pub struct Before {
    /// The answer instead of the fake's: the fake is not asked, no reply of the script is taken and nothing is kept.
    pub refusal: Option<Plan>,
    /// To hand in again with the plan.
    pub ticket: Ticket,
}

/// Which faults are due for one exchange.
#[derive(Debug, Default)]
pub struct Ticket {
    due: Vec<Due>,
    acted: Vec<usize>,
    /// A fault has decided how the answer ends.
    ended: bool,
    framed: Framed,
}

/// Whether the answer comes in the frames of an AWS event stream, whatever a fault makes of its headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Framed {
    #[default]
    No,
    Yes,
}

#[derive(Debug)]
struct Due {
    index: usize,
    begun: Begun,
    dice: Dice,
}

/// What the model says.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// What the script says.
    Scripted,
    /// The script's reply, changed: it counts as said.
    Changed(Reply),
    /// Something else: the script's reply waits for the next call.
    Instead(Reply),
}

/// A plan after all faults.
#[derive(Debug)]
pub struct Played {
    /// What is sent.
    pub plan: Plan,
    /// Whether the client gets a whole answer.
    pub delivery: Delivery,
    /// Names of the faults that acted, in order.
    pub acted: Vec<&'static str>,
}

/// Whether the client gets a whole answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// As far as faults are concerned, yes: what the fake wrote is kept.
    Whole,
    /// A fault kept it from arriving: nothing is kept, as when a client hangs up, and the script's reply is said again.
    Lost,
}

/// One fault with how often it happened.
#[derive(Debug)]
struct Planted {
    fault: Fault,
    /// The model name that carries it; `None` for the whole session.
    name: Option<String>,
    /// How often its conditions held.
    held: u64,
    /// How often it acted.
    happened: u64,
    begun: Option<Begun>,
    /// The body that it hit first.
    hit: Option<Mark>,
    recovered: bool,
}

impl Planted {
    fn new(fault: Fault, name: Option<String>) -> Self {
        Self {
            fault,
            name,
            held: 0,
            happened: 0,
            begun: None,
            hit: None,
            recovered: false,
        }
    }

    fn is_over(&self) -> bool {
        match self.fault.trigger.limit {
            Limit::Always => false,
            Limit::Times(times) => self.happened >= times,
            Limit::Recovered => self.recovered,
        }
    }

    fn happens(&mut self, occasion: &Occasion<'_>) {
        self.happened += 1;
        if self.fault.trigger.limit == Limit::Recovered && self.hit.is_none() {
            self.hit = Some(occasion.body());
        }
    }

    /// A client that sends something else than what was hit has recovered.
    fn watch(&mut self, occasion: &Occasion<'_>) {
        if let Some(hit) = self.hit
            && occasion.is_create()
            && occasion.body() != hit
        {
            self.recovered = true;
        }
    }
}

/// The faults of one session. Equal calls in equal order give equal plans.
#[derive(Debug)]
pub struct Faults {
    planted: Vec<Planted>,
    names: Vec<String>,
    chance: Chance,
    memory: Memory,
}

impl Faults {
    /// The faults of a session, in declared order.
    pub fn new(faults: Vec<Fault>, chance: Chance) -> Self {
        Self {
            planted: faults
                .into_iter()
                .map(|fault| Planted::new(fault, None))
                .collect(),
            names: Vec::new(),
            chance,
            memory: Memory::default(),
        }
    }

    /// Whether nothing is planted.
    pub fn is_empty(&self) -> bool {
        self.planted.is_empty()
    }

    /// Decides what must be known before the fake is asked. To be called once for each call.
    pub fn before(&mut self, occasion: &Occasion<'_>) -> Before {
        if occasion.is_create() {
            self.memory.calls += 1;
        }
        let mut before = Before {
            refusal: self.plant_named(occasion),
            ticket: Ticket::default(),
        };
        if before.refusal.is_some() {
            return before;
        }
        let turn = match occasion.turn {
            Turn::Known(turn) => turn,
            Turn::Counted => self.memory.answered + 1,
        };
        for index in 0..self.planted.len() {
            if let Some(due) = self.due(index, occasion, turn) {
                self.try_to_refuse(occasion, due, &mut before);
            }
        }
        self.memory.key = occasion.key().or(self.memory.key);
        before
    }

    /// Plants the faults of a model name when it comes for the first time; the answer where they are wrong.
    fn plant_named(&mut self, occasion: &Occasion<'_>) -> Option<Plan> {
        let name = occasion.named?;
        if self.names.iter().any(|known| known == name) {
            return None;
        }
        if self.names.len() >= NAMES_MAX {
            return Some(refusal_of_name(
                name,
                "this session has seen too many model names with faults",
            ));
        }
        let faults: Result<Vec<Fault>, _> = model_name::flags(name).map(Fault::parse_flag).collect();
        let faults = faults.and_then(|faults| match clashes(&faults).into_iter().next() {
            Some(Clash { message, help, .. }) => Err(vec![FaultProblem::new(Part::Name, message, help)]),
            None => Ok(faults),
        });
        match faults {
            Ok(faults) => {
                let planted = faults
                    .into_iter()
                    .map(|fault| Planted::new(fault, Some(name.to_owned())));
                self.planted.extend(planted);
                self.names.push(name.to_owned());
                None
            }
            Err(problems) => {
                let texts: Vec<String> = problems.iter().map(FaultProblem::text).collect();
                Some(refusal_of_name(name, &texts.join("; ")))
            }
        }
    }

    fn due(&mut self, index: usize, occasion: &Occasion<'_>, turn: u64) -> Option<Due> {
        let mut dice = self.chance.dice(index, occasion.exchange);
        let planted = &mut self.planted[index];
        if planted
            .name
            .as_deref()
            .is_some_and(|name| occasion.named != Some(name))
        {
            return None;
        }
        planted.watch(occasion);
        if planted.is_over() {
            return None;
        }
        let now = Begun {
            call: self.memory.calls,
            key: self.memory.key.or(occasion.key()),
            exchange: occasion.exchange,
        };
        if let Some(begun) = planted.begun {
            return Some(Due { index, begun, dice });
        }
        let trigger = &planted.fault.trigger;
        let counts = Counts {
            turn,
            call: self.memory.calls,
            nth: planted.held + 1,
        };
        if !trigger.holds(occasion, counts) {
            return None;
        }
        planted.held += 1;
        let by_chance = trigger.probability.is_none_or(|chance| dice.fraction() < chance);
        if !trigger.is_nth(counts) || !by_chance {
            return None;
        }
        if planted.fault.card.lasts == Lasts::FromThenOn {
            planted.begun = Some(now);
        }
        Some(Due {
            index,
            begun: now,
            dice,
        })
    }

    fn try_to_refuse(&mut self, occasion: &Occasion<'_>, due: Due, before: &mut Before) {
        let planted = &mut self.planted[due.index];
        let refuse = planted.fault.card.act.refuse.filter(|_| before.refusal.is_none());
        let mut scene = Scene {
            fault: &planted.fault,
            occasion,
            memory: &self.memory,
            begun: due.begun,
            dice: due.dice.clone(),
        };
        before.refusal = before.refusal.take().or_else(|| refuse?.of(&mut scene));
        if refuse.is_some() && before.refusal.is_some() {
            planted.happens(occasion);
            before.ticket.acted.push(due.index);
        }
        before.ticket.due.push(due);
    }

    /// What the model says instead of `scripted`. To be called at most once for each call, if nothing refused.
    pub fn reply(&mut self, occasion: &Occasion<'_>, ticket: &mut Ticket, scripted: Option<&Reply>) -> Said {
        let mut said = Said::Scripted;
        for due in &ticket.due {
            let planted = &mut self.planted[due.index];
            let Some(say) = planted.fault.card.act.say.filter(|_| occasion.is_create()) else {
                continue;
            };
            let mut scene = Scene {
                fault: &planted.fault,
                occasion,
                memory: &self.memory,
                begun: due.begun,
                dice: due.dice.clone(),
            };
            let before = match &said {
                Said::Scripted => scripted,
                Said::Changed(reply) | Said::Instead(reply) => Some(reply),
            };
            said = match (&said, say(&mut scene, before)) {
                (_, Said::Scripted) => said,
                (Said::Instead(_), Said::Changed(reply)) => Said::Instead(reply),
                (_, changed) => changed,
            };
            if said != Said::Scripted && !ticket.acted.contains(&due.index) {
                planted.happens(occasion);
                ticket.acted.push(due.index);
            }
        }
        said
    }

    /// Rewrites what was going to be sent. To be called once for each call.
    pub fn rewrite(&mut self, occasion: &Occasion<'_>, mut ticket: Ticket, mut plan: Plan) -> Played {
        let answers = occasion.is_create() && plan.status == 200;
        if steps::is_framed(&plan) {
            ticket.framed = Framed::Yes;
        }
        for due in std::mem::take(&mut ticket.due) {
            let index = due.index;
            if self.rewrite_once(occasion, due, &ticket, &mut plan) == Acted::No {
                continue;
            }
            ticket.ended |= self.planted[index].fault.card.decides == Decides::End;
            if !ticket.acted.contains(&index) {
                self.planted[index].happens(occasion);
                ticket.acted.push(index);
            }
        }
        let delivery = if answers && !ticket.acted.is_empty() && !arrives(&plan) {
            Delivery::Lost
        } else {
            Delivery::Whole
        };
        if answers && delivery == Delivery::Whole {
            self.memory.answered += 1;
        }
        if !self.planted.is_empty() {
            self.memory.learn(&plan);
        }
        ticket.acted.sort_unstable();
        let acted: Vec<&str> = ticket
            .acted
            .iter()
            .map(|index| self.planted[*index].fault.card.name)
            .collect();
        let headers = acted
            .iter()
            .map(|name| ("x-holdover-fault".to_owned(), (*name).to_owned()));
        plan.headers.extend(headers);
        Played {
            plan,
            delivery,
            acted,
        }
    }

    fn rewrite_once(&mut self, occasion: &Occasion<'_>, due: Due, ticket: &Ticket, plan: &mut Plan) -> Acted {
        let planted = &self.planted[due.index];
        let Some(rewrite) = planted.fault.card.act.rewrite else {
            return Acted::No;
        };
        let has_end = ticket.ended || plan.end != End::Complete;
        let is_closed = planted.fault.card.decides == Decides::End && has_end;
        // Another exchange may have used up what was due when this one began.
        let is_over = planted.is_over() && !ticket.acted.contains(&due.index);
        if is_closed || is_over || plan.body == PlanBody::Nothing {
            return Acted::No;
        }
        let mut scene = Scene {
            fault: &planted.fault,
            occasion,
            memory: &self.memory,
            begun: due.begun,
            dice: due.dice,
        };
        if ticket.framed == Framed::No {
            return rewrite(&mut scene, plan);
        }
        if planted.fault.card.framing == Framing::Lines {
            return Acted::No;
        }
        let before = plan.clone();
        let acted = rewrite(&mut scene, plan);
        if steps::frame_again(plan).is_none() {
            *plan = before;
            return Acted::No;
        }
        acted
    }
}

/// Whether a client gets a whole answer: a document with its end, or a stream with a good terminal event.
fn arrives(plan: &Plan) -> bool {
    let is_good = |status: Option<&str>| matches!(status, Some("completed" | "incomplete") | None);
    if plan.status != 200 || plan.end != End::Complete {
        return false;
    }
    match &plan.body {
        PlanBody::Json(body) => is_good(body.get("status").and_then(serde_json::Value::as_str)),
        PlanBody::Nothing => false,
        PlanBody::Stream(steps) => {
            let mut events = steps.iter().filter_map(|step| step.event()).peekable();
            if events.peek().is_none() {
                // A document in pieces.
                return !steps.is_empty();
            }
            events.any(|event| matches!(event.name(), "response.completed" | "response.incomplete"))
        }
    }
}

/// Ours, not the API's: nobody may take a wrong fault for an answer.
fn refusal_of_name(name: &str, problem: &str) -> Plan {
    let error = ApiError {
        status: 400,
        message: format!("the model's name plants a fault, `{name}`: {problem}"),
        kind: "holdover_error".to_owned(),
        param: Some("model".to_owned()),
        code: None,
        source: "ours",
        evidence: Evidence::Ours,
    };
    Plan::refusal(&error, Vec::new())
}
