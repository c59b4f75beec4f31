//! The process of an adapter: started, spoken to line by line, ended.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::client::{self, StartError};
use crate::conformance::contract::{Answer, Line};

/// A running adapter.
#[derive(Debug)]
pub struct Adapter {
    child: Child,
    leader: Option<u32>,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    step_max: Duration,
}

/// An adapter that no longer answers.
#[derive(Debug, thiserror::Error)]
pub enum Gone {
    /// It ended, or closed its output.
    #[error("the adapter ended with exit code {0} instead of an answer")]
    Crashed(i32),
    /// It said nothing in its time.
    #[error("the adapter did not answer within {} s", .0.as_secs())]
    Hung(Duration),
    /// It said something that is no answer.
    #[error("the adapter answered `{0}`, which is no JSON object")]
    Babbled(String),
}

impl Adapter {
    /// Starts the command; what it prints on standard error goes to `errors`.
    pub fn start(
        argv: &[OsString],
        environment: &[(String, Option<OsString>)],
        errors: &Path,
        step_max: Duration,
    ) -> Result<Self, StartError> {
        let program = argv.first().cloned().unwrap_or_default();
        let failed = |source: io::Error| StartError {
            program: program.to_string_lossy().into_owned(),
            source,
        };
        let errors = File::options()
            .create(true)
            .append(true)
            .open(errors)
            .map_err(failed)?;
        let mut command = Command::new(&program);
        command
            .args(argv.iter().skip(1))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            .kill_on_drop(true);
        client::set_environment(&mut command, environment);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn().map_err(failed)?;
        let missing = || failed(io::Error::other("it has no standard streams"));
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        Ok(Self {
            leader: child.id(),
            child,
            input,
            output: BufReader::new(output).lines(),
            step_max,
        })
    }

    /// Says a line and waits for the answer.
    pub async fn ask(&mut self, line: &Line<'_>) -> Result<Answer, Gone> {
        let mut text = serde_json::to_string(line).unwrap_or_default();
        text.push('\n');
        // A write that fails finds an adapter that is gone, which the read tells.
        let _ = self.input.write_all(text.as_bytes()).await;
        let _ = self.input.flush().await;
        match tokio::time::timeout(self.step_max, self.output.next_line()).await {
            Err(_) => Err(Gone::Hung(self.step_max)),
            Ok(Ok(Some(line))) => Answer::parse(&line).ok_or(Gone::Babbled(line)),
            Ok(Ok(None) | Err(_)) => Err(Gone::Crashed(self.code().await)),
        }
    }

    async fn code(&mut self) -> i32 {
        match tokio::time::timeout(Duration::from_secs(2), self.child.wait()).await {
            Ok(Ok(status)) => client::code(status),
            _ => 1,
        }
    }

    /// Closes its input and waits for it to end; what is left of it is stopped. The error is an adapter that did not
    /// end, or not with 0.
    pub async fn end(self) -> Result<(), Gone> {
        let Self {
            mut child,
            leader,
            input,
            output: _output,
            step_max,
        } = self;
        drop(input);
        let ended = tokio::time::timeout(step_max, child.wait()).await;
        client::stop_group(&mut child, leader).await;
        match ended.map(|status| status.map_or(1, client::code)) {
            Ok(0) => Ok(()),
            Ok(code) => Err(Gone::Crashed(code)),
            Err(_) => Err(Gone::Hung(step_max)),
        }
    }

    /// Stops it at once.
    pub async fn stop(mut self) {
        client::stop_group(&mut self.child, self.leader).await;
    }
}
