//! What a server is told before it binds.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use holdover_fake::FakeConfig;
use holdover_fault::Fault;
use holdover_judge::{Clock, JudgeConfig};
use holdover_wire::Reply;

use crate::state::StateConfig;

/// Settings of one server. Sessions that nobody opened by name are made from `fake`, `judge` and `replies`.
#[derive(Debug)]
pub struct ServerConfig {
    /// Where to listen; port 0 picks a free one.
    pub listen: SocketAddr,
    /// Template of the fake of each session.
    pub fake: FakeConfig,
    /// Where the world of a session comes from.
    pub world: World,
    /// Template of the judge of each session.
    pub judge: JudgeConfig,
    /// Script of each session: the n-th successful create takes the n-th reply.
    pub replies: Vec<Reply>,
    /// Faults of each session, in declared order.
    pub faults: Vec<Fault>,
    /// What `at_ms` of a recording counts.
    pub clock: Clock,
    /// File of JSON lines for session `default`; session `NAME` gets `<stem>.NAME.<extension>` beside it.
    pub record: Option<PathBuf>,
    /// Where the state of sessions is kept.
    pub state: StateConfig,
    /// Who may use the routes under `/_holdover/`.
    pub own_routes: OwnRoutes,
    /// Bounds.
    pub limits: Limits,
    /// Further routes, merged in; they may not have a fallback, nor claim paths under `/_holdover`.
    pub extra_routes: axum::Router,
}

/// Where the world of a session comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum World {
    /// It is the session's name.
    #[default]
    OfSession,
    /// It is that of [`ServerConfig::fake`].
    OfTemplate,
}

/// Who may use the routes under `/_holdover/`, which show what was sent and change what is answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OwnRoutes {
    /// Whoever reaches the address.
    #[default]
    Open,
    /// Who sends this bearer token.
    Token(String),
    /// Nobody.
    Closed,
}

/// Bounds of what a server holds in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest request body.
    pub body_bytes_max: usize,
    /// Bytes of lines of recordings that are kept in memory, of all sessions together; the oldest go first, and the report of
    /// their session says how many went.
    pub recording_bytes_max: usize,
    /// Bytes of responses and conversations that are kept in memory, of all sessions together, about; the oldest go
    /// first, and a refusal that names one of them says so. Other stores than memory have no such bound.
    pub state_bytes_max: usize,
    /// Exchanges that may wait for the judge before requests have to.
    pub queue_entries_max: usize,
    /// Bytes of exchanges that may wait for the judge before requests have to.
    pub queue_bytes_max: usize,
    /// Sessions that are open at once.
    pub sessions_max: usize,
    /// How long a WebSocket may live; 60 minutes, as the API lets it (`tests/facts/streaming.md` section 11).
    pub socket_life: Duration,
    /// How long a conversation stays locked in a shared store after its server died; a server that lives renews the lock of
    /// an answer that takes longer.
    pub lease: Duration,
    /// Reports of sessions finished over HTTP that are kept for whoever asks again; the oldest go first.
    pub finished_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes_max: 128 << 20,
            recording_bytes_max: 256 << 20,
            state_bytes_max: 256 << 20,
            queue_entries_max: 1024,
            queue_bytes_max: 64 << 20,
            sessions_max: 10_000,
            socket_life: Duration::from_secs(60 * 60),
            lease: Duration::from_secs(60),
            finished_max: 1024,
        }
    }
}

impl Default for ServerConfig {
    /// A free port on the loopback address, and the defaults of fake and judge.
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            fake: FakeConfig::default(),
            world: World::OfSession,
            judge: JudgeConfig::default(),
            replies: Vec::new(),
            faults: Vec::new(),
            clock: Clock::Virtual,
            record: None,
            state: StateConfig::Memory,
            own_routes: OwnRoutes::Open,
            limits: Limits::default(),
            extra_routes: axum::Router::new(),
        }
    }
}
