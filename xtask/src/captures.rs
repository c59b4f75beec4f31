//! Large captures through the binary that users get: how long it judges, and how much memory it takes.
//!
//! | module | what is there |
//! |---|---|
//! | [`made`] | a HAR file of any length |

mod made;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use serde_json::Value;

use crate::workspace::Workspace;
use crate::{memory, say};
use made::{Shape, Size};

/// A capture of a thousand exchanges is judged in this time.
const LIMIT: Duration = Duration::from_secs(2);
/// The quickest of so many runs counts: other programs of the machine make the others slow.
const RUNS_MAX: usize = 5;

/// A thousand exchanges in 50 MB.
const THOUSAND: Shape = Shape {
    conversations: 20,
    turns: 50,
    question_words: 20,
    loses: 6,
};
const THOUSAND_BYTES_MIN: u64 = 50_000_000;

/// Few exchanges with long histories: 500 MB of which most is said again and again.
const LONG: Shape = Shape {
    conversations: 10,
    turns: 50,
    question_words: 4_000,
    loses: 3,
};
const LONG_BYTES_MIN: u64 = 500_000_000;

/// Reading takes one entry at a time: its bytes, its text, its values, and their stand-ins.
const COPIES_OF_AN_ENTRY: u64 = 16;
/// What is remembered of each item, once: its text, its stand-in, its pieces.
const COPIES_OF_AN_ITEM: u64 = 3;

/// Judges both captures. Their findings are known, because they were planted here.
pub(crate) fn judge(workspace: &Workspace) -> anyhow::Result<()> {
    let folder = workspace.target("xtask").join("captures");
    fs::create_dir_all(&folder)?;
    let result = quick(workspace, &folder).and_then(|()| small(workspace, &folder));
    // Half a gigabyte is not left behind.
    fs::remove_dir_all(&folder)?;
    result
}

fn quick(workspace: &Workspace, folder: &Path) -> anyhow::Result<()> {
    let file = folder.join("thousand.har");
    let size = written(THOUSAND, &file, THOUSAND_BYTES_MIN)?;
    let mut best = Duration::MAX;
    for _ in 0..RUNS_MAX {
        let ran = run(workspace, &file)?;
        ran.expect(THOUSAND)?;
        best = best.min(ran.took);
        if best < LIMIT {
            break;
        }
    }
    say(&format!(
        "    1000 exchanges in {} MB: judged in {:.2} s",
        size.bytes / 1_000_000,
        best.as_secs_f64()
    ));
    if workspace.profile() == "dev" {
        say("    (the profile `dev` is not what users get: the time is not held against its limit)");
    } else if best >= LIMIT {
        bail!(
            "a capture of 1000 exchanges takes {best:?}, and {LIMIT:?} is the limit (the best of {RUNS_MAX} runs)"
        );
    }
    Ok(())
}

fn small(workspace: &Workspace, folder: &Path) -> anyhow::Result<()> {
    let file = folder.join("long.har");
    let size = written(LONG, &file, LONG_BYTES_MIN)?;
    let ran = run(workspace, &file)?;
    ran.expect(LONG)?;
    let Some(peak) = ran.peak else {
        if cfg!(target_os = "linux") {
            bail!("the peak of memory could not be read from `/proc`");
        }
        say("    (the peak of memory is read from `/proc`, which this system has not)");
        return Ok(());
    };
    let limit = COPIES_OF_AN_ENTRY * size.largest_entry + COPIES_OF_AN_ITEM * size.distinct;
    let mb = |bytes: u64| bytes / 1_000_000;
    say(&format!(
        "    {} MB, the largest entry {} kB, what is said once {} MB: judged in {:.1} s with {} MB (limit {})",
        mb(size.bytes),
        size.largest_entry / 1000,
        mb(size.distinct),
        ran.took.as_secs_f64(),
        mb(peak),
        mb(limit)
    ));
    if peak > limit {
        bail!(
            "judging a HAR file of {} MB takes {} MB of memory, and {} MB is the limit",
            mb(size.bytes),
            mb(peak),
            mb(limit)
        );
    }
    Ok(())
}

fn written(shape: Shape, file: &Path, bytes_min: u64) -> anyhow::Result<Size> {
    let size = made::write(shape, file).with_context(|| format!("could not write `{}`", file.display()))?;
    if size.bytes < bytes_min {
        bail!("the capture has only {} bytes", size.bytes);
    }
    Ok(size)
}

/// A judged capture.
struct Ran {
    verdict: Value,
    status: ExitStatus,
    took: Duration,
    /// Most bytes that were resident; `None` where the system has no `/proc`.
    peak: Option<u64>,
}

impl Ran {
    /// Every turn was judged, and the one loss was found where it is.
    fn expect(&self, shape: Shape) -> anyhow::Result<()> {
        let found: Vec<(&Value, &Value)> = self.verdict["findings"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|finding| finding["severity"] == "error")
            .map(|finding| (&finding["rule"], &finding["exchange"]))
            .collect();
        let wanted = (Value::from("text-only-rebuild"), Value::from(shape.lost_at()));
        let turns = shape.conversations * shape.turns;
        if self.status.code() != Some(4)
            || found != [(&wanted.0, &wanted.1)]
            || self.verdict["coverage"]["turns"] != turns
        {
            bail!(
                "wanted {wanted:?} in {turns} turns and exit code 4, got {found:?}, {}, {}",
                self.verdict["coverage"],
                self.status
            );
        }
        Ok(())
    }
}

fn run(workspace: &Workspace, capture: &Path) -> anyhow::Result<Ran> {
    let out = capture.with_extension("json");
    let started = Instant::now();
    let mut child = Command::new(workspace.holdover())
        .args(["judge", "--format", "json"])
        .arg(capture)
        .stdin(Stdio::null())
        .stdout(File::create(&out)?)
        .stderr(Stdio::null())
        .spawn()
        .context("could not start `holdover`")?;
    let (status, peak) = watch(&mut child)?;
    let took = started.elapsed();
    let verdict = serde_json::from_slice(&fs::read(&out)?).context("the verdict is no JSON")?;
    Ok(Ran {
        verdict,
        status,
        took,
        peak,
    })
}

/// Waits for the end, and looks at the peak of memory meanwhile: the system forgets it with the process.
fn watch(child: &mut Child) -> anyhow::Result<(ExitStatus, Option<u64>)> {
    let mut peak = None;
    loop {
        peak = peak.max(memory::peak(child.id()).0);
        if let Some(status) = child.try_wait()? {
            return Ok((status, peak));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
