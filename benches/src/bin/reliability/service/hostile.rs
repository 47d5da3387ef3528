//! Clients that want to do harm. Each kind goes on until the end, and checks what it gets: answers
//! are whole, with a status that the documentation promises for the request.

use crate::service::client::{Answer, Client, get, head};
use crate::service::malformed::malformed;
use crate::service::{sites, texts};
use robomaton_serve::limits::{BATCH, BODY_TIME, HEAD_TIME, SMALL_BODY};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Connections of each kind that holds many.
const HELD: usize = 100;

/// The time for which connections are held that could be held for ever.
const HOLD: Duration = Duration::from_secs(4);

/// The pause between connections that end at once: their ports are held for a minute.
const PAUSE: Duration = Duration::from_millis(5);

/// How late the service may end a slow connection on a busy machine.
const LATE: Duration = Duration::from_secs(15);

/// The longest that a hostile client may have to wait for an answer that takes work.
const WORK: Duration = Duration::from_secs(60);

/// What clients of one kind tried, and what they got.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Requests, or connections without one.
    pub(crate) tried: u64,
    /// Answers by status.
    pub(crate) answers: BTreeMap<u16, u64>,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Tally) {
        self.tried += other.tried;
        for (&status, count) in &other.answers {
            *self.answers.entry(status).or_default() += count;
        }
    }

    /// Counts an answer, which must have one of these statuses.
    fn count(&mut self, answer: &Answer, statuses: &[u16], what: &str) -> Result<(), String> {
        if !statuses.contains(&answer.status) {
            return Err(answer.wrong(&format!("{what} gets another status than {statuses:?}")));
        }
        *self.answers.entry(answer.status).or_default() += 1;
        Ok(())
    }
}

/// The service that a client attacks.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) address: SocketAddr,
    pub(crate) over: &'a AtomicBool,
}

impl Target<'_> {
    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Waits, but not beyond the end.
    fn hold(&self, time: Duration) {
        let began = Instant::now();
        while began.elapsed() < time && !self.is_over() {
            std::thread::sleep(PAUSE);
        }
    }

    fn connect(&self) -> Result<Client, String> {
        Client::connect(self.address)
    }
}

/// Attacks until the end.
pub(crate) type Attack = fn(Target<'_>) -> Result<Tally, String>;

/// The kinds of hostile clients.
pub(crate) const KINDS: [(&str, Attack); 9] = [
    ("heads, a byte at a time", slow_heads),
    ("bodies, a byte at a time", slow_bodies),
    ("8 MiB bodies without their ends", endless_bodies),
    ("large answers that nobody reads", deaf),
    ("2,000 requests in one packet", pipelines),
    ("half-closed connections", half_closed),
    ("connections that come and go", visitors),
    ("malformed requests", malformed_requests),
    ("batches, tests and explanations at every limit", costly),
];

fn slow_heads(target: Target<'_>) -> Result<Tally, String> {
    drip(target, "GET /v1/decide?url=", HEAD_TIME)
}

fn slow_bodies(target: Target<'_>) -> Result<Tally, String> {
    drip(target, &head("/v1/decide", BATCH), BODY_TIME)
}

/// Sends a request a byte at a time on many connections, none of which may live longer than
/// `limit`.
fn drip(target: Target<'_>, start: &str, limit: Duration) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let mut held: Vec<(TcpStream, Instant)> = Vec::new();
    while !target.is_over() {
        while held.len() < HELD {
            let client = target.connect()?;
            client.send(start);
            let stream = client.into_stream();
            stream.set_nonblocking(true).map_err(|error| error.to_string())?;
            held.push((stream, Instant::now()));
            tally.tried += 1;
        }
        held.retain_mut(|(stream, _)| !has_ended(stream, &mut tally));
        if held.iter().any(|(_, since)| since.elapsed() > limit + LATE) {
            return Err(format!("a slow request is waited for longer than {} seconds", limit.as_secs()));
        }
        std::thread::sleep(10 * PAUSE);
    }
    Ok(tally)
}

/// Sends a byte; true if the service has answered or ended the connection.
fn has_ended(stream: &mut TcpStream, tally: &mut Tally) -> bool {
    let mut answer = [0; 12];
    match stream.read(&mut answer) {
        Err(error) if error.kind() == ErrorKind::WouldBlock => stream.write(b"a").is_err(),
        Ok(12) => {
            let status = std::str::from_utf8(&answer[9..]).ok().and_then(|status| status.parse().ok());
            *tally.answers.entry(status.unwrap_or(0)).or_default() += 1;
            true
        }
        _ => true,
    }
}

/// Holds bodies that are as long as they may be, and never end.
fn endless_bodies(target: Target<'_>) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let request = [head("/v1/decide", BATCH).into_bytes(), vec![b' '; BATCH - 1]].concat();
    while !target.is_over() {
        let mut held = Vec::new();
        for _ in 0..HELD / 2 {
            let client = target.connect()?;
            let wait = client.stream().set_write_timeout(Some(Duration::from_secs(1)));
            wait.map_err(|error| error.to_string())?;
            client.send(&request);
            held.push(client);
            tally.tried += 1;
        }
        target.hold(HOLD);
        // Those that the service had no room for were refused; on a busy machine, the time for a
        // body ends first.
        for client in &mut held {
            client.finish();
            if let Ok(Some(answer)) = client.answer() {
                tally.count(&answer, &[400, 408, 503], "an endless body")?;
            }
        }
    }
    Ok(tally)
}

/// Asks for answers of many megabytes and does not read them.
fn deaf(target: Target<'_>) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let body = texts::batch(sites::WORDY, 300);
    let request = head("/v1/decide", body.len()) + &body;
    while !target.is_over() {
        let mut held = Vec::new();
        for _ in 0..HELD / 4 {
            let client = target.connect()?;
            client.send(&request);
            held.push(client);
            tally.tried += 1;
        }
        target.hold(HOLD);
    }
    Ok(tally)
}

/// Sends many requests at once, and reads the answers while it does.
fn pipelines(target: Target<'_>) -> Result<Tally, String> {
    const AT_ONCE: usize = 2000;
    let mut tally = Tally::default();
    let requests: String = (0..AT_ONCE).map(|number| get(&sites::question(number))).collect();
    while !target.is_over() {
        let mut client = target.connect()?;
        let sender = client.stream().try_clone().map_err(|error| error.to_string())?;
        std::thread::scope(|scope| {
            // The reader notices what was not sent.
            scope.spawn(|| (&sender).write_all(requests.as_bytes()));
            for number in 0..AT_ONCE {
                let answer = client.answer()?.ok_or("a request was lost among many")?;
                sites::single(&answer, number)?;
                tally.count(&answer, &[200], "a question among many")?;
            }
            Ok::<(), String>(())
        })?;
        tally.tried += AT_ONCE as u64;
    }
    Ok(tally)
}

/// Ends the client's half of connections behind whole and half requests.
fn half_closed(target: Target<'_>) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for number in 0.. {
        if target.is_over() {
            break;
        }
        let mut client = target.connect()?;
        let whole = number % 3;
        (0..whole).for_each(|number| client.send(get(&sites::question(number))));
        client.send("GET /v1/dec");
        client.finish();
        // A question is answered at once, the half one never.
        for number in 0..whole {
            let answer = client.answer()?.ok_or("a whole request before a half one was lost")?;
            sites::single(&answer, number)?;
            tally.count(&answer, &[200], "a whole request")?;
        }
        if let Some(answer) = client.answer()? {
            return Err(answer.wrong("half a request gets an answer"));
        }
        tally.tried += 1 + whole as u64;
        std::thread::sleep(PAUSE);
    }
    Ok(tally)
}

/// Connects, sends nothing, half a request or a costly one, and goes.
fn visitors(target: Target<'_>) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let body = texts::batch(sites::STARRY, 2000);
    let costly = head("/v1/decide", body.len()) + &body;
    let requests = ["", "GET / HT", &get("/v1/decide?url=https://s1.example/"), &costly];
    for request in requests.into_iter().cycle() {
        if target.is_over() {
            break;
        }
        target.connect()?.send(request);
        tally.tried += 1;
        std::thread::sleep(PAUSE);
    }
    Ok(tally)
}

fn malformed_requests(target: Target<'_>) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let requests = malformed();
    for request in requests.iter().cycle() {
        if target.is_over() {
            break;
        }
        let mut client = target.connect()?;
        client.send(&request.bytes);
        match client.answer()? {
            // There may be no room for it beside the large bodies of others.
            Some(answer) if answer.status == 503 && request.bytes.len() > SMALL_BODY => {
                tally.count(&answer, &[503], request.name)?;
            }
            Some(answer) => tally.count(&answer, request.statuses, request.name)?,
            None if request.may_be_cut => {}
            None => return Err(format!("{}: no answer", request.name)),
        }
        tally.tried += 1;
        std::thread::sleep(PAUSE);
    }
    Ok(tally)
}

/// Sends what takes the most work, one request after the other.
fn costly(target: Target<'_>) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let requests = texts::requests();
    for request in requests.iter().cycle() {
        if target.is_over() {
            break;
        }
        let began = Instant::now();
        let answer = target.connect()?.ask(&request.bytes)?;
        tally.count(&answer, request.statuses, &request.name)?;
        tally.tried += 1;
        if began.elapsed() > WORK {
            return Err(format!("{} took {:?}", request.name, began.elapsed()));
        }
    }
    Ok(tally)
}
