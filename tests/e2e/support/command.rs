//! One run of the binary to its end.

use std::io::Read;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A hanging binary fails its test after this long.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Variables of the machine that would change what the binary does.
const CLEARED: [&str; 6] = [
    "NO_COLOR",
    "CLICOLOR_FORCE",
    "HOLDOVER_SESSION",
    "OPENAI_BASE_URL",
    "OPENAI_API_KEY",
    "GITHUB_ACTIONS",
];

/// The binary about to be started, in an empty folder that is gone afterwards.
pub(crate) struct Holdover {
    command: Command,
    folder: TempDir,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    process: Killed,
}

impl Holdover {
    /// With these arguments.
    pub(crate) fn new(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_holdover"));
        command
            .args(arguments)
            .current_dir(folder.path())
            .stdin(Stdio::null());
        for name in CLEARED {
            command.env_remove(name);
        }
        Self { command, folder }
    }

    /// Writes a file into the folder in which it will run.
    pub(crate) fn file(self, name: &str, text: &str) -> Self {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    /// Sets a variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Adds an argument that is a path in the folder of another run.
    pub(crate) fn path(mut self, path: &Path) -> Self {
        self.command.arg(path);
        self
    }

    /// Starts it; it ends with the value.
    pub(crate) fn spawn(mut self) -> Killed {
        let child = self
            .command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Killed {
            child,
            folder: self.folder,
        }
    }

    /// Runs it to its end.
    pub(crate) fn run(self) -> Outcome {
        let mut process = self.spawn();
        let stdout = collect(process.stdout());
        let stderr = collect(process.child.stderr.take().unwrap());
        let code = process.wait();
        let (stdout, stderr) = (stdout.join().unwrap(), stderr.join().unwrap());
        Outcome {
            code,
            stdout,
            stderr,
            process,
        }
    }
}

impl Outcome {
    /// The folder in which it ran.
    pub(crate) fn folder(&self) -> &Path {
        self.process.folder.path()
    }

    /// Fails, with everything it printed, unless it ended with this exit code.
    #[track_caller]
    pub(crate) fn assert_code(&self, code: i32) -> &Self {
        assert_eq!(
            self.code,
            Some(code),
            "stdout:\n{}\nstderr:\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    /// Fails unless standard error holds this text.
    #[track_caller]
    pub(crate) fn assert_stderr_has(&self, text: &str) -> &Self {
        assert!(
            self.stderr.contains(text),
            "`{text}` is not in stderr:\n{}",
            self.stderr
        );
        self
    }

    /// Fails unless standard output holds this text.
    #[track_caller]
    pub(crate) fn assert_stdout_has(&self, text: &str) -> &Self {
        assert!(
            self.stdout.contains(text),
            "`{text}` is not in stdout:\n{}",
            self.stdout
        );
        self
    }
}

/// A process that does not outlive its test, and its folder.
#[derive(Debug)]
pub(crate) struct Killed {
    child: Child,
    folder: TempDir,
}

impl Killed {
    /// Its standard output, once.
    pub(crate) fn stdout(&mut self) -> ChildStdout {
        self.child.stdout.take().unwrap()
    }

    /// The exit code; fails when the time limit is over.
    fn wait(&mut self) -> Option<i32> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(
                started.elapsed() < TIME_LIMIT,
                "still running after {TIME_LIMIT:?}"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a pipe to its end beside the process, so that a full pipe cannot stop it.
fn collect(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
