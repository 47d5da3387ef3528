//! Compares SPEC.md with the code: its tables of records, sections, constants and numbers, and its
//! rules I1….
//!
//! The document is read as text. A table is found by its heading, so a renamed heading fails just
//! as a wrong number does. `dump.rs` tests the two dumps of the document, `roundtrip.rs` its
//! look-up.

use robomaton_formats::layout::*;
use robomaton_formats::name::SYMBOLS;
use robomaton_formats::policy::{
    self, CRAWL, INDEX, MAX_ENTRIES, MAX_PREFERENCES, MAX_SETS, NO_TAG, OTHER, PRESENT, Role, ScopedEntry,
    ScopedList, USAGES,
};
use robomaton_formats::preference::{Carrier, Effect, Kind, Language, Tag};
use robomaton_formats::profile::AgentRule;
use robomaton_formats::program::{self, MAX_STEPS, Silence, Weighing, packed};
use robomaton_formats::purpose::MAX_PURPOSE;
use robomaton_formats::reference::{ProgramAt, SET_LIST, ScopeAt, UsageId};
use robomaton_formats::scope::{self, MAX_PATTERNS, MAX_PRIORITY_SETS, MAX_RULES};
use robomaton_formats::site::MAX_AUTHORITY;
use robomaton_formats::site_entry::POLICIES_END;
use robomaton_formats::usage::{needs_permission, parts};
use robomaton_formats::{ImageError, Notation, Outcome, Profile, Scheme, SiteKey, write};
use std::collections::BTreeSet;
use std::mem::{offset_of, size_of, size_of_val};
use zerocopy::FromZeros;

const SPEC: &str = include_str!("../SPEC.md");

/// The rows of the first table after this heading, without its prefix.
fn table(heading: &str) -> Vec<Vec<&'static str>> {
    let (_, rest) =
        SPEC.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no heading {heading:?}"));
    let lines =
        rest.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect();
    let rows: Vec<Vec<_>> = lines.skip(2).map(cells).collect();
    assert!(!rows.is_empty(), "no table under {heading:?}");
    rows
}

/// The first cells of each row.
fn columns<const N: usize>(heading: &str) -> Vec<[&'static str; N]> {
    table(heading).iter().map(|row| row[..N].try_into().expect("a row is too short")).collect()
}

/// Compares the table of a record with the type: offsets, sizes, names, and completeness.
macro_rules! record {
    ($record:ident { $($field:ident),+ }) => {{
        let blank = $record::new_zeroed();
        let fields = [$((offset_of!($record, $field), size_of_val(&blank.$field), stringify!($field))),+];
        let end = fields.iter().fold(0, |end, &(offset, size, field)| {
            assert_eq!(offset, end, "{field}: a field is missing in this test");
            offset + size
        });
        assert_eq!(end, size_of::<$record>(), "a field is missing in this test");
        let written = columns::<3>(concat!("### Record ", stringify!($record)));
        let actual = fields.map(|(offset, size, field)| [offset.to_string(), size.to_string(), field.to_owned()]);
        assert_eq!(written, actual, "{}", stringify!($record));
    }};
}

#[test]
fn records() {
    record!(Header { magic, version, profile, sections, shard, last_shard, length, seed, checksum });
    record!(SectionRecord { at, length, checksum });
    record!(FetchRecord { fetched_at, fresh_for, document, status });
    record!(Bucket { fingerprints, overflow, first, body });
    record!(NameRecord { at, length });
    record!(DocumentRecord { detail_at, detail_length, source_length, source_at });
    assert_eq!(SPEC.matches("\n### Record ").count(), 6, "a record is missing in this test");
}

#[test]
fn sections() {
    let actual = Section::ALL.map(|section| {
        let kind = if section.is_hot() { "hot" } else { "cold" };
        [(section as u8).to_string(), section.name().into(), kind.into(), section.record().to_string()]
    });
    assert_eq!(columns::<4>("### Table of sections"), actual);
    assert!(table("### Record Header")[3][3].ends_with(&Section::ALL.len().to_string()));
}

#[test]
fn constants() {
    let magic: Vec<String> = MAGIC.iter().map(|byte| format!("{byte:02x}")).collect();
    let numbers = [
        ("VERSION", u64::from(VERSION)),
        ("ALIGNMENT", ALIGNMENT as u64),
        ("HEAD", HEAD as u64),
        ("BUCKET_SITES", BUCKET_SITES as u64),
        ("BUCKET_BODY", BUCKET_BODY as u64),
        ("MAX_PROBE", MAX_PROBE as u64),
        ("NONE", u64::from(NONE)),
        ("MAX_AUTHORITY", MAX_AUTHORITY as u64),
        ("MAX_STEPS", MAX_STEPS as u64),
        ("MAX_PACKED", packed::MAX_PACKED as u64),
        ("MAX_LENGTH", packed::MAX_LENGTH as u64),
        ("MAX_TEXTS", packed::MAX_TEXTS as u64),
        ("MAX_SETS", MAX_SETS as u64),
        ("MAX_PREFERENCES", MAX_PREFERENCES as u64),
        ("MAX_ENTRIES", MAX_ENTRIES as u64),
        ("MAX_PATTERNS", MAX_PATTERNS as u64),
        ("MAX_PURPOSE", MAX_PURPOSE as u64),
        ("MAX_RULES", MAX_RULES as u64),
        ("MAX_PRIORITY_SETS", MAX_PRIORITY_SETS as u64),
        ("MAX_TEXT", MAX_TEXT),
        ("PROGRAMS_END", 1 << 31),
        ("POLICIES_END", POLICIES_END as u64),
        ("PADDING", program::PADDING as u64),
        ("SET_LIST", u64::from(SET_LIST)),
        ("CRAWL", u64::from(CRAWL)),
        ("INDEX", u64::from(INDEX)),
        ("PRESENT", u64::from(PRESENT)),
        ("OTHER", u64::from(OTHER)),
        ("NO_PURPOSE", no_purpose()),
        ("NO_TAG", u64::from(NO_TAG)),
    ];
    let mut actual = vec![["MAGIC".to_owned(), magic.join(" ")]];
    actual.extend(numbers.map(|(name, value)| [name.to_owned(), value.to_string()]));
    assert_eq!(columns::<2>("### Constants"), actual);
    assert!(SPEC.starts_with(&format!("# The robomaton image, format version {VERSION}\n")));
    let versions = columns::<1>("### Versions");
    assert_eq!(versions, Vec::from_iter((1..=VERSION).map(|version| [version.to_string()])));
}

/// The number in the place of a purpose, in an entry that has none.
fn no_purpose() -> u64 {
    let program = ProgramAt::new(0);
    let entry = ScopedEntry { role: Role::Field, usage: UsageId::from(CRAWL), purpose: None, program };
    let entries = vec![entry];
    let (scope, rest) = (ScopeAt::new(0), None);
    let (incomplete, own, permits, pages) = (false, false, false, false);
    let mut bytes = Vec::new();
    ScopedList { incomplete, own, permits, pages, scope, rest, entries }.encode(&mut bytes);
    u64::from(u32::from_le_bytes(bytes[16..20].try_into().expect("four bytes")))
}

#[test]
#[cfg(target_pointer_width = "64")]
fn ends_of_sections_are_refused() {
    // Zeroed memory that is never touched: the writer checks the length first.
    let too_large = |contents| matches!(write::write(&contents), Err(ImageError::TooLarge(_)));
    assert!(too_large(write::Contents { programs: vec![0; 1 << 31], ..Default::default() }));
    assert!(too_large(write::Contents { lists: vec![0; 1 << 31], ..Default::default() }));
    assert!(too_large(write::Contents { policies: vec![0; POLICIES_END + 1], ..Default::default() }));
}

/// The numbers that `from_u8` accepts, with the names of their variants in lower case.
fn numbers<T: std::fmt::Debug>(known: impl Fn(u8) -> Option<T>) -> Vec<[String; 2]> {
    let row = |number: u8| Some([number.to_string(), format!("{:?}", known(number)?).to_lowercase()]);
    (0..=u8::MAX).filter_map(row).collect()
}

#[test]
fn enumerations() {
    assert_eq!(columns::<2>("### Schemes"), numbers(Scheme::from_u8));
    assert_eq!(columns::<2>("### Notations"), numbers(Notation::from_u8));
    let outcomes: Vec<_> =
        Outcome::ALL.map(|outcome| [(outcome as u8).to_string(), outcome.to_string()]).into();
    assert_eq!(columns::<2>("### Outcomes"), outcomes);
    assert_eq!((0..=u8::MAX).filter_map(Outcome::from_u8).count(), outcomes.len());
    let silences = [Silence::Allowed, Silence::Unknown];
    let silences =
        silences.map(|silence| [(silence as u8).to_string(), format!("{silence:?}").to_lowercase()]);
    assert_eq!(columns::<2>("### Silence"), silences);

    let lower = |rule: AgentRule| format!("{rule:?}").to_lowercase();
    let profiles = Profile::ALL.map(|profile| {
        [
            (profile as u8).to_string(),
            profile.name().to_owned(),
            format!("{:?}", profile.notation()).to_lowercase(),
            lower(profile.agent_rule()),
            if profile.allows_robots_txt() { "yes" } else { "no" }.to_owned(),
            format!("{} s", profile.default_fresh_for()),
        ]
    });
    assert_eq!(columns::<6>("### Profiles"), profiles);
    assert_eq!((0..=u8::MAX).filter_map(Profile::from_u8).count(), profiles.len());
    let rules = [AgentRule::Token, AgentRule::Verbatim, AgentRule::Substring].map(|rule| [lower(rule)]);
    assert_eq!(columns::<1>("### Agent rules"), rules);
}

/// Section 4: the symbols, eight in a row.
#[test]
fn symbols() {
    let rows = SYMBOLS.chunks(8).zip((0x80..).step_by(8)).map(|(symbols, first)| {
        let number = [format!("0x{first:02X}")];
        number.into_iter().chain(symbols.iter().map(|&symbol| symbol.to_owned())).collect()
    });
    assert_eq!(table("### Symbols"), Vec::from_iter(rows.collect::<Vec<Vec<String>>>()));
}

#[test]
fn scoped_lists() {
    let roles = (0..=u16::MAX).filter_map(|number| {
        let name = format!("{:?}", Role::from_u32(number.into())?);
        Some([number.to_string(), name.to_lowercase()])
    });
    assert_eq!(columns::<2>("### Roles"), Vec::from_iter(roles));
    let bits =
        [("permits", scope::PERMITS), ("permits-if", scope::PERMITS_IF), ("prohibits", scope::PROHIBITS)];
    let bits = bits.map(|(name, bit)| {
        assert_eq!((bit.count_ones(), scope::read_priority(scope::scoped_priority(9, bit))), (1, (9, bit)));
        [bit.trailing_zeros().to_string(), name.to_owned()]
    });
    assert_eq!(columns::<2>("### Bits of scoped priorities"), bits);
    let flags = columns::<2>("### Flags of scoped lists");
    for (bit, name) in (0..4).zip(["incomplete", "own", "permits", "pages"]) {
        let list = ScopedList {
            incomplete: name == "incomplete",
            own: name == "own",
            permits: name == "permits",
            pages: name == "pages",
            scope: ScopeAt::new(0),
            rest: None,
            entries: Vec::new(),
        };
        let mut bytes = Vec::new();
        list.encode(&mut bytes);
        assert_eq!(bytes, [0, 0x80, 1 << bit, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]);
        assert_eq!(flags[bit], [bit.to_string().as_str(), name]);
    }
    assert_eq!(flags.len(), 4);
}

#[test]
fn usages() {
    let standard: Vec<_> =
        (0..).zip(USAGES).map(|(number, name): (u16, _)| [number.to_string(), name.into()]).collect();
    assert_eq!(columns::<2>("### Standard usages"), standard);
    for (number, name) in [(CRAWL, "crawl"), (INDEX, "index"), (PRESENT, "present"), (OTHER, "other")] {
        assert_eq!(USAGES[usize::from(number)], name);
    }
    assert!(policy::is_special("Present-x") && !policy::is_special("present"));
    for (row, usage) in table("### Standard usages").iter().zip(0..) {
        let all = parts(usage).iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
        let written = row[2].replace("6 to 15", "6, 7, 8, 9, 10, 11, 12, 13, 14, 15");
        assert_eq!((written, row[3] == "yes"), (all, needs_permission(usage)), "{}", row[1]);
    }
}

/// Sections 5 and 7: the numbers of preferences.
#[test]
fn preferences() {
    let row = |number: usize, name: &str| [number.to_string(), name.to_lowercase()];
    let kinds: Vec<Kind> = (0..8).map(|raw| Tag::from_raw(raw).expect("a tag").kind).collect();
    let names = kinds.iter().enumerate().map(|(number, kind)| row(number, &format!("{kind:?}")));
    assert_eq!(columns::<2>("### Kinds of tags"), Vec::from_iter(names));
    let names = Language::ALL.iter().map(|&language| row(language as usize, language.name()));
    assert_eq!(columns::<2>("### Languages"), Vec::from_iter(names));
    let tag = |carrier| Tag::new(Kind::Refused, Language::Aipref, carrier).to_raw();
    assert_eq!((tag(Carrier::Robots), tag(Carrier::Element), tag(Carrier::Page)), (1 << 7, 1 << 8, 0));
    assert_eq!(columns::<2>("### Bits of tags"), [["7", "of robots"], ["8", "of elements"]]);
    let last = Tag::new(Kind::Refused, Language::RobotsTag, Carrier::Page);
    assert_eq!((last.to_raw(), Tag::from_raw(1 << 9)), (7 << 3, None));

    let carriers = [
        Carrier::Robots,
        Carrier::Header,
        Carrier::Page,
        Carrier::TdmRep,
        Carrier::Rsl,
        Carrier::AiTxt,
        Carrier::Element,
    ];
    let names = carriers.map(|carrier| {
        assert_eq!(postcard::to_stdvec(&carrier).expect("encodes"), [carrier as u8]);
        row(carrier as usize, if carrier == Carrier::Element { "element" } else { carrier.name() })
    });
    assert_eq!(columns::<2>("### Carriers"), names);
    let effects = [
        Effect::Refused,
        Effect::Unread,
        Effect::Conditional,
        Effect::Permitted,
        Effect::Unstated,
        Effect::Closed,
        Effect::Supersedes,
        Effect::Dated,
    ];
    let names = effects.map(|effect| {
        assert_eq!(postcard::to_stdvec(&effect).expect("encodes"), [effect as u8]);
        row(effect as usize, &format!("{effect:?}"))
    });
    assert_eq!(columns::<2>("### Effects"), names);
}

/// Section 7: variants are numbered as postcard numbers them.
#[test]
fn alternatives() {
    use robomaton_formats::condition::{
        Choice, Condition, Date, Locator, Modification, Payment, Role as Place, Term, TimeLimit,
    };
    let number = |condition: &Condition| postcard::to_stdvec(condition).expect("encodes");
    let id = || Locator::Id("a".into());
    let date = Date { year: 2007, month: 12, day: 31 };
    for (name, condition, bytes) in [
        ("time-limit", Condition::TimeLimit(TimeLimit::UntilRecrawled), &[0, 0][..]),
        ("time-limit", Condition::TimeLimit(TimeLimit::Until(date)), &[0, 1, 0xD7, 0x0F, 12, 31]),
        ("time-limit", Condition::TimeLimit(TimeLimit::Days(300)), &[0, 2, 0xAC, 2]),
        ("max-chars", Condition::MaxChars(5), &[1, 5]),
        ("max-words", Condition::MaxWords(5), &[2, 5]),
        ("prohibited-modification", Condition::ProhibitedModification(Modification::Annotation), &[3, 4]),
        ("must-use-resource", Condition::MustUseResource(Locator::Uri("a".into())), &[4, 3, 1, b'a']),
        (
            "must-include-resource",
            Condition::MustIncludeResource(Some(Place::Text), id()),
            &[5, 1, 3, 0, 1, b'a'],
        ),
        ("must-include-resource", Condition::MustIncludeResource(None, id()), &[5, 0, 0, 1, b'a']),
        ("outside-user-frame", Condition::OutsideUserFrame, &[6]),
        ("within-original-frame", Condition::WithinOriginalFrame, &[7]),
        ("location", Condition::Location("a".into()), &[8, 1, b'a']),
        (
            "unsupported",
            Condition::Unsupported { name: "a".into(), value: "b".into() },
            &[9, 1, b'a', 1, b'b'],
        ),
        ("until", Condition::Before(-2), &[10, 3]),
        ("max-seconds", Condition::MaxSeconds(5), &[11, 5]),
        ("standard-preview", Condition::StandardPreview, &[12]),
        ("embedded", Condition::Embedded, &[13]),
        ("not-images", Condition::NoImages, &[14]),
        ("excerpt", Condition::Excerpt, &[15]),
        ("tdm-policy", Condition::Policy("a".into()), &[16, 1, b'a']),
        (
            "license",
            Condition::License(vec![vec![
                Term::Payment(Payment {
                    kind: "a".into(),
                    amount: "b".into(),
                    standard: vec!["c".into()],
                    custom: Vec::new(),
                }),
                Term::Server("d".into()),
                Term::Reporting { kind: "e".into(), profile: String::new() },
                Term::User(Choice { only: vec!["f".into()], not: Vec::new() }),
                Term::Geo(Choice { only: Vec::new(), not: vec!["g".into()] }),
            ]]),
            &[
                17, 1, 5, 0, 1, b'a', 1, b'b', 1, 1, b'c', 0, 1, 1, b'd', 2, 1, b'e', 0, 3, 1, 1, b'f', 0, 4,
                0, 1, 1, b'g',
            ],
        ),
    ] {
        assert_eq!(number(&condition), bytes, "{condition}");
        assert_eq!(
            columns::<2>("### Conditions")[usize::from(bytes[0])],
            [bytes[0].to_string().as_str(), name]
        );
    }
    assert_eq!(columns::<1>("### Conditions").len(), 18);
    let names = Modification::ALL.map(Modification::name).join(", ");
    assert!(SPEC.contains(&format!("| Modification | {names} |\n")));
    let names = [Place::Credit, Place::Link, Place::Icon, Place::Text].map(Place::name).join(", ");
    assert!(SPEC.contains(&format!("| Place | {names} |\n")));
}

/// Whether the document has these words, wherever its lines break.
fn is_said(words: &str) -> bool {
    SPEC.split_whitespace().collect::<Vec<_>>().join(" ").contains(words)
}

/// Section 8, "Notations": the statements on stray `%` and repeated rewriting.
#[test]
fn rewriting_twice() {
    let target = |notation: Notation, text: &str| {
        String::from_utf8(notation.target(text.as_bytes()).into_owned()).expect("ASCII")
    };
    assert!(is_said("`/%2%41` stays") && is_said("`%252F` stays as it is"));
    assert_eq!(target(Notation::Rep, "/%2%41"), "/%2%41");
    assert_eq!(target(Notation::Koster, "/%252F%zz"), "/%252F%25zz");
    assert_eq!(target(Notation::Koster, "/%41"), "/A");
    assert_eq!(target(Notation::Acap, "/%41%zz%25"), "/a%25zz%25");
    // Every text of seven bytes over the bytes that make and break escapes.
    let bytes = b"%24Ag";
    for number in 0..bytes.len().pow(7) {
        let text: String =
            (0..7).map(|place| bytes[number / bytes.len().pow(place) % bytes.len()] as char).collect();
        let once = target(Notation::Rep, &text);
        assert_eq!(target(Notation::Rep, &once), once, "{text}");
        let pattern = Notation::Rep.pattern(text.as_bytes());
        assert_eq!(Notation::Rep.pattern(&pattern), pattern, "{text}");
    }
}

/// Section 4: the default port of the scheme is not part of an authority.
#[test]
fn default_ports() {
    for (written, authority) in [
        ("http://a.example:80", "a.example"),
        ("http://a.example:443", "a.example:443"),
        ("https://a.example:443", "a.example"),
        ("https://a.example:80", "a.example:80"),
        ("a.example:80", "a.example"),
        ("a.example:443", "a.example"),
        ("[::1]:443", "[::1]"),
    ] {
        assert_eq!(SiteKey::from_host(written).expect("a site").authority(), authority, "{written}");
    }
}

#[test]
fn encoding_of_programs() {
    let row = |number: u8, name: &str| [number.to_string(), name.to_owned()];
    let priorities = [
        row(program::PRIORITY_NONE, "none"),
        row(program::PRIORITY_PROHIBIT, "prohibit"),
        row(program::PRIORITY_PERMIT, "permit"),
        row(program::PRIORITY_EXPLICIT, "explicit"),
    ];
    assert_eq!(columns::<2>("### Forms of priorities"), priorities);
    let children = [
        row(program::CHILDREN_NONE, "none"),
        row(program::CHILDREN_ONE, "one"),
        row(program::CHILDREN_1, "several"),
        row(program::CHILDREN_2, "several"),
        row(program::CHILDREN_3, "several"),
        row(program::CHILDREN_4, "several"),
    ];
    assert_eq!(columns::<2>("### Forms of children"), children);
    let bits = [
        ("front", program::FRONT_SCOPED, "scoped"),
        ("front", packed::FRONT_PACKED, "packed"),
        ("front", packed::FRONT_STARRED, "starred, if packed"),
        ("node", program::NODE_EXTRA, "extra"),
        ("node of segments", program::NODE_QUEUE, "queue"),
        ("step", program::STEP_OPEN, "open"),
        ("step", program::STEP_ANCHORED, "anchored"),
        ("step", program::STEP_STATE, "state"),
        ("step", program::STEP_LIST, "list"),
        ("step", program::STEP_MORE, "more"),
    ];
    let bits = bits.map(|(of, bit, name)| {
        assert_eq!(bit.count_ones(), 1);
        [of.to_owned(), bit.trailing_zeros().to_string(), name.to_owned()]
    });
    assert_eq!(columns::<3>("### Bits of flags"), bits);
    assert!(is_said(&format!("from 0 to {}, stands in bits", program::STEP_FAR - 1)));
    let front = program::Header::front(Notation::Acap, Weighing::Scoped, false);
    assert_eq!(front, Notation::Acap as u8 | program::FRONT_SCOPED);
    let front = program::Header::front(Notation::Koster, Weighing::Ranked(Silence::Unknown), true);
    assert_eq!(front, Notation::Koster as u8 | 1 << 4 | (Silence::Unknown as u8) << 5);
}

/// The arguments of each call of this function in a source, as text.
fn calls<'s>(source: &'s str, function: &str) -> Vec<Vec<&'s str>> {
    let arguments = |(at, _): (usize, &str)| {
        let rest = &source[at + function.len() + 1..];
        let (mut depth, mut quoted, mut start, mut found) = (0, false, 0, Vec::new());
        for (at, character) in rest.char_indices() {
            match character {
                '"' => quoted = !quoted,
                '(' if !quoted => depth += 1,
                ',' if !quoted && depth == 0 => {
                    found.push(rest[start..at].trim());
                    start = at + 1;
                }
                ')' if !quoted && depth == 0 => {
                    found.push(rest[start..at].trim());
                    break;
                }
                ')' if !quoted => depth -= 1,
                _ => {}
            }
        }
        found
    };
    source.match_indices(&format!("{function}(")).map(arguments).collect()
}

#[test]
fn validity_rules() {
    let sources = [
        include_str!("../src/read.rs"),
        include_str!("../src/error.rs"),
        include_str!("../src/verify.rs"),
        include_str!("../src/verify/sites.rs"),
        include_str!("../src/verify/rules.rs"),
        include_str!("../src/verify/cold.rs"),
    ];
    let mut used = BTreeSet::new();
    for source in sources {
        // In prose and messages: I and digits.
        for (at, _) in source.match_indices('I') {
            let digits: String = source[at + 1..].chars().take_while(char::is_ascii_digit).collect();
            used.extend(digits.parse::<u8>());
        }
        // As a number: the first argument of some closures, the second or third of the functions.
        let places = [("damaged", 1), ("self.error", 2), (" error", 0)];
        for (function, place) in places {
            for arguments in calls(source, function) {
                used.extend(arguments.get(place).and_then(|rule| rule.parse::<u8>().ok()));
            }
        }
    }
    let listed: Vec<u8> = columns::<1>("## 9 Validity")
        .iter()
        .map(|[rule]| rule.strip_prefix('I').and_then(|rule| rule.parse().ok()).expect("a rule's number"))
        .collect();
    assert_eq!(listed, Vec::from_iter(used));
    assert_eq!(listed, Vec::from_iter(1..=18));
}

#[test]
fn calls_are_read() {
    let source = "damaged(13, 4, what(a, b)) self.error(x, y(1, 2), 7, \"a, ) b\")";
    assert_eq!(calls(source, "damaged"), [["13", "4", "what(a, b)"]]);
    assert_eq!(calls(source, "self.error"), [["x", "y(1, 2)", "7", "\"a, ) b\""]]);
}

#[test]
fn text_is_plain() {
    assert!(!SPEC.contains('\t') && SPEC.ends_with('\n'));
    assert!(SPEC.chars().all(|character| !character.is_control() || character == '\n'));
    let headings = SPEC.lines().filter(|line| line.starts_with("## ")).collect::<Vec<_>>();
    let numbers = (1..=11).map(|number| format!("## {number} "));
    assert!(
        headings.len() == 11 && headings.iter().zip(numbers).all(|(line, number)| line.starts_with(&number))
    );
}
