//! The slowest look-ups: the largest real rule sets with stars, and rule sets that are built to be
//! slow.
//!
//! Hostile sets come from the builders of the tests, at their usual sizes and smaller, to show
//! growth with the number of rules; paths are runs that nearly match their patterns, of 128 to
//! 2,048 bytes. Times are medians of rounds. Exponents are slopes through the logarithms over the
//! larger half of the sizes: the fixed part of a look-up would hide the growth.

use robomaton_benches::clock::time;
use robomaton_benches::queries::Lengths;
use robomaton_benches::results::{Results, Series, Table, exponent};
use robomaton_benches::{Field, Queries};
use robomaton_compiler::{Entry, Options, compile, emit};
use robomaton_formats::SiteKey;
use robomaton_runtime::{Image, Usage};
use robomaton_tests::hostile;

/// Rounds of a look-up.
const ROUNDS: usize = 15;
/// Questions to a real set.
const QUESTIONS: usize = 2_000;
/// The number of real sets shown.
const SETS: usize = 5;
/// Lengths of paths in bytes; tables show the last.
const LENGTHS: [usize; 5] = [128, 256, 512, 1_024, 2_048];
/// The repeated parts of paths, which nearly match many patterns.
const PATHS: [&str; 4] = ["a", "abcdefghijklmnopqrstuvwxyz", "ab", "cabcbac"];

/// The real rule sets with the most wildcard patterns.
pub(crate) fn real(field: &Field<'_>) -> Result<Table, String> {
    let mut starred = vec![0; field.files.len()];
    field.policies(|number, _, policy| {
        let default =
            policy.groups.iter().filter(|group| group.is_default()).flat_map(|group| group.rules.clone());
        starred[number] = default.filter(|&rule| policy.rules[rule].pattern().has_star()).count();
    });
    let mut order: Vec<usize> = (0..starred.len()).collect();
    order.sort_by_key(|&file| std::cmp::Reverse(starred[file]));
    let columns = ["place", "rules", "with stars", "bytes of a path, mean", "µs per look-up"];
    let mut table = Table::new("worst-real", &columns);
    for (place, &file) in order.iter().take(SETS).enumerate() {
        let one = Field { options: field.options.clone(), files: vec![field.files[file].clone()] };
        let queries = Queries::derive(&one, QUESTIONS, Lengths::Long).of_agent("Nobodysbot");
        let image = Image::from_bytes(one.image()).map_err(|error| error.to_string())?;
        let (site, crawler) =
            (image.sites().next().ok_or("an image without sites")?, image.crawler(["Nobodysbot"]));
        let all = queries.all();
        let ask = || {
            all.iter()
                .filter(|query| site.decide(&crawler, Usage::CRAWL, queries.path(query)).is_allowed())
                .count()
        };
        let micros = time(ROUNDS, ask).as_secs_f64() * 1e6 / all.len().max(1) as f64;
        let numbers =
            [(place + 1).to_string(), queries.seats[0].rules.to_string(), starred[file].to_string()];
        let times = [format!("{:.1}", queries.mean_length()), format!("{micros:.3}")];
        table.row(numbers.into_iter().chain(times).collect());
    }
    Ok(table)
}

/// A builder of hostile files; its argument is the number of rules or stars.
type Builder = fn(usize) -> Vec<u8>;

/// Hostile sets: the time for the longest path, and its growth with path length and number of
/// rules.
pub(crate) fn hostile(series: &mut Vec<Series>) -> Result<Table, String> {
    // Sizes are the largest within the limits.
    let builders: [(&str, Builder, usize); 7] = [
        ("rules", hostile::rules, 20_000),
        ("prefix-chain", hostile::prefix_chain, 900),
        ("star-heads", hostile::star_heads, 8_000),
        ("alphabet-stars", |count| hostile::alphabet_stars(count, 20), 400),
        ("stars-in-one-rule", hostile::stars_in_one_rule, 8_000),
        ("segments", |count| hostile::segments(count, 80), 100),
        ("nested-chains", |stars| hostile::nested_chains(16, stars), 500),
    ];
    let columns = [
        "hostile set:",
        "size",
        "rules",
        "path:",
        "µs for 2,048 bytes",
        "exponent in bytes",
        "exponent in size",
    ];
    let mut table = Table::new("worst-hostile", &columns);
    let mut results = Results::default();
    for (name, builder, most) in builders {
        let asker = Asker::new(&builder(most))?;
        let slowest = PATHS
            .map(|path| (path, asker.micros(path, 2_048)))
            .into_iter()
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let (path, _) = slowest.ok_or("no paths")?;
        let of_length: Vec<(f64, f64)> =
            LENGTHS.map(|bytes| (bytes as f64, asker.micros(path, bytes))).to_vec();
        let mut of_size = Vec::new();
        for size in [most / 8, most / 4, most / 2, most] {
            of_size.push((size as f64, Asker::new(&builder(size))?.micros(path, 2_048)));
        }
        of_length.iter().for_each(|&(x, y)| results.point("hostile-length", name, x, y));
        let power =
            |points: &[(f64, f64)]| exponent(points).map_or("-".to_owned(), |power| format!("{power:.2}"));
        let slowest = of_length.last().map_or(0.0, |last| last.1);
        table.row(vec![
            name.to_owned(),
            most.to_string(),
            asker.rules.to_string(),
            format!("`/{path}...`"),
            format!("{slowest:.1}"),
            power(&of_length[LENGTHS.len() / 2..]),
            power(&of_size[1..]),
        ]);
    }
    series.extend(results.series);
    Ok(table)
}

/// An image of one hostile text, and a crawler that no group names.
struct Asker {
    image: Image<Vec<u8>>,
    rules: usize,
}

impl Asker {
    fn new(text: &[u8]) -> Result<Asker, String> {
        let options = Options::default();
        let document = compile(text, None, &options);
        if let Some(over) = document.over_limit {
            return Err(over.to_string());
        }
        let site = SiteKey::from_host("h.example").map_err(|error| error.to_string())?;
        let image =
            emit(vec![Entry::fetched(site, &document)], &options).map_err(|error| error.to_string())?;
        Ok(Asker {
            image: Image::from_bytes(image).map_err(|error| error.to_string())?,
            rules: document.rules,
        })
    }

    /// Microseconds for a path of a number of bytes that repeats a piece.
    fn micros(&self, piece: &str, bytes: usize) -> f64 {
        let path: String = format!("http://h.example/{}", piece.repeat(bytes / piece.len() + 1));
        let url = &path[.."http://h.example".len() + bytes];
        let crawler = self.image.crawler(["nobody"]);
        time(ROUNDS, || self.image.decide(&crawler, Usage::CRAWL, url).is_allowed()).as_secs_f64() * 1e6
    }
}
