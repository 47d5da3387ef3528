//! Resident memory as counted by the operating system, and stages with a memory limit.
//!
//! Without `/proc`, nothing is known and nothing is limited.

use robomaton_benches::memory::status;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A line of the status of this process.
pub(crate) fn own(key: &str) -> Option<u64> {
    status("self", key)
}

/// Resident bytes of a mapped file in this process, from its maps: the status counts them only
/// roughly.
pub(crate) fn mapped(file: &Path) -> Option<u64> {
    let maps = std::fs::read_to_string("/proc/self/smaps").ok()?;
    let name = file.canonicalize().ok()?;
    let map = maps.split_once(name.to_str()?)?.1;
    let resident = map.lines().find_map(|line| line.strip_prefix("Rss:"))?;
    resident.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kib| kib << 10)
}

/// Runs a stage in a separate process; returns its output, or the reason why it ended.
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
