//! Questions to a store of the base, with layers above it, and the opening of many layers.

use super::base::Base;
use super::compaction::url;
use super::puts::any_capture;
use super::{Failure, capture, options};
use robomaton_benches::clock::{Contestant, race, time};
use robomaton_benches::generate::Generator;
use robomaton_benches::results::Table;
use robomaton_runtime::Usage;
use robomaton_store::{Durability, Store};
use robomaton_tests::map;
use std::path::Path;
use std::time::Instant;

/// Sites of each layer above the base.
const LAYER_SITES: u64 = 1_000;
/// Numbers of layers above the base.
const ABOVE: [u64; 2] = [4, 19];
const QUESTIONS: u64 = 20_000;
const ROUNDS: usize = 15;
/// Fetches in a list of those that are due, and a time at which all are.
const DUE: usize = 1_000;
const FAR: u64 = u64::MAX / 2;
/// Captures in the log of the store that is opened: one less than make a layer.
const LOGGED: u64 = robomaton_store::limits::MEMORY_CAPTURES as u64 - 1;

pub(crate) fn questions(generator: &Generator, base: &Base, place: &Path) -> Result<Table, Failure> {
    eprintln!("questions");
    let mut table = Table::new("store-questions", &["what:", "value"]);
    let mut row = |what: &str, value: String| table.row(vec![what.to_owned(), value]);
    let image = map(&base.image)?;
    let open = |above: u64| -> Result<Store, Failure> {
        let directory = base.store(place.join(format!("above-{above}")))?;
        let store = Store::open(&directory, options(Durability::Never))?;
        for layer in 0..above {
            for number in layer * LAYER_SITES..(layer + 1) * LAYER_SITES {
                store.put(&any_capture(generator, base, number))?;
            }
            store.flush()?;
        }
        Ok(store)
    };
    let (alone, [few, many]) = (open(0)?, ABOVE.map(open));
    let (few, many) = (few?, many?);
    let crawler = image.crawler(["Googlebot"]);
    let hits: Vec<String> = (0..QUESTIONS).map(|number| url(generator, base, number)).collect();
    let host = |number| generator.site(2 * base.sites + number).host;
    let misses: Vec<String> = (0..QUESTIONS).map(|number| format!("https://{}/", host(number))).collect();
    for (kind, urls) in [("of a site of the base", &hits), ("of an unknown site", &misses)] {
        let ask = |store: &Store| {
            let query = store.query(["Googlebot"], "crawl");
            urls.iter().filter(|url| store.decide(&query, url).is_allowed()).count()
        };
        let of_image = || {
            let allowed = |url: &&String| image.decide(&crawler, Usage::CRAWL, url).decision().is_allowed();
            urls.iter().filter(allowed).count()
        };
        let mut contestants = [
            Contestant::new("to its image", urls.len(), of_image),
            Contestant::new("to a store of the base alone", urls.len(), || ask(&alone)),
            Contestant::new("to a store of the base and 4 layers", urls.len(), || ask(&few)),
            Contestant::new("to a store of the base and 19 layers", urls.len(), || ask(&many)),
        ];
        let times = race(&mut contestants, ROUNDS);
        for (contestant, nanoseconds) in contestants.iter().zip(&times) {
            let ratio = nanoseconds / times[0];
            row(
                &format!("question {kind}, {}", contestant.name),
                format!("{nanoseconds:.0} ns, {ratio:.2} x"),
            );
        }
    }
    for (store, layers) in [(&alone, "alone"), (&many, "and 19 layers")] {
        // The first list looks up what is hidden; others know.
        let start = Instant::now();
        let count = store.list_due(FAR, DUE).len();
        let took = [start.elapsed(), time(9, || store.list_due(FAR, DUE).len() == count)];
        let [first, again] = took.map(|took| took.as_secs_f64() * 1e3);
        let what = format!("list of {DUE} fetches that are due, of the base {layers}");
        row(&what, format!("{first:.0} ms, then {again:.0} ms"));
    }
    for number in 0..LOGGED {
        many.put(&capture(generator, 2 * base.sites + QUESTIONS + number, 1))?;
    }
    drop((alone, few, many));
    let directory = place.join(format!("above-{}", ABOVE[1]));
    for what in [format!("and a log of {LOGGED} captures"), "alone".to_owned()] {
        let store = Store::open(&directory, options(Durability::Never))?;
        let layers = store.stats().layers;
        drop(store);
        let opened = time(9, || Store::open(&directory, options(Durability::Never)).is_ok());
        row(&format!("opening {layers} layers {what}"), format!("{:.1} ms", opened.as_secs_f64() * 1e3));
        Store::open(&directory, options(Durability::Never))?.flush()?;
    }
    for above in [0, ABOVE[0], ABOVE[1]] {
        std::fs::remove_dir_all(place.join(format!("above-{above}")))?;
    }
    Ok(table)
}
