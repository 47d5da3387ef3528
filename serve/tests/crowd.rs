//! As many idle connections as the service has places for, in a process of their own: they take
//! nearly all descriptors that a process may have.

mod common;

use common::Service;
use robomaton_serve::limits::{CONNECTIONS, CROWDED_TIME, HEAD_TIME};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Descriptors of all connections at both ends, and others.
const DESCRIPTORS: u64 = 2 * CONNECTIONS as u64 + 200;

#[test]
fn idle_connections_shut_nobody_out_for_long() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_some_and(|current| current < DESCRIPTORS) {
        let more = Rlimit { current: Some(DESCRIPTORS), maximum };
        setrlimit(Resource::Nofile, more).expect("as many descriptors as connections");
    }
    let service = Service::start();
    let connect = || TcpStream::connect(service.address).expect("a connection");
    // The first place is free again when the first connection of the crowd has had its time. On a
    // slow machine much of that passes while the others are still opened.
    let start = Instant::now();
    let idle: Vec<TcpStream> = (0..CONNECTIONS).map(|_| connect()).collect();
    let opened = Instant::now();
    assert_eq!(service.client().get("/healthz").status, 200);
    assert!(start.elapsed() >= CROWDED_TIME, "a place was free at once: nothing was tried");
    let waited = opened.elapsed();
    assert!(waited < CROWDED_TIME + Duration::from_secs(5), "no answer for {waited:?}");
    assert!(CROWDED_TIME + Duration::from_secs(5) < HEAD_TIME);
    drop(idle);
}
