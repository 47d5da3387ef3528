//! The metadata at the end of a Parquet file, checked before the crate `parquet` keeps them.
//!
//! It stands below `parquet`. The crate reserves a place for every child that an element of the
//! schema claims (16 GiB at most), descends once for every level, and keeps for each column the
//! names of all levels above it, so a file of 46 bytes could end the process. Invariants: metadata
//! that pass need memory in proportion to their bytes, and to limits named here; the others are an
//! error of the file. It does not know what the columns are. Format: Apache Parquet,
//! `parquet.thrift`.

use super::damage;
use super::thrift::{self, Structure, Value};
use ::parquet::errors::Result;
use ::parquet::file::FOOTER_SIZE;
use ::parquet::file::metadata::{FooterTail, ParquetMetaData, ParquetMetaDataReader};
use ::parquet::file::reader::{ChunkReader, Length};
use std::fs::File;

/// The bytes of the metadata, at most. A row group takes about 100 bytes for each column.
const METADATA: u64 = 32 << 20;
/// The elements of a schema, at most: columns, and groups of columns.
const ELEMENTS: u64 = 1 << 16;
/// The levels of a schema, at most.
const LEVELS: usize = 64;
/// The bytes of the paths of all elements of a schema, at most: each path has the names from the
/// root on, and a place of `PART` bytes for each.
const PATHS: u64 = 64 << 20;
/// The memory of a name in a path, without its bytes.
const PART: u64 = 32;

/// Reads the metadata of a file.
pub(super) fn read(file: &File) -> Result<ParquetMetaData> {
    let short = || damage("the file ends in its metadata");
    let tail_length = u64::try_from(FOOTER_SIZE)?;
    let tail_at = file.len().checked_sub(tail_length).ok_or_else(short)?;
    let tail = FooterTail::try_from(&*file.get_bytes(tail_at, FOOTER_SIZE)?)?;
    if tail.is_encrypted_footer() {
        return Err(damage("the metadata are encrypted"));
    }
    let length = u64::try_from(tail.metadata_length())?;
    if length > METADATA {
        return Err(damage(format!("the metadata have {length} bytes; at most {METADATA} are read")));
    }
    let at = tail_at.checked_sub(length).ok_or_else(short)?;
    let bytes = file.get_bytes(at, tail.metadata_length())?;
    let mut schema = Schema::default();
    thrift::read(&mut &*bytes, Structure::File, &mut |structure, field, value| {
        match (structure, field, value) {
            // An element has a name, and its children are counted behind it.
            (Structure::Schema, 4, Value::Bytes(length)) => schema.begin(length),
            (Structure::Schema, 5, Value::Number(children)) => schema.children(children),
            _ => Ok(()),
        }
    })?;
    ParquetMetaDataReader::decode_metadata(&bytes)
}

/// The elements of a schema so far. They come in depth-first order.
#[derive(Default)]
struct Schema {
    elements: u64,
    /// The bytes of all paths.
    paths: u64,
    /// The bytes of the path of the last element.
    path: u64,
    /// The groups around the last element: how many children are to come, and the bytes of the
    /// path.
    open: Vec<(u64, u64)>,
}

impl Schema {
    /// Takes the next element, given the length of its name.
    fn begin(&mut self, name: u64) -> Result<()> {
        while self.open.pop_if(|(left, _)| *left == 0).is_some() {}
        let above = match self.open.last_mut() {
            Some((left, path)) => {
                *left -= 1;
                *path
            }
            None => 0,
        };
        self.elements += 1;
        self.path = above.saturating_add(name).saturating_add(PART);
        self.paths = self.paths.saturating_add(self.path);
        if self.elements > ELEMENTS {
            return Err(damage(format!("the schema has more than {ELEMENTS} elements")));
        }
        if self.paths > PATHS {
            return Err(damage(format!("the paths of the schema take more than {PATHS} bytes")));
        }
        Ok(())
    }

    /// Makes the last element a group, given twice the number of its children.
    fn children(&mut self, twice: u64) -> Result<()> {
        if twice % 2 == 1 || twice / 2 > ELEMENTS {
            return Err(damage(format!("an element of the schema has more than {ELEMENTS} children")));
        }
        if self.open.len() == LEVELS {
            return Err(damage(format!("the schema has more than {LEVELS} levels")));
        }
        self.open.push((twice / 2, self.path));
        Ok(())
    }
}
