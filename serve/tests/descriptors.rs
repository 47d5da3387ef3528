//! Too few descriptors for a moment. The test is alone in its file, since the limit is that of the
//! process; on Linux only.

#![cfg(target_os = "linux")]

mod common;

use common::{Service, capture, compile};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// An image that could not be opened is opened as soon as that is possible, although its file does
/// not change any more: it may refuse what the old one permits.
#[test]
fn a_new_image_is_opened_when_there_are_descriptors_again() {
    let service = Service::start();
    let verdict = || {
        let answer = service.get("/v1/decide?url=https://a.example/public").json();
        answer["verdict"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(verdict(), "allowed");
    let aside = service.image().with_extension("aside");
    compile(&capture("a.example", 200, "User-agent: *\nDisallow: /\n"), &aside);
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(0), ..limit }).expect("a lower limit");
    let renamed = std::fs::rename(&aside, service.image());
    sleep(Duration::from_millis(200));
    setrlimit(Resource::Nofile, limit).expect("the limit as it was");
    renamed.expect("a file that is moved");
    let none_failed = "robomaton_reloads_total{result=\"failed\"} 0";
    assert!(!service.get("/metrics").text().contains(none_failed), "nobody looked at it meanwhile");
    let until = Instant::now() + Duration::from_secs(30);
    while verdict() != "disallowed" {
        assert!(Instant::now() < until, "the old image goes on answering");
        sleep(Duration::from_millis(10));
    }
}
