//! The weighing of scoped sets as defined in SPEC.md section 5, over the bytes of an image.
//!
//! The reader follows the document step by step with the document's offsets, and uses no function
//! that writer and runtime share. It is checked against the table of the worked scope and, on
//! random texts, against the compiler's trace, which reads the texts naively.

use robomaton_compiler::trace::{TraceQuery, trace};
use robomaton_compiler::{
    CompileContext, Element, Entry, MetaTag, Options, Page, compile_with, emit, lower_with,
};
use robomaton_formats::verify::verify;
use robomaton_formats::{Decision, Notation, Pattern, SiteKey};
use std::collections::BTreeSet;
use walk::walk;

mod walk;

const SPEC: &str = include_str!("../SPEC.md");
const NONE: u32 = u32::MAX;

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(*bytes[at..].first_chunk().expect("four bytes"))
}

/// Section 3: the bytes of the section with this number.
fn section(image: &[u8], number: usize) -> &[u8] {
    let row = |at: usize| {
        u64::from_le_bytes(*image[40 + 24 * number + at..].first_chunk().expect("a row")) as usize
    };
    &image[row(0)..][..row(8)]
}

/// A query, with the numbers that section 5 assigns.
#[derive(Clone, Copy, Debug)]
struct Question<'q> {
    crawler: &'q str,
    usage: &'q str,
    purpose: Option<&'q str>,
    target: &'q str,
    elements: bool,
}

#[derive(Debug, PartialEq, Eq)]
struct Answer {
    decision: Option<Decision>,
    incomplete: bool,
    permits: bool,
    /// The row in the table of levels.
    level: Option<usize>,
    /// The key of the conventional winner.
    winner: Option<u32>,
}

/// Section 5, "Choice of the set", for policies without substrings and with few crawlers. Returns
/// the word of the set, and that of the crawler's name if the policy has it.
fn choose(image: &[u8], crawler: &str) -> (u32, Option<u32>) {
    // The only site is in the first place of the only bucket.
    let entry = u32_at(section(image, 0), 13);
    assert_eq!(entry >> 30, 2, "the site has a policy");
    let policy = &section(image, 2)[(entry & 0x3FFF_FFFF) as usize..];
    // What pages say to search engines is in policies of preferences, which are passed over.
    let preferences = if policy[0] & 32 == 0 { 0 } else { 1 + 4 * usize::from(policy[1]) };
    let flags = policy[0];
    let policy = &policy[preferences..];
    let (crawlers, sets) = (usize::from(policy[1]), usize::from(policy[2]));
    assert!(flags & !32 == 4 && policy[1] < 0x80 && policy[2] < 0x80, "a small policy");
    let (records, names) = (section(image, 7), section(image, 8));
    let name = |id: usize| &names[u32_at(records, 8 * id) as usize..][..u32_at(records, 8 * id + 4) as usize];
    let ids = policy[3..].as_chunks::<2>().0[..crawlers].iter().map(|&id| u16::from_le_bytes(id));
    let own = ids.into_iter().position(|id| name(id.into()) == crawler.as_bytes());
    let indexes = &policy[3 + 2 * crawlers..][..crawlers + 1];
    let word = |place: usize| {
        let index = usize::from(indexes[place]);
        assert!(index < sets);
        u32_at(policy, 3 + 3 * crawlers + 1 + 4 * index)
    };
    let named = own.map(word);
    let of_text = |word: &u32| list(image, word & 0x7FFF_FFFF).flags & 8 == 0;
    (named.filter(of_text).unwrap_or_else(|| word(crawlers)), named)
}

/// The bytes of a list: flags, scope, rest, entries of usage, purpose, program, role.
struct List {
    flags: u8,
    scope: u32,
    rest: u32,
    entries: Vec<[u32; 4]>,
}

fn list(image: &[u8], at: u32) -> List {
    let bytes = &section(image, 3)[at as usize..];
    let count = u16::from_le_bytes([bytes[0], bytes[1]]);
    assert!(count >> 15 == 1 && bytes[3] == 0);
    let entry = |n: usize| [0, 4, 8, 12].map(|field| u32_at(bytes, 12 + 16 * n + field));
    let entries = (0..usize::from(count & 0x7FFF)).map(entry).collect();
    List { flags: bytes[2], scope: u32_at(bytes, 4), rest: u32_at(bytes, 8), entries }
}

/// Section 8, "Purposes".
fn speaks(image: &[u8], at: u32, purpose: Option<&str>) -> bool {
    let bytes = &section(image, 6)[at as usize - 1..];
    assert!(bytes[0] < 0x80);
    let pattern =
        std::str::from_utf8(&bytes[1..][..usize::from(bytes[0])]).expect("ASCII").to_ascii_lowercase();
    let purpose = purpose.map(str::to_ascii_lowercase);
    match purpose {
        _ if pattern == "*" => true,
        None => false,
        Some(purpose) if !pattern.contains(['*', '$', ':']) => purpose == pattern,
        Some(purpose) => {
            Pattern { text: pattern.as_bytes(), notation: Notation::Google }.matches(purpose.as_bytes())
        }
    }
}

/// Three sets of keys: permits, permits-if, prohibits.
type Matched = [BTreeSet<u32>; 3];

struct Weighing<'w> {
    image: &'w [u8],
    scope: &'w [u8],
    patterns: u32,
    conventional: u32,
    question: Question<'w>,
    usage: Option<u32>,
}

impl Weighing<'_> {
    /// The offset of the scope's runs.
    fn runs(&self) -> usize {
        12 + 4 * (self.patterns as usize + 1)
    }

    fn rules(&self) -> usize {
        self.runs() + 8 * u32_at(self.scope, self.runs() - 4) as usize
    }

    fn matched<'e>(&self, entries: impl Iterator<Item = &'e [u32; 4]>) -> Matched {
        let mut found = Matched::default();
        for &[_, _, program, _] in entries {
            let program = &section(self.image, 4)[program as usize..];
            assert_eq!(program[0] & 8, 8, "a scoped program");
            let notation = Notation::from_u8(program[0] & 7).expect("a known notation");
            let target = notation.target(self.question.target.as_bytes());
            for priority in walk(program, &target).into_iter().filter(|&priority| priority >= 8) {
                let priorities =
                    if priority & 7 == 0 { self.priority_set((priority >> 3) - 1) } else { vec![priority] };
                for (priority, bit) in
                    priorities.into_iter().flat_map(|priority| [0, 1, 2].map(|bit| (priority, bit)))
                {
                    if priority >> bit & 1 == 1 {
                        found[bit].insert((priority >> 3) - 1);
                    }
                }
            }
        }
        found
    }

    fn priority_set(&self, priority_set: u32) -> Vec<u32> {
        let firsts = self.rules() + 4 * self.conventional as usize;
        let priorities = firsts + 4 * (u32_at(self.scope, 8) as usize + 1);
        let first = |at: u32| u32_at(self.scope, firsts + 4 * at as usize) as usize;
        (first(priority_set)..first(priority_set + 1))
            .map(|number| u32_at(self.scope, priorities + 4 * number))
            .collect()
    }

    fn live(
        &self,
        [own, names, rest]: [Option<&List>; 3],
        usages: &[u32],
        with_pages: bool,
    ) -> (Option<usize>, Matched) {
        // Rows of the table: the list, the role, whether entries have a purpose.
        let rest_first = |rest: bool| {
            [
                (rest, 2, Some(true)),
                (rest, 2, Some(false)),
                (rest, 3, None),
                (rest, 4, Some(true)),
                (rest, 4, Some(false)),
            ]
        };
        let rows = [(true, 1, None)].into_iter().chain(rest_first(false)).chain(rest_first(true));
        for (row, (of_rest, role, one)) in (1..).zip(rows) {
            let of_page = role != 4;
            if row == 1 && self.question.elements || of_page && !with_pages {
                continue;
            }
            let list = match (of_rest, of_page) {
                (true, _) => rest,
                (false, true) => names,
                (false, false) => own,
            };
            let Some(list) = list else { continue };
            let entries = list.entries.iter().filter(|entry| {
                entry[3] == role
                    && one.is_none_or(|one| one == (entry[1] != 0))
                    && usages.contains(&entry[0])
                    && (entry[1] == 0 || speaks(self.image, entry[1], self.question.purpose))
            });
            let found = self.matched(entries);
            if found.iter().any(|keys| !keys.is_empty()) {
                return (Some(row), found);
            }
        }
        (None, Matched::default())
    }

    fn weigh(
        &self,
        own: &List,
        names: Option<&List>,
        rest: Option<&List>,
    ) -> (Option<Decision>, bool, Option<usize>, Option<u32>) {
        let lists = [Some(own), names, rest];
        let special = self.question.usage.to_ascii_lowercase().starts_with("present-");
        let usages: Vec<u32> = self.usage.into_iter().chain(special.then_some(4)).collect();
        let (mut level, mut fields) = self.live(lists, &usages, true);
        let of_pages = |level: Option<usize>| level.is_some_and(|level| matches!(level, 1..=4 | 7..=9));
        let any = |level: Option<usize>| level.is_some_and(|level| level >= 7);
        let rules = self.matched(
            own.entries.iter().filter(|entry| matches!(entry[3], 0 | 5) && Some(entry[0]) == self.usage),
        );
        let mut joins = !of_pages(level);
        if of_pages(level) && any(level) && own.flags & 2 != 0 && rules.iter().any(|keys| !keys.is_empty()) {
            (level, fields) = self.live(lists, &usages, false);
            joins = true;
        }
        let mut winner = None;
        if joins {
            for n in (&rules[0] | &rules[2]).into_iter().rev() {
                assert!(n < self.conventional);
                let key = 2 * u32_at(self.scope, self.rules() + 4 * n as usize);
                let permits = rules[0].contains(&n);
                let against = if permits { &fields[2..] } else { &fields[..2] };
                if !against.iter().any(|keys| keys.contains(&key)) {
                    winner = Some((key, permits));
                    break;
                }
            }
        }
        if level.is_none() && winner.is_none() {
            (level, fields) = self.live(lists, &[5], true);
        }
        if let Some((key, permits)) = winner {
            fields[if permits { 0 } else { 2 }].insert(key);
        }
        let incomplete = own.flags & 1 != 0 || rest.is_some_and(|rest| rest.flags & 1 != 0);
        (self.decision(&fields), incomplete, level, winner.map(|(key, _)| key))
    }

    fn decision(&self, fields: &Matched) -> Option<Decision> {
        let stands = |keys: &BTreeSet<u32>| keys.iter().any(|&key| !self.beaten(fields, key));
        match () {
            () if stands(&fields[2]) => Some(Decision::Disallowed),
            () if stands(&fields[1]) => Some(Decision::Conditional),
            () if !fields[0].is_empty() => Some(Decision::Allowed),
            () => None,
        }
    }

    fn beaten(&self, fields: &Matched, key: u32) -> bool {
        let has = |mut range: std::ops::Range<u32>| {
            range.any(|key| fields[0].contains(&key) || fields[1].contains(&key))
        };
        let pattern = key / 2;
        let runs = if pattern < self.patterns {
            let start = |at: u32| u32_at(self.scope, 12 + 4 * at as usize) as usize;
            start(pattern)..start(pattern + 1)
        } else {
            0..0
        };
        let run = |number: usize| [0, 4].map(|at| u32_at(self.scope, self.runs() + 8 * number + at));
        key.is_multiple_of(2) && has(key + 1..key + 2)
            || runs.map(run).any(|[from, to]| {
                assert!(pattern < from && from < to && to <= self.patterns);
                has(2 * from..2 * to)
            })
    }
}

fn ask(image: &[u8], question: Question<'_>) -> Answer {
    let (word, named) = choose(image, question.crawler);
    assert_eq!(word >> 31, 1);
    let names = named.map(|word| list(image, word & 0x7FFF_FFFF));
    let own = list(image, word & 0x7FFF_FFFF);
    let rest = (own.rest != NONE).then(|| list(image, own.rest));
    let scope = &section(image, 5)[own.scope as usize..];
    let usages = std::str::from_utf8(section(image, 9)).expect("UTF-8");
    let usage = usages.lines().position(|name| name.eq_ignore_ascii_case(question.usage)).map(|n| n as u32);
    let (patterns, conventional) = (u32_at(scope, 0), u32_at(scope, 4));
    let weighing = Weighing { image, scope, patterns, conventional, question, usage };
    let (decision, incomplete, level, winner) = weighing.weigh(&own, names.as_ref(), rest.as_ref());
    let speaks = own.entries.iter().any(|entry| entry[3] == 0 && Some(entry[0]) == weighing.usage);
    Answer { decision, incomplete, permits: own.flags & 4 != 0 || speaks, level, winner }
}

/// The image of one site with this robots.txt.
fn image(text: &str, around: &CompileContext<'_, '_>, options: &Options) -> Vec<u8> {
    let document = compile_with(text.as_bytes(), around, options);
    let site = SiteKey::from_url("https://example.com").expect("a URL");
    let image = emit(vec![Entry::fetched(site, &document)], options).expect("a small image");
    verify(&image).expect("a valid image");
    image
}

/// The rows of the first table after this text.
fn rows(after: &str) -> Vec<Vec<&'static str>> {
    let (_, rest) = SPEC.split_once(after).expect("the text before a table");
    let lines =
        rest.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    lines.skip(2).map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

fn worked() -> Vec<u8> {
    let (_, rest) = SPEC.split_once("<!-- acap -->\n```text\n").expect("the worked text");
    image(rest.split_once("```").expect("its end").0, &CompileContext::default(), &Options::default())
}

#[test]
fn worked_scope_gives_what_the_table_says() {
    let image = worked();
    let mut written = Vec::new();
    let rows = rows("What it gives for some questions");
    for row in &rows {
        let purpose = Some(row[1]).filter(|purpose| !purpose.is_empty());
        let question = Question { crawler: "", usage: row[0], purpose, target: row[2], elements: false };
        let Answer { decision, incomplete, permits, level, winner } = ask(&image, question);
        assert!(!incomplete && permits);
        let level = level.map_or(String::new(), |level| level.to_string());
        let winner = winner.map_or(String::new(), |key| format!("key {key}"));
        let decision = decision.map_or("none: allowed", Decision::name).to_owned();
        written.push([row[0].into(), row[1].into(), row[2].into(), level, winner, decision]);
    }
    assert_eq!(rows, written);
    assert!(rows.len() >= 8);
}

#[test]
fn worked_patterns_are_numbered_as_the_table_says() {
    let image = worked();
    let scope = section(&image, 5);
    let table = rows("The numbers of its patterns:");
    assert_eq!(table.len(), u32_at(scope, 0) as usize);
    let runs = 12 + 4 * (table.len() + 1);
    let mut number = 0;
    for (pattern, row) in table.iter().enumerate() {
        let mut narrower = Vec::new();
        while number < u32_at(scope, 16 + 4 * pattern) as usize {
            let [from, to] = [0, 4].map(|at| u32_at(scope, runs + 8 * number + at));
            narrower.extend((from..to).map(|narrower| narrower.to_string()));
            number += 1;
        }
        assert_eq!(row[..], [pattern.to_string().as_str(), row[1], narrower.join(", ").as_str()]);
        let (_, text) = SPEC.split_once("<!-- acap -->").expect("the worked text");
        assert!(text.contains(&format!(": {}\n", row[1])) || text.contains(&format!(": {} ", row[1])));
    }
}

/// `live` goes through the rows of the table of levels.
#[test]
fn levels() {
    let expected: Vec<Vec<&str>> = vec![
        vec!["1", "rest", "element", "1", "whatever"],
        vec!["2", "names", "page for a purpose", "2", "one"],
        vec!["3", "names", "page", "2", "none"],
        vec!["4", "own", "sub-record", "4", "one"],
        vec!["5", "own", "record", "4", "none"],
    ];
    let found = rows("### Levels\n");
    assert_eq!(found[..5], expected);
    for (row, own) in found[5..].iter().zip(&expected[1..]) {
        assert_eq!((row[1], &row[2..]), ("rest", &own[2..]));
    }
    assert!(found.len() == 9 && found.iter().zip(1..).all(|(row, order)| row[0] == format!("{order}")));
}

/// Texts with a few records over few patterns, so that they overlap, compared with the trace.
#[test]
fn weighing_of_the_specification_is_what_the_trace_says() {
    let mut state = 7u64;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    const PATTERNS: [&str; 12] =
        ["/", "/a", "/a*", "/a$", "/*a", "/*b$", "/ab", "/a/*b", "/A%62", "*", "/b", "/*/b"];
    const USAGES: [&str; 7] =
        ["crawl", "index", "present", "present-snippet", "present-link", "other", "present-local"];
    const TARGETS: [&str; 9] = ["/", "/a", "/ab", "/A/b", "/b", "/a/xb", "/%61", "/b/b", "/*"];
    let options = Options::default();
    let (mut levels, mut decisions) = (BTreeSet::new(), BTreeSet::new());
    for round in 0..400 {
        let mut text = String::new();
        for _ in 0..below(3) {
            text += ["User-agent: *\n", "User-agent: x\n", "User-agent: y\n"][below(3)];
            for _ in 0..below(5) {
                let key = ["Allow", "Disallow", "Disallow", "Noindex"][below(4)];
                text += &format!("{key}: {}\n", PATTERNS[below(12)]);
            }
            text += "\n";
        }
        for _ in 0..=below(3) {
            text +=
                ["ACAP-crawler: *\n", "ACAP-crawler: x\n", "ACAP-crawler: x\nACAP-crawler: *\n"][below(3)];
            for _ in 0..below(7) {
                if below(6) == 0 {
                    text += [
                        "ACAP-usage-purpose: news\n",
                        "ACAP-usage-purpose: ne*\n",
                        "ACAP-usage-purpose: *\n",
                    ][below(3)];
                }
                if below(20) == 0 {
                    text += "ACAP-permissions-reference: /missing.txt\n";
                }
                let usage = USAGES[below(7)];
                let pattern = PATTERNS[below(12)];
                match below(5) {
                    0 | 1 => text += &format!("ACAP-allow-{usage}: {pattern}\n"),
                    2 => text += &format!("ACAP-allow-{usage}: {pattern} time-limit=3-days\n"),
                    _ => text += &format!("ACAP-disallow-{usage}: {pattern}\n"),
                }
            }
        }
        let mut pages: Vec<Page> = Vec::new();
        for target in ["/a", "/ab"].into_iter().filter(|_| round % 2 == 0) {
            let tag = |line: u32, content: &str, name: &str| MetaTag {
                name: name.into(),
                content: content.into(),
                line,
                in_noscript: false,
            };
            let metas = (0..below(4) as u32).map(|line| {
                let usage = USAGES[1 + below(4)];
                let content = match below(5) {
                    0 => format!("ACAP news {}-{usage}", ["allow", "disallow"][below(2)]),
                    1 => "noindex, follow".to_owned(),
                    2 => format!("ACAP allow-{usage} time-limit=3-days"),
                    _ => format!("ACAP {}-{usage}", ["allow", "disallow"][below(2)]),
                };
                tag(line, &content, ["robots", "x"][below(2)])
            });
            let metas = metas.collect();
            let token = format!("the-acap:disallow-{}", USAGES[1 + below(3)]);
            let elements = if below(4) == 0 { vec![Element { token, line: 9 }] } else { Vec::new() };
            pages.push(Page { target: target.into(), metas, elements, ..Page::default() });
        }
        let around = CompileContext { pages: &pages, ..CompileContext::default() };
        let image = image(&text, &around, &options);
        let tree = robomaton_grammar::scan(text.as_bytes(), text.len());
        let policy = lower_with(&tree, &around, &options).expect("within the limits");
        for _ in 0..40 {
            let (crawler, usage, target) = (["x", "y", "z"][below(3)], USAGES[below(7)], TARGETS[below(9)]);
            let purpose = [None, Some("news"), Some("Newsletter")][below(3)];
            let elements = below(4) == 0;
            let question = Question { crawler, usage, purpose, target, elements };
            let found = ask(&image, question);
            let agents = [crawler];
            let asked =
                TraceQuery { elements, purpose, usage, ..TraceQuery::crawl(&agents, target.as_bytes()) };
            let expected = trace(&policy, &asked);
            let silence =
                if found.permits || usage == "crawl" { Decision::Allowed } else { Decision::Unknown };
            let decision = found.decision.unwrap_or(silence);
            levels.insert(found.level);
            decisions.insert(found.decision);
            assert_eq!(
                (decision, found.incomplete),
                (expected.of_rules, expected.incomplete),
                "round {round}: {question:?} {found:?}\n{text}{pages:?}"
            );
        }
    }
    assert!(decisions.len() == 4 && levels.len() == 10, "{decisions:?} {levels:?}");
}
