//! Contents made by hand, written and read back; every site is found by the look-up of SPEC.md
//! section 4.
//!
//! The look-up follows the numbered steps of the document over raw bytes, with the document's
//! offsets, and uses no function that writer and reader share. The programs are minimal: other
//! tests cover the meaning of programs.

use robomaton_compiler::{Entry as Compiled, Options, compile, emit};
use robomaton_formats::condition::{Condition, Locator};
use robomaton_formats::detail::{Bytes, Detail, Extension, Group, Meta, Rule};
use robomaton_formats::layout::{BUCKET_SITES, HEAD, MAX_PROBE, NONE, Section};
use robomaton_formats::name::SYMBOLS;
use robomaton_formats::policy::{
    CRAWL, Entry, INDEX, NO_PURPOSE, Policy, PolicyView, Role, ScopedEntry, ScopedList, ScopedView, USAGES,
    encode_list, is_scoped, read_list,
};
use robomaton_formats::program::{
    self, Header, NODE_EXTRA, NODE_QUEUE, PADDING, PRIORITY_EXPLICIT, PRIORITY_PROHIBIT, Silence, State,
    Step, Weighing,
};
use robomaton_formats::read::{Layout, Site as Found, View};
use robomaton_formats::schedule::{Rate, Schedule, Window};
use robomaton_formats::scope::{PERMITS, PROHIBITS, Scope, scoped_priority};
use robomaton_formats::site::MAX_AUTHORITY;
use robomaton_formats::verify::{verify, verify_with_texts};
use robomaton_formats::write::{
    Contents, Document, Frame, Site, Spool, Writer, encode_detail, encode_source, write,
};
use robomaton_formats::{
    CrawlerId, DocumentId, ImageError, ListAt, NoRules, Notation, Outcome, PolicyAt, Profile, ProgramAt,
    PurposeAt, Scheme, ScopeAt, SetRef, SiteEntry, SiteKey, UsageId,
};

const TEXT: &[u8] = b"User-agent: *\nDisallow: /\n";

fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    bytes[at..at + width].iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// SPEC.md section 4, "Look-up", step by step; returns the place, counted over all buckets.
fn look_up(image: &[u8], authority: &str, scheme: u64) -> Option<u64> {
    let section = |n: usize| {
        let row = 40 + 24 * n;
        let at = number(image, row, 8) as usize;
        &image[at..at + number(image, row + 8, 8) as usize]
    };
    let (hosts, names) = (section(0), section(1));
    let buckets = hosts.len() as u64 / 64;
    // 1.
    if buckets == 0 {
        return None;
    }
    let hash = xxhash_rust::xxh3::xxh3_64_with_seed(authority.as_bytes(), number(image, 24, 8));
    let home = ((hash >> 32) * buckets) >> 32;
    let fingerprint = if hash & 0xFF == 0 { 1 } else { hash & 0xFF };
    let (mut at, mut any) = (home, None);
    for read in 1.. {
        let bucket = &hosts[at as usize * 64..][..64];
        // 2.
        let taken = bucket[..11].iter().take_while(|&&mark| mark != 0).count();
        let block = &names[number(bucket, 16, 4) as usize..];
        for place in (0..taken).filter(|&place| u64::from(bucket[place]) == fingerprint) {
            let code = code(block, taken, place);
            let piece = |&byte: &u8| match byte.checked_sub(0x80) {
                Some(symbol) => SYMBOLS[usize::from(symbol)].to_owned(),
                None => char::from(byte).to_string(),
            };
            if code.iter().map(piece).collect::<String>() != authority {
                continue;
            }
            match u64::from(block[place] & 3) {
                found if found == scheme => return Some(at * 11 + place as u64),
                0 => any = Some(at * 11 + place as u64),
                _ => {}
            }
        }
        // 3.
        if bucket[11] >> (hash >> 8 & 7) & 1 == 0 || read == 64 {
            break;
        }
        // 4.
        at = if at + 1 == buckets { 0 } else { at + 1 };
    }
    any
}

/// The code of a name in the names of a bucket.
fn code(block: &[u8], taken: usize, wanted: usize) -> &[u8] {
    let mut at = taken;
    for place in 0.. {
        let mut length = usize::from(block[place] >> 2);
        if length == 63 {
            length = block[at].into();
            at += 1;
        }
        if place == wanted {
            return &block[at..at + length];
        }
        at += length;
    }
    unreachable!("places end")
}

/// A site with the given scheme and slightly different values in every field.
fn site(url: &str, seed: u32) -> Site {
    let key = SiteKey::from_host(url).expect("a site");
    let outcome = Outcome::ALL[seed as usize % Outcome::ALL.len()];
    let status = (seed % 600) as u16;
    let entry = match outcome {
        Outcome::Rules if seed.is_multiple_of(2) => SiteEntry::Policy(PolicyAt::new(0)),
        Outcome::Rules => SiteEntry::Program(ProgramAt::new(0)),
        outcome => SiteEntry::NoRules(NoRules { outcome, status }),
    };
    Site {
        key,
        entry,
        status,
        document: (outcome == Outcome::Rules).then_some(seed % 2),
        fetched_at: u64::from(seed) << 20,
        fresh_for: (!seed.is_multiple_of(3)).then_some(seed),
    }
}

/// Sites with all other contents of an image: two programs, a list, a policy, two documents.
fn contents(mut sites: Vec<Site>) -> Contents {
    sites.sort_by(|a, b| a.key.cmp(&b.key));
    let front = |tails| Header::front(Notation::Rep, Weighing::Ranked(Silence::Allowed), tails);
    // `Disallow: /` alone, then `Allow: /*a`, whose step is stored at the node of its segment, and
    // `Allow: /*b`, whose step waits in a queue.
    let mut programs = vec![front(false), program::CHILDREN_ONE << 5, b'/', 0, PRIORITY_PROHIBIT];
    let second = programs.len() as u32;
    let mut literals = vec![program::CHILDREN_ONE << 5, b'/', 0, NODE_EXTRA];
    State { number: Some(0), list: Some(0) }.push(&mut literals);
    programs.push(front(true));
    // Segments end with `a` or `b`. Both are one byte long, so there are no pairs.
    let both: u128 = 1 << b'a' | 1 << b'b';
    [both, both].into_iter().for_each(|filter| programs.extend(filter.to_le_bytes()));
    programs.push(7);
    programs.extend([0; 16]);
    let step = Step { open: 7, ..Step::default() };
    let mut segments = vec![program::CHILDREN_1 << 5, 1, b'a', b'b', 0, 4, 0, NODE_EXTRA];
    step.push(&mut segments);
    segments.extend([0, NODE_EXTRA | NODE_QUEUE, 0]);
    let lengths = [literals.len() as u32, segments.len() as u32];
    [1, 1, 2, 7].into_iter().chain(lengths).for_each(|n| program::push_varint(&mut programs, n));
    programs.extend(literals);
    programs.extend(segments);
    step.push(&mut programs);

    let entry = |usage, program| Entry { usage, purpose: NO_PURPOSE, program: ProgramAt::new(program) };
    let mut lists = Vec::new();
    let entries = [entry(UsageId::CRAWL, 0), entry(UsageId::CRAWL, second), entry(UsageId::INDEX, second)];
    encode_list(&mut lists, &entries);
    let policy = Policy {
        crawlers: vec![(CrawlerId::new(0), 1), (CrawlerId::new(1), 0)],
        default: Some(1),
        sets: vec![SetRef::List(ListAt::new(0)), SetRef::Program(ProgramAt::new(0))],
        ..Policy::default()
    };
    let mut policies = Vec::new();
    policy.encode(&mut policies);

    let root = || Bytes::from(&b"/"[..]);
    let rule = |permits| Rule {
        line: 2,
        usage: CRAWL + 16 * u16::from(permits),
        priority: 2,
        permits,
        conditions: permits.into(),
        pattern: root(),
    };
    let map = Extension { line: 9, key: "sitemap".into(), value: "https://a.example/s\u{fffd}".into() };
    let delay = Extension { line: 3, key: "crawl-delay".into(), value: "1.5".into() };
    let window = Window::new(1439, 0);
    let schedule = Schedule {
        delays: vec![1500, u64::MAX],
        rates: vec![Rate::new(1, 60, None).expect("a rate"), Rate::new(300, 1, window).expect("a rate")],
        visits: window.into_iter().collect(),
        comments: vec!["naïve".into()],
    };
    let group = |role| Group {
        role,
        crawlers: vec!["b".into()],
        default: true,
        purposes: if role == Role::Page { vec![root()] } else { Vec::new() },
        incomplete: role == Role::Field,
        file: u16::from(role == Role::Field),
        notation: Notation::Acap,
        rules: vec![rule(false), rule(true)],
        extensions: vec![delay.clone()],
        schedule: (role == Role::Conventional).then(|| Box::new(schedule.clone())),
    };
    let groups = || [Role::Conventional, Role::Field, Role::Page].map(group).into();
    let conditions = vec![Condition::MaxWords(300), Condition::MustUseResource(Locator::Class("ü".into()))];
    let document = |groups: Vec<Group<'_>>, source| Document {
        detail: encode_detail(&Detail {
            groups,
            extensions: vec![map.clone()],
            usages: vec!["(local)".into()],
            conditions: vec![conditions.clone(), Vec::new()],
            files: vec!["/acap.txt".into()],
        }),
        source,
    };
    Contents {
        frame: Frame {
            profile: Profile::Rfc9309,
            crawlers: vec!["a".into(), "b".into()],
            usages: usages(&["présent"]),
            meta: Meta { generator: "by hand".into(), ..Meta::default() },
            shard: (0, 0),
        },
        sites,
        policies,
        lists,
        programs,
        scopes: Vec::new(),
        purposes: Vec::new(),
        documents: vec![document(groups(), encode_source(TEXT)), document(Vec::new(), Vec::new())],
    }
}

/// The standard usages and `more`.
fn usages(more: &[&str]) -> Vec<String> {
    USAGES.iter().chain(more).map(|&name| name.to_owned()).collect()
}

/// The same with scoped sets: crawler 1 and all other crawlers have one each, with the same rest;
/// crawler 0 has a ranked one.
fn scoped(sites: Vec<Site>) -> Contents {
    let mut contents = contents(sites);
    let mut programs = std::mem::take(&mut contents.programs);
    // `Disallow: /` with key 0, then `Allow: /` of conventional rule 1.
    let starts = [scoped_priority(0, PROHIBITS), scoped_priority(1, PERMITS)].map(|priority| {
        let start = programs.len() as u32;
        programs.push(Header::front(Notation::Acap, Weighing::Scoped, false));
        programs.extend([program::CHILDREN_ONE << 5, b'/', 0, PRIORITY_EXPLICIT]);
        program::push_varint(&mut programs, priority);
        start
    });
    contents.programs = programs;
    let scope = Scope {
        narrower: vec![vec![(1, 2), (2, 4)], vec![], vec![(3, 4)], vec![]],
        conventional: vec![1, 0],
        priority_sets: vec![
            vec![scoped_priority(0, PERMITS), scoped_priority(2, PROHIBITS)],
            vec![scoped_priority(1, PERMITS)],
        ],
    };
    contents.scopes = vec![0; 3];
    let at = contents.scopes.len() as u32;
    scope.encode(&mut contents.scopes);
    contents.purposes = b"\x01*\x04news".into();
    let entry = |role, usage: u16, purpose, program: usize| ScopedEntry {
        role,
        usage: usage.into(),
        purpose: PurposeAt::from_raw(purpose),
        program: ProgramAt::new(starts[program]),
    };
    let list = |rest: Option<ListAt>, entries, contents: &mut Contents| {
        let start = contents.lists.len() as u32;
        let list = ScopedList {
            incomplete: rest.is_none(),
            own: true,
            permits: true,
            pages: false,
            scope: ScopeAt::new(at),
            rest,
            entries,
        };
        list.encode(&mut contents.lists);
        ListAt::new(start)
    };
    let rest = vec![entry(Role::Element, INDEX, 0, 0), entry(Role::Field, CRAWL, 3, 0)];
    let rest = list(None, rest, &mut contents);
    let own = vec![
        entry(Role::Conventional, CRAWL, 0, 1),
        entry(Role::Page, 16, 1, 0),
        entry(Role::PageConventional, INDEX, 0, 0),
    ];
    let own = list(Some(rest), own, &mut contents);
    let sets = vec![SetRef::List(ListAt::new(0)), SetRef::List(own)];
    let crawlers = vec![(CrawlerId::new(0), 0), (CrawlerId::new(1), 1)];
    let policy = Policy { crawlers, default: Some(1), sets, ..Policy::default() };
    contents.policies.clear();
    policy.encode(&mut contents.policies);
    contents
}

/// Five thousand sites: every seventh host has all three schemes, some have several ports.
fn many() -> Vec<Site> {
    let mut sites = Vec::new();
    for host in (0..).map(|n| format!("h{n}.example")) {
        let seed = sites.len() as u32;
        sites.push(site(&format!("https://{host}"), seed));
        if seed.is_multiple_of(7) {
            sites.extend([site(&format!("http://{host}"), seed + 1), site(&host, seed + 2)]);
        }
        if seed.is_multiple_of(11) {
            let with_ports =
                [format!("{host}:8080"), format!("http://{host}:8080"), format!("https://{host}:80")];
            sites.extend(with_ports.iter().zip(seed + 3..).map(|(url, seed)| site(url, seed)));
        }
        if sites.len() >= 5_000 {
            sites.truncate(5_000);
            return sites;
        }
    }
    sites
}

/// Sites, some of which have documents other than robots.txt.
fn documents() -> Vec<Site> {
    let hosts = ["a.example", "https://a.example", "http://a.example:81", "a.example.org", "b"];
    let sites = hosts.into_iter().zip(0..).map(|(host, seed)| site(host, seed));
    let with_document = |site: Site| {
        let key = site.key.with_document("data.txt").expect("a short name");
        [Site { key, ..site.clone() }, site]
    };
    sites.flat_map(with_document).collect()
}

fn handful() -> Vec<Contents> {
    let hosts = ["a.example", "http://a.example", "https://a.example", "[::1]:81", "http://10.0.0.1", "b"];
    let long = format!("{}.example:808", vec!["x".repeat(60); 4].join("."));
    assert_eq!(long.len(), MAX_AUTHORITY);
    let bare = Contents { frame: Frame { usages: usages(&[]), ..Frame::default() }, ..Contents::default() };
    vec![
        bare,
        contents(Vec::new()),
        contents(vec![site("https://example.com", 0)]),
        contents(hosts.into_iter().zip(0..).map(|(host, seed)| site(host, seed)).collect()),
        contents(vec![site(&long, 8), site("x.example", 16)]),
        contents(many()),
        scoped(vec![site("https://example.com", 0), site("x.example", 3)]),
        contents(documents()),
    ]
}

#[test]
fn every_record_comes_back() {
    for contents in handful() {
        let image = write(&contents).unwrap();
        let layout = Layout::parse(&image).unwrap();
        let view = View::new(&image, &layout);
        assert_eq!(layout.profile, contents.frame.profile);
        let counts = [view.sites().count(), view.fetches().len(), view.order().len()];
        assert_eq!(counts, [contents.sites.len(); 3]);
        for (record, site) in view.sites().zip(&contents.sites) {
            let fetch = &view.fetches()[record.number as usize];
            assert_eq!(record.name.decode().unwrap().as_str(), site.key.name());
            assert_eq!(record.name.scheme(), Some(site.key.scheme()));
            assert_eq!(record.entry(), Some(site.entry));
            assert_eq!(fetch.status, site.status);
            assert_eq!(fetch.fetched_at, site.fetched_at);
            assert_eq!(fetch.fresh_for, site.fresh_for.unwrap_or(NONE));
            assert_eq!(fetch.document, site.document.unwrap_or(NONE));
        }
        assert_eq!(view.section(Section::Policies), contents.policies);
        assert_eq!(view.section(Section::Lists), contents.lists);
        assert_eq!(view.section(Section::Programs), [&contents.programs[..], &[0; PADDING]].concat());
        assert_eq!(view.section(Section::Scopes), contents.scopes);
        assert_eq!(view.section(Section::Purposes), contents.purposes);
        assert_eq!(view.crawlers(), contents.frame.crawlers.len());
        for (id, name) in view.crawler_ids().zip(&contents.frame.crawlers) {
            assert_eq!(view.crawler(id), Some(name.as_bytes()));
            assert_eq!(view.find_crawler(name.as_bytes()), Some(id));
        }
        assert_eq!(view.find_crawler(b"ab"), None);
        assert!(view.usages().eq(contents.frame.usages.iter().cloned()));
        for (id, document) in view.document_ids().zip(&contents.documents) {
            assert_eq!(view.detail(id).map(|detail| encode_detail(&detail)).as_ref(), Some(&document.detail));
            let text = (!document.source.is_empty()).then_some(TEXT);
            assert_eq!(view.source(id, usize::MAX).as_deref(), text);
            assert_eq!(view.source(id, 5).as_deref(), text.map(|text| &text[..5]));
        }
        assert_eq!(view.detail(DocumentId::new(0, contents.documents.len() as u32)), None);
        assert_eq!(view.meta().as_ref(), Some(&contents.frame.meta));
        verify(&image).unwrap();
    }
}

#[test]
fn policies_and_lists_come_back() {
    let contents = contents(vec![site("https://example.com", 0)]);
    let image = write(&contents).unwrap();
    let layout = Layout::parse(&image).unwrap();
    let view = View::new(&image, &layout);
    assert_eq!(view.sites().next().unwrap().entry(), Some(SiteEntry::Policy(PolicyAt::new(0))));
    let policy = PolicyView::read(view.policy(PolicyAt::new(0)).unwrap()).unwrap();
    assert_eq!(
        (policy.len(), [0, 1, 2].map(|id| policy.find(CrawlerId::new(id)))),
        (2, [Some(0), Some(1), None])
    );
    let program = Some(SetRef::Program(ProgramAt::new(0)));
    let list = ListAt::new(0);
    let sets = [program, Some(SetRef::List(list)), program];
    assert_eq!([policy.set(0), policy.set(1), policy.default_set()], sets);
    let entries: Vec<_> = read_list(view.list(list).unwrap()).unwrap().map(|entry| entry.usage).collect();
    assert_eq!(entries, [UsageId::CRAWL, UsageId::CRAWL, UsageId::INDEX]);
    assert_eq!(program::check(view.program(ProgramAt::new(0)).unwrap()), Ok(()));
}

#[test]
fn every_site_is_found_as_the_specification_says() {
    for contents in handful() {
        let image = write(&contents).unwrap();
        let layout = Layout::parse(&image).unwrap();
        let order = View::new(&image, &layout).order();
        let exact = |authority: &str, scheme: Scheme| {
            let number = contents
                .sites
                .binary_search_by(|site| (site.key.name(), site.key.scheme()).cmp(&(authority, scheme)));
            number.ok().map(|number| u64::from(order[number].get()))
        };
        for site in &contents.sites {
            let authority = site.key.name();
            for scheme in [Scheme::Http, Scheme::Https] {
                let expected = exact(authority, scheme).or_else(|| exact(authority, Scheme::Any));
                assert_eq!(look_up(&image, authority, scheme as u64), expected, "{scheme:?} {authority}");
            }
        }
        for stranger in (0..5_000).map(|n| format!("h{n}.invalid")) {
            assert_eq!(look_up(&image, &stranger, 2), None);
        }
    }
}

#[test]
fn buckets_are_as_full_as_they_may_be() {
    let contents = contents(many());
    let image = write(&contents).unwrap();
    let layout = Layout::parse(&image).unwrap();
    let buckets = View::new(&image, &layout).buckets();
    assert_eq!((layout.seed, buckets.len()), (0, (5 * 5_000usize).div_ceil(44)));
    let overflows = buckets.iter().filter(|bucket| bucket.overflow != 0).count();
    assert!(overflows > 0, "the test meets no site out of its home");
    for bucket in buckets {
        assert!(bucket.overflow == 0 || bucket.fingerprints.iter().all(|&mark| mark != 0));
    }
    assert_eq!((BUCKET_SITES, MAX_PROBE), (11, 64));
}

#[test]
fn equal_contents_give_equal_bytes() {
    for contents in handful() {
        let image = write(&contents).unwrap();
        assert_eq!(write(&contents.clone()).unwrap(), image);
        let elsewhere = std::thread::scope(|scope| scope.spawn(|| write(&contents)).join().unwrap());
        assert_eq!(elsewhere.unwrap(), image);
    }
}

/// Sections in files hold the same bytes as sections in memory.
#[test]
fn files_hold_what_memory_holds() {
    fn grown<S: Spool>(contents: &Contents, spool: impl FnMut() -> std::io::Result<S>) -> Vec<u8> {
        let mut writer = Writer::new(spool).expect("spools");
        for section in
            [Section::Policies, Section::Lists, Section::Programs, Section::Scopes, Section::Purposes]
        {
            let bytes = match section {
                Section::Policies => &contents.policies,
                Section::Lists => &contents.lists,
                Section::Programs => &contents.programs,
                Section::Scopes => &contents.scopes,
                _ => &contents.purposes,
            };
            let (front, back) = bytes.split_at(bytes.len() / 2);
            assert_eq!(writer.push(section, front).expect("room"), 0);
            assert_eq!(writer.push(section, back).expect("room"), front.len() as u32);
        }
        for (number, document) in (0..).zip(&contents.documents) {
            assert_eq!(writer.push_document(&document.detail, &document.source).expect("room"), number);
        }
        contents.sites.iter().for_each(|site| writer.push_site(site.clone()));
        let mut image = Vec::new();
        writer.finish(&contents.frame, &mut image).expect("room");
        image
    }
    let file = || Ok(std::io::BufWriter::new(tempfile::tempfile()?));
    for contents in handful() {
        let image = write(&contents).unwrap();
        assert!(grown(&contents, || Ok(Vec::new())) == image);
        assert!(grown(&contents, file) == image);
    }
}

/// The compressor is reused between texts; earlier texts must not affect its output.
#[test]
fn equal_texts_give_equal_frames() {
    let texts: Vec<Vec<u8>> = (0..300usize)
        .map(|n| (0..n * 40).map(|at| b"User-agent: *\nDisallow: /"[at * (n + 1) % 25]).collect())
        .collect();
    let frames: Vec<_> = texts.iter().map(|text| encode_source(text)).collect();
    assert!(frames.iter().all(|frame| frame.starts_with(&[0x28, 0xB5, 0x2F, 0xFD])));
    for (text, frame) in texts.iter().zip(&frames).rev() {
        assert_eq!(&encode_source(text), frame);
    }
    let fresh = |text: &[u8]| std::thread::scope(|scope| scope.spawn(|| encode_source(text)).join().unwrap());
    for (text, frame) in texts.iter().zip(&frames).step_by(17) {
        assert_eq!(&fresh(text), frame);
    }
}

/// Writes an image, changes it while keeping its checksums valid, and returns the rule that
/// `verify` reports as broken.
fn broken(
    change: impl Fn(&mut Contents),
    bytes: impl Fn(&mut [u8], &dyn Fn(Section) -> usize),
) -> Option<u8> {
    let mut contents =
        contents(vec![site("a.example", 0), site("https://a.example", 8), site("b.example", 1)]);
    change(&mut contents);
    let mut image = write(&contents).expect("contents fit");
    let layout = Layout::parse(&image).expect("a whole image");
    bytes(&mut image, &|section| layout.range(section).start);
    for section in Section::ALL {
        let sum = xxhash_rust::xxh3::xxh3_64(&image[layout.range(section)]);
        image[40 + 24 * section as usize + 16..][..8].copy_from_slice(&sum.to_le_bytes());
    }
    sum_head(&mut image);
    rule(&image)
}

/// The same with scoped sets, for changes to the contents. Also returns the message of `verify`.
fn broken_scoped(change: &dyn Fn(&mut Contents)) -> Option<(u8, String)> {
    let mut contents = scoped(vec![site("a.example", 0)]);
    change(&mut contents);
    match verify(&write(&contents).expect("contents fit")).err()? {
        ImageError::Damaged { rule, what, .. } => Some((rule, what)),
        error => panic!("{error}"),
    }
}

/// Section 2: the hash of header and section table, with its own field zero.
fn sum_head(image: &mut [u8]) {
    image[32..40].fill(0);
    let sum = xxhash_rust::xxh3::xxh3_64(&image[..HEAD]);
    image[32..40].copy_from_slice(&sum.to_le_bytes());
}

fn rule(image: &[u8]) -> Option<u8> {
    match verify(image).err()? {
        ImageError::Magic => Some(1),
        ImageError::Version { .. } => Some(2),
        ImageError::Length { .. } => Some(3),
        ImageError::Damaged { rule, at, .. } => {
            assert!(at as usize <= image.len());
            Some(rule)
        }
        _ => None,
    }
}

#[test]
fn rules_of_the_head() {
    let whole = write(&contents(vec![site("a.example", 0)])).unwrap();
    assert_eq!(rule(&whole), None);
    // The rule, the offset, the new byte, and true if the checksum is recomputed.
    for (expected, at, byte, sum) in [
        (1, 7, 0, true),
        (2, 8, 2, true),
        (3, 16, 0, true),
        (4, 13, 13, true),
        (4, 12, 9, true),
        (4, 14, 1, true),
        (4, 24, 1, false),
        (5, 40, 1, true),
        (5, 48, 1, true),
        (5, 55, 1, true),
        (7, 56, 0, true),
    ] {
        let mut image = whole.clone();
        assert_ne!(image[at], byte);
        image[at] = byte;
        if sum {
            sum_head(&mut image);
        }
        assert_eq!(rule(&image), Some(expected), "byte {at}");
    }
    // One site is in one of two shards.
    let rules = [0, 1].map(|shard| {
        let mut image = whole.clone();
        image[14..16].copy_from_slice(&[shard, 1]);
        sum_head(&mut image);
        rule(&image)
    });
    assert!(matches!(rules, [None, Some(11)] | [Some(11), None]), "{rules:?}");
    assert_eq!(rule(&[]), Some(1));
    assert_eq!(rule(&whole[..8]), Some(3));
    assert_eq!(rule(&whole[..whole.len() - 1]), Some(3));
    assert_eq!(rule(&[&whole[..], b"\0"].concat()), Some(3));
}

#[test]
fn rules_of_the_sections() {
    use Section::*;
    type Place<'p> = &'p dyn Fn(Section) -> usize;
    let same = |_: &mut Contents| ();
    let kept = |_: &mut [u8], _: Place<'_>| ();
    let of_contents = |change: fn(&mut Contents)| broken(change, kept);
    let of_bytes = |change: fn(&mut [u8], Place<'_>)| broken(same, change);
    assert_eq!(of_contents(|_| ()), None);
    assert_eq!(of_bytes(|image, _| image[HEAD] = 1), Some(6));
    assert_eq!(of_contents(|c| c.frame.crawlers.reverse()), Some(8));
    assert_eq!(of_contents(|c| c.frame.usages.reverse()), Some(9));
    assert_eq!(of_contents(|c| c.sites.reverse()), Some(11));
    // Numbers and names of the bucket, a free place, the entries.
    for at_byte in [12, 16, 60] {
        assert_eq!(broken(same, |image, at| image[at(Hosts) + at_byte] = 1), Some(10), "byte {at_byte}");
    }
    assert_eq!(of_bytes(|image, at| image[at(Hosts)] = 0), Some(10));
    assert_eq!(of_bytes(|image, at| image[at(Hosts) + 23] = 0xFF), Some(10));
    // A header without a scheme, one for a longer name, an empty name.
    assert_eq!(of_bytes(|image, at| image[at(Names)] |= 3), Some(10));
    assert_eq!(of_bytes(|image, at| image[at(Names)] += 4), Some(10));
    assert_eq!(of_bytes(|image, at| image[at(Names)] &= 3), Some(10));
    assert_eq!(of_bytes(|image, at| image[at(Names)] |= 63 << 2), Some(10));
    assert_eq!(of_bytes(|image, at| image[at(Names) + 3] ^= 1), Some(11));
    assert_eq!(of_bytes(|image, at| image[at(Hosts)] ^= 0x80), Some(11));
    assert_eq!(of_bytes(|image, at| image[at(Hosts) + 11] = 1), Some(11));
    // A free place, a place that occurs twice, a place outside all buckets.
    assert_eq!(of_bytes(|image, at| image[at(Order)] = 9), Some(11));
    assert_eq!(of_bytes(|image, at| image[at(Order) + 4] = image[at(Order)]), Some(11));
    assert_eq!(of_bytes(|image, at| image[at(Order) + 3] = 1), Some(11));
    assert_eq!(of_contents(|c| drop(c.frame.crawlers.pop())), Some(12));
    assert_eq!(of_contents(|c| c.policies.truncate(c.policies.len() - 1)), Some(12));
    assert_eq!(of_bytes(|image, at| image[at(Policies) + 3] = 1), Some(12));
    assert_eq!(of_bytes(|image, at| image[at(Policies) + 7] = 2), Some(12));
    assert_eq!(of_contents(|c| c.lists.truncate(c.lists.len() - 1)), Some(13));
    assert_eq!(of_bytes(|image, at| image[at(Lists) + 2] = 17), Some(13));
    assert_eq!(of_bytes(|image, at| image[at(Lists) + 4] = 1), Some(13));
    assert_eq!(of_contents(|c| drop(c.frame.usages.remove(9))), Some(9));
    assert_eq!(of_bytes(|image, at| image[at(Programs) + 1] |= 7 << 5), Some(14));
    assert_eq!(
        of_contents(|c| c.sites[0].entry = SiteEntry::Policy(PolicyAt::new(c.policies.len() as u32))),
        Some(12)
    );
    assert_eq!(
        of_contents(
            |c| c.sites[0].entry = SiteEntry::Program(ProgramAt::new((c.programs.len() + PADDING) as u32))
        ),
        Some(14)
    );
    assert_eq!(of_bytes(|image, at| image[at(Programs)] |= 0x80), Some(14));
    assert_eq!(of_bytes(|image, at| image[at(Programs)] |= 1 << 3), Some(14));
    assert_eq!(of_contents(|c| c.sites[0].document = Some(2)), Some(15));
    assert_eq!(of_contents(|c| c.sites[1].status += 1), Some(15));
    assert_eq!(of_contents(|c| c.documents[0].detail[0] = 99), Some(16));
    assert_eq!(of_contents(|c| c.documents[0].detail.push(0)), Some(16));
    assert_eq!(of_contents(|c| c.documents[0].source[0] = 0), Some(16));
    assert_eq!(of_contents(|c| c.documents[0].source.push(0)), Some(16));
    // A frame that states another size remains valid until it is decompressed.
    assert_eq!(of_contents(|c| c.documents[0].source[5] += 1), None);
    // A generator string shorter by one: the rest still decodes, and leaves one byte over.
    assert_eq!(of_bytes(|image, at| image[at(Meta)] -= 1), Some(16));
}

#[test]
fn texts_are_what_their_frames_state() {
    let text = |change: fn(&mut Vec<u8>)| {
        let mut contents = contents(vec![site("a.example", 0)]);
        change(&mut contents.documents[0].source);
        match verify_with_texts(&write(&contents).expect("contents fit")) {
            Err(ImageError::Damaged { rule, .. }) => Some(rule),
            other => other.err().map(|error| panic!("{error}")),
        }
    };
    assert_eq!(text(|_| ()), None);
    assert_eq!(text(|frame| frame[5] += 1), Some(18));
    assert_eq!(text(|frame| frame[5] -= 1), Some(18));
    assert_eq!(text(|frame| frame.push(0)), Some(16));
}

/// A missing mark hides a site; a needless one costs probes.
#[test]
fn overflow_is_marked_where_a_site_passed() {
    for mark in [0, 1] {
        for last in [false, true] {
            let turn = |image: &mut [u8], at: &dyn Fn(Section) -> usize| {
                let bits = (at(Section::Hosts)..at(Section::Names) - 63).step_by(64);
                let bits = bits.flat_map(|bucket| (0..8).map(move |bit| (bucket + 11, bit)));
                let mut such = bits.filter(|&(at, bit)| image[at] >> bit & 1 == mark);
                let (at, bit) = if last { such.next_back() } else { such.next() }.expect("such a bit");
                image[at] ^= 1 << bit;
            };
            assert_eq!(broken(|c| *c = contents(many()), turn), Some(11), "mark {mark}");
        }
    }
}

#[test]
fn rules_of_programs() {
    // The fields of the second program of `contents`.
    const LAST: usize = 6;
    const SINGLE: usize = 22;
    const LOG: usize = 38;
    const PAIRS: usize = 39;
    const STATES: usize = 55;
    const QUEUES: usize = 56;
    const STEPS: usize = 57;
    const HIGHEST: usize = 58;
    const NUMBER: usize = 65;
    const LIST: usize = 66;
    const ROOT: usize = 67;
    const OFFSET: usize = 71;
    const NODE: usize = 74;
    const STEP: usize = 75;
    const TAG: usize = 76;
    const QUEUED: usize = 78;
    const QUEUE: usize = 79;
    const LISTED: usize = 80;
    const END: usize = 82;
    let of = |change: &dyn Fn(&mut [u8])| {
        broken(|_| (), |image, at| change(&mut image[at(Section::Programs)..][..END + PADDING]))
    };
    let whole = contents(Vec::new()).programs;
    assert_eq!((whole.len(), whole[HIGHEST], whole[TAG], whole[NODE]), (END, 7, 7, NODE_EXTRA));
    assert_eq!(of(&|_| ()), None);
    assert_eq!(of(&|p| (p[HIGHEST], p[TAG]) = (8, 8)), None);
    for highest in [0, 6, 8] {
        assert_eq!(of(&|p| p[HIGHEST] = highest), Some(14), "highest {highest}");
    }
    // One bit more, one less: `a` is bit 1 of byte 12.
    for filter in [LAST, SINGLE, PAIRS] {
        for (at, bit) in [(0, 0), (12, 1), (15, 7)] {
            assert_eq!(of(&|p| p[filter + at] ^= 1 << bit), Some(14), "byte {at} of the filter at {filter}");
        }
    }
    // More bits than the pairs need, and numbers of bits outside the permitted range.
    let log = |log: u8, bits| {
        broken(|c| drop(c.programs.splice(LOG..STATES, [vec![log], vec![0; bits]].concat())), |_, _| ())
    };
    assert_eq!([log(7, 16), log(8, 32), log(6, 8), log(20, 1 << 17)], [None, Some(14), Some(14), Some(14)]);
    // Nodes of segments with priorities or queues that do not exist, a root with steps.
    for (at, form) in [(ROOT, NODE_QUEUE), (ROOT, 2), (ROOT, 2 << 2), (ROOT, NODE_EXTRA)] {
        assert_eq!(of(&|p| p[at] |= form), Some(14), "byte {at}");
    }
    for (at, form) in [(NODE, NODE_QUEUE), (NODE, 2), (QUEUED, 2), (QUEUED, 1 << 2)] {
        assert_eq!(of(&|p| p[at] |= form), Some(14), "byte {at}");
    }
    // A gap before the first child, included in the length of the segments.
    let gap = |c: &mut Contents| {
        c.programs.splice(OFFSET..OFFSET + 2, [1, 5, 0]);
        c.programs[ROOT - 7] += 1;
    };
    assert_eq!(broken(gap, |_, _| ()), Some(14));
    // Rank 0: at a step, with a matching `highest`, and at a node of literals.
    assert_eq!(of(&|p| (p[HIGHEST], p[TAG]) = (1, 1)), Some(14));
    let node = |priority| {
        broken(|c| drop(c.programs.splice(4.., [program::PRIORITY_EXPLICIT, priority])), |_, _| ())
    };
    assert_eq!([node(1), node(2)], [Some(14), None]);
    // Counts; the state of the prefix; the queue of the segment; the state or queue that steps wait
    // for, whether they lead on, and whether another follows.
    for (at, count) in [(STATES, 1), (QUEUES, 1), (STEPS, 2)] {
        let other = [count - 1, count + 1];
        assert_eq!(other.map(|count| of(&|p| p[at] = count)), [Some(14); 2], "count at {at}");
    }
    for at in [NUMBER, LIST] {
        assert_eq!([0, 2].map(|part| of(&|p| p[at] = part)), [Some(14); 2], "state at {at}");
    }
    assert_eq!(of(&|p| p[NUMBER..=LIST].fill(0)), Some(14));
    assert_eq!(of(&|p| p[QUEUE] = 1), Some(14));
    for at in [STEP, LISTED] {
        for bits in [0x20, program::STEP_STATE, program::STEP_LIST, program::STEP_MORE] {
            assert_eq!(of(&|p| p[at] |= bits), Some(14), "step at {at}, {bits}");
        }
    }
    for at in [END, END + PADDING - 1] {
        assert_eq!(of(&|p| p[at] = 1), Some(14), "padding {at}");
    }
    // A number may be longer than necessary, but not larger than 32 bits.
    let states = |last| broken(|c| drop(c.programs.splice(STATES..=STATES, long(1, last))), |_, _| ());
    assert_eq!([states(0), states(0x10), states(0x80)], [None, Some(14), Some(14)]);
    let crawlers = |last| broken(|c| drop(c.policies.splice(1..2, long(2, last))), |_, _| ());
    assert_eq!([crawlers(0), crawlers(0x10)], [None, Some(12)]);
}

/// A number encoded in five bytes.
fn long(low: u8, last: u8) -> [u8; 5] {
    [low | 0x80, 0x80, 0x80, 0x80, last]
}

/// I13, I14 and I17 for scoped sets.
#[test]
fn rules_of_scoped_sets() {
    /// Writes a number into a section.
    fn put(section: &mut [u8], at: usize, value: u32) {
        section[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    // The offsets of the first scoped program, the lists, and the scope.
    const PROGRAM: usize = 82;
    const RANKED: usize = 0;
    const REST: usize = 2 + 3 * 8;
    const OWN: usize = REST + 12 + 2 * 16;
    const END: usize = OWN + 12 + 3 * 16;
    const SCOPE: usize = 3;
    const STARTS: usize = SCOPE + 12;
    const RUNS: usize = STARTS + 5 * 4;
    const RULES: usize = RUNS + 3 * 8;
    const FIRSTS: usize = RULES + 2 * 4;
    const TAGS: usize = FIRSTS + 3 * 4;
    const SCOPE_END: usize = TAGS + 3 * 4;
    let field = |list: usize, entry: usize, field: usize| list + 12 + 16 * entry + 4 * field;
    let whole = scoped(Vec::new());
    assert_eq!((whole.lists.len(), whole.scopes.len()), (END, SCOPE_END));
    let view = ScopedView::read(&whole.lists[OWN..]).expect("a whole list");
    assert!(is_scoped(&whole.lists[OWN..]) && !is_scoped(&whole.lists[RANKED..]) && view.own && view.permits);
    assert_eq!(
        (view.rest, view.scope, view.len()),
        (Some(ListAt::new(REST as u32)), ScopeAt::new(SCOPE as u32), 3)
    );
    assert_eq!(broken_scoped(&|_| ()), None);
    type Change<'c> = &'c dyn Fn(&mut Contents);
    let check = |rule: u8, what: &str, changes: &[Change<'_>]| {
        for (number, change) in changes.iter().enumerate() {
            let found = broken_scoped(change).unwrap_or_else(|| panic!("change {number}, {what:?}: valid"));
            assert!(
                found.0 == rule && found.1.contains(what),
                "change {number}: {found:?}, not {rule}, {what:?}"
            );
        }
    };
    check(
        13,
        "a scoped list is cut off",
        &[
            &|c| c.lists.truncate(END - 1),
            &|c| c.lists[OWN] = 4,
            &|c| c.lists[OWN + 2] |= 1 << 4,
            &|c| c.lists[REST + 2] |= 1 << 7,
            &|c| c.lists[OWN + 3] = 1,
            &|c| put(&mut c.lists, OWN + 8, END as u32),
            &|c| put(&mut c.lists, OWN + 8, NONE - 1),
            // A reference to a ranked list.
            &|c| put(&mut c.lists, OWN + 8, RANKED as u32),
        ],
    );
    check(
        13,
        "unknown role",
        &[&|c| put(&mut c.lists, field(OWN, 2, 3), 6), &|c| put(&mut c.lists, field(REST, 0, 3), u32::MAX)],
    );
    check(
        13,
        "usage that does not exist",
        &[&|c| put(&mut c.lists, field(OWN, 1, 0), 17), &|c| put(&mut c.lists, field(REST, 1, 0), 1 << 16)],
    );
    check(
        13,
        "purpose that does not exist",
        &[
            &|c| put(&mut c.lists, field(OWN, 1, 1), 8),
            &|c| put(&mut c.lists, field(REST, 1, 1), u32::MAX),
            &|c| c.purposes.truncate(6),
            &|c| c.purposes[2] = 5,
        ],
    );
    // A rest that refers to a further list, or to itself.
    check(
        13,
        "leads to another",
        &[&|c| put(&mut c.lists, REST + 8, OWN as u32), &|c| put(&mut c.lists, REST + 8, REST as u32)],
    );
    check(13, "names a purpose", &[&|c| c.lists[RANKED + 4] = 1]);
    check(
        14,
        "weighed in another way",
        &[
            // A ranked program in a scoped list; a scoped one as a set word and in a ranked list.
            &|c| put(&mut c.lists, field(OWN, 0, 2), 0),
            &|c| c.programs[PROGRAM] &= !program::FRONT_SCOPED,
            &|c| c.programs[0] |= program::FRONT_SCOPED,
            &|c| put(&mut c.lists, RANKED + 2 + 4, PROGRAM as u32),
            &|c| {
                let end = c.policies.len();
                put(&mut c.policies, end - 8, PROGRAM as u32);
            },
        ],
    );
    check(14, "reserved bits", &[&|c| c.programs[PROGRAM] |= 1 << 5, &|c| c.programs[PROGRAM] |= 1 << 6]);
    check(14, "front of a program", &[&|c| c.programs[PROGRAM] |= 4]);
    check(14, "rank 0", &[&|c| c.programs[PROGRAM + 5] = 1]);
    check(
        17,
        "a scope",
        &[
            &|c| c.scopes.truncate(SCOPE_END - 1),
            &|c| c.scopes.clear(),
            &|c| put(&mut c.lists, REST + 4, SCOPE_END as u32),
            // Too many patterns or rules; starts that do not begin with 0, descend, or end beyond
            // the section.
            &|c| put(&mut c.scopes, SCOPE, 1 << 16),
            &|c| put(&mut c.scopes, SCOPE + 4, 1 << 17),
            &|c| put(&mut c.scopes, STARTS, 1),
            &|c| put(&mut c.scopes, STARTS + 8, 1),
            &|c| put(&mut c.scopes, STARTS + 16, 5),
            // A run that contains its pattern, is empty, ends outside, or overlaps the previous
            // one.
            &|c| put(&mut c.scopes, RUNS, 0),
            &|c| put(&mut c.scopes, RUNS + 4, 1),
            &|c| put(&mut c.scopes, RUNS + 12, 5),
            &|c| put(&mut c.scopes, RUNS + 8, 1),
            &|c| put(&mut c.scopes, RUNS + 16, 2),
            // A rule with a pattern that does not exist.
            &|c| put(&mut c.scopes, RULES + 4, 4),
            // Priority sets: too many, out of order, priorities without a sense.
            &|c| put(&mut c.scopes, SCOPE + 8, u32::MAX),
            &|c| put(&mut c.scopes, FIRSTS, 1),
            &|c| put(&mut c.scopes, FIRSTS + 4, 4),
            &|c| put(&mut c.scopes, FIRSTS + 8, 4),
            &|c| put(&mut c.scopes, TAGS, 16),
            &|c| put(&mut c.scopes, TAGS + 8, 7),
        ],
    );
}

/// Section 5: a site without rules may have a policy, which states the outcome.
#[test]
fn any_outcome_may_have_a_policy() {
    let given = |outcome: u8, status: u16| {
        let mut contents = contents(vec![site("a.example", 0)]);
        contents.sites[0].status = 404;
        contents.policies = [&[1 << 4, outcome], &status.to_le_bytes()[..], &contents.policies].concat();
        contents.policies[0] |= contents.policies.remove(4);
        rule(&write(&contents).expect("contents fit"))
    };
    for outcome in &Outcome::ALL[1..] {
        assert_eq!([given(*outcome as u8, 404), given(*outcome as u8, 403)], [None, Some(15)]);
    }
    assert_eq!([given(Outcome::Rules as u8, 404), given(9, 404)], [Some(12); 2]);
}

/// Section 7: invalid values in a detail.
#[test]
fn numbers_of_details() {
    let detail =
        |bytes: &[u8]| broken_scoped(&|c| c.documents[1].detail = bytes.into()).map(|(rule, _)| rule);
    // One group: role, crawlers, default, purposes, incomplete, file, notation, rules, extensions,
    // schedule.
    let group = |role, notation, schedule: &[u8]| {
        detail(&[&[1, role, 0, 1, 0, 0, 0, notation, 0, 0], schedule, &[0, 0, 0, 0]].concat())
    };
    assert_eq!([group(4, 3, &[0]), group(6, 3, &[0]), group(4, 4, &[0])], [None, Some(16), Some(16)]);
    // Delays, one rate, visits, comments.
    let rate = |rate: &[u8]| group(0, 0, &[&[1, 0, 1], rate, &[0, 0]].concat());
    assert_eq!([rate(&[1, 60, 0]), rate(&[0, 60, 0]), rate(&[1, 0, 0])], [None, Some(16), Some(16)]);
    let window = |window: &[u8]| rate(&[&[1, 60, 1], window].concat());
    let [day, late, long] = [[0, 0xA0, 0x0B], [0xA0, 0x0B, 0], [0, 0xA1, 0x0B]];
    assert_eq!([window(&day), window(&late), window(&long)], [None, Some(16), Some(16)]);
    let conditions = |bytes: &[u8]| detail(&[&[0, 0, 0, 1, 1], bytes, &[0]].concat());
    assert_eq!([conditions(&[6]), conditions(&[9, 0, 0]), conditions(&[10])], [None, None, Some(16)]);
}

#[test]
fn reserved_flags_of_policies() {
    for bit in 5..8 {
        assert_eq!(broken(|c| c.policies[0] |= 1 << bit, |_, _| ()), Some(12), "bit {bit}");
    }
    // Found by substring: in any order, but not without crawlers, and always in an image under such
    // a profile.
    let policy = |profile, crawlers: &[(u32, usize)], by_substring: bool| {
        let crawlers: Vec<_> = crawlers.iter().map(|&(id, set)| (CrawlerId::new(id), set)).collect();
        let empty = crawlers.is_empty();
        let policy = Policy {
            crawlers,
            by_substring,
            default: Some(0),
            sets: vec![SetRef::Program(ProgramAt::new(0))],
            ..Policy::default()
        };
        let mut policies = Vec::new();
        policy.encode(&mut policies);
        policies[0] |= u8::from(by_substring && empty) << 3;
        broken(|c| (c.frame.profile, c.policies) = (profile, policies.clone()), |_, _| ())
    };
    for (profile, rule) in [(Profile::Full, Some(12)), (Profile::Koster, Some(12))] {
        assert_eq!(policy(profile, &[(1, 0), (0, 0)], true), None);
        assert_eq!(policy(profile, &[(1, 0), (0, 0)], false), rule);
        assert_eq!([policy(profile, &[], false), policy(profile, &[], true)], [None, Some(12)]);
    }
    assert_eq!(policy(Profile::Full, &[(0, 0), (1, 0)], false), None);
    assert_eq!(policy(Profile::Koster, &[(0, 0), (1, 0)], false), Some(12));
}

/// Section 7: without texts, documents that differ only in comments are one.
#[test]
fn equal_details_share_a_document() {
    let fetched = |no_sources| {
        let options = Options { no_sources, ..Options::default() };
        let texts = ["User-agent: *\nDisallow: /a\n", "User-agent: *\nDisallow: /a # b\n"];
        let documents = texts.map(|text| compile(text.as_bytes(), None, &options));
        let site = |host| SiteKey::from_host(host).expect("a site");
        let entries = documents.iter().zip(["a.example", "b.example"]);
        let entries = entries.map(|(document, host)| Compiled::fetched(site(host), document)).collect();
        let image = emit(entries, &options).expect("a small image");
        let layout = verify(&image).expect("a valid image");
        let view = View::new(&image, &layout);
        let number = |site: Found<'_>| view.fetches()[site.number as usize].document.get();
        let numbers: Vec<_> = view.sites().map(number).collect();
        (numbers, view.documents().len())
    };
    assert_eq!(fetched(false), (vec![0, 1], 2));
    assert_eq!(fetched(true), (vec![0, 0], 1));
}
