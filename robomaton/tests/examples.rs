//! The examples run, and print what they promise.
//!
//! `cargo test` builds the examples beside the test programs. Those that need a feature are run
//! where it is on.

#![cfg(all(feature = "compile", feature = "explain"))]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn example(name: &str) -> Command {
    let tests = std::env::current_exe().expect("the path of this program");
    let profile = tests.ancestors().nth(2).expect("a folder of the profile");
    Command::new(profile.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

fn output(command: &mut Command, input: &str) -> String {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("an example that was built");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("an example that reads");
    let output = child.wait_with_output().expect("an example that ends");
    assert!(output.status.success(), "{command:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// An image of the sample, made by the example that compiles.
fn image(folder: &Path) -> PathBuf {
    let (sample, image) = ("../tests/data/sample.warc.gz", folder.join("sample.rimg"));
    let said = output(example("compile").arg(sample).arg(&image), "");
    assert!(said.starts_with("302 sites in "), "{said}");
    image
}

#[test]
fn examples_print_what_they_promise() {
    let folder = tempfile::tempdir().expect("a folder");
    let image = image(folder.path());
    let urls = ["https://www.ed.ac.uk/search/x", "https://www.ed.ac.uk/about"];

    let said = output(example("image").arg(&image).args(["GPTBot", urls[0]]), "");
    assert_eq!(said, "disallowed\nline 76: Disallow: /search/\n");

    let said =
        output(example("filter").arg(&image).arg("GPTBot"), &urls.map(|url| format!("{url}\n")).concat());
    assert_eq!(said, "https://www.ed.ac.uk/about\n");

    let said = output(example("site").arg(&image).args(["GPTBot", urls[0], "/about"]), "");
    assert!(said.ends_with(&format!("disallowed\t{}\nallowed\t/about\n", urls[0])), "{said}");

    let said = output(example("explain").arg(&image).args(["GPTBot", urls[0]]), "");
    assert!(said.contains("verdict  disallowed: line 76 is the only rule that matches"), "{said}");

    let text = folder.path().join("robots.txt");
    std::fs::write(&text, "User-agent: *\nCrawl-delay: 2\nDisallow: /private/\n").expect("a file");
    let said = output(example("one_text").arg(&text).args(["GPTBot", "/private/x"]), "");
    assert_eq!(said, "disallowed\nline 3: Disallow: /private/\nwait 2 s between fetches\n");
}
