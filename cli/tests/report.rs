//! `report`: the page comes into its place whole, and what fails says so.

mod common;

use common::Place;

#[test]
fn the_page_is_written() {
    let place = Place::with_image();
    assert_eq!(place.run(&["report", "i.rimg", "-o", "r.html"]).ok(), "");
    let page = std::fs::read_to_string(place.path("r.html")).expect("a page");
    assert!(page.contains("<h1>What 6 sites tell crawlers</h1>"));
    place.run(&["report", "i.rimg", "-o", "few.html", "--sites", "2"]).ok();
    let few = std::fs::read_to_string(place.path("few.html")).expect("a page");
    assert!(few.contains("This page holds the 2 sites whose records are the longest, of 6"));
    let names: Vec<_> = std::fs::read_dir(place.path("."))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(!names.iter().any(|name| name.ends_with(".part")), "{names:?}");
}

#[test]
fn what_fails_is_said_and_leaves_the_old_page() {
    let place = Place::with_image();
    place.write("r.html", "old");
    place.write("no.rimg", "User-agent: *\n");
    place.run(&["report", "no.rimg", "-o", "r.html"]).fails("not a robomaton image");
    place.run(&["report", "missing.rimg", "-o", "r.html"]).fails("missing.rimg");
    place.run(&["report", "i.rimg", "-o", "."]).fails("is a directory; --output names the page");
    place.run(&["report", "i.rimg", "-o", "no/such/folder/r.html"]).fails("cannot write");
    place.run(&["report", "i.rimg", "-o", "r.html", "--sites", "x"]).fails("--sites");
    place.run(&["report", "i.rimg"]).fails("--output");
    assert_eq!(std::fs::read_to_string(place.path("r.html")).expect("a page"), "old");
}

#[test]
fn damage_is_survived() {
    let place = Place::with_image();
    let whole = std::fs::read(place.path("i.rimg")).expect("an image");
    // Octets behind the head: the page may count less, but it comes.
    for at in (whole.len() / 2..whole.len()).step_by(whole.len() / 40) {
        let mut bent = whole.clone();
        bent[at] ^= 0xA5;
        place.write("bent.rimg", &bent);
        place.run(&["report", "bent.rimg", "-o", "bent.html"]).ok();
    }
}
