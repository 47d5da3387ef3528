//! Writes the bytes of an image or a program as SPEC.md shows them: field by field, with a remark
//! for each. A byte that no field claims panics.

use robomaton_formats::layout::*;
use robomaton_formats::name::SYMBOLS;
use robomaton_formats::policy::{Role, USAGES};
use robomaton_formats::preference::Tag;
use robomaton_formats::program::packed::{self, Packed};
use robomaton_formats::program::{self, Header, Priority, Silence, Step};
use robomaton_formats::read::View;
use robomaton_formats::scope::read_priority;
use robomaton_formats::verify::verify;
use robomaton_formats::{Notation, Profile, SiteEntry};
use std::fmt::Write;

/// Bytes per line.
const WIDTH: usize = 16;

/// Bytes, and the position up to which they are explained.
pub(crate) struct Dump<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) at: usize,
    pub(crate) out: String,
}

impl<'b> Dump<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Dump<'b> {
        Dump { bytes, at: 0, out: String::new() }
    }

    pub(crate) fn title(&mut self, title: &str) {
        let _ = writeln!(self.out, "{}{title}", if self.out.is_empty() { "" } else { "\n" });
    }

    /// Takes the next `count` bytes, with a remark on their meaning.
    fn take(&mut self, count: usize, remark: &str) -> &'b [u8] {
        let taken = &self.bytes[self.at..self.at + count];
        let blank = count > WIDTH && taken.iter().all(|&byte| byte == 0);
        let lines: Vec<String> = if blank {
            vec![format!("00 x {count}")]
        } else {
            let hex =
                |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
            taken.chunks(WIDTH).map(hex).collect()
        };
        for (number, line) in lines.iter().enumerate() {
            let (at, remark) = (self.at + number * WIDTH, if number == 0 { remark } else { "" });
            let text = format!("{at:04x}  {line:<47}  {remark}");
            let _ = writeln!(self.out, "{}", text.trim_end());
        }
        self.at += count;
        taken
    }

    /// Takes the next number of `width` bytes; the remark is made from it.
    fn number(&mut self, width: usize, remark: impl Fn(u64) -> String) -> u64 {
        let bytes = &self.bytes[self.at..self.at + width];
        let value = bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        self.take(width, &remark(value));
        value
    }

    /// Takes a field whose number is shown unchanged.
    fn field(&mut self, width: usize, name: &str) -> u64 {
        self.number(width, |value| format!("{name} {value}"))
    }

    /// Takes a field that holds an offset or none.
    fn optional(&mut self, name: &str) -> u64 {
        self.number(4, |value| match value {
            value if value == u64::from(NONE) => format!("{name} none"),
            value => format!("{name} {value}"),
        })
    }

    /// The next LEB128 number and its length in bytes, without advancing.
    fn peek(&self) -> (u64, usize) {
        let bytes = &self.bytes[self.at..];
        let length = 1 + bytes.iter().position(|byte| byte & 0x80 == 0).expect("a number ends");
        (bytes[..length].iter().rev().fold(0, |value, &byte| value << 7 | u64::from(byte & 0x7F)), length)
    }

    fn varint(&mut self, name: &str) -> u64 {
        let (value, length) = self.peek();
        self.take(length, &format!("{name} {value}"));
        value
    }

    /// Takes a string of postcard: length and bytes on one line.
    fn string(&mut self, name: &str) {
        let (value, length) = self.peek();
        let text = &self.bytes[self.at + length..][..value as usize];
        let remark = format!("{name} {:?}", String::from_utf8_lossy(text));
        self.take(length + value as usize, &remark);
    }

    /// Takes a trie of a program from its root. It recurses, which is fine for programs written by
    /// hand.
    fn node(&mut self, prefix: &str, segments: bool) {
        let flags = self.bytes[self.at];
        let mut parts = Vec::new();
        let priorities = if segments { 0 } else { flags };
        for (form, name, rank) in [(priorities & 3, "open", 0), (priorities >> 2 & 3, "anchored", 1)] {
            let rank = prefix.len() + rank;
            match form {
                program::PRIORITY_NONE => {}
                program::PRIORITY_EXPLICIT => parts.push(format!("{name} priority follows")),
                form => parts.push(format!(
                    "{name} priority {}",
                    2 * rank + usize::from(form == program::PRIORITY_PERMIT)
                )),
            }
        }
        if flags & program::NODE_EXTRA != 0 {
            parts.push(if segments { "a segment ends" } else { "a prefix ends" }.to_owned());
        }
        parts.push(match flags >> 5 {
            program::CHILDREN_NONE => "no child".to_owned(),
            program::CHILDREN_ONE => "one child".to_owned(),
            form => format!("several children, offsets of {}", program::offset_width(form)),
        });
        self.take(1, &format!("node {prefix:?}: {}", parts.join(", ")));
        for (form, name) in [(priorities & 3, "open priority"), (priorities >> 2 & 3, "anchored priority")] {
            if form == program::PRIORITY_EXPLICIT {
                self.varint(&format!("  {name}"));
            }
        }
        if flags & program::NODE_EXTRA != 0 {
            match segments {
                false => {
                    self.varint("  number of the state, plus one:");
                    self.varint("  its list, plus one:");
                }
                true if flags & program::NODE_QUEUE != 0 => _ = self.varint("  queue"),
                true => self.steps("  step: waits for state"),
            }
        }
        let count = match flags >> 5 {
            program::CHILDREN_NONE => return,
            program::CHILDREN_ONE => 1,
            _ => self.number(1, |less| format!("  children, less one: {less}")) as usize + 1,
        };
        let bytes =
            self.take(count, if count == 1 { "  byte of the child" } else { "  bytes of the children" });
        if count > 1 {
            let width = program::offset_width(flags >> 5);
            self.take(count * width, "  offsets of the children");
        }
        for &byte in bytes {
            let (rest, length) = self.peek();
            let rest_of =
                String::from_utf8_lossy(&self.bytes[self.at + length..][..rest as usize]).into_owned();
            let byte = byte as char;
            // Segments are read backwards.
            let (label, path) = match segments {
                true => (format!("{rest_of}{byte}"), format!("{rest_of}{byte}{prefix}")),
                false => (format!("{byte}{rest_of}"), format!("{prefix}{byte}{rest_of}")),
            };
            self.take(length + rest as usize, &format!("  rest of the label {label:?}"));
            self.node(&path, segments);
        }
    }

    /// Takes a list of steps, each with a remark that begins with `waits`.
    fn steps(&mut self, waits: &str) {
        let mut more = true;
        while more {
            let mut end = self.at;
            let step = Step::read(self.bytes, &mut end).expect("a whole step");
            let mut remark = format!("{waits} {}", step.waits);
            for (name, value) in [("open priority", step.open), ("anchored priority", step.anchored)] {
                if value != 0 {
                    let _ = write!(remark, ", {name} {value}");
                }
            }
            for (name, value) in [("state", step.leads.number), ("the list at", step.leads.list)] {
                let _ = value.map(|value| write!(remark, ", leads to {name} {value}"));
            }
            self.take(end - self.at, &remark);
            more = step.more;
        }
    }

    pub(crate) fn program(&mut self) {
        if Packed::is_at(&self.bytes[self.at..]) { self.packed() } else { self.tries() }
    }

    fn front(&mut self, form: &str) {
        let front = self.bytes[self.at];
        let notation = Notation::from_u8(front & 7).expect("a known notation");
        let notation = format!("{notation:?}").to_lowercase();
        let silence = match front & program::FRONT_SCOPED {
            0 => format!("silence {:?}", Silence::of(front)).to_lowercase(),
            _ => "scoped".to_owned(),
        };
        self.take(1, &format!("front: {form}, notation {notation}, {silence}"));
    }

    fn packed(&mut self) {
        let padded = [&self.bytes[self.at..], &[0; program::PADDING]].concat();
        let packed = Packed::read(&padded).expect("a whole front");
        self.front("packed");
        let count = self.field(1, "count") as usize;
        let pairs = self.field(1, "pairs");
        let triggers = (pairs + self.field(1, "singles")) as usize;
        self.number(1, |reach| match reach as u8 {
            packed::REACH_ALL => "reach: all".to_owned(),
            reach => format!("reach {reach}"),
        });
        self.take(3, "probes");
        self.field(1, "fallback");
        for column in 1..=3 {
            self.take(count, &format!("column {column}"));
        }
        for number in 0..=count {
            self.number(2, |word| {
                let mut remark = format!("word: offset {}", word as u16 & packed::OFFSET);
                for (bit, name) in [(packed::ANCHORED, ", anchored"), (packed::PERMITS, ", permits")] {
                    remark += if word as u16 & bit != 0 { name } else { "" };
                }
                if number == count { format!("word: end {word}") } else { remark }
            });
        }
        let rules = |mask: u64| {
            let set = (0..16).filter(|rule| mask >> rule & 1 == 1).map(|rule: u32| rule.to_string());
            set.collect::<Vec<_>>().join(", ")
        };
        if packed.starred().is_some_and(|starred| starred != 0) {
            self.number(2, |mask| format!("mask starred: rules {}", rules(mask)));
        }
        if triggers > 0 {
            self.number(2, |mask| format!("mask wild: rules {}", rules(mask)));
        }
        for (trigger, mask) in packed.waiting().expect("whole triggers") {
            let remark = format!("trigger {:?}: rules {}", trigger.escape_ascii().to_string(), rules(mask));
            self.take(4, &remark);
        }
        for number in 0..count {
            let rule = packed.rule(number).expect("a whole rule");
            let text = rule.text[..rule.length].escape_ascii();
            self.take(rule.length, &format!("text \"{text}\": priority {}", rule.priority));
        }
    }

    fn tries(&mut self) {
        let start = self.at;
        let header = Header::read(&self.bytes[start..]).expect("a whole front");
        self.front(if header.tails.is_some() { "tries, tails follow" } else { "tries, no tails" });
        if header.tails.is_some() {
            let bits = |dump: &mut Self, name, count: usize| {
                let bytes = &dump.bytes[dump.at..];
                let bits =
                    (0..count).filter(|bit| bytes[bit / 8] >> (bit % 8) & 1 == 1).map(|bit| bit.to_string());
                let remark = format!("{name}: bits {}", bits.collect::<Vec<_>>().join(", "));
                dump.take(count / 8, &remark);
            };
            bits(self, "last", 128);
            bits(self, "single", 128);
            let log = self.field(1, "log");
            bits(self, "pairs", 1 << log);
            for name in
                ["states", "queues", "steps", "highest", "length of the literals", "length of the segments"]
            {
                self.varint(name);
            }
        }
        assert_eq!(self.at, start + header.literals);
        self.node("", false);
        let Some(tails) = header.tails else { return };
        assert_eq!(self.at, start + tails.root);
        self.node("", true);
        assert_eq!(self.at, start + tails.lists);
        // The dump covers a whole program.
        while self.at < self.bytes.len() {
            self.steps("step: waits in queue");
        }
    }

    /// Takes a sequence of postcard.
    fn sequence(&mut self, name: &str, mut element: impl FnMut(&mut Self)) {
        for _ in 0..self.varint(name) {
            element(self);
        }
    }

    fn extensions(&mut self) {
        self.sequence("extensions:", |dump| {
            dump.varint("  line");
            dump.string("  key");
            dump.string("  value");
        });
    }

    fn detail(&mut self) {
        self.sequence("groups:", |dump| {
            dump.varint("  role");
            dump.sequence("  crawlers:", |dump| dump.string("    name"));
            dump.field(1, "  default");
            dump.sequence("  purposes:", |dump| dump.string("    purpose"));
            dump.field(1, "  incomplete");
            dump.varint("  file");
            dump.varint("  notation");
            dump.sequence("  rules:", |dump| {
                dump.varint("    line");
                dump.varint("    usage");
                dump.varint("    priority");
                dump.field(1, "    permits");
                dump.varint("    conditions");
                dump.string("    pattern");
            });
            dump.extensions();
            assert_eq!(dump.field(1, "  schedule:"), 0, "a schedule is not explained here");
        });
        self.extensions();
        for name in ["usages:", "conditions:", "files:", "ends:", "preferences:"] {
            self.sequence(name, |_| panic!("the tiny image has no {name}"));
        }
    }

    fn meta(&mut self) {
        self.string("generator");
        self.sequence("crawlers:", |dump| dump.string("  name"));
        self.sequence("limits:", |dump| {
            dump.string("  name");
            dump.varint("  value");
        });
        self.sequence("vocabulary:", |dump| dump.string("  entry"));
    }

    fn header(&mut self) {
        self.title("header");
        self.take(8, "magic");
        self.field(4, "version");
        self.number(1, |number| {
            let profile = Profile::from_u8(number as u8).expect("a known profile");
            format!("profile {number}: {profile}")
        });
        self.field(1, "sections");
        self.field(1, "shard");
        self.field(1, "last_shard");
        self.field(8, "length");
        self.field(8, "seed");
        self.take(8, &format!("checksum of bytes 0..{HEAD}"));
        self.title("section table: offset, length, checksum");
        for section in Section::ALL {
            let row = &self.bytes[self.at..];
            let number = |at: usize| u64::from_le_bytes(*row[at..].first_chunk().expect("a whole row"));
            self.take(8, &format!("{}: at {:#x}", section.name(), number(0)));
            self.take(8, &format!("  length {}", number(8)));
            self.take(8, "  checksum");
        }
    }

    fn policy(&mut self) {
        let flags = self.number(1, |flags| {
            let wide = |bit: u64, narrow, wide| if flags >> bit & 1 == 0 { narrow } else { wide };
            let default = wide(2, "no default", "default");
            let whole = wide(3, "", ", by substring");
            let rest = [wide(5, "", ", preferences"), wide(6, "", ", additive")].concat();
            format!(
                "flags: ids {}, indexes {}, {default}{whole}{rest}",
                wide(0, "u16", "u32"),
                wide(1, "u8", "u16")
            )
        });
        assert_eq!(flags >> 4 & 1, 0, "an outcome is not explained here");
        if flags >> 5 & 1 == 1 {
            for _ in 0..self.field(1, "preferences") {
                self.number(4, |at| format!("the policy of preferences at {at}"));
            }
        }
        let crawlers = self.varint("crawlers") as usize;
        let words = self.varint("sets");
        for (count, width, name) in [
            (crawlers, 2 << (flags & 1), "id"),
            (crawlers, 1 << (flags >> 1 & 1), "index"),
            ((flags >> 2 & 1) as usize, 1 << (flags >> 1 & 1), "index of the default"),
        ] {
            for _ in 0..count {
                self.field(width, name);
            }
        }
        for _ in 0..words {
            self.number(4, |word| match word >> 31 {
                0 => format!("word: the program at {word}"),
                _ => format!("word: the list at {}", word & 0x7FFF_FFFF),
            });
        }
    }

    fn ranked_list(&mut self) {
        for _ in 0..self.field(2, "a ranked list:") {
            self.number(2, |usage| format!("  usage {usage}: {}", USAGES[usage as usize]));
            self.number(2, |raw| {
                let Tag { kind, language, of_robots, .. } = Tag::from_raw(raw as u16).expect("a known tag");
                let place = if of_robots { ", of robots" } else { "" };
                format!("    tag: {}, {}{place}", format!("{kind:?}").to_lowercase(), language.name())
            });
            self.field(4, "    program");
        }
    }

    fn scoped_list(&mut self) {
        let names = ["incomplete", "own", "permits"];
        let count = self.number(2, |count| {
            assert_eq!(count >> 15, 1, "a scoped list");
            format!("a scoped list of {}", count & 0x7FFF)
        });
        self.number(1, |flags| {
            let set = names.iter().enumerate().filter(|(bit, _)| flags >> bit & 1 == 1);
            let set: Vec<_> = set.map(|(_, &name)| name).collect();
            format!("flags: {}", if set.is_empty() { "none".to_owned() } else { set.join(", ") })
        });
        self.field(1, "reserved");
        self.field(4, "  scope");
        self.optional("  rest");
        for _ in 0..count & 0x7FFF {
            self.field(4, "  usage");
            self.number(4, |purpose| match purpose {
                0 => "    whatever purpose".to_owned(),
                at => format!("    purpose: the one at {}", at - 1),
            });
            self.field(4, "    program");
            self.number(4, |role| format!("    role {role}: {}", role_name(role as u32)));
        }
    }

    fn scope(&mut self) {
        let patterns = self.field(4, "patterns");
        let conventional = self.field(4, "conventional");
        let priority_sets = self.field(4, "priority sets");
        let starts: Vec<_> =
            (0..=patterns).map(|pattern| self.field(4, &format!("start of {pattern}:"))).collect();
        for pattern in 0..patterns as usize {
            for _ in starts[pattern]..starts[pattern + 1] {
                let range = &self.bytes[self.at..][..8];
                let number = |at: usize| u32::from_le_bytes(*range[at..].first_chunk().expect("a whole run"));
                self.take(8, &format!("narrower than {pattern}: {}..{}", number(0), number(4)));
            }
        }
        for rule in 0..conventional {
            self.field(4, &format!("rule {rule}: pattern"));
        }
        let firsts: Vec<_> = (0..=priority_sets)
            .map(|priority_set| self.field(4, &format!("first of {priority_set}:")))
            .collect();
        for priority_set in 0..priority_sets as usize {
            for _ in firsts[priority_set]..firsts[priority_set + 1] {
                self.number(4, |priority| {
                    let (key, says) = read_priority(priority as u32);
                    format!(
                        "priority set {priority_set}: priority {priority}, key {key}, {}",
                        says_name(says)
                    )
                });
            }
        }
    }

    /// Takes the contents of one non-empty section.
    fn section(&mut self, section: Section, length: usize) {
        match section {
            Section::Hosts => {
                self.take(BUCKET_SITES, "fingerprints");
                self.field(1, "overflow");
                self.field(4, "first");
                let end = self.at + BUCKET_BODY;
                self.number(4, |word| format!("entry: {}", entry(word as u32)));
                let head = self.number(1, |head| format!("scheme {}, code of {}", head & 3, head >> 2));
                let code = &self.bytes[self.at..][..head as usize >> 2];
                let pieces: Vec<_> = code.iter().map(piece).collect();
                self.take(code.len(), &format!("\"{}\"", pieces.join("\" \"")));
                self.take(end - self.at, "rest of the body");
            }
            Section::Order => {
                self.field(4, "place");
            }
            Section::Fetches => {
                self.field(8, "fetched_at");
                self.optional("fresh_for");
                self.optional("document");
                self.field(2, "status");
            }
            Section::Documents => {
                self.field(8, "detail_at");
                self.field(4, "detail_length");
                self.field(4, "source_length");
                self.field(8, "source_at");
            }
            Section::Policies => self.policy(),
            Section::Programs => {
                self.program();
                self.take(program::PADDING, "padding of the section");
            }
            Section::Details => self.detail(),
            Section::Meta => self.meta(),
            Section::Sources => {
                self.take(length, "a zstd frame");
            }
            Section::CrawlerNames | Section::Usages => {
                let text = String::from_utf8_lossy(&self.bytes[self.at..][..length]).into_owned();
                self.take(length, &format!("{text:?}"));
            }
            Section::Names | Section::Lists | Section::Scopes | Section::Purposes | Section::Crawlers => {
                panic!("the tiny image has no {}", section.name())
            }
        }
    }
}

fn entry(word: u32) -> String {
    match SiteEntry::from_raw(word).expect("a site entry") {
        SiteEntry::Program(at) => format!("the program at {at}"),
        SiteEntry::Policy(at) => format!("the policy at {at}"),
        SiteEntry::NoRules(no_rules) => format!("{}, status {}", no_rules.outcome, no_rules.status),
    }
}

/// The text that a byte of a name's code stands for.
fn piece(&byte: &u8) -> String {
    match byte.checked_sub(0x80) {
        Some(symbol) => SYMBOLS[usize::from(symbol)].to_owned(),
        None => char::from(byte).to_string(),
    }
}

pub(crate) fn dump_image(image: &[u8]) -> String {
    let layout = verify(image).expect("the tiny image is valid");
    let mut dump = Dump::new(image);
    dump.header();
    for section in Section::ALL {
        let range = layout.range(section);
        if dump.at < range.start {
            dump.title("padding");
            dump.take(range.start - dump.at, "");
        }
        if range.is_empty() {
            continue;
        }
        dump.title(section.name());
        dump.section(section, range.len());
        assert_eq!(dump.at, range.end, "section {} is explained whole", section.name());
    }
    assert_eq!(dump.at, image.len());
    dump.out
}

/// The bits of a priority as named in the document.
fn says_name(says: Priority) -> String {
    let names = ["permits", "permits-if", "prohibits"].iter().enumerate();
    names.filter(|(bit, _)| says >> bit & 1 == 1).map(|(_, &name)| name).collect::<Vec<_>>().join(" ")
}

/// The name of a role as written in the document.
fn role_name(number: u32) -> String {
    let name = format!("{:?}", Role::from_u32(number).expect("a known role"));
    name.replace("PageC", "Page-c").to_lowercase()
}

/// Policies and lists of an image with preferences, each with offsets from the start of its
/// section.
pub(crate) fn dump_preferences(image: &[u8]) -> String {
    let layout = verify(image).expect("the worked image is valid");
    let view = View::new(image, &layout);
    let mut out = String::new();
    for section in [Section::Policies, Section::Lists] {
        let mut dump = Dump { bytes: view.section(section), at: 0, out: std::mem::take(&mut out) };
        dump.title(section.name());
        while dump.at < dump.bytes.len() {
            if section == Section::Policies { dump.policy() } else { dump.ranked_list() }
        }
        out = dump.out;
    }
    out
}

/// Policies, lists, scopes and purposes of an image, each with offsets from the start of its
/// section.
pub(crate) fn dump_scoped(image: &[u8]) -> String {
    let layout = verify(image).expect("the worked image is valid");
    let view = View::new(image, &layout);
    let mut out = String::new();
    for section in [Section::Policies, Section::Lists, Section::Scopes, Section::Purposes] {
        let mut dump = Dump { bytes: view.section(section), at: 0, out: std::mem::take(&mut out) };
        dump.title(section.name());
        while dump.at < dump.bytes.len() {
            match section {
                Section::Policies => dump.policy(),
                Section::Lists => dump.scoped_list(),
                Section::Scopes => dump.scope(),
                _ => dump.string("purpose"),
            }
        }
        out = dump.out;
    }
    out
}
