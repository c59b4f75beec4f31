//! A real client: somebody's command, started with the variables that point it at the fake.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

/// What to do with what the command prints. It passes through untouched either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// The command has our own streams.
    Inherited,
    /// A copy is kept, so that it can be scanned.
    Copied,
}

/// A command to run against the fake.
#[derive(Clone, Debug)]
pub struct ClientCommand {
    /// Program and arguments.
    pub argv: Vec<OsString>,
    /// Extra variables, after those of [`environment`].
    pub env: Vec<(String, String)>,
    /// When it is stopped.
    pub timeout: Duration,
    /// What happens to its output.
    pub output: Output,
}

/// How the command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientEnd {
    /// With this exit code; 128 + the signal where a signal ended it.
    Exited(i32),
    /// It was stopped after its time.
    TimedOut,
    /// The user stopped it with Ctrl-C, or CI with the signal that it cancels jobs with.
    Interrupted,
}

/// What came of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientRun {
    /// How it ended.
    pub end: ClientEnd,
    /// What it printed on both streams, in the order in which it was read, when a copy was asked for.
    pub printed: Vec<u8>,
}

/// The command could not be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot start `{program}`: {source}")]
pub struct StartError {
    /// Program.
    pub program: String,
    /// What the system said.
    pub source: io::Error,
}

/// Variables that point a client at the fake (`docs/architecture.md`, Command line). `None` clears one.
pub fn environment(
    base: &str,
    session: &str,
    export_folder: &Path,
    audit_file: &Path,
) -> Vec<(String, Option<OsString>)> {
    let url = format!("{base}/v1");
    let key = format!("sk-holdover-{session}");
    let set = |name: &str, value: OsString| (name.to_owned(), Some(value));
    let mut all = vec![
        set("OPENAI_BASE_URL", url.clone().into()),
        set("OPENAI_API_BASE", url.into()),
        set("OPENAI_API_KEY", key.clone().into()),
        set("ANTHROPIC_BASE_URL", base.into()),
        set("ANTHROPIC_API_KEY", key.clone().into()),
        set("GOOGLE_GEMINI_BASE_URL", base.into()),
        set("GEMINI_API_KEY", key.into()),
        set("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", base.into()),
        set("HOLDOVER_BASE_URL", base.into()),
        set("HOLDOVER_SESSION", session.into()),
        set("HOLDOVER_EXPORT_DIR", export_folder.into()),
        set("HOLDOVER_AUDIT_FILE", audit_file.into()),
        set("NO_PROXY", "127.0.0.1,localhost,::1".into()),
        set("no_proxy", "127.0.0.1,localhost,::1".into()),
        set("OPENAI_AGENTS_DISABLE_TRACING", "1".into()),
    ];
    let cleared = [
        "OPENAI_ORG_ID",
        "OPENAI_ORGANIZATION",
        "OPENAI_PROJECT_ID",
        "OPENAI_PROJECT",
        // It would go before the key that names the session.
        "ANTHROPIC_AUTH_TOKEN",
        "GOOGLE_API_KEY",
        "GOOGLE_GENAI_USE_VERTEXAI",
        "GOOGLE_GENAI_USE_ENTERPRISE",
        // Set to another host, it would take the Agents SDK's WebSocket there; unset, the socket follows the base URL.
        "OPENAI_WEBSOCKET_BASE_URL",
    ];
    all.extend(cleared.map(|name| (name.to_owned(), None)));
    all
}

/// Runs the command to its end, its time, or until this process is told to stop; whatever it started ends with it.
pub async fn run(
    command: &ClientCommand,
    environment: &[(String, Option<OsString>)],
) -> Result<ClientRun, StartError> {
    let mut child = start(command, environment)?;
    let leader = child.id();
    let copies = [
        child
            .stdout
            .take()
            .map(|stream| copy(stream, tokio::io::stdout())),
        child
            .stderr
            .take()
            .map(|stream| copy(stream, tokio::io::stderr())),
    ];
    let end = tokio::select! {
        status = child.wait() => ClientEnd::Exited(status.map_or(1, code)),
        () = tokio::time::sleep(command.timeout) => ClientEnd::TimedOut,
        () = told_to_stop() => ClientEnd::Interrupted,
    };
    stop_group(&mut child, leader).await;
    let mut printed = Vec::new();
    for task in copies.into_iter().flatten() {
        // A process that left the group may hold the pipe open: what was read until now is what is scanned.
        if let Ok(Ok(bytes)) = tokio::time::timeout(Duration::from_secs(1), task).await {
            printed.extend(bytes);
        }
    }
    Ok(ClientRun { end, printed })
}

fn start(command: &ClientCommand, environment: &[(String, Option<OsString>)]) -> Result<Child, StartError> {
    let program = command.argv.first().cloned().unwrap_or_default();
    let mut process = Command::new(&program);
    process.args(command.argv.iter().skip(1)).kill_on_drop(true);
    set_environment(&mut process, environment);
    process.envs(command.env.iter().map(|(name, value)| (name, value)));
    if command.output == Output::Copied {
        process.stdout(Stdio::piped()).stderr(Stdio::piped());
    }
    #[cfg(unix)]
    if !shares_terminal() {
        process.process_group(0);
    }
    process.spawn().map_err(|source| StartError {
        program: program.to_string_lossy().into_owned(),
        source,
    })
}

/// Sets and clears variables.
pub(crate) fn set_environment(process: &mut Command, environment: &[(String, Option<OsString>)]) {
    for (name, value) in environment {
        match value {
            Some(value) => process.env(name, value),
            None => process.env_remove(name),
        };
    }
}

/// Ctrl-C, or the signal that a supervisor sends.
async fn told_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    // Without a handler there is nothing to wait for: the default action of the signal ends the process.
    let _ = tokio::signal::ctrl_c().await;
}

/// Reads `from` to its end, passing every byte on at once, and returns them all.
fn copy(
    mut from: impl AsyncRead + Unpin + Send + 'static,
    mut to: impl AsyncWrite + Unpin + Send + 'static,
) -> JoinHandle<Vec<u8>> {
    tokio::spawn(async move {
        let mut all = Vec::new();
        let mut buffer = [0_u8; 8192];
        while let Ok(count @ 1..) = from.read(&mut buffer).await {
            all.extend_from_slice(&buffer[..count]);
            // A closed terminal is no reason to stop reading: the command would block.
            let _ = to.write_all(&buffer[..count]).await;
            let _ = to.flush().await;
        }
        all
    })
}

#[cfg(unix)]
pub(crate) fn code(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt as _;
    status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .unwrap_or(1)
}

#[cfg(not(unix))]
pub(crate) fn code(status: std::process::ExitStatus) -> i32 {
    status.code().unwrap_or(1)
}

/// A debugger at a terminal must stay in the terminal's own process group, or it could not read.
#[cfg(unix)]
fn shares_terminal() -> bool {
    use std::io::IsTerminal as _;
    io::stdin().is_terminal()
}

/// Stops what is left of the command: asks first, then kills.
#[cfg(unix)]
pub(crate) async fn stop_group(child: &mut Child, leader: Option<u32>) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = leader
        .and_then(|id| Pid::from_raw(i32::try_from(id).ok()?))
        .filter(|_| !shares_terminal());
    // An error of the two calls means that the group has ended already.
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::TERM);
    }
    if child.id().is_none()
        || tokio::time::timeout(Duration::from_secs(2), child.wait())
            .await
            .is_ok()
    {
        return;
    }
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill().await;
}

#[cfg(not(unix))]
pub(crate) async fn stop_group(child: &mut Child, _leader: Option<u32>) {
    // An error means that it has ended already.
    let _ = child.kill().await;
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Instant;

    use super::*;

    fn shell(script: &str, timeout: Duration, output: Output) -> ClientCommand {
        let argv = ["sh", "-c", script].map(OsString::from).to_vec();
        ClientCommand {
            argv,
            env: Vec::new(),
            timeout,
            output,
        }
    }

    #[tokio::test]
    async fn the_code_and_the_output_come_back() {
        let command = shell(
            "printf 'a'; printf 'b' >&2; exit 7",
            Duration::from_secs(10),
            Output::Copied,
        );
        let run = run(&command, &[]).await.expect("a shell");
        assert_eq!(run.end, ClientEnd::Exited(7));
        assert_eq!(run.printed, b"ab");
    }

    #[tokio::test]
    async fn a_hanging_command_ends_with_its_children() {
        let started = Instant::now();
        let command = shell(
            "sleep 60 & sleep 60",
            Duration::from_millis(100),
            Output::Inherited,
        );
        assert_eq!(
            run(&command, &[]).await.expect("a shell").end,
            ClientEnd::TimedOut
        );
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[tokio::test]
    async fn a_missing_command_is_an_error_that_names_it() {
        let command = ClientCommand {
            argv: vec!["no-such-program-here".into()],
            ..shell("", Duration::ZERO, Output::Inherited)
        };
        let error = run(&command, &[]).await.expect_err("missing");
        assert!(error.to_string().contains("`no-such-program-here`"));
    }

    #[tokio::test]
    async fn variables_are_set_and_cleared() {
        let environment = environment("http://127.0.0.1:1", "s1", Path::new("/e"), Path::new("/a"));
        let script = "echo $OPENAI_BASE_URL $OPENAI_API_KEY $HOLDOVER_EXPORT_DIR ${OPENAI_ORG_ID-cleared} \
                      ${OPENAI_WEBSOCKET_BASE_URL-cleared}";
        let command = shell(script, Duration::from_secs(10), Output::Copied);
        let run = run(&command, &environment).await.expect("a shell");
        assert_eq!(
            String::from_utf8_lossy(&run.printed).trim(),
            "http://127.0.0.1:1/v1 sk-holdover-s1 /e cleared cleared"
        );
    }
}
