//! A conversation for a row: what came is sent back as a right client does, or broken.

use holdover_fake::{Account, FakeConfig, OtherAccount, Session};
use holdover_profile::{Probe, Profile};
use holdover_wire::{Call, PlanBody, Reply, ReplyPart};
use serde_json::{Value, json};

use crate::row::{Case, Row};
use crate::wire::{self, Shape};

/// The server.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) seed: u64,
    pub(crate) profile: Profile,
}

impl World {
    /// One that plays this profile, whatever path and model say.
    pub(crate) fn of(name: &str, probe: Probe) -> Self {
        let mut profile = Profile::builtin(name).expect("a profile");
        profile.switches.probe = probe;
        Self { seed: 7, profile }
    }

    /// One in which path and model choose.
    pub(crate) fn chosen() -> Self {
        let mut profile = Profile::openai();
        profile.switches.probe = Probe::Accept;
        Self { seed: 7, profile }
    }
}

/// The last answer of a conversation.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) profile: String,
    /// Where a wire names the kind of a refusal in a header.
    pub(crate) error_type: String,
    shape: Shape,
    evidence: String,
    probe: String,
}

impl Heard {
    pub(crate) fn accepted(&self) -> Result<&Self, String> {
        if self.status == 200 {
            Ok(self)
        } else {
            Err(format!("status {} and not 200: {}", self.status, self.body))
        }
    }

    pub(crate) fn says_a_nonce(&self) -> Result<(), String> {
        let text = self.shape.text(&self.body);
        if text.starts_with("nonce-") && text.len() == "nonce-".len() + 16 {
            Ok(())
        } else {
            Err(format!("no nonce: `{text}`"))
        }
    }

    pub(crate) fn says_nothing(&self, why: &str) -> Result<(), String> {
        match self.shape.text(&self.body).as_str() {
            "unknown" => Ok(()),
            text => Err(format!("{why}, and yet: `{text}`")),
        }
    }

    /// It shows the reasoning of another answer than this one does.
    pub(crate) fn shows_another(&self, other: &Self) -> Result<(), String> {
        self.says_a_nonce()?;
        other.says_a_nonce()?;
        if self.shape.text(&self.body) == self.shape.text(&other.body) {
            Err("the latest reasoning is shown".to_owned())
        } else {
            Ok(())
        }
    }

    /// It says what became of a block, and the model is shown it or not accordingly.
    pub(crate) fn transformed(&self, row: &Row) -> Result<(), String> {
        let kind = row.violation_code.rsplit('=').next().unwrap_or("");
        let reason = row.violation_message.rsplit('=').next().unwrap_or("");
        let entry = &self.body["input_transformations"][0];
        if entry["type"] != kind || entry["reason"] != reason {
            return Err(format!("no {kind} for {reason} in {}", self.body));
        }
        match kind {
            "thinking_dropped" => self.says_nothing("it was dropped"),
            _ => self.says_a_nonce(),
        }
    }

    /// The answer is declined.
    pub(crate) fn declined(&self, row: &Row) -> Result<(), String> {
        let wanted = |text: &str| text.rsplit('=').next().unwrap_or("").to_owned();
        let right = self.body["stop_reason"] == wanted(&row.violation_code)
            && self.body["stop_details"]["category"] == wanted(&row.violation_message);
        if right {
            Ok(())
        } else {
            Err(format!("not declined: {}", self.body))
        }
    }

    pub(crate) fn is_unworded(&self) -> Result<(), String> {
        let marked = self.body.to_string().contains("was not recorded");
        if marked || self.evidence == "inferred" {
            Ok(())
        } else {
            Err(format!("evidence {}", self.evidence))
        }
    }

    pub(crate) fn names_a_probe(&self) -> Result<(), String> {
        if self.probe.is_empty() {
            Err("no probe is named".to_owned())
        } else {
            Ok(())
        }
    }

    /// What tells two outcomes apart.
    pub(crate) fn outcome(&self) -> String {
        format!("{} {} {}", self.status, self.shape.text(&self.body), self.probe)
            .replace(|letter: char| letter.is_ascii_hexdigit(), "")
    }
}

/// How what came is sent back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Client {
    Right,
    Wrong,
}

/// A conversation for a row.
pub(crate) struct Play<'a> {
    case: &'a Case,
    shape: Shape,
    session: Session,
    mode: String,
    /// What asks for a summary, in the request that does.
    summary: Option<Value>,
    calls: usize,
}

impl<'a> Play<'a> {
    pub(crate) fn new(case: &'a Case, world: World) -> Self {
        let rows = crate::row::rows();
        Self {
            case,
            shape: Shape::of(case.wire()),
            session: Session::new(FakeConfig {
                seed: world.seed,
                profile: world.profile,
                others: vec![other("neighbour", "us"), other("elsewhere", "eu")],
                ..FakeConfig::default()
            }),
            mode: rows[case.row - 1].mode.clone(),
            summary: None,
            calls: 0,
        }
    }

    /// The last answer to a client that obeys the row.
    pub(crate) fn obeying(self) -> Heard {
        self.talk(Client::Right)
    }

    /// The last answer to a client that breaks it.
    pub(crate) fn breaking(self) -> Heard {
        self.talk(Client::Wrong)
    }

    fn talk(mut self, client: Client) -> Heard {
        let first = if self.mode == "tool_loop" {
            "holdover:recall"
        } else {
            "Hello"
        };
        let mut history = self.shape.opening(first);
        match (self.mode.as_str(), self.calls_a_tool()) {
            ("tool_loop", _) if self.case.how == "middle" => {
                for _ in 0..3 {
                    self.round(&mut history, &calls());
                }
            }
            ("tool_loop", _) if self.case.how == "parallel" => {
                let mut reply = calls();
                reply.parts.extend(reply.parts.last().cloned());
                self.round(&mut history, &reply);
            }
            ("tool_loop", _) => self.round(&mut history, &calls()),
            ("new_user_turn", true) => {
                self.round(&mut history, &calls());
                self.round(&mut history, &speaks());
            }
            _ if self.case.how == "merge" || self.case.how == "second" => {
                self.round(&mut history, &speaks());
                history.push(self.shape.user("And then?"));
                self.round(&mut history, &speaks());
            }
            _ => self.round(&mut history, &speaks()),
        }
        if self.case.how == "compaction" {
            self.compact(&mut history);
        }
        if self.mode != "tool_loop" {
            history.push(self.shape.user("holdover:recall"));
        }
        self.send(&history, client, Reply::default())
    }

    /// Whether a tool is called in the turns before the last one.
    fn calls_a_tool(&self) -> bool {
        self.case.tools.unwrap_or(true)
    }

    /// One round: the answer goes into the history, with the outputs of its calls.
    fn round(&mut self, history: &mut Vec<Value>, reply: &Reply) {
        let heard = self.send(history, Client::Right, reply.clone());
        assert_eq!(heard.status, 200, "row {}: {}", self.case.row, heard.body);
        let message = self.shape.message(&heard.body);
        let outputs = self.shape.outputs(&message);
        history.push(message);
        history.extend(outputs);
    }

    /// The summary of the history takes its place.
    fn compact(&mut self, history: &mut Vec<Value>) {
        self.summary = Some(json!({"type": "summarize"}));
        self.round(history, &Reply::default());
        self.summary = None;
        history.drain(..history.len() - 1);
    }

    /// The history as this client sends it back.
    fn sent_back(&self, history: &[Value], client: Client) -> Vec<Value> {
        let mut history = history.to_vec();
        let how = match client {
            // Where what came must not go back, the one who obeys leaves it out.
            Client::Right if self.leaves_out() => "omit",
            Client::Right => "send",
            Client::Wrong => self.shape.fold(&mut history, &self.case.how),
        };
        let answers = history.iter_mut().filter(|message| wire::is_answer(message));
        answers.for_each(|message| self.shape.spoil(message, how));
        history
    }

    fn leaves_out(&self) -> bool {
        let row = &crate::row::rows()[self.case.row - 1];
        row.replay == "forbidden" && self.case.is_sent()
    }

    fn send(&mut self, history: &[Value], client: Client, reply: Reply) -> Heard {
        let history = self.sent_back(history, client);
        let mut body = self.shape.request(&self.case.model, &history);
        let declared = self.case.tools.unwrap_or(self.mode != "ordinary");
        if declared {
            body.insert(self.shape.tools_member().to_owned(), self.shape.tools());
        }
        body.extend(self.case.all.clone());
        body.extend(self.summary.clone().map(|how| ("compaction".to_owned(), how)));
        if self.calls > 0 {
            body.extend(self.case.after.clone());
        }
        if client == Client::Wrong {
            body.extend(self.case.broken.clone());
        }
        self.calls += 1;
        self.session.script(vec![reply]);
        let mut call = Call::post(&self.case.path, Value::Object(body));
        call.headers.extend(self.case.headers.clone());
        if let (Some(key), Client::Wrong) = (&self.case.key, client) {
            call.headers.retain(|(name, _)| name != "authorization");
            call.headers
                .push(("authorization".to_owned(), format!("Bearer {key}")));
        }
        let answer = self.session.handle(&call);
        let header = |name| answer.plan.header(name).unwrap_or("").to_owned();
        let PlanBody::Json(body) = &answer.plan.body else {
            panic!("no document");
        };
        Heard {
            status: answer.plan.status,
            body: body.value().clone(),
            shape: self.shape,
            profile: header("x-holdover-profile"),
            error_type: header("x-amzn-errortype"),
            evidence: header("x-holdover-evidence"),
            probe: header("x-holdover-probe"),
        }
    }
}

/// An account beside the first one, with a key of its name.
fn other(name: &str, region: &str) -> OtherAccount {
    OtherAccount {
        account: Account {
            name: name.to_owned(),
            organisation: format!("org-{name}"),
            project: format!("proj_{name}"),
            region: region.to_owned(),
        },
        keys: vec![format!("sk-{name}")],
    }
}

fn calls() -> Reply {
    let call = ReplyPart::Call {
        id: None,
        name: "Bash".to_owned(),
        arguments: Some("{}".to_owned()),
    };
    Reply {
        parts: vec![ReplyPart::Reasoning { summary: None }, call],
    }
}

fn speaks() -> Reply {
    let message = ReplyPart::Message {
        text: Some("Done.".to_owned()),
        phase: None,
    };
    Reply {
        parts: vec![ReplyPart::Reasoning { summary: None }, message],
    }
}
