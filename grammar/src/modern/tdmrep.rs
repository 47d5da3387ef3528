//! TDMRep: the file `/.well-known/tdmrep.json`, and the values of its headers and META tags.
//!
//! The compiler passes the file to [`tdmrep`] and header values to [`reservation`]. The source is
//! the final report of the W3C community group of 10 May 2024. Invariants: rules stay in order,
//! since the first match decides, and a rule with a mistake keeps its place. This file does not
//! know what a location matches, nor which carrier supersedes which.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Mistake, MistakeCode, trim};
use crate::without_mark;

/// The longest file that is read, in bytes.
pub const FILE_LIMIT: usize = 1024 * 1024;

/// The greatest number of rules in a file.
pub const RULE_LIMIT: usize = 10_000;

/// The greatest depth of arrays and objects in a file. A rule has a depth of two; members without a
/// meaning may be deeper. It is less than the 127 levels that `serde_json` reads.
pub const DEPTH_LIMIT: usize = 100;

/// A rule of a `tdmrep.json` file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TdmRule {
    /// The number of the rule in the file, from 1.
    pub number: u32,
    /// The paths that the rule is for, as written, without white space at the ends; `None` if that
    /// cannot be read.
    pub location: Option<String>,
    /// Whether the rights are reserved; `None` if the value is missing or bad.
    pub reservation: Option<bool>,
    /// The address of the policy, as written.
    pub policy: Option<String>,
    /// The mistakes in this rule.
    pub mistakes: Vec<Mistake>,
}

/// Parses a `tdmrep.json` file.
///
/// A reservation is the number 0 or 1, also written `1.0`. If its name is repeated, a 1 counts;
/// other repeated names have no usable value. Unknown members are ignored. A byte order mark is
/// skipped.
///
/// ```
/// use robomaton_grammar::modern::tdmrep::tdmrep;
///
/// let rules = tdmrep(br#"[{"location": "/a/", "tdm-reservation": 1}]"#)?;
/// assert_eq!((rules[0].number, rules[0].reservation), (1, Some(true)));
/// assert_eq!(rules[0].location.as_deref(), Some("/a/"));
/// # Ok::<(), robomaton_grammar::modern::Mistake>(())
/// ```
///
/// # Errors
///
/// [`MistakeCode::NotAnArray`] if the file does not begin an array, so that it states nothing.
/// Statements may be missing after the others: [`MistakeCode::CutJson`] if it ends inside its
/// array, [`MistakeCode::MalformedJson`] if its array cannot be read, and
/// [`MistakeCode::OverLimit`] if it exceeds [`FILE_LIMIT`], [`RULE_LIMIT`] or [`DEPTH_LIMIT`].
pub fn tdmrep(json: &[u8]) -> Result<Vec<TdmRule>, Mistake> {
    let json = without_mark(json);
    let over = |reason: String| Err(Mistake::new(MistakeCode::OverLimit, reason));
    if json.len() > FILE_LIMIT {
        return over(format!("more than {FILE_LIMIT} bytes"));
    }
    if depth(json) > DEPTH_LIMIT {
        return over(format!("more than {DEPTH_LIMIT} levels of arrays and objects"));
    }
    if !begins_array(json) {
        return Err(Mistake::of_bytes(MistakeCode::NotAnArray, json));
    }
    let elements: Vec<&RawValue> = serde_json::from_slice(json).map_err(|error| malformed(&error))?;
    if elements.len() > RULE_LIMIT {
        return over(format!("more than {RULE_LIMIT} rules"));
    }
    (1..).zip(elements).map(|(number, element)| rule(number, element)).collect()
}

/// True if the first character is a bracket, in UTF-16 as well, which is not JSON on the web.
fn begins_array(json: &[u8]) -> bool {
    let is_before = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0 | 0xFE | 0xFF);
    json.iter().find(|byte| !is_before(byte)) == Some(&b'[')
}

fn malformed(error: &serde_json::Error) -> Mistake {
    let code = if error.is_eof() { MistakeCode::CutJson } else { MistakeCode::MalformedJson };
    Mistake::new(code, error.to_string())
}

/// Parses the value of the header or META tag `tdm-reservation`: `0` or `1`, with spaces and tabs
/// around it.
///
/// ```
/// use robomaton_grammar::modern::tdmrep::reservation;
///
/// assert_eq!(reservation(b" 1"), Some(true));
/// assert_eq!(reservation(b"true"), None);
/// ```
pub fn reservation(value: &[u8]) -> Option<bool> {
    match trim(value) {
        b"0" => Some(false),
        b"1" => Some(true),
        _ => None,
    }
}

/// The greatest depth of brackets outside strings, in text that need not be JSON.
fn depth(json: &[u8]) -> usize {
    let (mut depth, mut greatest) = (0_usize, 0);
    let mut is_in_string = false;
    let mut bytes = json.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => is_in_string = !is_in_string,
            b'\\' if is_in_string => {
                bytes.next();
            }
            b'[' | b'{' if !is_in_string => depth += 1,
            b']' | b'}' if !is_in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        greatest = greatest.max(depth);
    }
    greatest
}

/// The members of an object, in order; a map would keep one of several with one name.
struct Members<'j>(Vec<(String, &'j RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members<'de>, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

fn rule(number: u32, element: &RawValue) -> Result<TdmRule, Mistake> {
    let mut rule = TdmRule { number, ..TdmRule::default() };
    if !element.get().starts_with('{') {
        rule.mistakes.push(Mistake::new(MistakeCode::NotAnObject, element.get()));
        return Ok(rule);
    }
    let Members(members) = serde_json::from_str(element.get()).map_err(|error| malformed(&error))?;
    let values: Result<Vec<Value>, _> =
        members.iter().map(|(_, text)| serde_json::from_str(text.get())).collect();
    let values = values.map_err(|error| malformed(&error))?;
    let of = |name: &str| -> Vec<&Value> {
        members.iter().zip(&values).filter(|((own, _), _)| own == name).map(|(_, value)| value).collect()
    };
    // The type of numbers takes a very small one for 0.
    let is_small = |(name, text): &(String, &RawValue)| {
        let mantissa = text.get().split(['e', 'E']).next().unwrap_or_default();
        name == "tdm-reservation" && mantissa.contains(|digit| matches!(digit, '1'..='9'))
    };
    let may_be_zero = !members.iter().any(is_small);
    let locations = of("location");
    rule.location = match &locations[..] {
        [Value::String(location)] if !location.trim().is_empty() => Some(location.trim().to_owned()),
        _ => rule.wrong(MistakeCode::InvalidLocation, "location", &locations),
    };
    let reservations = of("tdm-reservation");
    // JSON does not distinguish 1 from 1.0.
    let is = |value: &&Value, number: f64| value.as_f64() == Some(number);
    rule.reservation = if reservations.iter().any(|value| is(value, 1.0)) {
        Some(true)
    } else if may_be_zero && !reservations.is_empty() && reservations.iter().all(|value| is(value, 0.0)) {
        Some(false)
    } else {
        rule.wrong(MistakeCode::InvalidReservation, "tdm-reservation", &reservations)
    };
    let policies = of("tdm-policy");
    rule.policy = match &policies[..] {
        [] => None,
        [Value::String(policy)] if !policy.trim().is_empty() => Some(policy.trim().to_owned()),
        _ => rule.wrong(MistakeCode::InvalidPolicy, "tdm-policy", &policies),
    };
    Ok(rule)
}

impl TdmRule {
    /// Reports the members of a name and gives no value for them.
    fn wrong<T>(&mut self, code: MistakeCode, name: &str, values: &[&Value]) -> Option<T> {
        let members: Vec<String> = values.iter().map(|value| format!("\"{name}\": {value}")).collect();
        let text = if members.is_empty() { format!("no \"{name}\"") } else { members.join(", ") };
        self.mistakes.push(Mistake::new(code, text));
        None
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use MistakeCode::{
        CutJson, InvalidLocation, InvalidPolicy, InvalidReservation, MalformedJson, NotAnArray, NotAnObject,
        OverLimit,
    };

    type Read<'a> = (Option<&'a str>, Option<bool>, Option<&'a str>, &'a [MistakeCode]);

    #[track_caller]
    fn reads(json: &str, rules: &[Read<'_>]) {
        let read = tdmrep(json.as_bytes()).unwrap();
        assert_eq!(read.len(), rules.len(), "{json}");
        for ((number, rule), (location, reservation, policy, codes)) in (1..).zip(&read).zip(rules) {
            let read = (rule.number, rule.location.as_deref(), rule.reservation, rule.policy.as_deref());
            assert_eq!(read, (number, *location, *reservation, *policy), "{json}");
            assert_eq!(rule.mistakes.iter().map(|it| it.code).collect::<Vec<_>>(), *codes, "{json}");
        }
    }

    #[track_caller]
    fn code(json: &[u8]) -> MistakeCode {
        tdmrep(json).unwrap_err().code
    }

    #[test]
    fn rules_stay_in_order() {
        let policy = "https://provider.com/policies/policy.json";
        let json = format!(
            r#"[{{"location": "/directory-a/", "tdm-reservation": 1}},
                {{"location": "/directory-b/html/", "tdm-reservation": 1, "tdm-policy": "{policy}"}},
                {{"location": "/directory-b/images/*.jpg", "tdm-reservation": 0}}]"#
        );
        let rules = [
            (Some("/directory-a/"), Some(true), None, &[][..]),
            (Some("/directory-b/html/"), Some(true), Some(policy), &[]),
            (Some("/directory-b/images/*.jpg"), Some(false), None, &[]),
        ];
        reads(&json, &rules);
        reads("[]", &[]);
        reads(" \n[ ] ", &[]);
        reads("\u{FEFF}[]", &[]);
        let escaped = r#"[{"location":"\/caf\u00e9\/foo-%24","tdm-reservation":0,"other":[{}]}]"#;
        reads(escaped, &[(Some("/café/foo-%24"), Some(false), None, &[])]);
    }

    #[test]
    fn a_reservation_is_the_number_0_or_1() {
        for (value, expected) in
            [("0", false), ("1", true), ("1.0", true), ("1e0", true), ("-0", false), ("0.0e9", false)]
        {
            let json = format!(r#"[{{"location":"/","tdm-reservation":{value}}}]"#);
            reads(&json, &[(Some("/"), Some(expected), None, &[])]);
        }
        for value in [
            "\"1\"",
            "true",
            "false",
            "null",
            "2",
            "-1",
            "0.5",
            "[1]",
            "{}",
            "1.0000001",
            "1e-400",
            "-0.1E-500",
        ] {
            let json = format!(r#"[{{"location":"/","tdm-reservation":{value}}}]"#);
            reads(&json, &[(Some("/"), None, None, &[InvalidReservation])]);
        }
    }

    #[test]
    fn a_rule_with_a_mistake_keeps_its_place() {
        let json = r#"[{"location":"/a/","tdm-reservation":"1"},{"location":"/","tdm-reservation":1}]"#;
        reads(json, &[(Some("/a/"), None, None, &[InvalidReservation]), (Some("/"), Some(true), None, &[])]);
        let mistake = &tdmrep(json.as_bytes()).unwrap()[0].mistakes[0];
        assert_eq!(mistake.text, r#""tdm-reservation": "1""#);
        reads(
            r#"["/", {"location":"/"}]"#,
            &[(None, None, None, &[NotAnObject]), (Some("/"), None, None, &[InvalidReservation])],
        );
        reads(r#"[{"tdm-reservation":1}]"#, &[(None, Some(true), None, &[InvalidLocation])]);
        reads(r#"[{"location":"","tdm-reservation":1}]"#, &[(None, Some(true), None, &[InvalidLocation])]);
        reads(r#"[{"location":["/"],"tdm-reservation":1}]"#, &[(None, Some(true), None, &[InvalidLocation])]);
        reads("[{}]", &[(None, None, None, &[InvalidLocation, InvalidReservation])]);
        for policy in ["null", "\" \"", "{}", "1"] {
            let json = format!(r#"[{{"location":"/","tdm-reservation":1,"tdm-policy":{policy}}}]"#);
            reads(&json, &[(Some("/"), Some(true), None, &[InvalidPolicy])]);
        }
    }

    #[test]
    fn repeated_members() {
        let twice = |members: &str, read: Read<'_>| reads(&format!("[{{{members}}}]"), &[read]);
        let reserved = r#""location":"/a","tdm-reservation""#;
        twice(&format!(r#"{reserved}:1,"tdm-reservation":0"#), (Some("/a"), Some(true), None, &[]));
        twice(&format!(r#"{reserved}:0,"tdm-reservation":1"#), (Some("/a"), Some(true), None, &[]));
        twice(&format!(r#"{reserved}:0,"tdm-reservation":0"#), (Some("/a"), Some(false), None, &[]));
        let bad = (Some("/a"), None, None, &[InvalidReservation][..]);
        twice(&format!(r#"{reserved}:"1","tdm-reservation":0"#), bad);
        twice(&format!(r#"{reserved}:1,"location":"/b""#), (None, Some(true), None, &[InvalidLocation]));
        let policies = format!(r#"{reserved}:1,"tdm-policy":"a","tdm-policy":"b""#);
        twice(&policies, (Some("/a"), Some(true), None, &[InvalidPolicy]));
        twice(
            r#""Location":"/","TDM-Reservation":1"#,
            (None, None, None, &[InvalidLocation, InvalidReservation]),
        );
    }

    #[test]
    fn files_that_state_nothing() {
        let files: [&[u8]; 6] = [
            br#"{"location":"/","tdm-reservation":1}"#,
            br#"{"/":{"tdm-reservation":1}}"#,
            b"1",
            b"",
            b"<!DOCTYPE html><html></html>",
            b"// [] ",
        ];
        for file in files {
            assert_eq!(code(file), NotAnArray, "{}", String::from_utf8_lossy(file));
        }
    }

    #[test]
    fn arrays_that_cannot_be_read() {
        let bad: [&[u8]; 11] = [
            br#"[{"location":"/","tdm-reservation":1},]"#,
            br#"[{"location":"/","tdm-reservation":1,}]"#,
            br#"[{"location":"/","tdm-reservation":01}]"#,
            br#"[{"location":"/","tdm-reservation":1,"n":"\ud800"}]"#,
            br#"[{"location":"/","tdm-reservation":1,"n":1e999}]"#,
            b"[{\"location\":\"/\",\"tdm-reservation\":1,\"n\":\"a\tb\"}]",
            br#"[/* all */ {"location":"/","tdm-reservation":1}]"#,
            b"[{'location':'/'}]",
            b"[] []",
            b"[\"\xFF\"]",
            b"\xFF\xFE[\0]\0",
        ];
        for json in bad {
            assert_eq!(code(json), MalformedJson, "{}", String::from_utf8_lossy(json));
        }
    }

    #[test]
    fn files_that_end_early() {
        let json = br#"[{"location":"/","tdm-reservation":1}]"#;
        for end in 1..json.len() {
            assert_eq!(code(&json[..end]), CutJson, "{}", String::from_utf8_lossy(&json[..end]));
        }
    }

    #[test]
    fn values_of_headers() {
        assert_eq!(reservation(b"1"), Some(true));
        assert_eq!(reservation(b"\t0 "), Some(false));
        for value in ["", "2", "01", "1.0", "true", "\"1\"", "1, 0", "1;", "\n1"] {
            assert_eq!(reservation(value.as_bytes()), None, "{value}");
        }
    }

    #[test]
    fn limits_bound_a_file() {
        let start = Instant::now();
        let deep = |depth| "[".repeat(depth) + &"]".repeat(depth);
        assert!(tdmrep(deep(DEPTH_LIMIT).as_bytes()).is_ok());
        assert_eq!(code(deep(DEPTH_LIMIT + 1).as_bytes()), OverLimit);
        assert_eq!(code(deep(100_000).as_bytes()), OverLimit);
        assert_eq!(code("{\"a\":".repeat(100_000).as_bytes()), OverLimit);
        reads(&format!(r#"["{}\"[[\\"]"#, "[{".repeat(1000)), &[(None, None, None, &[NotAnObject])]);
        let rules = |count| format!("[{}{{}}]", "{},".repeat(count - 1));
        assert_eq!(tdmrep(rules(RULE_LIMIT).as_bytes()).unwrap().len(), RULE_LIMIT);
        assert_eq!(code(rules(RULE_LIMIT + 1).as_bytes()), OverLimit);
        let long = format!("[\"{}\"]", "x".repeat(FILE_LIMIT - 4));
        assert_eq!(tdmrep(long.as_bytes()).unwrap()[0].mistakes[0].code, NotAnObject);
        assert_eq!(code(format!("{long} ").as_bytes()), OverLimit);
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}
