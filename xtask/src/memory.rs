//! Memory of another process, where the system tells it.

use std::fmt;

use anyhow::{bail, ensure};

/// Bytes; nothing where the system has no `/proc`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Peak(pub(crate) Option<u64>);

impl Peak {
    /// Fails where the bytes are not below this; on Linux also where they could not be read.
    pub(crate) fn ensure_below(self, limit: u64) -> anyhow::Result<()> {
        match self.0 {
            Some(bytes) => ensure!(
                bytes < limit,
                "{bytes} bytes are resident, and {limit} is the limit"
            ),
            None if cfg!(target_os = "linux") => bail!("memory could not be read from `/proc`"),
            None => {}
        }
        Ok(())
    }
}

impl fmt::Display for Peak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(bytes) => write!(f, "{} MiB", bytes >> 20),
            None => f.write_str("an unknown number of bytes"),
        }
    }
}

/// Most bytes that were resident so far.
pub(crate) fn peak(process: u32) -> Peak {
    Peak(member(process, "VmHWM:"))
}

/// Bytes that are resident now.
pub(crate) fn resident(process: u32) -> Peak {
    Peak(member(process, "VmRSS:"))
}

/// A line like `VmHWM: 1234 kB` of the process.
fn member(process: u32, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes = line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()?;
    Some(kilobytes * 1024)
}
