//! Resident memory, as the system counts it, and stages that may not take more of it than is
//! allowed.
//!
//! Where there is no `/proc`, nothing is known and nothing is limited.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A line of a process's status in bytes: `VmHWM` the most that was resident, `RssAnon` what is of
/// no file now.
fn status(process: &str, key: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok().map(|kib| kib << 10)
}

/// The same of this process.
pub(crate) fn own(key: &str) -> Option<u64> {
    status("self", key)
}

/// Bytes of a mapped file that are resident in this process, by its maps: the status counts them
/// only roughly.
pub(crate) fn mapped(file: &Path) -> Option<u64> {
    let maps = std::fs::read_to_string("/proc/self/smaps").ok()?;
    let name = file.canonicalize().ok()?;
    let map = maps.split_once(name.to_str()?)?.1;
    let resident = map.lines().find_map(|line| line.strip_prefix("Rss:"))?;
    resident.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kib| kib << 10)
}

/// Runs a stage in a process of its own; gives what it printed, or why it ended.
pub(crate) fn run(mut command: Command, limit: u64) -> Result<String, String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
    while child.try_wait().map_err(failed)?.is_none() {
        if status(&child.id().to_string(), "RssAnon").is_some_and(|bytes| bytes > limit) {
            child.kill().map_err(failed)?;
            child.wait().map_err(failed)?;
            return Err(format!("took more than {} MiB of memory", limit >> 20));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    output(child)
}

fn output(child: Child) -> Result<String, String> {
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("ended with {}", output.status))
    }
}
