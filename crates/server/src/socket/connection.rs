//! The task of one connection.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use futures_util::StreamExt as _;
use futures_util::stream::{FuturesUnordered, SplitStream};
use holdover_fake::ConnectionMemory;
use holdover_fault::model_name;
use holdover_wire::{ApiError, Call, CallBody, Event, Plan};
use serde_json::Value;
use tokio::sync::watch;

use super::frame::{self, Create, Heard};
use super::lanes::{Lane, Lanes, NAMED_MAX, TooManyLanes};
use super::writer::{Out, Outlet};
use super::{limit, turn, writer};
use crate::answer::{Asked, answer};
use crate::app::{App, Serving};
use crate::exchange::{Open, RequestHalf};
use crate::faulty::Keep;
use crate::listen::Handle;
use crate::refusal;
use crate::route::Target;
use crate::session::Session;
use crate::via::{LaneMemory, Via};

/// Frames from here on are read and answered on a thread of their own, so that they hold up nobody else.
const LARGE_FRAME_BYTES: usize = 512 << 10;
/// Close codes (RFC 6455, section 7.4.1): all is well, the server goes away, the frame is not of text.
const NORMAL: u16 = 1000;
const GOING_AWAY: u16 = 1001;
const NOT_TEXT: u16 = 1003;

/// One open connection.
pub(super) struct Connection {
    pub(super) app: Arc<App>,
    pub(super) target: Target,
    /// Headers of the upgrade: they hold for each of its requests.
    pub(super) headers: Vec<(String, String)>,
    pub(super) handle: Option<Arc<Handle>>,
    pub(super) serving: watch::Receiver<Serving>,
}

/// What the requests of a connection share.
struct Shared {
    app: Arc<App>,
    target: Target,
    headers: Vec<(String, String)>,
    memory: Arc<Mutex<ConnectionMemory>>,
    outlet: Outlet,
}

/// An answer that waits to be played.
type Ready = (Plan, Open);

impl Connection {
    /// Serves until one side ends it.
    pub(super) async fn run(self, socket: WebSocket) {
        let (sink, stream) = socket.split();
        let (outlet, frames) = Outlet::new();
        let shared = Arc::new(Shared {
            app: self.app,
            target: self.target,
            headers: self.headers,
            memory: Arc::default(),
            outlet,
        });
        let writing = writer::write(sink, frames, self.handle);
        let reading = serve(&shared, stream, self.serving);
        tokio::select! {
            () = writing => {}
            () = reading => {}
        }
    }
}

/// Reads frames and answers them, until the client closes the connection.
async fn serve(
    shared: &Arc<Shared>,
    mut stream: SplitStream<WebSocket>,
    mut serving: watch::Receiver<Serving>,
) {
    let mut lanes = Lanes::default();
    let mut turns = FuturesUnordered::new();
    let life = shared.app.limits.socket_life;
    let old = tokio::time::sleep(life);
    tokio::pin!(old);
    loop {
        while let Some(create) = lanes.next() {
            turns.push(shared.turn(create));
        }
        if *serving.borrow_and_update() == Serving::Stopping {
            shared.outlet.cut_by_server();
            if lanes.is_idle() {
                shared.outlet.send(Out::Close(GOING_AWAY)).await;
                break;
            }
        }
        tokio::select! {
            message = stream.next(), if lanes.has_room() => match message {
                Some(Ok(Message::Text(text))) => shared.hear(text.as_str(), &mut lanes).await,
                Some(Ok(Message::Binary(_))) => {
                    shared.outlet.cut_by_server();
                    shared.outlet.send(Out::Close(NOT_TEXT)).await;
                    break;
                }
                // The protocol answers pings by itself.
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
            },
            Some(lane) = turns.next() => lanes.done(&lane),
            () = &mut old => {
                shared.outlet.cut_by_server();
                let said = frame::event(limit::too_old(minutes(life)));
                shared.outlet.send(Out::Frame(frame::text(&said))).await;
                shared.outlet.send(Out::Close(NORMAL)).await;
                break;
            }
            // An error means that the server is gone, which stops as well.
            _ = serving.changed() => {}
        }
    }
    // What is still being answered is of no use any more.
    drop(turns);
    // The answer to the client's close frame leaves with the next read.
    while let Some(Ok(_)) = stream.next().await {}
}

fn minutes(life: Duration) -> u64 {
    life.as_secs() / 60
}

impl Shared {
    /// Takes one frame.
    async fn hear(self: &Arc<Self>, text: &str, lanes: &mut Lanes<Create>) {
        let heard = if text.len() < LARGE_FRAME_BYTES {
            frame::hear(text)
        } else {
            let text = text.to_owned();
            let reading = tokio::task::spawn_blocking(move || frame::hear(&text));
            let Ok(heard) = reading.await else { return };
            heard
        };
        let bytes_max = self.app.limits.body_bytes_max;
        match heard {
            Heard::Create(create) if text.len() > bytes_max => {
                let said = CallBody::Empty;
                self.refuse(create.lane, said, &refusal::body_too_large(bytes_max))
                    .await;
            }
            Heard::Create(create) => {
                if lanes.open(&create.lane) == Err(TooManyLanes) {
                    let said = CallBody::Json(Value::Object(create.frame));
                    let error = limit::too_many_lanes(NAMED_MAX);
                    return self.refuse(create.lane, said, &error).await;
                }
                lanes.push(create.lane.clone(), create);
            }
            Heard::Steer(lane, frame) => {
                let said = frame::steer_failed(&lane, &frame);
                self.say(CallBody::Json(Value::Object(frame)), said).await;
            }
            Heard::Refused(lane, said, error) => self.refuse(lane, said, &error).await,
        }
    }

    /// Answers one request, to its end.
    async fn turn(self: &Arc<Self>, create: Create) -> Lane {
        let lane = create.lane.clone();
        if let Some((plan, open)) = self.ready(create).await {
            turn::play(plan, open, &lane, &self.outlet).await;
        }
        lane
    }

    async fn ready(self: &Arc<Self>, create: Create) -> Option<Ready> {
        let session = self.session(&create.lane).await?;
        session.queue().admit().await;
        if create.bytes < LARGE_FRAME_BYTES {
            return Some(self.answer(session, create));
        }
        let shared = Arc::clone(self);
        let ready = tokio::task::spawn_blocking(move || shared.answer(session, create));
        ready.await.ok()
    }

    /// The session, which may have been ended and opened again since the connection was.
    async fn session(&self, lane: &Lane) -> Option<Arc<Session>> {
        match self.app.sessions.of(&self.target.session) {
            Ok(session) => Some(session),
            Err(error) => {
                let error = crate::api::open_error(&error);
                let said = frame::error(error.status, &[], &error.body(), lane);
                self.outlet.send(Out::Frame(frame::text(&said))).await;
                None
            }
        }
    }

    fn answer(&self, session: Arc<Session>, create: Create) -> Ready {
        let memory = LaneMemory::new(&self.memory, create.lane.as_str());
        let mut call = Call::post("/v1/responses", Value::Object(create.body));
        call.headers.clone_from(&self.headers);
        let named = model_name::take(&mut call);
        let via = Via::Lane(memory.clone());
        let asked = Asked {
            call: &call,
            named: named.as_deref(),
            bytes: create.bytes,
            via: &via,
        };
        let said = CallBody::Json(Value::Object(create.frame));
        let answered = catch_unwind(AssertUnwindSafe(|| answer(&self.app, &session, asked)));
        let Ok((mut open, made)) = answered else {
            self.app.metrics.bug();
            return self.refusal(session, said, &refusal::bug());
        };
        open.request(self.half(said));
        open.writes(made.writes);
        if made.keep == Keep::AtOnce {
            // The client does not get a whole answer anyway.
            let _ = open.commit();
        }
        if made.plan.status >= 400
            && let Some(parent) = parent(&call)
        {
            memory.evict(parent);
        }
        (made.plan, open)
    }

    fn half(&self, body: CallBody) -> RequestHalf {
        RequestHalf {
            method: http::Method::POST,
            path: self.target.recorded(),
            headers: self.headers.clone(),
            body,
            bytes: None,
        }
    }

    /// Refuses a frame that never becomes a call.
    async fn refuse(&self, lane: Lane, said: CallBody, error: &ApiError) {
        if let Some(session) = self.session(&lane).await {
            let (plan, open) = self.refusal(session, said, error);
            turn::play(plan, open, &lane, &self.outlet).await;
        }
    }

    /// Answers a frame that never becomes a call with one frame, which names its lane already.
    async fn say(&self, said: CallBody, event: Event) {
        let lane = Lane::default();
        if let Some(session) = self.session(&lane).await {
            let open = self.open(session, said);
            let plan = Plan::stream(Vec::new(), vec![event]);
            turn::play(plan, open, &lane, &self.outlet).await;
        }
    }

    fn refusal(&self, session: Arc<Session>, said: CallBody, error: &ApiError) -> Ready {
        (Plan::refusal(error, Vec::new()), self.open(session, said))
    }

    /// An exchange that the fake does not see.
    fn open(&self, session: Arc<Session>, said: CallBody) -> Open {
        let shared = Arc::clone(&self.app.shared);
        let number = session.number();
        let mut open = Open::new(session, shared, number, self.app.arrived_ms(), 0);
        open.via(Via::Lane(LaneMemory::new(&self.memory, "")));
        open.request(self.half(said));
        open
    }
}

fn parent(call: &Call) -> Option<&str> {
    call.body.object()?.get("previous_response_id")?.as_str()
}
