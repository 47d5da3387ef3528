//! Helpers for the tests of the command: running it, and a small image.
//!
//! Every test has its own directory and runs the real binary; nothing is mocked.
#![allow(dead_code, reason = "each test file uses its part")]

use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A robots.txt with many kinds of records.
pub(crate) const ROBOTS: &str = "\
User-agent: *
Disallow: /private
Allow: /private/open
Disallow: /equal
Allow: /equal
Crawl-delay: 2.5

User-agent: GPTBot
Disallow: /
Noindex: /drafts

Sitemap: https://a.example/s.xml
";

/// The result of a run of the command.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    /// The lines of standard output as JSON.
    pub(crate) fn json(&self) -> Vec<serde_json::Value> {
        self.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// Asserts success, and returns standard output.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.out
    }

    /// Asserts an error: exit code 2, no result, one line that contains `what`.
    #[track_caller]
    pub(crate) fn fails(&self, what: &str) {
        assert_eq!((self.code, self.out.as_str()), (2, ""), "{self:?}");
        assert!(self.err.starts_with("robomaton: ") && self.err.contains(what), "{self:?}");
        assert_eq!(self.err.lines().count(), 1, "{self:?}");
    }
}

/// A directory, and the command that runs in it.
pub(crate) struct Place {
    directory: TempDir,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place { directory: TempDir::new().expect("a directory") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).expect("a directory");
        std::fs::write(&path, content).expect("a file");
        path
    }

    /// The command, not started yet.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("robomaton"));
        command.args(arguments).current_dir(self.directory.path()).env_remove("NO_COLOR");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, "")
    }

    /// Runs the command with this standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Run {
        let mut command = assert_cmd::Command::from_std(self.command(arguments));
        let output = command.write_stdin(input.as_ref()).output().expect("a run");
        Run {
            code: output.status.code().expect("an exit code"),
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// A place with an image of a few sites, `i.rimg`.
    pub(crate) fn with_image() -> Place {
        let place = Place::new();
        let line = |host: &str, status: u16, body: &str| {
            let url = format!("https://{host}/robots.txt");
            let fetched_at = "2024-05-11T00:00:00Z";
            serde_json::json!({ "url": url, "status": status, "fetched_at": fetched_at, "body": body })
                .to_string()
        };
        let captures = [
            line("a.example", 200, ROBOTS),
            line("b.example", 200, "User-agent: *\nDisallow: /x*y$\n"),
            line("gone.example", 404, ""),
            line("closed.example", 403, ""),
            line("busy.example", 429, ""),
            line("down.example", 503, ""),
        ];
        place.write("captures.jsonl", captures.join("\n"));
        place.run(&["compile", "captures.jsonl", "-o", "i.rimg"]).ok();
        place
    }
}

/// A capture as a line of JSON, fetched in 2026.
pub(crate) fn capture(url: &str, body: &str) -> String {
    json!({ "url": url, "status": 200, "fetched_at": 1_790_000_000, "body": body }).to_string()
}

/// A captured page with these header fields.
pub(crate) fn page(url: &str, headers: &[(&str, &str)], body: &str) -> String {
    let mut fields = json!({ "content-type": "text/html" });
    for &(name, value) in headers {
        fields[name] = value.into();
    }
    json!({ "url": url, "status": 200, "fetched_at": 1_790_000_000, "headers": fields, "body": body })
        .to_string()
}

/// An image of these captures.
pub(crate) fn image(captures: &[String], options: &[&str]) -> Place {
    let place = Place::new();
    place.write("captures.jsonl", captures.join("\n"));
    place.run(&[&["compile", "captures.jsonl", "-o", "i.rimg"], options].concat()).ok();
    place
}

/// An image of one robots.txt of `h.example`.
pub(crate) fn image_of(robots: &str, options: &[&str]) -> Place {
    image(&[capture("https://h.example/robots.txt", robots)], options)
}

/// The answer of `query`, which `explain` gives as well.
#[track_caller]
pub(crate) fn verdict(place: &Place, url: &str, options: &[&str]) -> String {
    let run = place.run(&[&["query", "i.rimg", url], options].concat());
    let verdict = run.out.split('\t').next().unwrap_or_default().to_owned();
    let told = place.run(&[&["explain", "i.rimg", url], options].concat());
    assert!(told.out.contains(&format!("\nverdict  {verdict}")), "{verdict}: {told:?}");
    verdict
}
