//! `lint --format sarif`: valid according to the schema of the standard, with correct places.
//!
//! The schema comes from OASIS, SARIF 2.1.0, as distributed with the crate `serde-sarif` 0.8.0.

mod common;

use boon::{Compiler, Schemas};
use common::{Place, ROBOTS};
use serde_json::{Value, json};

const SCHEMA: &str = include_str!("data/sarif-schema-2.1.0.json");

/// Validates logs against the schema.
struct Standard {
    schemas: Schemas,
    schema: boon::SchemaIndex,
}

impl Standard {
    fn new() -> Standard {
        let url = "https://schema.example/sarif.json";
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource(url, serde_json::from_str(SCHEMA).expect("JSON")).expect("a schema");
        let schema = compiler.compile(url, &mut schemas).expect("a schema that can be read");
        Standard { schemas, schema }
    }

    fn holds(&self, log: &Value) -> bool {
        self.schemas.validate(log, self.schema).is_ok()
    }
}

#[test]
fn logs_are_valid() {
    let standard = Standard::new();
    let place = Place::new();
    place.write("robots.txt", ROBOTS);
    place.write("d/a b.txt", "User-agent: a\n\nUser-agent: *\nDisallow: /\nAllow: /\n");
    place.write("d/bytes.txt", b"\xef\xbb\xbfDisallow: caf\xe9 \x01\rfoo\n\r\xff".as_slice());
    let utf16 = "\u{feff}<p class='the-acap:b'>".encode_utf16().flat_map(u16::to_le_bytes);
    place.write("d/page.html", utf16.collect::<Vec<u8>>());
    place.write("long.txt", format!("User-agent: *\nDisalow: /{}\nHost:", "x".repeat(9000)));
    let runs: [&[&str]; 5] = [
        &["robots.txt"],
        &["robots.txt", "d", "long.txt"],
        &["--max-bytes", "5", "d"],
        &["--max-rules", "2", "robots.txt"],
        &["-"],
    ];
    for files in runs {
        let run = place.run_with(&[&["lint", "--format", "sarif"], files].concat(), "\u{7}:\n");
        let log: Value = serde_json::from_str(&run.out).expect("JSON");
        assert!(standard.holds(&log), "{files:?} {run:?}");
        // The schema would detect this.
        let mut wrong = log.clone();
        wrong["runs"][0]["tool"] = json!({});
        assert!(!standard.holds(&wrong));
        let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
        for result in log["runs"][0]["results"].as_array().expect("results") {
            let rule = &rules[result["ruleIndex"].as_u64().expect("a number") as usize];
            assert_eq!(
                (&rule["id"], &rule["defaultConfiguration"]["level"]),
                (&result["ruleId"], &result["level"])
            );
            assert!(rule["help"]["markdown"].as_str().is_some_and(|text| text.starts_with("### ")), "{rule}");
            assert!(rule["shortDescription"]["text"].as_str().is_some_and(|text| text.len() > 9), "{rule}");
        }
    }
}

#[test]
fn places_are_those_of_the_file() {
    let place = Place::new();
    let text = "User-agent: *\nDisallow: /\nAllow: /caf\u{e9} # \u{e9}\nDisallow: /\u{e9}/*\n";
    place.write("d/robots.txt", text);
    let run = place.run(&["lint", "--format=sarif", "d"]);
    assert_eq!(run.code, 0, "{run:?}");
    let log: Value = serde_json::from_str(&run.out).expect("JSON");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "redundant-star");
    let start = text.find("*\n").map(|_| text.len() - 2).expect("a star");
    let expected = json!({
        "artifactLocation": { "uri": "d/robots.txt" },
        "region": { "startLine": 4, "startColumn": 14, "endColumn": 15, "byteOffset": start, "byteLength": 1 },
    });
    assert_eq!(result["locations"][0]["physicalLocation"], expected);
    // A second place, and its relation.
    let run = place.run_with(&["lint", "--format=sarif"], "User-agent: *\nDisallow: /a\nAllow: /a\n");
    assert_eq!(run.code, 1);
    let log: Value = serde_json::from_str(&run.out).expect("JSON");
    let related = &log["runs"][0]["results"][0]["relatedLocations"][0];
    assert_eq!(related["physicalLocation"]["region"]["startLine"], 3);
    assert_eq!(related["message"]["text"], "this one wins");
    assert_eq!(related["physicalLocation"]["artifactLocation"]["uri"], "stdin");
}

#[test]
fn clean_files_make_a_log_without_results() {
    let place = Place::new();
    let run = place.run_with(&["lint", "--format", "sarif"], "User-agent: *\nDisallow: /\n");
    let log: Value = serde_json::from_str(&run.ok()).expect("JSON");
    assert_eq!(log["runs"][0]["results"], json!([]));
    place.run(&["lint", "--format", "sarif", "missing"]).fails("missing");
}
