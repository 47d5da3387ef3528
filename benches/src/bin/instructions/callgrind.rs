//! Runs the passes under callgrind, and reads what it counted.
//!
//! Callgrind sets its counts to zero at the beginning of one function and writes a profile at the
//! beginning of another, numbered from 1. (It can also count inside of one function only, but then
//! it writes no profile after each call.) Invariant: as many profiles are read as the watched
//! process says that it made passes.

use crate::asked::BETWEEN;
use std::path::Path;
use std::process::{Command, Stdio};

/// The cost of a pass.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Cost {
    pub(crate) questions: u64,
    pub(crate) instructions: u64,
    /// Branches that the simulated processor predicts wrongly.
    pub(crate) mispredicted: u64,
}

impl Cost {
    /// The share of a question.
    pub(crate) fn each(&self, sum: u64) -> f64 {
        sum as f64 / self.questions.max(1) as f64
    }
}

/// An error if valgrind is missing.
pub(crate) fn find() -> Result<(), String> {
    match Command::new("valgrind").arg("--version").stdout(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        _ => Err("valgrind is missing, and nothing else here counts instructions; install it \
            (apt-get install valgrind)"
            .into()),
    }
}

/// The costs of the passes that this program makes in a stage, with these files. The profiles stay
/// in a directory.
pub(crate) fn count(
    stage: &str,
    files: &[&Path],
    expected: usize,
    profiles: &Path,
) -> Result<Vec<Cost>, String> {
    let profile = profiles.join("profile").display().to_string();
    let mut watched = Command::new("valgrind");
    watched.args(["-q", "--tool=callgrind", "--branch-sim=yes", "--dump-instr=yes"]);
    let [begins, ends] = BETWEEN;
    watched.arg(format!("--zero-before={begins}")).arg(format!("--dump-before={ends}"));
    watched.arg(format!("--callgrind-out-file={profile}"));
    watched.arg(std::env::current_exe().map_err(|error| error.to_string())?);
    let output = watched.arg(stage).args(files).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("valgrind: {error}"))?;
    if !output.status.success() {
        return Err(format!("valgrind ended with {}", output.status));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let pass = |(number, questions): (usize, &str)| {
        let path = format!("{profile}.{}", number + 1);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let questions = questions.parse().map_err(|_| format!("{questions:?} is no number"))?;
        read(questions, &text).ok_or(format!("{path} has no sums of instructions and branches"))
    };
    let passes: Vec<Cost> = said.lines().enumerate().map(pass).collect::<Result<_, String>>()?;
    if passes.len() != expected {
        return Err(format!("{} passes were made", passes.len()));
    }
    Ok(passes)
}

/// The sums of a profile: the line `summary:` has a number for each name in the line `events:`.
fn read(questions: u64, profile: &str) -> Option<Cost> {
    let rest = |head: &str| profile.lines().find_map(|line| line.strip_prefix(head));
    let (events, sums) = (rest("events: ")?, rest("summary: ")?);
    let mut cost = Cost { questions, ..Cost::default() };
    for (event, sum) in events.split_whitespace().zip(sums.split_whitespace()) {
        let sum: u64 = sum.parse().ok()?;
        match event {
            "Ir" => cost.instructions = sum,
            "Bcm" | "Bim" => cost.mispredicted += sum,
            _ => {}
        }
    }
    (questions == 0 || cost.instructions > 0).then_some(cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_read() {
        let profile = "version: 1\nevents: Ir Bc Bcm Bi Bim\nsummary: 100 30 4 5 2\n\nfn=(1) x\n1 2\n";
        assert_eq!(read(10, profile), Some(Cost { questions: 10, instructions: 100, mispredicted: 6 }));
        assert_eq!(read(10, profile).map(|cost| cost.each(cost.instructions)), Some(10.0));
        assert_eq!(read(10, "events: Ir\nsummary: 0\n"), None);
        assert_eq!(read(10, "events: Ir\n"), None);
    }
}
