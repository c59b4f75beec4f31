//! The readers of captures under damaged input, for a minute, with another chance in every run.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::say;
use crate::workspace::Workspace;

/// Seconds that every kind of capture is damaged for. All kinds run at the same time.
const SECONDS: &str = "60";

/// Runs the targets; `HOLDOVER_FUZZ_SEED` takes the way of an earlier run, `HOLDOVER_FUZZ_SECONDS` another time.
pub(crate) fn readers(workspace: &Workspace) -> anyhow::Result<()> {
    let today = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let seed = std::env::var("HOLDOVER_FUZZ_SEED").unwrap_or_else(|_| today.to_string());
    let seconds = std::env::var("HOLDOVER_FUZZ_SECONDS").unwrap_or_else(|_| SECONDS.to_owned());
    say(&format!(
        "    {seconds} s for each kind of capture, from seed {seed}"
    ));
    workspace
        .cargo("test --package holdover-runner --test fuzz --locked --quiet -- --test-threads 16")
        .env("HOLDOVER_FUZZ_SEED", seed)
        .env("HOLDOVER_FUZZ_SECONDS", seconds)
        .run()
}
