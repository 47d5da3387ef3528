//! Another image under the same name: used if it is valid, refused if it is not, and no request is
//! lost.

mod common;

use common::{Service, capture, captures, compile, remarks_of};
use robomaton_runtime::Manifest;
use robomaton_serve::{Options, Server};
use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The number of replacements while other clients send requests.
const RELOADS: usize = if cfg!(debug_assertions) { 30 } else { 100 };

const QUESTION: &str = "/v1/decide?url=https://a.example/private";

fn verdict(service: &Service) -> String {
    service.get(QUESTION).json()["verdict"].as_str().unwrap_or_default().to_owned()
}

/// Waits for a condition to become true.
#[track_caller]
fn wait(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < until, "{what} never was");
        sleep(Duration::from_millis(2));
    }
}

fn rename(content: &[u8], image: &Path) {
    let aside = image.with_extension("aside");
    std::fs::write(&aside, content).expect("room for an image");
    std::fs::rename(aside, image).expect("a file that is moved");
}

fn reloads(service: &Service, result: &str) -> u64 {
    metric(service, &format!("robomaton_reloads_total{{result=\"{result}\"}} "))
}

/// The value of a line of the metrics.
fn metric(service: &Service, start: &str) -> u64 {
    let metrics = service.get("/metrics");
    metrics.text().lines().find_map(|line| line.strip_prefix(start)?.parse().ok()).unwrap_or(0)
}

#[test]
fn another_image_answers_soon() {
    let service = Service::start();
    assert_eq!(verdict(&service), "disallowed");
    compile(&capture("a.example", 200, "User-agent: *\nAllow: /\n"), &service.image());
    wait("the new image", || verdict(&service) == "allowed");
    assert_eq!(reloads(&service, "ok"), 1);
    assert_eq!(service.get("/healthz").json()["sites"], 1);
}

/// A stack is watched by its manifest, and a layer that it names is one of its files.
#[test]
fn another_manifest_answers_soon() {
    let service = Service::with(|options| {
        let directory = options.image.with_extension("layers");
        std::fs::create_dir(&directory).expect("room");
        std::fs::rename(&options.image, directory.join("1.rimg")).expect("an image");
        rename(manifest(1, &["1.rimg"]).as_bytes(), &Manifest::path(&directory));
        options.image = directory;
    });
    assert_eq!(verdict(&service), "disallowed");
    let directory = service.image().with_extension("layers");
    compile(&capture("a.example", 200, "User-agent: *\nAllow: /\n"), &directory.join("2.rimg"));
    sleep(Duration::from_millis(50));
    assert_eq!((verdict(&service).as_str(), reloads(&service, "ok")), ("disallowed", 0));
    rename(manifest(2, &["1.rimg", "2.rimg"]).as_bytes(), &Manifest::path(&directory));
    wait("the new layer", || verdict(&service) == "allowed");
    assert_eq!(service.get("/healthz").json()["sites"], 4);
    assert_eq!(service.get("/v1/sites").json()["sites"].as_array().map(Vec::len), Some(4));
    rename(manifest(3, &["2.rimg"]).as_bytes(), &Manifest::path(&directory));
    wait("the layer alone", || service.get("/healthz").json()["sites"] == 1);
    rename(manifest(4, &["2.rimg", "gone.rimg"]).as_bytes(), &Manifest::path(&directory));
    wait("the failure", || reloads(&service, "failed") > 0);
    let health = service.get("/healthz").json();
    assert!(health["reload_error"].as_str().is_some_and(|error| error.contains("gone.rimg")), "{health}");
    assert_eq!(verdict(&service), "allowed");
}

/// Layers whose files are as they were when they were verified are not verified again, and a layer
/// that was written to in place is found.
#[test]
#[cfg(unix)]
fn layers_are_verified_once() {
    for (map_above, without_damaged_layers) in [(0, false), (1 << 30, false), (0, true)] {
        let service = Service::with(|options| {
            let directory = options.image.with_extension("layers");
            std::fs::create_dir(&directory).expect("room");
            for number in 1..=3 {
                let text = format!("User-agent: *\nDisallow: /{number}\n");
                let layer = directory.join(format!("{number}.rimg"));
                compile(&capture(&format!("l{number}.example"), 200, &text), &layer);
            }
            rename(manifest(1, &["1.rimg", "2.rimg"]).as_bytes(), &Manifest::path(&directory));
            // A change from now on has another time.
            sleep(Duration::from_millis(3_100));
            (options.image, options.map_above) = (directory, map_above);
            options.without_damaged_layers = without_damaged_layers;
        });
        let directory = service.image().with_extension("layers");
        let take = |number: u64, layers: &[&str]| {
            rename(manifest(number, layers).as_bytes(), &Manifest::path(&directory));
        };
        let verified = || metric(&service, "robomaton_layers_verified_total ");
        let taken = |count: u64| wait("the new manifest", || reloads(&service, "ok") == count);
        take(2, &["1.rimg", "2.rimg", "3.rimg"]);
        taken(1);
        assert_eq!(verified(), 1, "only the new layer");
        take(3, &["1.rimg", "3.rimg"]);
        taken(2);
        assert_eq!(verified(), 1, "no layer is new");
        // It was not in use.
        take(4, &["1.rimg", "2.rimg", "3.rimg"]);
        taken(3);
        assert_eq!(verified(), 2);
        let path = directory.join("2.rimg");
        let good = std::fs::read(&path).expect("a layer");
        let write = |content: &[u8]| {
            let file = std::fs::OpenOptions::new().write(true).open(&path);
            file.and_then(|mut file| file.write_all(content)).expect("a file");
        };
        write(&good);
        taken(4);
        assert_eq!(verified(), 3, "it may be another one");
        let mut damaged = good.clone();
        damaged[good.len() / 2..].fill(0x55);
        // Two writes in one tick of the clock look alike.
        sleep(Duration::from_millis(50));
        write(&damaged);
        match without_damaged_layers {
            true => {
                taken(5);
                assert_eq!(service.get("/healthz").json()["sites"], 2);
                // It is not taken for one that was verified.
                take(5, &["2.rimg", "3.rimg"]);
                taken(6);
                assert_eq!(service.get("/healthz").json()["sites"], 1);
            }
            false => {
                wait("the damage", || reloads(&service, "failed") > 0);
                let health = service.get("/healthz");
                let status = if map_above == 0 { (503, "altered") } else { (200, "ok") };
                assert_eq!(health.status, status.0);
                let health: serde_json::Value = serde_json::from_slice(&health.body).expect("JSON");
                assert_eq!(health["status"], status.1);
                let error = health["reload_error"].as_str().expect("an error");
                assert!(error.contains("2.rimg"), "{error}");
            }
        }
    }
}

/// All files tell whether an image is mapped, also those of layers that are left out.
#[test]
#[cfg(unix)]
fn a_mapped_stack_without_a_damaged_layer_is_watched() {
    let service = Service::with(|options| {
        let directory = options.image.with_extension("layers");
        std::fs::create_dir(&directory).expect("room");
        let [whole, damaged] = ["1.rimg", "2.rimg"].map(|name| directory.join(name));
        for (layer, host) in [(&whole, "a.example"), (&damaged, "b.example")] {
            compile(&capture(host, 200, "User-agent: *\nDisallow: /x\n"), layer);
        }
        options.map_above = whole.metadata().expect("a layer").len();
        damage(&damaged);
        rename(manifest(1, &["1.rimg", "2.rimg"]).as_bytes(), &Manifest::path(&directory));
        (options.image, options.without_damaged_layers) = (directory, true);
    });
    assert_eq!(service.get("/healthz").json()["sites"], 1);
    damage(&service.image().with_extension("layers").join("1.rimg"));
    wait("the damage", || service.get("/healthz").status == 503);
}

/// Writes to the second half of a file, in place.
fn damage(path: &Path) {
    let mut bytes = std::fs::read(path).expect("a file");
    let half = bytes.len() / 2;
    bytes[half..].fill(0x55);
    let file = std::fs::OpenOptions::new().write(true).open(path);
    file.and_then(|mut file| file.write_all(&bytes)).expect("a file");
}

fn manifest(generation: u64, layers: &[&str]) -> String {
    let layers = layers.iter().map(|&name| name.to_owned()).collect();
    Manifest { generation, layers }.to_string()
}

#[test]
fn a_crawler_is_resolved_anew_for_another_image() {
    let service = Service::start();
    let question = "/v1/decide?url=https://a.example/private/open&agent=GPTBot";
    let verdict = || service.get(question).json()["verdict"].clone();
    assert_eq!(verdict(), "disallowed");
    // In the other image, the name has another number.
    let other =
        "User-agent: a\nUser-agent: b\nUser-agent: zbot\nDisallow: /\n\nUser-agent: gptbot\nAllow: /\n";
    compile(&capture("a.example", 200, other), &service.image());
    wait("the new image", || verdict() == "allowed");
    assert_eq!(service.get(question).json()["choice"], "named");
}

#[test]
fn no_request_is_lost_while_images_come_and_go() {
    let service = Service::start();
    let images: Vec<Vec<u8>> = ["Disallow", "Allow"]
        .iter()
        .map(|rule| {
            let image = service.folder.path().join(format!("{rule}.rimg"));
            compile(&capture("a.example", 200, &format!("User-agent: *\n{rule}: /private\n")), &image);
            std::fs::read(image).unwrap()
        })
        .collect();
    let (over, answers) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut client = service.client();
                while !over.load(Ordering::Relaxed) {
                    let told = client.get(QUESTION).json();
                    // Verdict and rule come from one image.
                    let expected = match told["verdict"].as_str() {
                        Some("allowed") => "Allow: /private",
                        _ => "Disallow: /private",
                    };
                    assert_eq!(told["rule"], expected);
                    answers.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for number in 0..RELOADS {
            rename(&images[number % 2], &service.image());
            wait("the reload", || reloads(&service, "ok") > number as u64);
        }
        over.store(true, Ordering::Relaxed);
    });
    assert!(answers.load(Ordering::Relaxed) > RELOADS as u64);
    assert_eq!(reloads(&service, "failed"), 0);
}

#[test]
fn garbage_is_said_once_and_changes_nothing() {
    let service = Service::start();
    let image = service.image();
    let good = std::fs::read(&image).unwrap();
    let mut damaged = good.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0x55;
    let mut failed = 0;
    for garbage in [&b""[..], b"not an image", &good[..good.len() / 2], &good[..100], &damaged] {
        rename(garbage, &image);
        wait("the failure", || reloads(&service, "failed") > failed);
        failed = reloads(&service, "failed");
        assert_eq!(verdict(&service), "disallowed");
        let health = service.get("/healthz").json();
        assert!(health["reload_error"].as_str().unwrap().contains("i.rimg"), "{health}");
    }
    // It is not retried.
    sleep(Duration::from_millis(50));
    assert_eq!(reloads(&service, "failed"), failed);
    let said = remarks_of(&image);
    assert!(
        said.iter().all(|line| line.ends_with("the image that was opened before goes on answering")),
        "{said:?}"
    );
    assert!((1..=5).contains(&said.len()), "{said:?}");
    std::fs::remove_file(&image).unwrap();
    wait("the absence", || reloads(&service, "failed") > failed);
    assert_eq!(verdict(&service), "disallowed");
    rename(&good, &image);
    wait("the good one", || reloads(&service, "ok") == 1);
    assert_eq!(service.get("/healthz").json()["reload_error"], serde_json::Value::Null);
}

#[test]
fn what_is_under_way_is_ended() {
    let mut service = Service::start();
    let mut idle = service.client();
    assert_eq!(idle.get("/healthz").status, 200);
    // Half a request at the end of the service, the other half after it.
    let mut slow = service.client();
    let body = r#"[{"url": "https://a.example/private"}]"#;
    slow.send(
        format!("POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", body.len())
            .as_bytes(),
    );
    sleep(Duration::from_millis(100));
    std::thread::scope(|scope| {
        scope.spawn(|| service.end());
        sleep(Duration::from_millis(100));
        slow.send(body.as_bytes());
        assert_eq!(slow.answer().unwrap().json()[0]["verdict"], "disallowed");
    });
    assert!(idle.answer().is_none());
    assert!(std::net::TcpStream::connect(service.address).is_err());
}

#[test]
fn requests_in_one_packet_are_answered_in_order() {
    let service = Service::start();
    let mut client = service.client();
    let request =
        |n: usize| format!("GET /v1/decide?url=https://a.example/{n} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client.send((0..50).map(request).collect::<String>().as_bytes());
    for n in 0..50 {
        assert_eq!(client.answer().unwrap().json()["url"], format!("https://a.example/{n}"));
    }
}

#[test]
fn what_cannot_be_had_is_an_error() {
    let folder = tempfile::TempDir::new().unwrap();
    let image = folder.path().join("i.rimg");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let bind = |listen| {
        let (terms, hosts, poll) = (Default::default(), Vec::new(), Duration::from_secs(1));
        let options = Options {
            image: image.clone(),
            listen,
            map_above: 0,
            without_damaged_layers: false,
            verify: true,
            terms,
            hosts,
            poll,
            remark: |_| {},
        };
        Server::bind(options).map(|_| ()).unwrap_err().to_string()
    };
    let free = "127.0.0.1:0".parse().unwrap();
    assert!(bind(free).starts_with("cannot open "), "{}", bind(free));
    std::fs::write(&image, "User-agent: *\n").unwrap();
    assert!(bind(free).contains("i.rimg: "), "{}", bind(free));
    compile(&captures(), &image);
    let address = taken.local_addr().unwrap();
    assert!(bind(address).starts_with(&format!("cannot listen on {address}: ")), "{}", bind(address));
    let good = std::fs::read(&image).unwrap();
    std::fs::write(&image, &good[..good.len() - 1]).unwrap();
    assert!(bind(free).contains("i.rimg: "), "{}", bind(free));
}

/// Writes into the file that is in use, as `cp` does.
fn overwrite(content: &[u8], image: &Path) {
    let file = std::fs::OpenOptions::new().write(true).truncate(true).open(image);
    file.and_then(|mut file| file.write_all(content)).expect("a file");
}

#[test]
fn an_image_in_memory_outlives_its_file() {
    let service = Service::start();
    let good = std::fs::read(service.image()).unwrap();
    for (failed, garbage) in
        [(1, Vec::new()), (2, vec![b'x'; good.len()]), (3, good[..good.len() / 2].to_vec())]
    {
        overwrite(&garbage, &service.image());
        wait("the failure", || reloads(&service, "failed") >= failed);
        assert_eq!(verdict(&service), "disallowed");
        assert_eq!(service.get("/healthz").json()["status"], "ok");
    }
    overwrite(&good, &service.image());
    wait("the good one", || service.get("/healthz").json()["reload_error"].is_null());
}

#[test]
#[cfg(unix)]
fn an_image_that_is_mapped_and_written_to_is_not_healthy() {
    let service = Service::with(|options| options.map_above = 0);
    let image = service.image();
    let good = std::fs::read(&image).unwrap();
    let mut damaged = good.clone();
    damaged[good.len() / 2..].fill(0x55);
    // In place and of the same length, so that no page disappears.
    let write = |content: &[u8]| {
        let file = std::fs::OpenOptions::new().write(true).open(&image);
        file.and_then(|mut file| file.write_all(content)).expect("a file");
    };
    write(&damaged);
    wait("the damage", || service.get("/healthz").status == 503);
    assert!(service.get("/healthz").text().contains(r#""status":"altered""#));
    let said = remarks_of(&image);
    assert!(said.iter().any(|line| line.ends_with("so its answers may be wrong")), "{said:?}");
    write(&good);
    wait("the good one", || service.get("/healthz").status == 200);
    assert_eq!(verdict(&service), "disallowed");
    // Another file under the name changes nothing in the one in use.
    rename(b"garbage", &image);
    wait("the failure", || service.get("/healthz").json()["reload_error"].is_string());
}

#[test]
#[cfg(unix)]
fn a_pipe_in_place_of_an_image_is_refused() {
    let mut service = Service::start();
    let aside = service.folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&aside).status().unwrap().success());
    std::fs::rename(aside, service.image()).unwrap();
    wait("the failure", || reloads(&service, "failed") == 1);
    assert_eq!(verdict(&service), "disallowed");
    let error = service.get("/healthz").json()["reload_error"].as_str().unwrap().to_owned();
    assert!(error.ends_with("i.rimg: not a regular file"), "{error}");
    service.end();
}
