//! Byte ranges of WARC files, as named by an index; read file by file, each from front to back.
//!
//! Rows without a body (`row`) add them; they are read when their limit is reached, and at the end
//! of the run. A range is a stream of its own: compressed or not, and damage in it affects no
//! other. Invariants: every range yields at least one item (equal ones count once), and one that
//! cannot be read, or has records of other URLs only, is the fetch that its row names; files are
//! searched only below the root of the run, since an index is untrusted. It does not know records.

use crate::record::{Content, Fetch, Range, Record};
use crate::source::{CHUNK, Source};
use crate::window::Window;
use crate::{Item, ReadLimits, SkipReason, warc};
use foldhash::{HashSet, HashSetExt};
use robomaton_formats::{Scheme, SiteKey};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Bytes of the URLs of the ranges that wait, and of the names of their files.
const MAX_TEXT: usize = 4 << 20;

/// Ranges that wait to be read.
pub(crate) struct Ranges {
    root: PathBuf,
    waiting: Vec<Waiting>,
    /// The names of their files, which many ranges share.
    names: HashSet<Arc<str>>,
    /// Bytes of these names, and of the URLs that the rows name.
    text_bytes: usize,
}

/// A range of a file.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    name: Arc<str>,
    offset: u64,
    length: u64,
    fetch: Option<Fetch>,
}

impl Ranges {
    /// No ranges yet, of files below `root`.
    pub(crate) fn new(root: &Path) -> Ranges {
        Ranges { root: root.to_owned(), waiting: Vec::new(), text_bytes: 0, names: HashSet::new() }
    }

    /// Adds a range; true if all should be read before the next one is added.
    pub(crate) fn push(&mut self, range: Range, most: usize) -> bool {
        let name = self.names.get(&*range.filename).cloned().unwrap_or_else(|| {
            let name: Arc<str> = range.filename.into();
            self.text_bytes += name.len();
            self.names.insert(name.clone());
            name
        });
        let Range { offset, length, fetch, .. } = range;
        self.text_bytes += fetch.as_ref().map_or(0, |fetch| fetch.url.len());
        self.waiting.push(Waiting { name, offset, length, fetch });
        self.waiting.len() >= most || self.text_bytes >= MAX_TEXT
    }

    /// Reads all ranges.
    pub(crate) fn read(
        &mut self,
        limits: &ReadLimits,
        each: &mut dyn FnMut(Item) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut waiting = std::mem::take(&mut self.waiting);
        self.names.clear();
        self.text_bytes = 0;
        waiting.sort_unstable();
        waiting.dedup();
        for ranges in waiting.chunk_by(|one, two| one.name == two.name) {
            let name = &ranges[0].name;
            match self.open(name) {
                Ok((file, size)) => read_file(name, &file, size, ranges, limits, each)?,
                Err(why) => {
                    for range in ranges {
                        each(range.unread(SkipReason::Range(why.clone())))?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Opens a file, and returns its length.
    fn open(&self, name: &str) -> Result<(File, u64), String> {
        let below =
            Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !below {
            return Err("the path leads out of the folder of WARC files".to_owned());
        }
        let path = self.root.join(name);
        let failed = |error: io::Error| format!("cannot open {}: {error}", path.display());
        let data = std::fs::metadata(&path).map_err(failed)?;
        if !data.is_file() {
            return Err(format!("cannot open {}: not a regular file", path.display()));
        }
        Ok((File::open(&path).map_err(failed)?, data.len()))
    }
}

impl Waiting {
    /// The item for a range that cannot be read. Its place is its offset in the file: its content
    /// may be compressed.
    fn unread(&self, reason: SkipReason) -> Item {
        let content = match &self.fetch {
            Some(fetch) => fetch.clone().unread(reason),
            None => Err(reason),
        };
        Record { at: self.offset, content }.item(&self.name)
    }

    /// True if a record is of the URL that the row names, or the row names none. A bare host stands
    /// for both schemes.
    fn is_of(&self, content: &Content) -> bool {
        let (Content::Capture(found) | Content::Revisit(found, _) | Content::Unread(found, _)) = content
        else {
            return self.fetch.is_none();
        };
        self.fetch.as_ref().and_then(Fetch::capture).is_none_or(|named| {
            let is_robots = named.is_robots() && found.is_robots();
            let [named_by, found_by] = [&named.site, &found.site].map(SiteKey::scheme);
            named.site.name() == found.site.name()
                && (named_by == Scheme::Any || named_by == found_by)
                && (is_robots || named.target() == found.target())
        })
    }
}

/// Reads ranges of one file.
fn read_file(
    name: &str,
    mut file: &File,
    size: u64,
    ranges: &[Waiting],
    limits: &ReadLimits,
    each: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut window = Window::new(Source::Plain(Box::new(io::empty())));
    for range in ranges {
        let &Waiting { offset, length, .. } = range;
        if offset.checked_add(length).is_none_or(|end| end > size) {
            let what = format!("{length} bytes from {offset} on, but the file ends at {size}");
            each(range.unread(SkipReason::Range(what)))?;
            continue;
        }
        if length > limits.max_record {
            each(range.unread(SkipReason::RecordTooLong(length)))?;
            continue;
        }
        let room = usize::try_from(length).unwrap_or(CHUNK).clamp(1, CHUNK);
        let begun = file.seek(SeekFrom::Start(offset));
        if let Err(error) = begun.and_then(|_| window.restart(Box::new(file.take(length)), room, limits)) {
            each(range.unread(SkipReason::Io(error.to_string())))?;
            continue;
        }
        let (mut is_empty, mut is_found) = (true, false);
        for record in warc::Records::of(&mut window, limits) {
            is_empty = false;
            each(match record.content {
                Err(reason) if !is_found => {
                    is_found = true;
                    range.unread(reason)
                }
                content => {
                    is_found |= content.as_ref().is_ok_and(|content| range.is_of(content));
                    Record { at: offset, content }.item(name)
                }
            })?;
        }
        if !is_found {
            let what = if is_empty { "it holds no WARC record" } else { "its records are of other URLs" };
            each(range.unread(SkipReason::Range(what.to_owned())))?;
        }
    }
    ControlFlow::Continue(())
}
