//! Two endpoints that show a team the first leak (D2): the same chat, once with the response appended and once with
//! its text only.
//!
//! `POST /api/chat/turn` and `POST /api/chat/turn/wrong` take `{"message": "…", "conversation": "…"}` (the second
//! member is optional) and answer with `text`, `hasProtectedInResponse`, `hasProtectedInHistory` and `priorProtected`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use holdover_agent::{Agent, AgentConfig, Next, Preset, Received, Slip, TurnInput, TurnResult};
use holdover_fake::{FakeConfig, Session};
use serde_json::{Value, json};

/// Conversations that are kept; the oldest go first.
const CONVERSATIONS_MAX: usize = 256;

/// The two routes, each with conversations of its own.
pub(crate) fn routes(fake: &FakeConfig) -> Router {
    let right = Classroom::new(fake, Vec::new());
    let wrong = Classroom::new(fake, vec![Slip::TextOnlyAppend]);
    Router::new()
        .route("/api/chat/turn", post(turn).with_state(right))
        .route("/api/chat/turn/wrong", post(turn).with_state(wrong))
}

/// The conversations of one endpoint.
#[derive(Clone)]
struct Classroom(Arc<Mutex<Conversations>>);

struct Conversations {
    fake: FakeConfig,
    slips: Vec<Slip>,
    open: BTreeMap<String, Chat>,
    order: VecDeque<String>,
}

impl Classroom {
    fn new(fake: &FakeConfig, slips: Vec<Slip>) -> Self {
        let conversations = Conversations {
            fake: fake.clone(),
            slips,
            open: BTreeMap::new(),
            order: VecDeque::new(),
        };
        Self(Arc::new(Mutex::new(conversations)))
    }
}

impl Conversations {
    fn of(&mut self, name: &str) -> &mut Chat {
        if !self.open.contains_key(name) {
            if self.order.len() == CONVERSATIONS_MAX
                && let Some(oldest) = self.order.pop_front()
            {
                self.open.remove(&oldest);
            }
            self.order.push_back(name.to_owned());
        }
        let (fake, slips) = (&self.fake, &self.slips);
        self.open
            .entry(name.to_owned())
            .or_insert_with(|| Chat::new(fake.clone(), slips.clone()))
    }
}

async fn turn(State(classroom): State<Classroom>, body: axum::body::Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let Some(message) = body.get("message").and_then(Value::as_str) else {
        let error =
            json!({"error": "send {\"message\": \"…\"}, and \"conversation\" to name one of several"});
        return (StatusCode::BAD_REQUEST, Json(error)).into_response();
    };
    let conversation = body
        .get("conversation")
        .and_then(Value::as_str)
        .unwrap_or("default");
    let mut conversations = classroom.0.lock().unwrap_or_else(PoisonError::into_inner);
    let (result, prior_protected) = conversations.of(conversation).turn(TurnInput::user(message));
    Json(json!({
        "text": result.text,
        "hasProtectedInResponse": result.has_protected_in_response,
        "hasProtectedInHistory": result.has_protected_in_history,
        "priorProtected": prior_protected,
    }))
    .into_response()
}

/// One chat in this process: the client of `Microsoft.Extensions.AI` and the fake.
pub(crate) struct Chat {
    agent: Agent,
    session: Session,
}

impl Chat {
    pub(crate) fn new(fake: FakeConfig, slips: Vec<Slip>) -> Self {
        Self::with(
            fake,
            AgentConfig {
                slips,
                ..Self::config()
            },
        )
    }

    /// The client of the .NET sample: stateless, with encrypted reasoning.
    pub(crate) fn config() -> AgentConfig {
        AgentConfig {
            preset: Preset::Meai,
            store: Some(false),
            effort: Some("medium".to_owned()),
            summary: Some("auto".to_owned()),
            ..AgentConfig::default()
        }
    }

    pub(crate) fn with(fake: FakeConfig, agent: AgentConfig) -> Self {
        Self {
            agent: Agent::new(agent),
            session: Session::new(fake),
        }
    }

    /// One turn to its end, with the number of protected items that its last answer counted.
    pub(crate) fn turn(&mut self, input: TurnInput) -> (TurnResult, Option<u64>) {
        let mut next = self.agent.start(input);
        let mut prior_protected = None;
        loop {
            let call = match next {
                Next::Done(result) => return (result, prior_protected),
                // Nothing is waited for in a demonstration.
                Next::Send(call) | Next::SendAfter { call, .. } => call,
            };
            let plan = self.session.handle(&call).plan;
            let counted = plan
                .header("x-holdover-prior-protected")
                .and_then(|count| count.parse().ok());
            prior_protected = counted.or(prior_protected);
            let body = plan.body.bytes();
            next = self.agent.receive(&Received {
                status: plan.status,
                headers: plan.headers,
                body,
                end: plan.end,
            });
        }
    }
}
