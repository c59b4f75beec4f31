//! One run of the binary to its end.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
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
    folder: TempDir,
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

    /// Runs it to its end.
    pub(crate) fn run(mut self) -> Outcome {
        let child = self
            .command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut child = Killed(child);
        let stdout = collect(child.0.stdout.take().unwrap());
        let stderr = collect(child.0.stderr.take().unwrap());
        let code = child.wait();
        let (stdout, stderr) = (stdout.join().unwrap(), stderr.join().unwrap());
        Outcome {
            code,
            stdout,
            stderr,
            folder: self.folder,
        }
    }
}

impl Outcome {
    /// The folder in which it ran.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
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

/// A process that does not outlive its test.
struct Killed(Child);

impl Killed {
    /// The exit code; fails when the time limit is over.
    fn wait(&mut self) -> Option<i32> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
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
        let _ = self.0.kill();
        let _ = self.0.wait();
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
