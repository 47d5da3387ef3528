//! The process that serves: its start, its signals, its memory and its end.

use robomaton_benches::memory;
use robomaton_runtime::Terms;
use robomaton_serve::{Options, Server};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time between two samples.
const SAMPLE: Duration = Duration::from_millis(10);

/// Serves an image on a free port until SIGTERM. The first line of its output is the address.
pub(crate) fn stage(image: &Path) -> ExitCode {
    let options = Options {
        image: image.to_owned(),
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        map_above: 1 << 30,
        without_damaged_layers: false,
        verify: true,
        terms: Terms::default(),
        hosts: Vec::new(),
        poll: Duration::from_secs(1),
        remark: |_| {},
    };
    match Server::bind(options) {
        Ok(server) => {
            println!("{}", server.address());
            server.run(std::future::pending());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// A running service. Dropping it kills it.
pub(crate) struct Process {
    child: Child,
    pub(crate) address: SocketAddr,
}

/// The most that a process had.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Peak {
    /// Resident bytes.
    pub(crate) memory: u64,
    pub(crate) descriptors: usize,
}

impl Process {
    /// Starts a service and waits for its address.
    pub(crate) fn start(stage: &str, image: &Path) -> Result<Process, String> {
        let failed = |error: std::io::Error| format!("cannot start: {error}");
        let program = std::env::current_exe().map_err(failed)?;
        let mut command = Command::new(program);
        let mut child = command.arg(stage).arg(image).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut line).map_err(failed)?;
        }
        match line.trim().parse() {
            Ok(address) => Ok(Process { child, address }),
            Err(_) => Err(format!("no service: {}", child.wait().map_err(failed)?)),
        }
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, name: &str) -> Result<(), String> {
        let sent = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status();
        match sent {
            Ok(status) if status.success() => Ok(()),
            _ => Err(format!("cannot send {name}")),
        }
    }

    /// A line of its status in bytes.
    fn status(&self, key: &str) -> Result<u64, String> {
        memory::status(&self.child.id().to_string(), key).ok_or_else(|| "the service has ended".to_owned())
    }

    /// The peak of its resident memory since its start.
    pub(crate) fn peak_memory(&self) -> Result<u64, String> {
        self.status("VmHWM")
    }

    /// The number of its open descriptors.
    pub(crate) fn descriptors(&self) -> Result<usize, String> {
        let folder = format!("/proc/{}/fd", self.child.id());
        let entries = std::fs::read_dir(folder).map_err(|error| format!("the service is gone: {error}"))?;
        Ok(entries.count())
    }

    /// Samples it until the end.
    pub(crate) fn watch(&self, over: &AtomicBool) -> Result<Peak, String> {
        let mut peak = Peak::default();
        while !over.load(Ordering::Relaxed) {
            peak.memory = peak.memory.max(self.status("VmRSS")?);
            peak.descriptors = peak.descriptors.max(self.descriptors()?);
            std::thread::sleep(SAMPLE);
        }
        Ok(peak)
    }

    /// Ends it with SIGTERM; returns the time that it took.
    pub(crate) fn end(mut self, within: Duration) -> Result<Duration, String> {
        self.signal("TERM")?;
        let began = Instant::now();
        while began.elapsed() < within {
            match self.child.try_wait().map_err(|error| error.to_string())? {
                Some(status) if status.success() => return Ok(began.elapsed()),
                Some(status) => return Err(format!("after SIGTERM, the service ended with {status}")),
                None => std::thread::sleep(SAMPLE),
            }
        }
        Err(format!("the service did not end within {} seconds of SIGTERM", within.as_secs()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It has ended as a rule.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
