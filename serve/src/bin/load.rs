//! A load generator: measures how many questions per second a running service answers.
//!
//! ```text
//! cargo run --profile dist -p robomaton-serve --bin load -- \
//!     127.0.0.1:8080 URLS.txt [CONNECTIONS] [SECONDS] [PIPELINED] [BATCH] [FORM]
//! ```
//!
//! Two threads share the connections. In a round, a thread sends one `GET /v1/decide` for the next
//! line of the file on each of its connections, then reads the answers, so the generator leaves
//! most of the processor to the service. With PIPELINED above 1, it sends this many requests on
//! each connection before it reads an answer. With BATCH above 0, each request has this many
//! questions: as a `POST /v1/decide` with one JSON object a line, or, if FORM is `words`, as a
//! `POST /v1/verdicts` with one URL a line. Anything but a complete answer with status 200 is an
//! error, and makes the exit code 1. It supports only as much of HTTP as the service sends.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Client threads.
const THREADS: usize = 2;

/// The results of one thread.
#[derive(Default)]
struct Seen {
    /// Microseconds of each round.
    rounds: Vec<u32>,
    answers: u64,
    errors: u64,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("load: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, file, rest @ ..] = arguments.as_slice() else {
        return Err(
            "load ADDRESS:PORT URLS.txt [CONNECTIONS] [SECONDS] [PIPELINED] [BATCH] [json|words]".into()
        );
    };
    let number =
        |at: usize, default: usize| rest.get(at).map_or(Ok(default), |number| number.parse::<usize>());
    let (connections, seconds, pipelined) = (number(0, 32)?, number(1, 5)?, number(2, 1)?.max(1));
    let batch = number(3, 0)?;
    let form = match rest.get(4).map(String::as_str) {
        None | Some("json") => Form::Json,
        Some("words") => Form::Words,
        Some(other) => return Err(format!("no form {other:?}, only json and words").into()),
    };
    let text = std::fs::read_to_string(file)?;
    let urls: Vec<&str> = text.lines().collect();
    let requests: Vec<Request> = match batch {
        0 => urls.iter().map(|url| Request::single(address, url)).collect(),
        _ => urls.chunks(batch).map(|urls| Request::batch(address, urls, form)).collect(),
    };
    if requests.is_empty() {
        return Err(format!("{file}: no URLs").into());
    }
    let until = Instant::now() + Duration::from_secs(seconds as u64);
    let began = Instant::now();
    let seen: Vec<Seen> = std::thread::scope(|scope| {
        let requests = &requests;
        let start = |number: usize| {
            // Each thread begins at a different line of the file.
            let first = number * requests.len() / THREADS;
            let own = (connections + number) / THREADS;
            scope.spawn(move || ask(address, own, requests.iter().cycle().skip(first), pipelined, until))
        };
        let threads: Vec<_> = (0..THREADS).map(start).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let took = began.elapsed().as_secs_f64();
    let answers: u64 = seen.iter().map(|seen| seen.answers).sum();
    let errors: u64 = seen.iter().map(|seen| seen.errors).sum();
    let mut rounds: Vec<u32> = seen.into_iter().flat_map(|seen| seen.rounds).collect();
    rounds.sort_unstable();
    let at = |part: usize| rounds.get(rounds.len() * part / 100).copied().unwrap_or(0);
    println!(
        "{:.0} answers/s, {answers} answers, {errors} errors; {connections} connections, \
         {pipelined} at a time, {} a request; microseconds a round: p50 {}, p90 {}, p99 {}",
        answers as f64 / took,
        batch.max(1),
        at(50),
        at(90),
        at(99)
    );
    Ok(errors == 0)
}

/// The form of the questions and answers of a batch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Objects.
    Json,
    /// URLs, and words.
    Words,
}

/// A request, and what its answer must look like.
struct Request {
    bytes: Vec<u8>,
    questions: usize,
    form: Form,
}

impl Request {
    /// One question in the query string.
    fn single(address: &str, url: &str) -> Request {
        let mut encoded = String::with_capacity(2 * url.len());
        for byte in url.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                    encoded.push(char::from(byte));
                }
                // Writing to a string does not fail.
                _ => _ = write!(encoded, "%{byte:02X}"),
            }
        }
        let head = format!("GET /v1/decide?agent=GPTBot&url={encoded} HTTP/1.1\r\nHost: {address}\r\n\r\n");
        Request { bytes: head.into_bytes(), questions: 1, form: Form::Json }
    }

    /// One question a line in the body.
    fn batch(address: &str, urls: &[&str], form: Form) -> Request {
        let line = |url: &&str| match form {
            Form::Json => format!("{}\n", serde_json::json!({ "url": url, "agent": "GPTBot" })),
            Form::Words => format!("{url}\n"),
        };
        let path = match form {
            Form::Json => "/v1/decide",
            Form::Words => "/v1/verdicts?agent=GPTBot",
        };
        let body: String = urls.iter().map(line).collect();
        let length = body.len();
        let head = format!("POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {length}\r\n\r\n");
        Request { bytes: (head + &body).into_bytes(), questions: urls.len(), form }
    }
}

fn ask<'r>(
    address: &str,
    connections: usize,
    requests: impl Iterator<Item = &'r Request>,
    pipelined: usize,
    until: Instant,
) -> Seen {
    let mut seen = Seen::default();
    if converse(address, connections, requests, pipelined, until, &mut seen).is_err() {
        seen.errors += 1;
    }
    seen
}

fn converse<'r>(
    address: &str,
    connections: usize,
    mut requests: impl Iterator<Item = &'r Request>,
    pipelined: usize,
    until: Instant,
    seen: &mut Seen,
) -> io::Result<()> {
    let connect = |_| {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(BufReader::with_capacity(64 << 10, stream))
    };
    let mut connections: Vec<BufReader<TcpStream>> =
        (0..connections).map(connect).collect::<io::Result<_>>()?;
    let (mut sent, mut expected, mut line, mut body) = (Vec::new(), Vec::new(), String::new(), Vec::new());
    while Instant::now() < until {
        let began = Instant::now();
        expected.clear();
        for connection in &mut connections {
            sent.clear();
            for request in requests.by_ref().take(pipelined) {
                sent.extend_from_slice(&request.bytes);
                expected.push((request.questions, request.form));
            }
            connection.get_mut().write_all(&sent)?;
        }
        // The last answer first: then most others have arrived, too, and this thread, which shares
        // its core with the service, is woken once a round and not once an answer.
        for (connection, expected) in connections.iter_mut().zip(expected.chunks(pipelined)).rev() {
            for &(questions, form) in expected {
                match answer(connection, questions, form, &mut line, &mut body)? {
                    true => seen.answers += questions as u64,
                    false => seen.errors += 1,
                }
            }
        }
        seen.rounds.push(u32::try_from(began.elapsed().as_micros()).unwrap_or(u32::MAX));
    }
    Ok(())
}

/// Reads the answer to a request; true if it has status 200 and as many lines as questions.
fn answer(
    from: &mut impl BufRead,
    questions: usize,
    form: Form,
    line: &mut String,
    body: &mut Vec<u8>,
) -> io::Result<bool> {
    let broken = || io::Error::other("no whole answer");
    let (mut is_well, mut length) = (false, None);
    loop {
        line.clear();
        if from.read_line(line)? == 0 {
            return Err(broken());
        }
        let text = line.trim_ascii_end();
        if text.is_empty() {
            break;
        }
        is_well |= text == "HTTP/1.1 200 OK";
        length = text.strip_prefix("content-length: ").and_then(|length| length.parse().ok()).or(length);
    }
    body.resize(length.ok_or_else(broken)?, 0);
    from.read_exact(body)?;
    let body = body.trim_ascii_end();
    let lines = 1 + body.iter().filter(|&&byte| byte == b'\n').count();
    let is_whole = match form {
        Form::Json => body.starts_with(b"{\"url\":") && body.ends_with(b"}"),
        Form::Words => body.is_ascii() && body.last().is_some_and(u8::is_ascii_lowercase),
    };
    Ok(is_well && is_whole && lines == questions)
}
