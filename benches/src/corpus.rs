//! A corpus of captures in memory: the newest body of each site, without duplicates.
//!
//! `ROBOMATON_CORPUS` names any input of `robomaton compile`; the default is the sample of the
//! tests. It does not know what a body means.

use robomaton_corpus::{Input, Item, ReadLimits, read};
use robomaton_formats::SiteKey;
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use xxhash_rust::xxh3::xxh3_128;

/// The variable that names a corpus.
pub const VARIABLE: &str = "ROBOMATON_CORPUS";

/// Bodies in memory.
#[derive(Debug)]
pub struct Corpus {
    /// The path of its file.
    pub path: PathBuf,
    /// Distinct bodies, in the order of the first site that has each.
    pub bodies: Vec<Body>,
    /// Every site with a 2xx answer, ascending, and the index of its body.
    pub sites: Vec<(SiteKey, usize)>,
}

/// A distinct body.
#[derive(Debug)]
pub struct Body {
    /// The first site that has it.
    pub site: SiteKey,
    /// Its bytes.
    pub text: Vec<u8>,
}

impl Corpus {
    /// The path of the corpus, which is printed on standard error.
    ///
    /// # Errors
    /// If there is none.
    pub fn locate() -> Result<PathBuf, String> {
        let (path, why) = match std::env::var_os(VARIABLE) {
            Some(path) => (PathBuf::from(path), VARIABLE),
            None => (sample(), "the sample of the repository"),
        };
        if !path.exists() {
            return Err(format!(
                "no corpus at {}: set {VARIABLE} to a .warc.gz of robots.txt captures",
                path.display()
            ));
        }
        eprintln!("corpus: {} ({why})", path.display());
        Ok(path)
    }

    /// Finds and reads the corpus.
    ///
    /// # Errors
    /// If there is none or it cannot be opened.
    pub fn load() -> Result<Corpus, String> {
        Corpus::read(&Corpus::locate()?)
    }

    /// Reads the captures of one input.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn read(path: &Path) -> Result<Corpus, String> {
        let mut newest: BTreeMap<SiteKey, (i64, Vec<u8>)> = BTreeMap::new();
        let mut take = |item| {
            if let Item::Capture(capture) = item
                && (200..300).contains(&capture.status)
            {
                let held = newest.entry(capture.site).or_insert((i64::MIN, Vec::new()));
                if held.0 < capture.fetched_at {
                    *held = (capture.fetched_at, capture.body);
                }
            }
            ControlFlow::Continue(())
        };
        let input = Input::Path(path.to_owned());
        read(&[input], &ReadLimits::default(), &AtomicU64::new(0), &mut take)
            .map_err(|error| error.to_string())?;
        let mut known: HashMap<u128, usize> = HashMap::new();
        let (mut bodies, mut sites) = (Vec::new(), Vec::new());
        for (site, (_, text)) in newest {
            let body = *known.entry(xxh3_128(&text)).or_insert(bodies.len());
            if body == bodies.len() {
                bodies.push(Body { site: site.clone(), text });
            }
            sites.push((site, body));
        }
        Ok(Corpus { path: path.to_owned(), bodies, sites })
    }

    /// Bytes of distinct bodies.
    pub fn distinct_bytes(&self) -> usize {
        self.bodies.iter().map(|body| body.text.len()).sum()
    }

    /// Bytes of the bodies of all sites.
    pub fn total_bytes(&self) -> usize {
        self.sites.iter().map(|&(_, body)| self.bodies[body].text.len()).sum()
    }
}

/// The sample corpus of the repository.
fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/sample.warc.gz")
}
