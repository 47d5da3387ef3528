//! Memory of a process as counted by the operating system. Without `/proc`, nothing is known.

/// A line of a process's status in bytes: `VmHWM` is the peak of resident memory, `VmRSS` the
/// resident memory now, `RssAnon` the part of it that belongs to no file. `process` is a number or
/// `self`. `None` once the process has ended.
pub fn status(process: &str, key: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}
