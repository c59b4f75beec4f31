//! Binds, serves until it is told to stop, and stops in an orderly way.

use std::future::Future;
use std::net::SocketAddr;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::serve::Listener as _;
use holdover_judge::{Judge, PatternError};
use holdover_wire::SessionName;
use holdover_wire::recording::Header;
use tokio::sync::watch;

use crate::app::{App, Serving, Warm};
use crate::config::{Limits, ServerConfig};
use crate::listen::{Peer, Socket};
use crate::metrics::Metrics;
use crate::queue::Queue;
use crate::record_file::RecordFiles;
use crate::sessions::{Sessions, Template};
use crate::state::{self, StateError};
use crate::worker::{self, Budget, Job, Shared};
use crate::{api, own};

/// How long a shutdown waits for answers that are still being written, before it closes their connections.
const GRACE: Duration = Duration::from_millis(500);

/// Threads that record and judge, at most: one for each core, since sessions keep to one each.
const JUDGES_MAX: usize = 4;

/// Why a server could not be bound.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Somebody else has the port.
    #[error("`{address}` is in use")]
    AddressInUse {
        /// The address.
        address: SocketAddr,
    },
    /// The address cannot be bound.
    #[error("cannot listen on `{address}`: {source}")]
    Address {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file of `--record` cannot be written.
    #[error("cannot record to `{}`: {source}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: std::io::Error,
    },
    /// The judge's configuration cannot be used.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The store of `--state` cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// No thread could be started.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

/// A server that is bound and not yet serving; the kernel already takes connections for it.
#[derive(Debug)]
pub struct Server {
    app: Arc<App>,
    socket: Socket,
    routes: Router,
}

/// Binds a server. It may be called on any thread of a tokio runtime with time and I/O.
///
/// # Errors
/// The address, the file of `--record`, or the patterns of the judge cannot be used.
pub async fn bind(config: ServerConfig) -> Result<Server, BindError> {
    let address = config.listen;
    let socket = Socket::bind(address).map_err(|source| match source.kind() {
        std::io::ErrorKind::AddrInUse => BindError::AddressInUse { address },
        _ => BindError::Address { address, source },
    })?;
    let address = socket
        .local_addr()
        .map_err(|source| BindError::Address { address, source })?;
    let files = config
        .record
        .clone()
        .map(|path| record(path, &config))
        .transpose()?;
    let queues = queues(&config.limits);
    let trouble = files.as_ref().map(RecordFiles::trouble).unwrap_or_default();
    let template = Template {
        faults: config.faults,
        fake: config.fake,
        world: config.world,
        judge: holdover_judge::JudgeConfig {
            clock: config.clock,
            ..config.judge
        },
        replies: config.replies,
    };
    // A pattern that cannot be used must be told before the first request.
    Judge::new(template.judge.clone())?;
    let shelf = state::open(&config.state, config.limits.lease)?;
    let sessions = Sessions::new(template, config.limits, shelf, queues.clone(), trouble);
    let metrics = Arc::new(Metrics::default());
    let budget = Budget::new(sessions.all_kept(), config.limits.recording_bytes_max);
    let shared = Arc::new(Shared {
        files: files.map(Mutex::new),
        budget: Mutex::new(budget),
        live: sessions.live_sender(),
        metrics: Arc::clone(&metrics),
    });
    worker::start(queues, &shared).map_err(BindError::Thread)?;
    let app = Arc::new(App {
        sessions,
        metrics,
        shared,
        limits: config.limits,
        address,
        connections: socket.connections(),
        warm: Warm::default(),
        clock: config.clock,
        started: Instant::now(),
        serving: watch::Sender::new(Serving::On),
    });
    warm_up(app.warm.clone()).map_err(BindError::Thread)?;
    let routes = Router::new()
        .nest("/_holdover", own::routes(&app, config.own_routes.clone()))
        .fallback(api::serve)
        .with_state(Arc::clone(&app))
        .merge(config.extra_routes);
    Ok(Server { app, socket, routes })
}

/// Begins the file of session `default`.
fn record(path: PathBuf, config: &ServerConfig) -> Result<RecordFiles, BindError> {
    let header = Header {
        seed: config.fake.seed,
        profile: config.fake.profile.name.clone(),
        ..Header::default()
    };
    RecordFiles::create(path.clone(), &header).map_err(|source| BindError::Record { path, source })
}

/// One queue for each thread that records and judges; together they keep to the limits.
fn queues(limits: &Limits) -> Vec<Arc<Queue<Job>>> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let count = cores.min(JUDGES_MAX);
    let queue = || {
        Queue::new(
            limits.queue_entries_max.div_ceil(count),
            limits.queue_bytes_max / count,
        )
    };
    (0..count).map(|_| Arc::new(queue())).collect()
}

/// Loads the tokenizer in the background: health answers meanwhile, and the first request waits for the rest only.
fn warm_up(warm: Warm) -> std::io::Result<()> {
    let builder = std::thread::Builder::new().name("holdover-warm-up".to_owned());
    let work = move || {
        holdover_fake::tokens::warm_up();
        warm.set();
    };
    builder.spawn(work).map(|_| ())
}

impl Server {
    /// The address it listens on, with the port that was picked.
    pub fn local_addr(&self) -> SocketAddr {
        self.app.address
    }

    /// The base URL for clients of session `default`, or of those that name their session by header or key.
    pub fn base_url(&self) -> String {
        self.app.base_url(None, "")
    }

    /// The base URL for clients of one session.
    pub fn session_base_url(&self, name: &SessionName) -> String {
        self.app.base_url(None, &format!("/s/{name}"))
    }

    /// Its sessions; the handle stays good after [`Server::run`].
    pub fn sessions(&self) -> Sessions {
        self.app.sessions.clone()
    }

    #[cfg(test)]
    pub(crate) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.app.shared)
    }

    #[cfg(test)]
    pub(crate) fn add(&mut self, routes: Router) {
        self.routes = std::mem::take(&mut self.routes).merge(routes);
    }

    /// Serves until `shutdown` is ready, lets answers that are being written end for half a second, and closes what is
    /// left. Everything that was recorded is judged and written when it returns.
    pub async fn run(self, shutdown: impl Future<Output = ()> + Send + 'static) {
        let (told, stopping) = tokio::sync::oneshot::channel::<()>();
        let app = Arc::clone(&self.app);
        let signal = async move {
            shutdown.await;
            app.serving.send_replace(Serving::Stopping);
            // The other end waits as long as this server runs.
            let _ = told.send(());
        };
        let service = self.routes.into_make_service_with_connect_info::<Peer>();
        let serving = axum::serve(self.socket, service)
            .with_graceful_shutdown(signal)
            .into_future();
        let connections = self.app.connections.clone();
        let closing = async move {
            // An error means that the server is gone, and there is nothing to close.
            let _ = stopping.await;
            loop {
                tokio::time::sleep(GRACE).await;
                connections.close_all();
            }
        };
        let ending = async {
            // It ends only after the signal, and never with an error.
            let _ = serving.await;
            self.app.serving.closed().await;
        };
        tokio::select! {
            () = ending => {}
            () = closing => {}
        }
        self.app.sessions.flush().await;
    }
}
