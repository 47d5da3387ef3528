//! A service over a small image, and a client that can also misbehave.
#![allow(dead_code)]

pub(crate) mod page;
pub(crate) mod store;

use robomaton_corpus::{BatchOptions, Built, Input, Progress, build};
use robomaton_runtime::Terms;
use robomaton_serve::{Options, Server};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::oneshot;

pub(crate) const ROBOTS: &str = "User-agent: *\nDisallow: /private\nAllow: /private/open\n\nUser-agent: GPTBot\n\
    Disallow: /\nNoindex: /drafts\n\nSitemap: https://a.example/map.xml\n";

/// The remarks of all services in a test program.
static REMARKS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn remark(message: &str) {
    REMARKS.lock().expect("remarks").push(message.to_owned());
}

/// The remarks that contain this path.
pub(crate) fn remarks_of(what: &Path) -> Vec<String> {
    let what = what.display().to_string();
    REMARKS.lock().expect("remarks").iter().filter(|remark| remark.contains(&what)).cloned().collect()
}

/// A running service, and its directory.
pub(crate) struct Service {
    pub(crate) address: SocketAddr,
    pub(crate) folder: TempDir,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Compiles JSON lines into an image at this path, by rename.
pub(crate) fn compile(captures: &str, image: &Path) {
    let (input, aside) = (image.with_extension("jsonl"), image.with_extension("new"));
    std::fs::write(&input, captures).expect("a file");
    let built = build(&[Input::Path(input)], &BatchOptions::default(), &Progress::default());
    let Built { image: bytes, .. } = built.expect("captures");
    std::fs::write(&aside, bytes).expect("a file");
    std::fs::rename(aside, image).expect("a rename");
}

/// One capture.
pub(crate) fn capture(host: &str, status: u16, body: &str) -> String {
    let url = format!("https://{host}/robots.txt");
    serde_json::json!({ "url": url, "status": status, "fetched_at": "2024-05-11T00:00:00Z", "body": body })
        .to_string()
}

/// The initial image of all services.
pub(crate) fn captures() -> String {
    let captures = [
        capture("a.example", 200, ROBOTS),
        capture("b.example", 200, "User-agent: *\nDisallow: /x*y$\n"),
        capture("gone.example", 404, ""),
        capture("html.example", 200, "<!doctype html><title>no</title>"),
    ];
    captures.join("\n")
}

impl Service {
    pub(crate) fn start() -> Service {
        Service::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut Options)) -> Service {
        let folder = TempDir::new().expect("a folder");
        let image = folder.path().join("i.rimg");
        compile(&captures(), &image);
        let mut options = Options {
            image,
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            map_above: 1 << 30,
            without_damaged_layers: false,
            verify: true,
            terms: Terms::default(),
            hosts: Vec::new(),
            poll: Duration::from_millis(5),
            remark,
        };
        change(&mut options);
        let server = Server::bind(options).expect("a server");
        let address = server.address();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            let stopped = async {
                // A dropped sender ends the service, too.
                let _ = stopped.await;
            };
            server.run(stopped);
        });
        Service { address, folder, stop: Some(stop), thread: Some(thread) }
    }

    pub(crate) fn image(&self) -> PathBuf {
        self.folder.path().join("i.rimg")
    }

    /// Ends the service and waits for its end.
    pub(crate) fn end(&mut self) {
        if let (Some(stop), Some(thread)) = (self.stop.take(), self.thread.take()) {
            // A service that has already ended does not listen.
            let _ = stop.send(());
            thread.join().expect("a good end");
        }
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.address)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.client().get(path)
    }

    pub(crate) fn post(&self, path: &str, body: impl AsRef<[u8]>) -> Answer {
        self.client().post(path, body.as_ref())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.end();
    }
}

/// A connection.
pub(crate) struct Client {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
    host: String,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("UTF-8")
    }

    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        assert_eq!(self.status, 200, "{}", self.text());
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// The message of a refusal with this status.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.text());
        let said: serde_json::Value = serde_json::from_slice(&self.body).expect("JSON");
        said["error"].as_str().expect("a sentence").to_owned()
    }
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        let reader = BufReader::new(stream.try_clone().expect("a stream"));
        Client { stream, reader, host: address.to_string() }
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("a reader");
    }

    /// Sends bytes to a service that need not read them.
    pub(crate) fn try_send(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    pub(crate) fn get(&mut self, path: &str) -> Answer {
        let host = self.host.clone();
        self.send(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
        self.answer().expect("an answer")
    }

    pub(crate) fn post(&mut self, path: &str, body: &[u8]) -> Answer {
        let (host, length) = (self.host.clone(), body.len());
        self.send(
            format!("POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n").as_bytes(),
        );
        // The client need not send everything if it is refused early.
        self.try_send(body);
        self.answer().expect("an answer")
    }

    /// The next answer; `None` if the connection has ended.
    pub(crate) fn answer(&mut self) -> Option<Answer> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if self.reader.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().expect("a number"))];
        self.reader.read_exact(&mut body).ok()?;
        Some(Answer { status, head, body })
    }
}
