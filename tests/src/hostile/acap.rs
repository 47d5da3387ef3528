//! Hostile files whose fields are weighed by specificity: ACAP, referenced files, pages, and
//! versioned rule sets.
//!
//! Products (agents by sub-records, usages by patterns, references by records) are large here,
//! pairs to be compared come by the ten thousand, and so does every repeatable item. Each file
//! except the last few has 100 KB to 500 KB. Invariants: as in the parent module.

use super::{Builder, HostileSite, SiteBuilder, line, lines};
use robomaton_compiler::{Element, MetaTag, Page};

/// The builders of single files.
pub const TEXTS: [Builder; 45] = [
    ("tiny-records", tiny_records, 50_000),
    ("tiny-records-that-fit", tiny_records, 12_000),
    ("sub-records", sub_records, 30_000),
    ("sub-records-that-match", sub_records_that_match, 8_000),
    ("purposes-that-match", purposes_that_match, 8_000),
    ("purposes-by-usages", purposes_by_usages, 10_000),
    ("crawlers-in-one-record", |count| crawlers_in_one_record(count, 0), 100_000),
    ("crawlers-by-fields", |count| crawlers_in_one_record(count, 9_000), 13_000),
    ("crawlers-by-sub-records", |count| crawlers_by_sub_records(count, count * 3 / 5), 10_000),
    ("crawlers-by-entries", |count| crawlers_by_entries(count, count * 2 / 5), 5_000),
    ("crawlers-by-patterns", |count| crawlers_by_patterns(count, count * 25 / 7), 7_000),
    ("composites-by-sets", |count| composites_by_sets(count, count * 50), 200),
    ("composites-by-one-long-pattern", composites_by_long_pattern, 60_000),
    ("composites-by-nothing", |count| composites_by_nothing(count, count * 3), 3_000),
    ("malformed-composites", malformed_composites, 12_000),
    ("crawlers-that-cannot-be-read", crawlers_that_cannot_be_read, 8_000),
    ("qualifiers", qualifiers, 3_000),
    ("qualified-by-explicit", |count| qualified_by_explicit(count, count * 80 / 7), 350),
    ("opaque-usages", opaque_usages, 10_000),
    ("shared-stars", shared_stars, 2_000),
    ("shared-stars-by-the-ten-thousand", shared_stars, 15_000),
    ("chain-of-narrower", chain_of_narrower, 175),
    ("long-chain-of-narrower", chain_of_narrower, 850),
    ("words-of-stars", |symbols| words_of_stars(symbols, false), 13),
    ("words-of-stars-beaten", |symbols| words_of_stars(symbols, true), 13),
    ("long-words-of-stars", |symbols| words_of_stars(symbols, true), 17),
    ("stars-in-one-field", stars_in_one_field, 8_000),
    ("same-pattern", same_pattern, 20_000),
    ("alike", alike, 45),
    ("alike-by-the-hundred", alike, 300),
    ("alike-at-every-place", alike_at_every_place, 512),
    ("alike-at-every-place-of-records", alike_at_every_place, 7_000),
    ("any-and-named-records", any_and_named_records, 5_000),
    ("any-records-with-stars", any_records_with_stars, 8_000),
    ("any-records-with-too-many-stars", any_records_with_stars, 12_000),
    ("heads-of-one-segment", heads_of_one_segment, 7_500),
    ("shared-and-own-beside-acap", shared_and_own_beside_acap, 800),
    ("shared-long-rules", shared_long_rules, 6_000),
    ("opposite-senses", opposite_senses, 7_000),
    ("many-defaults", |count| many_defaults(count, count * 3 / 2), 8_000),
    ("versioned-sets", versioned_sets, 8_000),
    ("times", times, 15_000),
    ("times-of-many", times_of_many, 12_000),
    ("long-usage-by-rules", long_usage_by_rules, 10_000),
    ("acap-fields-of-no-record", fields_of_no_record, 15_000),
];

/// The builders of files with their context.
pub const SITES: [SiteBuilder; 15] = [
    ("references", |count| references(count, 400), 250),
    ("references-by-the-thousand", |count| references(count, 400), 10_000),
    ("references-of-many", references_of_many, 250),
    ("references-of-too-many", references_of_many, 6_000),
    ("references-to-many-records", references_to_many_records, 250),
    ("references-by-definitions", references_by_definitions, 60_000),
    ("references-by-long-name", references_by_long_name, 400_000),
    ("long-name-of-many-groups", long_name_of_many_groups, 4_000),
    ("long-name-beside-groups", long_name_beside_groups, 4_000),
    ("metas-of-one-page", pages_of_one, 60_000),
    ("too-many-metas-of-one-page", pages_of_one, 100_000),
    ("pages", pages, 20_000),
    ("pages-for-many", pages_for_many, 2_000),
    ("pages-for-too-many", pages_for_many, 3_000),
    ("long-page", long_page, 2_000),
];

/// Every site at its usual size.
pub fn all() -> Vec<HostileSite> {
    let alone = TEXTS.into_iter().map(|(name, build, size)| HostileSite::alone(name, build(size)));
    alone.chain(SITES.into_iter().map(|(name, build, size)| build(size).named(name))).collect()
}

/// `count` records, each for its own crawler with one field.
pub fn tiny_records(count: usize) -> Vec<u8> {
    lines(count, |out, n| line(out, format_args!("ACAP-crawler:b{n}\nACAP-allow-index:/{n}")))
}

/// As many different purposes are read.
const PURPOSES: usize = 64;

/// One record with `count` sub-records, each with a purpose and a field, as far as they are read.
pub fn sub_records(count: usize) -> Vec<u8> {
    let body = lines(count, |out, n| {
        line(out, format_args!("ACAP-usage-purpose:p{}\nACAP-{}-crawl:/{n}", n % PURPOSES, sense(n)));
    });
    [b"ACAP-crawler:*\n", body.as_slice()].concat()
}

/// Sub-records that are all for any purpose, each with a star: all are evaluated.
pub fn sub_records_that_match(count: usize) -> Vec<u8> {
    let body = lines(count, |out, n| {
        line(out, format_args!("ACAP-usage-purpose:*\nACAP-{}-crawl:/*a{n}", sense(n)));
    });
    [b"ACAP-crawler:*\n", body.as_slice()].concat()
}

/// Sub-records for different purposes, all of which match the purpose `news`.
pub fn purposes_that_match(count: usize) -> Vec<u8> {
    let body = lines(count, |out, n| {
        let stars = |bit: usize| "*".repeat(1 + ((n % PURPOSES) >> (2 * bit) & 3));
        let purpose = format!("{}n{}e{}w{}s{}", stars(0), stars(1), stars(2), stars(3), stars(4));
        line(out, format_args!("ACAP-usage-purpose:{purpose}\nACAP-disallow-crawl:/*a{n}"));
    });
    [b"ACAP-crawler:*\n", body.as_slice()].concat()
}

/// One sub-record for `count` purposes with a field for as many usages as the limit permits.
pub fn purposes_by_usages(count: usize) -> Vec<u8> {
    let purposes = lines(count, |out, n| line(out, format_args!("ACAP-usage-purpose:p{n}")));
    let fields = lines(250, |out, n| line(out, format_args!("ACAP-allow-u{n}:/")));
    [b"ACAP-crawler:*\n", purposes.as_slice(), &fields].concat()
}

/// One record of `crawlers` crawlers with `fields` fields.
pub fn crawlers_in_one_record(crawlers: usize, fields: usize) -> Vec<u8> {
    let agents = lines(crawlers, |out, n| line(out, format_args!("ACAP-crawler:b{n}")));
    let fields = lines(fields, |out, n| line(out, format_args!("ACAP-{}-crawl:/{n}", sense(n))));
    [agents.as_slice(), b"ACAP-disallow-crawl:/\n", &fields].concat()
}

/// One record of `crawlers` crawlers with `count` sub-records.
pub fn crawlers_by_sub_records(crawlers: usize, count: usize) -> Vec<u8> {
    let agents = lines(crawlers, |out, n| line(out, format_args!("ACAP-crawler:b{n}")));
    let body =
        lines(count, |out, n| line(out, format_args!("ACAP-usage-purpose:p{n}\nACAP-allow-crawl:/{n}")));
    [agents.as_slice(), b"ACAP-disallow-crawl:/\n", &body].concat()
}

/// One record of `crawlers` crawlers for `purposes` purposes and sixteen usages, and a record for
/// each crawler.
pub fn crawlers_by_entries(crawlers: usize, purposes: usize) -> Vec<u8> {
    let agents = lines(crawlers, |out, n| line(out, format_args!("ACAP-crawler:b{n}")));
    let purposes = lines(purposes, |out, n| line(out, format_args!("ACAP-usage-purpose:p{n}")));
    let fields = lines(15, |out, n| line(out, format_args!("ACAP-allow-u{n}:/")));
    let own = lines(crawlers, |out, n| line(out, format_args!("ACAP-crawler:b{n}\nACAP-allow-index:/{n}")));
    [agents.as_slice(), &purposes, &fields, &own].concat()
}

/// `crawlers` crawlers with their own records, and one record with `patterns` patterns.
pub fn crawlers_by_patterns(crawlers: usize, patterns: usize) -> Vec<u8> {
    let set: String = (0..patterns).map(|n| format!(" /{n}")).collect();
    let any = format!("ACAP-resource-set: s{set}\nACAP-crawler:*\nACAP-allow-crawl:acap:resource-set:s\n");
    let own = lines(crawlers, |out, n| line(out, format_args!("ACAP-crawler:b{n}\nACAP-allow-index:/{n}")));
    [any.as_bytes(), &own].concat()
}

/// A composite of `usages` usages, a resource set of `patterns` patterns, and fields that combine
/// the two.
pub fn composites_by_sets(usages: usize, patterns: usize) -> Vec<u8> {
    let members: String = (0..usages).map(|n| format!(" u{n}")).collect();
    let set: String = (0..patterns).map(|n| format!(" /set/{n}/*.html")).collect();
    let fields = lines(2_000, |out, n| {
        line(out, format_args!("ACAP-{}-(c): the-acap:resource-set:s", sense(n)));
    });
    let head = format!("ACAP-composite-usage: c{members}\nACAP-resource-set: s{set}\nACAP-crawler: *\n");
    [head.as_bytes(), &fields].concat()
}

/// The same with one pattern of `bytes` bytes.
pub fn composites_by_long_pattern(bytes: usize) -> Vec<u8> {
    let members: String = (0..240).map(|n| format!(" u{n}")).collect();
    let set = format!("/%20{}", "a".repeat(bytes - 4));
    let fields = lines(8_000, |out, n| line(out, format_args!("ACAP-{}-(c): acap:resource-set:s", sense(n))));
    let head = format!("ACAP-composite-usage: c{members}\nACAP-resource-set: s {set}\nACAP-crawler: *\n");
    [head.as_bytes(), &fields].concat()
}

/// A composite of `usages` qualified usages in fields without a valid resource.
pub fn composites_by_nothing(usages: usize, fields: usize) -> Vec<u8> {
    let qualified = lines(usages, |out, n| {
        line(out, format_args!("ACAP-qualified-usage: q{n} present time-limit={n}-days a=b c=d e=f g=h"));
    });
    let members: String = (0..usages).map(|n| format!(" (q{n})")).collect();
    let fields = lines(fields, |out, n| line(out, format_args!("ACAP-allow-(c): //x a={n}")));
    let head = format!("ACAP-composite-usage: c{members}\nACAP-crawler: *\n");
    [qualified.as_slice(), head.as_bytes(), &fields].concat()
}

/// A composite with `count` malformed definitions of a hundred usages, in prohibitions.
pub fn malformed_composites(count: usize) -> Vec<u8> {
    let malformed = lines(count, |out, n| line(out, format_args!("ACAP-composite-usage: c u{}, a", n % 100)));
    let fields = lines(200, |out, n| line(out, format_args!("ACAP-disallow-(c): /{n}")));
    [malformed.as_slice(), b"ACAP-crawler: *\n", &fields].concat()
}

/// Records of crawlers without a name, after one of `count` crawlers with names as well.
pub fn crawlers_that_cannot_be_read(count: usize) -> Vec<u8> {
    let named = lines(count, |out, n| line(out, format_args!("ACAP-crawler: b{n}")));
    let records = lines(count, |out, n| line(out, format_args!("ACAP-crawler:\nACAP-disallow-index: /{n}")));
    [named.as_slice(), &records].concat()
}

/// A usage with `count` qualifiers, used with others.
pub fn qualifiers(count: usize) -> Vec<u8> {
    let all = |name: &str| (0..count).map(|n| format!(" {name}{n}=x")).collect::<String>();
    let fields = lines(10, |out, _| line(out, format_args!("ACAP-allow-(q): /{}", all("own"))));
    let head = format!("ACAP-qualified-usage: q present{}\nACAP-crawler: *\n", all("max-length"));
    [head.as_bytes(), &fields].concat()
}

/// A composite of `usages` usages with sixty qualifiers each, in `fields` fields with one more.
pub fn qualified_by_explicit(usages: usize, fields: usize) -> Vec<u8> {
    let all: String = (0..60).map(|n| format!(" a{n}=v{n}")).collect();
    let qualified =
        lines(usages, |out, n| line(out, format_args!("ACAP-qualified-usage: q{n} present{all} b=v{n}")));
    let members: String = (0..usages).map(|n| format!(" (q{n})")).collect();
    let fields = lines(fields, |out, n| line(out, format_args!("ACAP-allow-(c): / c=v{n}")));
    let head = format!("ACAP-composite-usage: c{members}\nACAP-crawler: *\n");
    [qualified.as_slice(), head.as_bytes(), &fields].concat()
}

/// `count` unknown usages.
pub fn opaque_usages(count: usize) -> Vec<u8> {
    let body = lines(count, |out, n| line(out, format_args!("ACAP-allow-usage-of-mine-{n}: /{n}")));
    [b"ACAP-crawler: *\n", body.as_slice()].concat()
}

/// Patterns that share a starred prefix and differ at literals: of no two is either narrower.
pub fn shared_stars(count: usize) -> Vec<u8> {
    lines(count, |out, n| {
        if n.is_multiple_of(1_000) {
            line(out, format_args!("ACAP-crawler: *"));
        }
        let [a, b, c] = [n % 26, n / 26 % 26, n / 676].map(letter);
        line(out, format_args!("ACAP-{}-crawl: /*/*/{a}*{b}*{c}", sense(n)));
    })
}

/// Patterns, each narrower than the previous one: `/a`, `/a*`, `/a*a`, `/a*a*`...
pub fn chain_of_narrower(depth: usize) -> Vec<u8> {
    let mut stars = 0;
    lines(depth, |out, n| {
        // Fills records up to the limit on stars.
        if n == 0 || stars > 8_000 - depth {
            line(out, format_args!("ACAP-crawler: *"));
            stars = 0;
        }
        let pattern: String = (0..=n).map(|at| if at % 2 == 0 { 'a' } else { '*' }).collect();
        stars += n.div_ceil(2);
        line(out, format_args!("ACAP-{}-crawl: /{pattern}", sense(n)));
    })
}

/// All words over `a` and `*` of up to `symbols` symbols, which all match a long enough run of `a`:
/// of any two, one is narrower. All are prohibited; with `beaten`, the narrowest is permitted.
pub fn words_of_stars(symbols: usize, beaten: bool) -> Vec<u8> {
    let words = (1..=symbols).flat_map(|length| (0..1usize << length).map(move |bits| (length, bits)));
    let word = |(length, bits): (usize, usize)| -> String {
        (0..length).map(|at| if bits >> at & 1 == 1 { '*' } else { 'a' }).collect()
    };
    let words = words.map(word).filter(|word| !word.contains("**"));
    // Fills records up to the limit on stars.
    let (mut out, mut set, mut stars) = (String::new(), String::new(), 0);
    let mut number = 0;
    let mut flush = |set: &mut String| {
        line(&mut out, format_args!("ACAP-resource-set: s{number}{set}"));
        line(&mut out, format_args!("ACAP-crawler: *\nACAP-disallow-crawl: acap:resource-set:s{number}"));
        number += 1;
        set.clear();
    };
    for word in words {
        stars += word.matches('*').count();
        set.push_str(" /");
        set.push_str(&word);
        if stars > 8_000 {
            flush(&mut set);
            stars = 0;
        }
    }
    flush(&mut set);
    if beaten {
        line(&mut out, format_args!("ACAP-allow-crawl: /{}", "a".repeat(symbols + 1)));
    }
    out.into_bytes()
}

/// One field with this number of stars.
pub fn stars_in_one_field(stars: usize) -> Vec<u8> {
    format!("ACAP-crawler: *\nACAP-disallow-crawl: /{}b\n", "*a".repeat(stars)).into()
}

/// Fields that stand in no record.
pub fn fields_of_no_record(count: usize) -> Vec<u8> {
    lines(count, |out, n| line(out, format_args!("ACAP-allow-crawl: /{n}")))
}

/// One pattern, `count` times, in both senses and under different conditions.
pub fn same_pattern(count: usize) -> Vec<u8> {
    let body = lines(count, |out, n| match n % 2 {
        0 => line(out, format_args!("ACAP-disallow-index: /same")),
        _ => line(out, format_args!("ACAP-allow-index: /same time-limit={n}-days")),
    });
    [b"ACAP-crawler: *\n", body.as_slice()].concat()
}

/// Patterns that match the same targets: `/a`, `/a*`, `/a**`..., also with a `$` after the stars.
pub fn alike(count: usize) -> Vec<u8> {
    let mut stars = 0;
    lines(count, |out, n| {
        if n == 0 || stars > 7_000 {
            line(out, format_args!("ACAP-crawler: *"));
            stars = 0;
        }
        stars += 3 * n;
        let run = "*".repeat(n);
        line(out, format_args!("ACAP-{}-crawl: /a{run}\nACAP-disallow-crawl: /a{run}*$", sense(n)));
        line(out, format_args!("ACAP-{}-index: /a{run}", sense(n + 1)));
    })
}

/// Patterns that match the same targets, for every position of an `a`, by hundreds in each of many
/// records.
pub fn alike_at_every_place(count: usize) -> Vec<u8> {
    lines(count, |out, n| {
        if n.is_multiple_of(512) {
            line(out, format_args!("ACAP-crawler: *"));
        }
        let run = |bit: usize| if n >> bit & 1 == 1 { "**" } else { "*" };
        let pattern: String = (0..8).map(|bit| format!("{}a", run(bit))).collect();
        let last = if n >> 8 & 1 == 1 { "*" } else { "" };
        line(out, format_args!("ACAP-{}-crawl: /{pattern}{last}", sense(n / 512)));
    })
}

/// `count` records for any crawler, and as many for named ones, each named repeatedly.
pub fn any_and_named_records(count: usize) -> Vec<u8> {
    lines(count, |out, n| {
        let name = n % 100;
        line(out, format_args!("ACAP-crawler: *\nACAP-{}-crawl: /any{n}", sense(n)));
        line(out, format_args!("ACAP-crawler: bot{name}\nACAP-{}-crawl: /bot{n}", sense(n)));
    })
}

/// `count` records for any crawler, with a star each.
pub fn any_records_with_stars(count: usize) -> Vec<u8> {
    lines(count, |out, n| line(out, format_args!("ACAP-crawler:*\nACAP-{}-crawl:/*a{n}", sense(n))))
}

/// Patterns with one segment after different prefixes, in one record: a step for each.
pub fn heads_of_one_segment(count: usize) -> Vec<u8> {
    let body = lines(count, |out, n| line(out, format_args!("ACAP-disallow-crawl: /{n}*a")));
    [b"ACAP-crawler: *\n", body.as_slice()].concat()
}

/// Conventional groups as in `shared_and_own_groups`, with ACAP records for each agent and for any.
pub fn shared_and_own_beside_acap(agents: usize) -> Vec<u8> {
    let records = lines(agents, |out, n| {
        line(out, format_args!("ACAP-crawler: bot{n}\nACAP-disallow-crawl: /shared{n}/own"));
    });
    let any = b"ACAP-crawler: *\nACAP-allow-index: /*\nACAP-disallow-present: /shared\n";
    [super::shared_and_own_groups(agents), records, any.to_vec()].concat()
}

/// One group of long rules for `agents` agents, each of which also has its own group.
pub fn shared_long_rules(agents: usize) -> Vec<u8> {
    let shared = lines(agents, |out, n| line(out, format_args!("User-agent:b{n}")));
    let rules = lines(3, |out, n| line(out, format_args!("Disallow:/{n}{}", "x".repeat(50_000))));
    let own = lines(agents, |out, n| line(out, format_args!("User-agent:b{n}\nAllow:/{n}")));
    [shared, rules, own, b"ACAP-crawler:*\nACAP-allow-index:/\n".to_vec()].concat()
}

/// Conventional rules and fields with the same patterns in opposite senses: every rule is
/// contradicted.
pub fn opposite_senses(count: usize) -> Vec<u8> {
    let rules = lines(count, |out, n| line(out, format_args!("{}: /{}", super::sense(n), over_a(n))));
    let fields = lines(count, |out, n| {
        let other = if super::sense(n) == "Allow" { "disallow" } else { "allow" };
        line(out, format_args!("ACAP-{other}-crawl: /{}", over_a(n)));
    });
    [b"User-agent: *\n", rules.as_slice(), b"ACAP-crawler: *\n", &fields].concat()
}

/// `groups` groups for any agent, with records of `crawlers` crawlers.
pub fn many_defaults(groups: usize, crawlers: usize) -> Vec<u8> {
    let groups = lines(groups, |out, n| line(out, format_args!("User-agent:*\nAllow:/{n}")));
    let agents = lines(crawlers, |out, n| line(out, format_args!("ACAP-crawler:b{n}")));
    [groups.as_slice(), &agents, b"ACAP-allow-index:/\n"].concat()
}

/// `count` rule sets of different versions, with explicit matches and expressions.
pub fn versioned_sets(count: usize) -> Vec<u8> {
    lines(count, |out, n| {
        let name = n % 500;
        line(out, format_args!("User-agent: bot{name}\nRobot-version: {}.{}.0", 1 + n % 3, n / 3 % 5));
        line(out, format_args!("Allow: /{n}*\nDisallow: *.{name}"));
    })
}

/// `count` request-rates and visit-times in one group.
pub fn times(count: usize) -> Vec<u8> {
    let body = lines(count, |out, n| {
        let (hour, minute) = (n / 60 % 24, n % 60);
        line(out, format_args!("Request-rate: {}/{}m", 1 + n, 1 + n % 7));
        line(out, format_args!("Visit-time: {hour:02}{minute:02}-2359"));
    });
    [b"User-agent: *\n", body.as_slice()].concat()
}

/// A few records about time in each of many groups for few crawlers, within the limit of each
/// group.
pub fn times_of_many(groups: usize) -> Vec<u8> {
    lines(groups, |out, n| {
        let (hour, minute) = (n / 60 % 24, n % 60);
        line(out, format_args!("User-agent:b{}\nVisit-time:{hour:02}{minute:02}-2359", n % 50));
    })
}

/// A usage with a long name, in `count` fields that name its definition.
pub fn long_usage_by_rules(count: usize) -> Vec<u8> {
    let name = "u".repeat(20 * count);
    let head = format!("ACAP-qualified-usage: q {name} time-limit=3-days\nACAP-crawler: *\n");
    [head.into_bytes(), lines(count, |out, _| line(out, format_args!("ACAP-allow-(q): /a")))].concat()
}

/// References by the thousand to one file with `records` records for as many crawlers.
pub fn references(count: usize, records: usize) -> HostileSite {
    let robots = lines(count, |out, n| {
        line(out, format_args!("ACAP-crawler:b{n}\nACAP-permissions-reference:/r"));
    });
    let file = lines(records, |out, n| {
        line(out, format_args!("ACAP-crawler: c{n}\nACAP-crawler: b{n}\nACAP-allow-crawl: /{n}"));
    });
    let filler = lines(20_000, |out, n| line(out, format_args!("ACAP-resource-set: s{n} /{n}")));
    let file = [b"##ACAP version=1.0\n", file.as_slice(), &filler].concat();
    let files = vec![("/r".to_owned(), file)];
    HostileSite { robots, files, ..HostileSite::default() }
}

/// One record of crawlers with `count` references to existing files, each for many crawlers.
pub fn references_of_many(count: usize) -> HostileSite {
    let agents = lines(6_000, |out, n| line(out, format_args!("ACAP-crawler:b{n}")));
    let references = lines(count, |out, n| line(out, format_args!("ACAP-permissions-reference:/r{n}")));
    let file = lines(100, |out, n| line(out, format_args!("ACAP-crawler:b{n}\nACAP-allow-crawl:/{n}")));
    let files = (0..count).map(|n| (format!("/r{n}"), file.clone())).collect();
    let robots = [agents, references].concat();
    HostileSite { robots, files, ..HostileSite::default() }
}

/// `count` references to a file with one group of many records that are no rules.
pub fn references_to_many_records(count: usize) -> HostileSite {
    let robots = lines(count, |out, n| {
        line(out, format_args!("ACAP-crawler:b{n}\nACAP-permissions-reference:/r"));
    });
    let records = lines(36_000, |out, _| line(out, format_args!("crawl-delay:1")));
    let files = vec![("/r".to_owned(), [&b"User-agent: *\nDisallow: /z\n"[..], &records].concat())];
    HostileSite { robots, files, ..HostileSite::default() }
}

/// Two hundred referred files with a record, beside a set of `count` patterns.
pub fn references_by_definitions(count: usize) -> HostileSite {
    let patterns = " /".repeat(count);
    let references = lines(200, |out, n| line(out, format_args!("ACAP-permissions-reference: /r{n}")));
    let robots = format!("ACAP-resource-set: s{patterns}\nACAP-crawler: *\n").into_bytes();
    let files = (0..200).map(|n| (format!("/r{n}"), b"ACAP-crawler: *\n".to_vec())).collect();
    HostileSite { robots: [robots, references].concat(), files, ..HostileSite::default() }
}

/// Two hundred referred files with a record, beside the definition of a name of `length` bytes.
pub fn references_by_long_name(length: usize) -> HostileSite {
    let HostileSite { robots, files, .. } = references_by_definitions(1);
    let definitions =
        format!("ACAP-qualified-usage: m (\nACAP-composite-usage: {} (m)\n", "q".repeat(length));
    HostileSite { robots: [definitions.into_bytes(), robots].concat(), files, ..HostileSite::default() }
}

/// A crawler with a long name, in `count` groups of a file that its record refers to.
pub fn long_name_of_many_groups(count: usize) -> HostileSite {
    let name = "n".repeat(50_000);
    let robots = format!("ACAP-crawler: {name}\nACAP-permissions-reference: /r\n").into_bytes();
    let file = lines(count, |out, n| line(out, format_args!("User-agent: *\nDisallow: /{n}")));
    HostileSite { robots, files: vec![("/r".to_owned(), file)], ..HostileSite::default() }
}

/// A crawler with a long name that begins with that of `count` groups.
pub fn long_name_beside_groups(count: usize) -> HostileSite {
    let groups = lines(count, |out, _| line(out, format_args!("User-agent: a\nDisallow: /")));
    let name = "n".repeat(50_000);
    let record = format!("ACAP-crawler: a/1.0 {name}\nACAP-allow-crawl: /\n");
    HostileSite { robots: [groups, record.into_bytes()].concat(), ..HostileSite::default() }
}

/// One page with `metas` META tags.
pub fn pages_of_one(metas: usize) -> HostileSite {
    let tag = |n: usize| MetaTag {
        name: if n.is_multiple_of(2) { "robots".to_owned() } else { format!("b{}", n % 5_000) },
        content: format!("ACAP allow-index time-limit={n}-days a=b c=d"),
        line: n as u32 + 1,
        in_noscript: false,
    };
    let metas = (0..metas).map(tag).collect();
    let pages = vec![Page { metas, ..page(0) }];
    HostileSite { pages, ..HostileSite::default() }
}

/// `count` pages with a few META tags and elements each.
pub fn pages(count: usize) -> HostileSite {
    let content =
        ["ACAP disallow-present", "noindex, nofollow", "ACAP news* allow-crawl", "ACAP version 1.1"];
    let pages = (0..count).map(|n| Page {
        metas: content.map(|content| meta("robots", content)).into(),
        elements: vec![Element { token: "the-acap:disallow-present-snippet".to_owned(), line: 9 }],
        ..page(n)
    });
    let robots = b"User-agent: *\nDisallow: /\nACAP-crawler: *\nACAP-allow-crawl: /*a\n".to_vec();
    HostileSite { robots, pages: pages.collect(), ..HostileSite::default() }
}

/// `count` pages, each for twenty crawlers of its own.
pub fn pages_for_many(count: usize) -> HostileSite {
    let crawlers = 20;
    let pages = (0..count).map(|n| Page {
        metas: (0..crawlers)
            .map(|crawler| meta(&format!("b{}", n * crawlers + crawler), "ACAP disallow-index"))
            .collect(),
        ..page(n)
    });
    HostileSite { pages: pages.collect(), ..HostileSite::default() }
}

/// A page with a long name and `metas` META tags.
pub fn long_page(metas: usize) -> HostileSite {
    let target = format!("/{}", "x".repeat(60_000));
    let metas = (0..metas).map(|n| meta("robots", &format!("ACAP allow-u{} a={n}", n % 200))).collect();
    let pages = vec![Page { target, metas, ..Page::default() }];
    HostileSite { pages, ..HostileSite::default() }
}

fn meta(name: &str, content: &str) -> MetaTag {
    MetaTag { name: name.to_owned(), content: content.to_owned(), line: 1, in_noscript: false }
}

fn page(number: usize) -> Page {
    let target = format!("/{}.html", over_a(number));
    Page { url: format!("http://h.example{target}"), target, ..Page::default() }
}

/// A path that is a prefix of paths with many `a`, for the first few hundred numbers.
fn over_a(number: usize) -> String {
    match number {
        0..400 => "a".repeat(number + 1),
        _ => number.to_string(),
    }
}

fn letter(number: usize) -> char {
    char::from(b"abcdefghijklmnopqrstuvwxyz"[number % 26])
}

fn sense(n: usize) -> &'static str {
    if n.is_multiple_of(3) { "allow" } else { "disallow" }
}
