//! Inputs as on a command line: directories with odd names, single files, progress.

mod common;

use common::page;
use robomaton_corpus::{BatchOptions, Input, Item, Progress, ReadLimits, build, read, total_bytes};
use robomaton_tests::write::gzip;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// One line per item, as `SITE BODY` or `FILE: kind`; checks that progress adds up.
fn read_all(paths: &[&Path]) -> Vec<String> {
    let inputs: Vec<Input> = paths.iter().map(|path| Input::from(path.as_os_str())).collect();
    let (mut lines, progress) = (Vec::new(), AtomicU64::new(0));
    read(&inputs, &ReadLimits::default(), &progress, &mut |item| {
        lines.push(match item {
            Item::Capture(capture) => format!("{} {}", capture.site, String::from_utf8_lossy(&capture.body)),
            Item::Skipped(skipped) => {
                let name = skipped.source.rsplit('/').next().unwrap_or_default();
                format!("{name}: {}", skipped.reason.name())
            }
            Item::Revisit(revisit) => format!("{}: unread", revisit.url),
            other => format!("{other:?}"),
        });
        ControlFlow::Continue(())
    })
    .expect("all inputs can be opened");
    let unread = lines.iter().any(|line| line.ends_with(": file-name") || line.ends_with(": io"));
    assert!(unread || progress.load(Ordering::Relaxed) == total_bytes(&inputs));
    lines
}

#[test]
fn a_directory_in_the_order_of_names() {
    let home = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| {
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    put("b.example.txt", b"B");
    put("A.example.TXT", b"A");
    put("sub/z.example", b"Z");
    put("sub/a.example:8080.txt", b"port");
    put("sub/[::1].txt", b"six");
    put("sub/caf\u{e9}.example.txt", b"idn");
    put("all.warc.gz", &gzip(&page("http://w.example/robots.txt", "W")));
    put("more.JSONL", b"{\"url\": \"j.example\", \"body\": \"J\"}");
    put("robots.txt", b"?");
    put("README", b"?");
    put(".hidden.txt", b"?");
    put("\u{65e5}", b"?");
    put("a b.example.txt", b"?");
    put("\u{1f600}txt", b"?");
    put("localhost.txt", b"L");
    fs::create_dir(home.path().join("empty")).unwrap();
    let expected = [
        ".hidden.txt: file-name",
        "a.example A",
        "README: file-name",
        "a b.example.txt: file-name",
        "http://w.example W",
        "b.example B",
        "localhost L",
        "j.example J",
        "robots.txt: file-name",
        "[::1] six",
        "a.example:8080 port",
        "xn--caf-dma.example idn",
        "z.example Z",
        "\u{65e5}: file-name",
        "\u{1f600}txt: file-name",
    ];
    assert_eq!(read_all(&[home.path()]), expected);
}

#[cfg(unix)]
#[test]
fn what_is_no_file() {
    use std::os::unix::{ffi::OsStrExt, fs::symlink, net::UnixListener};
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("a.example"), "A").unwrap();
    symlink(home.path(), home.path().join("loop.example")).unwrap();
    symlink(home.path().join("a.example"), home.path().join("link.example")).unwrap();
    symlink(home.path().join("nothing"), home.path().join("dangling.example")).unwrap();
    fs::write(home.path().join(std::ffi::OsStr::from_bytes(b"\xff.example")), "?").unwrap();
    let _socket = UnixListener::bind(home.path().join("socket.example")).unwrap();
    let expected = [
        "a.example A",
        "http://dangling.example/robots.txt: unread",
        "link.example A",
        "loop.example: io",
        "http://socket.example/robots.txt: unread",
        "\u{fffd}.example: file-name",
    ];
    assert_eq!(read_all(&[home.path()]), expected);
}

#[test]
fn single_files_and_missing_ones() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("a.example.txt");
    fs::write(&file, "A").unwrap();
    assert_eq!(read_all(&[&file, &file]), ["a.example A", "a.example A"]);
    let missing = home.path().join("missing.warc");
    let error = read(&[Input::Path(missing)], &ReadLimits::default(), &AtomicU64::new(0), &mut |_| {
        ControlFlow::Continue(())
    });
    assert!(error.unwrap_err().to_string().contains("missing.warc"));
}

/// Each time counts half.
#[test]
fn the_progress_of_a_file_that_is_read_twice() {
    let home = tempfile::tempdir().unwrap();
    for length in 0..4 {
        let path = home.path().join("c.jsonl.gz");
        let row = format!("{{\"url\": \"j.example\", \"body\": \"{}\"}}", "J".repeat(length));
        fs::write(&path, gzip(row.as_bytes())).unwrap();
        assert_eq!(read_all(&[&path]).len(), 1);
    }
}

#[test]
fn a_dash_is_standard_input() {
    assert_eq!(Input::from_arg("-".as_ref()), Input::Stdin);
    assert_eq!(Input::from_arg("./-".as_ref()), Input::Path("./-".into()));
}

#[test]
fn a_break_ends_it() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("a.example"), "A").unwrap();
    fs::write(home.path().join("b.example"), "B").unwrap();
    let mut seen = 0;
    let inputs = [Input::Path(home.path().to_owned()), Input::Path(home.path().to_owned())];
    read(&inputs, &ReadLimits::default(), &AtomicU64::new(0), &mut |_| {
        seen += 1;
        ControlFlow::Break(())
    })
    .unwrap();
    assert_eq!(seen, 1);
}

#[test]
fn temporary_files_that_cannot_be_made_are_an_error() {
    let home = tempfile::tempdir().expect("a directory");
    let options = BatchOptions { scratch: Some(home.path().join("none")), ..BatchOptions::default() };
    let error = build(&[], &options, &Progress::default()).expect_err("no directory");
    assert!(error.to_string().starts_with("cannot use temporary files: "), "{error}");
}
