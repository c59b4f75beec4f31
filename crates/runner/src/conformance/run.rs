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
    /// The model that the client is told, where a program asks for no model of its own.
    pub model: Option<String>,
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
        model: plan.model,
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::conformance::catalogue;
    use crate::conformance::cell::End;

    /// One program with an adapter that a shell plays.
    async fn cell(script: &str) -> Cell {
        let plan = Plan {
            command: ["sh", "-c", script].map(OsString::from).to_vec(),
            programs: vec![catalogue::find("three-turns").expect("a program")],
            model: None,
            jobs: NonZeroUsize::MIN,
            step_max: Duration::from_millis(1500),
            settings: Settings::default(),
        };
        run(plan).await.expect("a plan that can be run").remove(0)
    }

    #[tokio::test]
    async fn an_adapter_that_ends_has_crashed_and_its_code_is_told() {
        let cell = cell("echo no client here >&2; exit 3").await;
        assert_eq!(cell.verdict(), "crashed");
        assert!(
            matches!(&cell.end, End::Crashed(why) if why.contains("exit code 3")),
            "{:?}",
            cell.end
        );
        assert_eq!(cell.printed, b"no client here\n");
    }

    #[tokio::test]
    async fn an_adapter_that_says_nothing_hangs() {
        assert_eq!(cell("sleep 60").await.verdict(), "hung");
    }

    #[tokio::test]
    async fn an_answer_that_is_no_json_is_a_crash() {
        let cell = cell("read line; echo hello; sleep 60").await;
        assert!(
            matches!(&cell.end, End::Crashed(why) if why.contains("`hello`")),
            "{:?}",
            cell.end
        );
    }

    #[tokio::test]
    async fn an_adapter_that_ends_with_a_code_after_its_last_step_has_crashed() {
        let answers = "while read line; do echo '{\"client\":\"c\",\"version\":\"1\"}'; done; exit 4";
        assert_eq!(cell(answers).await.verdict(), "crashed");
    }

    #[tokio::test]
    async fn a_client_without_traffic_shows_nothing() {
        let answers = "while read line; do echo '{\"client\":\"c\",\"version\":\"1\"}'; done";
        let cell = cell(answers).await;
        assert_eq!((cell.verdict(), cell.ready.client.as_str()), ("empty", "c"));
    }

    #[tokio::test]
    async fn what_does_not_apply_is_no_failure() {
        let cell = cell("read line; echo '{\"not_applicable\":\"it cannot chat\"}'").await;
        assert_eq!(cell.end, End::NotApplicable("it cannot chat".to_owned()));
        assert!(cell.report.is_none());
    }

    #[tokio::test]
    async fn a_missing_adapter_is_an_error() {
        let plan = Plan {
            command: vec!["no-such-adapter-here".into()],
            programs: vec![catalogue::find("three-turns").expect("a program")],
            model: None,
            jobs: NonZeroUsize::MIN,
            step_max: Duration::from_secs(1),
            settings: Settings::default(),
        };
        assert!(matches!(run(plan).await, Err(RunError::Start(_))));
    }
}
