//! `serve` as a process: the printed address, signals, and errors at the start. Its answers are
//! tested in the crate `serve`.

mod common;

use common::Place;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command};

/// A running service.
struct Service {
    child: Child,
    said: BufReader<ChildStderr>,
    address: String,
}

impl Service {
    fn start(place: &Place) -> Service {
        Service::of(place, &["serve", "i.rimg"])
    }

    fn of(place: &Place, what: &[&str]) -> Service {
        Service::started(place.command(&[what, &["--listen", "127.0.0.1:0"]].concat()))
    }

    fn started(mut command: Command) -> Service {
        let mut child = command.spawn().expect("a process");
        let said = BufReader::new(child.stderr.take().expect("standard error"));
        let mut service = Service { child, said, address: String::new() };
        let line = service.line();
        let address = line.strip_prefix("robomaton: listening on http://").expect("an address");
        service.address = address.to_owned();
        service
    }

    /// The next line on its standard error.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).expect("a line");
        line.trim_ascii_end().to_owned()
    }

    fn get(&self, path: &str) -> String {
        self.ask(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
    }

    /// Puts a capture, with the token.
    #[cfg(target_os = "linux")]
    fn put(&self, capture: &str) -> String {
        let length = capture.len();
        self.ask(format!(
            "PUT /v1/captures HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Authorization: Bearer 0123456789abcdef\r\nContent-Length: {length}\r\n\r\n{capture}"
        ))
    }

    fn ask(&self, request: String) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        stream.write_all(request.as_bytes()).expect("a reader");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    #[cfg(unix)]
    fn signal(&self, name: &str) {
        let number = self.child.id().to_string();
        let status = Command::new("kill").args([name, &number]).status().expect("kill");
        assert!(status.success());
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[cfg(unix)]
fn signals_end_it_well() {
    let place = Place::with_image();
    for name in ["-TERM", "-INT"] {
        let mut service = Service::start(&place);
        let answer = service.get("/v1/decide?url=https://a.example/private");
        assert!(
            answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("\"verdict\":\"disallowed\""),
            "{answer}"
        );
        service.signal(name);
        assert_eq!(service.child.wait().expect("an end").code(), Some(0));
        assert_eq!(service.line(), "");
    }
}

#[test]
#[cfg(unix)]
fn a_hangup_opens_the_image_anew() {
    let place = Place::with_image();
    let mut service = Service::start(&place);
    service.signal("-HUP");
    assert_eq!(service.line(), "robomaton: opened i.rimg anew: 6 sites");
    // By rename, as `compile` does.
    place.write("garbage", "not an image");
    std::fs::rename(place.path("garbage"), place.path("i.rimg")).expect("a rename");
    service.signal("-HUP");
    let line = service.line();
    assert!(line.starts_with("robomaton: i.rimg: ") && line.contains("goes on answering"), "{line}");
    assert!(service.get("/v1/decide?url=https://a.example/private").contains("\"verdict\":\"disallowed\""));
    // One site is one site.
    place.write("one.jsonl", r#"{"url": "a.example", "body": "User-agent: *\nDisallow: /"}"#);
    place.run(&["compile", "one.jsonl", "-o", "i.rimg", "--force"]).ok();
    service.signal("-HUP");
    assert_eq!(service.line(), "robomaton: opened i.rimg anew: 1 site");
}

#[test]
fn what_keeps_it_from_starting_is_one_line() {
    let place = Place::with_image();
    let service = Service::start(&place);
    place
        .run(&["serve", "i.rimg", "--listen", &service.address])
        .fails(&format!("cannot listen on {}", service.address));
    place.run(&["serve", "none.rimg"]).fails("none.rimg");
    place.run(&["serve", "captures.jsonl"]).fails("captures.jsonl");
    place.run(&["serve", "i.rimg", "--listen", "here"]).fails("'here' for '--listen <ADDRESS:PORT>'");
}

#[test]
fn a_store_is_served_with_a_token() {
    let place = Place::with_image();
    let put =
        place.run_with(&["store", "put", "s"], r#"{"url": "https://a.example/robots.txt", "body": ""}"#).ok();
    assert_eq!(put, "1 capture put, 0 not newer, 0 invalid\n");
    place.write("token", "0123456789abcdef\n");
    let service = Service::of(&place, &["serve", "--store", "s", "--token-file", "token"]);
    let state = service.get("/v1/state?url=https://a.example/");
    assert!(state.contains("\"state\":\"fresh\""), "{state}");
    assert!(service.get("/v1/state?url=https://b.example/").contains("\"state\":\"unknown\""));
    place.run(&["store", "put", "s"]).fails("is open for writing by process");
    assert!(place.run(&["store", "stats", "s"]).ok().contains("1 site"));
    drop(service);
    let fails = |arguments: &[&str], what: &str| {
        let listen = ["--listen", "0.0.0.0:0"];
        place.run(&[&["serve"], arguments, &listen].concat()).fails(what);
    };
    fails(&["--store", "s"], "0.0.0.0:0 is no loopback address");
    place.write("short", "0123");
    fails(&["--store", "s", "--token-file", "short"], "short: a token has 16 to 1024");
    fails(&["--store", "s", "--token-file", "none"], "none: ");
    fails(&["--store", "s", "--no-verify"], "--no-verify");
    fails(&["--store", "s", "i.rimg"], "cannot be used with");
    fails(&["i.rimg", "--token-file", "token"], "cannot be used with");
    fails(&["i.rimg", "--max-rules", "9"], "cannot be used with");
    fails(&[], "IMAGE");
    let output = place.command(&["serve", "--store", "s"]).env("ROBOMATON_TOKEN", "0123").output();
    let output = output.expect("a run");
    assert!(String::from_utf8_lossy(&output.stderr).contains("ROBOMATON_TOKEN: a token has 16 to 1024"));
}

/// Without room for the descriptors of the runtime.
#[test]
#[cfg(unix)]
fn few_descriptors_are_one_line() {
    let place = Place::with_image();
    let line = |limit: usize| {
        let command = format!("ulimit -n {limit}; exec \"$0\" serve i.rimg --listen 127.0.0.1:0");
        let mut child = Command::new("sh")
            .args(["-c", &command, env!("CARGO_BIN_EXE_robomaton")])
            .current_dir(place.path("."))
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("a process");
        let mut said = String::new();
        let mut stderr = BufReader::new(child.stderr.take().expect("standard error"));
        stderr.read_line(&mut said).expect("a line");
        // The service that had enough, runs.
        let _ = child.kill();
        let _ = child.wait();
        said
    };
    for limit in 5..24 {
        let said = line(limit);
        let is_expected =
            ["robomaton: cannot ", "robomaton: listening on "].iter().any(|start| said.starts_with(start));
        assert!(is_expected, "{limit}: {said}");
    }
}

#[test]
#[cfg(unix)]
fn pipes_are_no_images() {
    let place = Place::with_image();
    assert!(std::process::Command::new("mkfifo").arg(place.path("pipe")).status().expect("mkfifo").success());
    for command in ["serve", "verify", "inspect"] {
        place.run(&[command, "pipe"]).fails("cannot open pipe: not a regular file");
    }
    place.run(&["query", "pipe", "https://a.example/"]).fails("cannot open pipe: not a regular file");
}

/// Every sync of the log fails, and no other log can be begun; then that goes again.
#[test]
#[cfg(target_os = "linux")]
fn a_store_that_cannot_take_captures_says_so() {
    if Command::new("strace").arg("-V").output().is_err() {
        eprintln!("skipped: there is no strace");
        return;
    }
    let place = Place::new();
    place.write("token", "0123456789abcdef");
    place.run(&["store", "put", "s", "-"]).ok();
    // A log has the next free number, and these are taken.
    let blocked: Vec<_> = (3..99).map(|number| place.path(&format!("s/{number}.log"))).collect();
    let service =
        place.command(&["serve", "--store", "s", "--token-file", "token", "--listen", "127.0.0.1:0"]);
    // The process of this command becomes the service.
    let mut strace = Command::new("strace");
    strace.args(["-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync"]);
    strace.args(["-e", "inject=fdatasync:error=EIO"]).arg(service.get_program()).args(service.get_args());
    strace.current_dir(place.path("")).stderr(std::process::Stdio::piped());
    let mut service = Service::started(strace);
    blocked.iter().for_each(|path| std::fs::create_dir(path).expect("room"));
    let health = |service: &Service| {
        let answer = service.get("/healthz");
        let code = answer.split(' ').nth(1).expect("a status").to_owned();
        let json: serde_json::Value =
            serde_json::from_str(answer.split_once("\r\n\r\n").expect("a body").1).expect("JSON");
        (code, json["status"].as_str().expect("a word").to_owned())
    };
    let words = |code: &str, status: &str| (code.to_owned(), status.to_owned());
    assert_eq!(health(&service), words("200", "ok"));
    let capture = |host: &str| {
        let body = "User-agent: *\nDisallow: /x\n";
        serde_json::json!({ "url": format!("https://{host}.example/robots.txt"), "body": body }).to_string()
    };
    assert!(service.put(&capture("a")).starts_with("HTTP/1.1 500 "));
    for _ in 0..3 {
        std::thread::sleep(std::time::Duration::from_millis(500));
        assert_eq!(health(&service), words("503", "broken"));
    }
    assert!(service.line().contains("nothing of this batch need be durable"));
    assert!(service.get("/v1/decide?url=https://a.example/x").contains("\"disallowed\""));
    blocked.iter().for_each(|path| std::fs::remove_dir(path).expect("an empty directory"));
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while health(&service) != words("200", "ok") {
        assert!(std::time::Instant::now() < end, "it tries again every second");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    drop(service);
    assert_eq!(place.run(&["store", "state", "s", "https://a.example/"]).ok(), "fresh\thttps://a.example/\n");
}
