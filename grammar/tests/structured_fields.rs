//! The test cases of the HTTP working group for RFC 9651, on the dictionaries of `Content-Usage`.
//!
//! Cases of single items run as values of a member, so that every kind of value is covered.

use robomaton_grammar::modern::Preference;
use robomaton_grammar::modern::dictionary::content_usage;
use serde_json::Value;

fn cases(file: &str) -> Vec<Value> {
    let path = format!("{}/../tests/data/structured-fields/{file}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a file of the repository");
    serde_json::from_str(&text).expect("JSON")
}

fn lines(case: &Value) -> Vec<&str> {
    case["raw"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn is_kind(case: &Value, kind: &str) -> bool {
    case["header_type"] == kind
}

/// The preference of an expected member value: an item, or an inner list, with parameters.
fn preference(value: &Value) -> Preference {
    match (value[0]["__type"].as_str(), value[0]["value"].as_str()) {
        (Some("token"), Some("y")) => Preference::Yes,
        (Some("token"), Some("n")) => Preference::No,
        _ => Preference::Other,
    }
}

#[test]
fn dictionaries() {
    let mut count = 0;
    for file in ["dictionary", "param-dict", "examples", "key-generated"] {
        for case in cases(file).iter().filter(|case| is_kind(case, "dictionary")) {
            let name = &case["name"];
            let read = content_usage(lines(case).join(", ").as_bytes());
            if case["must_fail"] == true {
                assert!(read.is_err(), "{file}: {name}");
            } else if read.is_ok() || case["can_fail"] != true {
                let expected: Vec<_> = case["expected"].as_array().unwrap().iter().collect();
                let expected: Vec<_> = expected
                    .iter()
                    .map(|member| (member[0].as_str().unwrap().to_owned(), preference(&member[1])))
                    .collect();
                assert_eq!(read.unwrap(), expected, "{file}: {name}");
            }
            count += 1;
        }
    }
    assert_eq!(count, 429);
}

#[test]
fn values_of_members() {
    let mut count = 0;
    for file in ["binary", "boolean", "date", "display-string", "item", "number", "string", "token"] {
        for case in cases(file).iter().filter(|case| is_kind(case, "item")) {
            // Several lines would be several members, and a dictionary may end with a tab.
            let [line] = lines(case)[..] else { continue };
            let line = line.trim_matches(' ');
            if line.ends_with('\t') {
                continue;
            }
            let read = content_usage(format!("member={line}").as_bytes());
            let name = &case["name"];
            if case["must_fail"] == true {
                assert!(read.is_err(), "{file}: {name}");
            } else if case["can_fail"] != true {
                assert_eq!(read.unwrap(), [("member".to_owned(), Preference::Other)], "{file}: {name}");
            }
            count += 1;
        }
    }
    assert_eq!(count, 94);
}
