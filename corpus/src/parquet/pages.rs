//! The pages of a Parquet column, checked before memory is reserved for them.
//!
//! It stands below `parquet`. The crate `parquet` believes the numbers of a file: it reserves what
//! the header of a page claims (2 GiB at most), a place for every value that a dictionary claims
//! (4,294,967,295), and a length for every value of a delta encoding (as many as 64 bits can say),
//! so a file of some hundred bytes could end the process. Invariants: a page that passes needs
//! memory in proportion to its bytes, and to limits named here; one that does not is an error of
//! its row group. It does not know what values mean. Format: Apache Parquet, `Encodings.md` and
//! `parquet.thrift`.

use super::damage;
use super::thrift::{self, Structure, Value, varint};
use ::parquet::basic::Encoding;
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::Result;
use ::parquet::file::metadata::RowGroupMetaData;
use ::parquet::file::reader::{ChunkReader, Length};
use ::parquet::file::serialized_reader::SerializedPageReader;
use bytes::Bytes;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::sync::Arc;

/// The bytes of a page, at most. Writers end one after 1 MiB, but only look after up to 1,024 rows.
const PAGE: u64 = 512 << 20;
/// The bytes of a page per byte that is stored, at most: what Zstandard reaches.
const EXPANSION: u64 = 1 << 15;
/// No page up to here is refused for its expansion.
const SMALL_PAGE: u64 = 16 << 20;
/// The values of a dictionary, or of a page in a delta encoding, at most. Writers end a dictionary
/// after 1 MiB, and a page after 20,000 rows or a row group.
const VALUES: u32 = 1 << 23;

/// The file, as the reader of pages sees it: it asks for a reader only where a page begins.
struct Pages(File);

impl Length for Pages {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for Pages {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        check_header(self.0.get_read(start)?)?;
        self.0.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.0.get_bytes(start, length)
    }
}

/// The pages of one column of a row group, in their order.
pub(super) struct Checked {
    pages: SerializedPageReader<Pages>,
    /// Whether values may be missing.
    is_optional: bool,
}

impl Checked {
    /// Reads the pages of the column at `place`.
    pub(super) fn of(file: &File, group: &RowGroupMetaData, place: usize) -> Result<Checked> {
        let column = group.column(place);
        let rows = usize::try_from(group.num_rows())?;
        let file = Arc::new(Pages(file.try_clone()?));
        let is_optional = column.column_descr().max_def_level() > 0;
        Ok(Checked { pages: SerializedPageReader::new(file, column, rows, None)?, is_optional })
    }
}

impl Iterator for Checked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        if let Some(page) = &page {
            check_page(page, self.is_optional)?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        Err(damage("pages are read in their order"))
    }

    fn skip_next_page(&mut self) -> Result<()> {
        Err(damage("pages are read in their order"))
    }
}

/// Checks the lengths in the header of a page.
fn check_header(mut header: impl BufRead) -> Result<()> {
    let (mut page, mut stored) = (None, None);
    thrift::read(&mut header, Structure::PageHeader, &mut |structure, field, value| {
        match (structure, field, value) {
            (Structure::PageHeader, 2, Value::Number(twice)) => page = Some(twice),
            (Structure::PageHeader, 3, Value::Number(twice)) => stored = Some(twice),
            _ => {}
        }
        Ok(())
    })?;
    let length = |twice: Option<u64>| twice.filter(|twice| twice % 2 == 0).map(|twice| twice / 2);
    let (Some(page), Some(stored)) = (length(page), length(stored)) else {
        return Err(damage("the header of a page lacks a length"));
    };
    let most = stored.saturating_mul(EXPANSION).clamp(SMALL_PAGE, PAGE);
    if page > most {
        let what = format!("a page claims {page} bytes; with {stored} in the file, {most} are the most");
        return Err(damage(what));
    }
    Ok(())
}

/// Checks the numbers that decoders reserve memory for.
fn check_page<'p>(page: &'p Page, is_optional: bool) -> Result<()> {
    let few = |values: u32| {
        let what = || format!("a page claims {values} values; {VALUES} are the most");
        if values > VALUES { Err(damage(what())) } else { Ok(()) }
    };
    let behind = |page: &'p Bytes, levels: Option<usize>| {
        levels.and_then(|levels| page.get(levels..)).ok_or_else(|| damage("a page ends in its levels"))
    };
    // The values behind the levels, which say what is missing.
    let (encoding, values, data) = match page {
        Page::DictionaryPage { buf, num_values, .. } => {
            few(*num_values)?;
            return match usize::try_from(*num_values) {
                Ok(values) if values <= buf.len() => Ok(()),
                _ => Err(damage("a dictionary claims more values than it has bytes")),
            };
        }
        Page::DataPage { buf, num_values, encoding, def_level_encoding, .. } => {
            let levels = match (is_optional, def_level_encoding) {
                (false, _) => Some(0),
                (true, Encoding::RLE) => buf
                    .first_chunk()
                    .and_then(|length| usize::try_from(u32::from_le_bytes(*length)).ok()?.checked_add(4)),
                // A bit for each value.
                (true, _) => usize::try_from(num_values.div_ceil(8)).ok(),
            };
            (*encoding, *num_values, behind(buf, levels)?)
        }
        Page::DataPageV2 { buf, num_values, encoding, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let levels = def_levels_byte_len.checked_add(*rep_levels_byte_len);
            let levels = levels.and_then(|levels| usize::try_from(levels).ok());
            (*encoding, *num_values, behind(buf, levels)?)
        }
    };
    // Each has the lengths of its values, and before them the second has what a value shares with
    // the one before it.
    let lists = match encoding {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
        Encoding::DELTA_BYTE_ARRAY => 2,
        _ => return Ok(()),
    };
    few(values)?;
    match (0..lists).try_fold(data, |rest, _| behind_packed(rest, values)) {
        Some(_) => Ok(()),
        None => Err(damage("a page has more lengths than values, or ends in them")),
    }
}

/// Passes over a list of numbers in the encoding `DELTA_BINARY_PACKED`: a header, and blocks of
/// deltas, each block of some miniblocks with a width in bits. `None` if it has more than `most`
/// numbers or ends early.
fn behind_packed(mut data: &[u8], most: u32) -> Option<&[u8]> {
    let number = |data: &mut &[u8]| usize::try_from(varint(data).ok()?).ok();
    let (block, miniblocks, count) = (number(&mut data)?, number(&mut data)?, number(&mut data)?);
    if miniblocks == 0 || count > usize::try_from(most).ok()? {
        return None;
    }
    let _first = varint(&mut data).ok()?;
    let deltas = block / miniblocks;
    let mut left = count.saturating_sub(1);
    while left > 0 {
        let _least = varint(&mut data).ok()?;
        for width in data.split_off(..miniblocks)? {
            // Those behind the last number are not stored.
            if left > 0 {
                data = data.get(usize::from(*width).checked_mul(deltas)? / 8..)?;
                left = left.saturating_sub(deltas);
            }
        }
    }
    Some(data)
}
