//! `robomaton.h` is what cbindgen makes of the sources. `ROBOMATON_WRITE=1` rewrites it.

use std::fs;
use std::path::Path;

/// The sources of everything that crosses the boundary, in the order of the header.
const SOURCES: [&str; 3] = ["src/error.rs", "src/abi.rs", "src/boundary.rs"];

/// The header says this once, at its top.
const CONTRACT: &str = " *\n * # Safety\n * The contract at the top.\n";

#[test]
fn the_header_is_current() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(home.join("cbindgen.toml")).expect("cbindgen.toml");
    let sources = SOURCES.map(|source| home.join(source));
    let builder = cbindgen::Builder::new().with_config(config);
    let builder = sources.iter().fold(builder, |builder, source| builder.with_src(source));
    let mut header = Vec::new();
    builder.generate().expect("a header").write(&mut header);
    let header = String::from_utf8(header).expect("UTF-8").replace(CONTRACT, "");
    assert!(!header.contains("Safety"), "{header}");

    let path = home.join("robomaton.h");
    if std::env::var_os("ROBOMATON_WRITE").is_some() {
        fs::write(&path, &header).expect("the header is writable");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == header, "robomaton.h is not current; ROBOMATON_WRITE=1 rewrites it");
}
