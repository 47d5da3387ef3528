//! Computes the statistics of a corpus.
//!
//! One pass over the distinct texts, one over their distinct lists of rules, one over the hosts.
//! The order does not matter: the same corpus gives the same file. Only numbers of a text are kept,
//! and words that many texts have.

use super::features::{self, Features};
use super::hosts;
use super::law::{COMMON, Law};
use super::measures;
use super::model::{List, Text};
use super::statistics::{COMMON_TEXTS, KINDS, PLACES, Shapes, Statistics, Table};
use super::words::{Piece, form, kind, pieces};
use crate::Corpus;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Rules of one list that are examined, so that a few long lists do not dominate.
const RULES_OF_A_LIST: usize = 50;
/// How fast a sample of shapes thins out after the largest, which are all kept: after this many
/// rows, each stands for one more shape.
const THINNING: usize = 12;
/// The total weight of the names of one text.
const WEIGHT_OF_NAMES: usize = 100;
/// The maximum number of names in a table.
const MOST_NAMES: usize = 400;
/// Buckets of a histogram.
const BUCKETS: usize = 40;

/// Measures a corpus.
pub fn learn(corpus: &Corpus) -> Statistics {
    let all: Vec<Features> = corpus.bodies.iter().map(|body| Features::of(&body.text)).collect();
    let mut sites = vec![0u64; all.len()];
    corpus.sites.iter().for_each(|&(_, body)| sites[body] += 1);

    let bodies = counted(all.iter().filter_map(|features| features.body.as_ref()));
    let named = counted(all.iter().flat_map(|features| &features.groups));
    let rank: HashMap<&List, u32> = bodies.iter().zip(1..).map(|((list, _), rank)| (*list, rank)).collect();
    let common = bodies.iter().filter(|(_, count)| *count >= COMMON).count() as u32;
    let several = bodies.iter().filter(|(_, count)| *count > 1).count() as u32;
    let place = |features: &Features| match features.body.as_ref().map(|list| rank[list]) {
        None => 0,
        Some(rank) if rank <= common => rank,
        Some(rank) if rank <= several => Text::SEVERAL,
        Some(_) => Text::OWN,
    };
    let texts = all.iter().zip(&corpus.bodies).zip(&sites);
    let texts =
        texts.map(|((features, body), &sites)| (features.shape(body.text.len(), place(features)), sites));

    let lists: BTreeSet<&List> = bodies.iter().chain(&named).map(|(list, _)| *list).collect();
    let (words, forms) = patterns(&lists);
    let hosts: Vec<&str> = corpus.sites.iter().map(|(site, _)| site.host()).collect();
    let parts: Vec<_> = hosts.iter().map(|host| hosts::parts(host)).collect();
    let numbers = |lists: &[(&List, u64)]| lists.iter().map(|(list, _)| features::numbers(list)).collect();
    Statistics {
        measures: measures::of_corpus(corpus),
        texts: shapes(texts, |text| 2 * text.kind + u32::from(text.names > 0)),
        bodies: numbers(&bodies[..common as usize]),
        several: numbers(&bodies[common as usize..several as usize]),
        named: shapes(named.iter().map(|(list, count)| (features::numbers(list), *count)), |_| 0),
        crawlers: weighted(all.iter().map(|features| {
            // Each text counts equally, whether it names one crawler or a thousand.
            let weight = (WEIGHT_OF_NAMES / features.names.len().max(1)).max(1);
            (weight as u64, features.names.iter().map(String::as_str))
        })),
        words,
        forms,
        labels: buckets(parts.iter().map(|(labels, ..)| labels.len())),
        label_lengths: buckets(parts.iter().map(|(_, registered, _)| registered.len())),
        subdomains: table(parts.iter().map(|(labels, ..)| labels.iter().copied())),
        suffixes: table(parts.iter().map(|(.., suffix)| [suffix.as_str()].into_iter())),
    }
}

/// Lists and their numbers of occurrences, most frequent first.
fn counted<'l>(lists: impl Iterator<Item = &'l List>) -> Vec<(&'l List, u64)> {
    let mut counts: BTreeMap<&List, u64> = BTreeMap::new();
    lists.for_each(|list| *counts.entry(list).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    counts
}

/// Shapes with their counts, as a law and samples of each class.
fn shapes<T: Copy + Ord>(shapes: impl Iterator<Item = (T, u64)>, class: impl Fn(&T) -> u32) -> Shapes<T> {
    let mut all: Vec<(T, u64)> = shapes.collect();
    all.sort_by_key(|&(shape, count)| (std::cmp::Reverse(count), std::cmp::Reverse(shape)));
    let of = |range: std::ops::Range<u64>| {
        let of_range = all.iter().filter(|(_, count)| range.contains(count));
        of_range.map(|&(shape, _)| shape).collect::<Vec<T>>()
    };
    let sampled = |range: std::ops::Range<u64>| {
        let mut classes: BTreeMap<u32, Vec<T>> = BTreeMap::new();
        of(range).into_iter().for_each(|shape| classes.entry(class(&shape)).or_default().push(shape));
        classes.into_values().flat_map(sample).collect()
    };
    Shapes {
        law: Law::fit(all.iter().map(|&(_, count)| count).collect()),
        head: of(COMMON..u64::MAX),
        repeated: sampled(2..COMMON),
        once: sampled(1..2),
    }
}

/// A sample of shapes, each with the number that it stands for. The largest are all included, since
/// they have most of the bytes.
fn sample<T: Copy + Ord>(mut shapes: Vec<T>) -> Vec<(u64, T)> {
    shapes.sort_unstable_by(|a, b| b.cmp(a));
    let (mut rest, mut sample) = (shapes.as_slice(), Vec::new());
    while !rest.is_empty() {
        let weight = rest.len().min(1 + sample.len() / THINNING);
        sample.push((weight as u64, rest[weight / 2]));
        rest = &rest[weight..];
    }
    sample
}

/// Names by use; each inner iterator has the uses of one text or site.
fn table<'n, N: Iterator<Item = &'n str>>(users: impl Iterator<Item = N>) -> Table {
    weighted(users.map(|names| (1, names)))
}

/// The same, with a weight for the uses of each text or site.
fn weighted<'n, N: Iterator<Item = &'n str>>(users: impl Iterator<Item = (u64, N)>) -> Table {
    // Uses and users.
    let mut counts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (weight, names) in users {
        let mut own: BTreeSet<&str> = BTreeSet::new();
        for name in names {
            let count = counts.entry(name).or_default();
            count.0 += weight;
            count.1 += u64::from(own.insert(name));
        }
    }
    let mut common: Vec<(String, u64)> = Vec::new();
    let mut order: Vec<_> = counts.into_iter().collect();
    order.sort_by_key(|&(_, (uses, _))| std::cmp::Reverse(uses));
    let mut rare: Vec<(usize, u64)> = Vec::new();
    for (name, (uses, users)) in order {
        if users >= COMMON_TEXTS && common.len() < MOST_NAMES {
            common.push((name.to_owned(), uses));
        } else {
            rare.push((name.len(), uses));
        }
    }
    let mut lengths = vec![0; BUCKETS];
    rare.iter().for_each(|&(length, uses)| lengths[length.min(BUCKETS - 1)] += uses);
    Table::from((common, rare.iter().map(|&(_, uses)| uses).sum(), lengths))
}

fn buckets(values: impl Iterator<Item = usize>) -> Vec<u64> {
    let mut counts = vec![0; BUCKETS];
    values.for_each(|value| counts[value.min(BUCKETS - 1)] += 1);
    counts
}

/// Words by place and forms by kind, over distinct lists.
fn patterns(lists: &BTreeSet<&List>) -> ([Table; PLACES], [Table; KINDS]) {
    let evenly = |list: &List| {
        let step = list.len().div_ceil(RULES_OF_A_LIST).max(1);
        list.iter().step_by(step).map(|(_, pattern)| pattern.clone()).collect::<Vec<String>>()
    };
    let looked_at: Vec<Vec<String>> = lists.iter().map(|list| evenly(list)).collect();
    let words = std::array::from_fn(|wanted| {
        table(looked_at.iter().map(|patterns| {
            let all = patterns.iter().flat_map(|pattern| pieces(pattern));
            all.filter_map(|piece| match piece {
                Piece::Word(word, place) if place == wanted => Some(word),
                _ => None,
            })
        }))
    });
    let of_forms: Vec<Vec<(usize, String)>> = looked_at
        .iter()
        .map(|patterns| patterns.iter().map(|pattern| (kind(pattern), form(pattern))).collect())
        .collect();
    let forms =
        std::array::from_fn(|wanted| {
            table(of_forms.iter().map(|forms| {
                forms.iter().filter_map(|(kind, form)| (*kind == wanted).then_some(form.as_str()))
            }))
        });
    (words, forms)
}
