//! Contents of images made by hand, with minimal programs: other tests cover what programs mean.

use robomaton_formats::condition::{Condition, Locator};
use robomaton_formats::detail::{Bytes, Detail, Extension, Group, Meta, Rule};

use robomaton_formats::policy::{
    CRAWL, Entry, INDEX, NO_TAG, Policy, Role, ScopedEntry, ScopedList, USAGES, encode_list,
};
use robomaton_formats::program::{
    self, Header, NODE_EXTRA, NODE_QUEUE, PRIORITY_EXPLICIT, PRIORITY_PROHIBIT, Silence, State, Step,
    Weighing,
};

use robomaton_formats::schedule::{Rate, Schedule, Window};
use robomaton_formats::scope::{PERMITS, PROHIBITS, Scope, scoped_priority};

use robomaton_formats::write::{Contents, Document, Frame, Site, encode_detail, encode_source};
use robomaton_formats::{
    CrawlerId, ListAt, NoRules, Notation, Outcome, PolicyAt, Profile, ProgramAt, PurposeAt, ScopeAt, SetRef,
    SiteEntry, SiteKey, UsageId,
};

pub(crate) const TEXT: &[u8] = b"User-agent: *\nDisallow: /\n";

/// A site with the given scheme and slightly different values in every field.
pub(crate) fn site(url: &str, seed: u32) -> Site {
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
pub(crate) fn contents(mut sites: Vec<Site>) -> Contents {
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

    let entry = |usage, program| Entry { usage, tag: NO_TAG, program: ProgramAt::new(program) };
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
        usage: CRAWL + USAGES.len() as u16 * u16::from(permits),
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
            ends: Vec::new(),
            preferences: Vec::new(),
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
pub(crate) fn usages(more: &[&str]) -> Vec<String> {
    USAGES.iter().chain(more).map(|&name| name.to_owned()).collect()
}

/// The same with scoped sets: crawler 1 and all other crawlers have one each, with the same rest;
/// crawler 0 has a ranked one.
pub(crate) fn scoped(sites: Vec<Site>) -> Contents {
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
        entry(Role::Page, INDEX, 0, 0),
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
pub(crate) fn many() -> Vec<Site> {
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
