//! Contents made by hand, written and read back; every site is found by the look-up of SPEC.md
//! section 4.
//!
//! The look-up follows the numbered steps of the document over raw bytes, with the document's
//! offsets, and uses no function that writer and reader share. The programs are minimal: other
//! tests cover the meaning of programs.

use robomaton_compiler::{Entry as Compiled, Options, compile, emit};
mod contents;

use contents::*;

use robomaton_formats::layout::{BUCKET_BODY, BUCKET_SITES, Bucket, MAX_PROBE, NONE, Section};
use robomaton_formats::name::SYMBOLS;
use robomaton_formats::policy::{PolicyView, read_list};
use robomaton_formats::program::{self, PADDING};
use robomaton_formats::read::{Layout, Site as Found, View};

use robomaton_formats::site::MAX_AUTHORITY;
use robomaton_formats::verify::verify;
use robomaton_formats::write::{Contents, Frame, Site, Spool, Writer, encode_detail, encode_source, write};
use robomaton_formats::{
    CrawlerId, DocumentId, ListAt, PolicyAt, ProgramAt, Scheme, SetRef, SiteEntry, SiteKey, UsageId,
};

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
    let buckets = hosts.len() as u64 / 128;
    // 1.
    if buckets == 0 {
        return None;
    }
    let hash = xxhash_rust::xxh3::xxh3_64_with_seed(authority.as_bytes(), number(image, 24, 8));
    let home = ((hash >> 32) * buckets) >> 32;
    let fingerprint = if hash & 0xFF == 0 { 1 } else { hash & 0xFF };
    let step = if buckets > 256 { (hash >> 16 & 0xFF) + 1 } else { 1 };
    let (mut at, mut any) = (home, None);
    for read in 1.. {
        let bucket = &hosts[at as usize * 128..][..128];
        // 2.
        let taken = bucket[..8].iter().take_while(|&&mark| mark != 0).count();
        let heads = &bucket[13 + 4 * taken..];
        for place in (0..taken).filter(|&place| u64::from(bucket[place]) == fingerprint) {
            let code = code(heads, names, taken, place);
            let piece = |&byte: &u8| match byte.checked_sub(0x80) {
                Some(symbol) => SYMBOLS[usize::from(symbol)].to_owned(),
                None => char::from(byte).to_string(),
            };
            if code.iter().map(piece).collect::<String>() != authority {
                continue;
            }
            match u64::from(heads[place] & 3) {
                found if found == scheme => return Some(at * 8 + place as u64),
                0 => any = Some(at * 8 + place as u64),
                _ => {}
            }
        }
        // 3.
        if bucket[8] >> (hash >> 8 & 7) & 1 == 0 || read == 64 {
            break;
        }
        // 4.
        at = (at + step) % buckets;
    }
    any
}

/// The code of a name in a bucket with these heads, or in the section of long names.
fn code<'b>(heads: &'b [u8], names: &'b [u8], taken: usize, wanted: usize) -> &'b [u8] {
    let lengths = heads[..taken].iter().map(|head| usize::from(head >> 2));
    let start = taken + lengths.clone().take(wanted).sum::<usize>();
    let code = &heads[start..][..usize::from(heads[wanted] >> 2)];
    if code.len() == 5 && code[0] == 0 {
        let offset = number(code, 1, 4) as usize;
        return &names[offset + 1..][..names[offset].into()];
    }
    code
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
            let fetch = &view.fetches()[record.number() as usize];
            assert_eq!(record.decoded_name().unwrap().as_str(), site.key.name());
            assert_eq!(record.scheme(), Some(site.key.scheme()));
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
    assert!(program::check(view.program(ProgramAt::new(0)).unwrap()).is_ok());
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
    let used = |bucket: &Bucket| bucket.sites() * 4 + bucket.names().length().unwrap();
    let bytes: usize = buckets.iter().map(used).sum();
    let least = (100 * bytes).div_ceil(80 * BUCKET_BODY);
    assert_eq!(layout.seed, 0);
    assert!((least..least + 40).contains(&buckets.len()), "{} buckets, {least} needed", buckets.len());
    let passed: Vec<_> = buckets.iter().filter(|bucket| bucket.overflow != 0).collect();
    assert!(!passed.is_empty(), "the test meets no site out of its home");
    // No site of the test needs more than this.
    let is_full = |bucket: &Bucket| bucket.sites() == BUCKET_SITES || used(bucket) + 40 > BUCKET_BODY;
    assert!(passed.into_iter().all(is_full));
    assert_eq!((BUCKET_SITES, BUCKET_BODY, MAX_PROBE), (8, 115, 64));
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
        let number = |site: Found<'_>| view.fetches()[site.number() as usize].document.get();
        let numbers: Vec<_> = view.sites().map(number).collect();
        (numbers, view.documents().len())
    };
    assert_eq!(fetched(false), (vec![0, 1], 2));
    assert_eq!(fetched(true), (vec![0, 0], 1));
}
