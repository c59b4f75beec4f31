//! Many programs at a time; their cells come in the order of the catalogue.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use holdover_server::{BindError, ServerConfig};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::client::StartError;
use crate::conformance::adapter::Gone;
use crate::conformance::cell::{Cell, Stage};
use crate::conformance::program::Program;
use crate::settings::Settings;

/// What is run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Program and arguments of the adapter.
    pub command: Vec<OsString>,
    /// The programs.
    pub programs: Vec<&'static Program>,
    /// Programs at a time.
    pub jobs: NonZeroUsize,
    /// Longest time for an answer.
    pub step_max: Duration,
    /// Settings of fake and judge.
    pub settings: Settings,
}

/// Why nothing could be run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The server could not start.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The adapter could not be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// An adapter played its programs and did not end well.
    #[error("after the last program: {0}")]
    Adapter(#[from] Gone),
    /// A temporary folder could not be made.
    #[error("cannot make a temporary folder: {0}")]
    Folder(#[from] std::io::Error),
    /// A program was given up: an error of ours.
    #[error("a program was given up: {0}")]
    Task(#[from] tokio::task::JoinError),
}

/// Starts a server, plays the programs, stops it.
pub async fn run(plan: Plan) -> Result<Vec<Cell>, RunError> {
    let temporary = tempfile::tempdir()?;
    let server = holdover_server::bind(ServerConfig::default()).await?;
    let stage = Arc::new(Stage {
        command: plan.command,
        sessions: server.sessions(),
        base: format!("http://{}", server.local_addr()),
        step_max: plan.step_max,
        folder: temporary.path().to_owned(),
        settings: plan.settings,
        idle: Mutex::default(),
    });
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(server.run(async move {
        // The sender is dropped when the run ends early, which stops the server as well.
        let _ = stopped.await;
    }));
    let cells = play_all(&stage, &plan.programs, plan.jobs).await;
    let closed = stage.close().await;
    // An error means that the server has stopped already.
    let _ = stop.send(());
    let _ = serving.await;
    let cells = cells?;
    closed?;
    Ok(cells)
}

async fn play_all(
    stage: &Arc<Stage>,
    programs: &[&'static Program],
    jobs: NonZeroUsize,
) -> Result<Vec<Cell>, RunError> {
    let room = Arc::new(Semaphore::new(jobs.get()));
    let mut tasks = JoinSet::new();
    for (index, program) in programs.iter().copied().enumerate() {
        let (stage, room) = (Arc::clone(stage), Arc::clone(&room));
        tasks.spawn(async move {
            // It is closed by nobody.
            let _permit = room.acquire().await;
            (index, stage.play(program).await)
        });
    }
    let mut cells = Vec::new();
    while let Some(done) = tasks.join_next().await {
        let (index, cell) = done?;
        cells.push((index, cell?));
    }
    cells.sort_by_key(|(index, _)| *index);
    Ok(cells.into_iter().map(|(_, cell)| cell).collect())
}
