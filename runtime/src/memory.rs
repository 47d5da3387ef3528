//! The bytes of an image file: mapped, or copied into memory; and how to prefetch some of them.
//!
//! Rust's references promise that the bytes behind them do not change. A mapped file keeps that
//! promise only if nobody writes to it, which no check in this process can enforce. So mapping is
//! `unsafe` and the caller makes the promise; copying is safe. Prefetching is safe, too, since it
//! reads nothing. This module does not know what the bytes mean.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

/// The bytes of a file in memory. Clones share them; the last one releases them.
#[derive(Clone, Debug)]
pub struct Memory(Arc<memmap2::Mmap>);

impl Memory {
    /// Maps a file.
    ///
    /// # Errors
    /// If the file cannot be opened or mapped.
    ///
    /// # Safety
    /// As for [`Image::map`](crate::Image::map): nobody may change or truncate the file while the
    /// map lives.
    pub(crate) unsafe fn map(path: &Path) -> io::Result<Memory> {
        let file = open(path)?;
        // SAFETY: the caller promises that nobody changes or truncates the file.
        unsafe { Memory::map_file(&file) }
    }

    /// Maps a file that is open.
    ///
    /// # Errors
    /// If it cannot be mapped.
    ///
    /// # Safety
    /// As for [`Memory::map`].
    pub(crate) unsafe fn map_file(file: &File) -> io::Result<Memory> {
        // SAFETY: the caller promises that nobody changes or truncates the file.
        let map = unsafe { memmap2::Mmap::map(file)? };
        Ok(Memory(Arc::new(map)))
    }

    /// Copies a file. The copy lives in anonymous pages, so that mapped and copied images have the
    /// same type.
    ///
    /// # Errors
    /// If the file cannot be read, or its length changes during the copy.
    pub(crate) fn read(path: &Path) -> io::Result<Memory> {
        Memory::copy_file(&open(path)?)
    }

    /// Copies a file that was just opened.
    ///
    /// # Errors
    /// As for [`Memory::read`].
    pub(crate) fn copy_file(mut file: &File) -> io::Result<Memory> {
        let length = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        let mut copy = memmap2::MmapMut::map_anon(length)?;
        file.read_exact(&mut copy)?;
        Ok(Memory(Arc::new(copy.make_read_only()?)))
    }
}

impl Memory {
    /// Copies bytes.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub(crate) fn copy(bytes: &[u8]) -> io::Result<Memory> {
        let mut copy = memmap2::MmapMut::map_anon(bytes.len())?;
        copy.copy_from_slice(bytes);
        Ok(Memory(Arc::new(copy.make_read_only()?)))
    }
}

/// Opens a regular file. Opening a pipe would wait for its writer.
fn open(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    File::open(path)
}

impl AsRef<[u8]> for Memory {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Asks the processor for the cache line in which these bytes begin, and the next one, and does not
/// wait for them.
#[inline(always)]
pub(crate) fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let line = bytes.as_ptr().cast();
        // SAFETY: a prefetch is a hint. It changes no value, and an address outside any map is
        // ignored.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(line);
            _mm_prefetch::<_MM_HINT_T0>(line.wrapping_add(64));
        }
    }
    // A load, which other instructions overtake.
    #[cfg(not(target_arch = "x86_64"))]
    std::hint::black_box(bytes.first());
}
