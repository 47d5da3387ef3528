//! Exchanging two names of a file system in one step, so that no moment is without either.
//!
//! It does not know what has these names.

use std::io;
use std::path::Path;

/// Exchanges two names; false if the system or the file system cannot.
///
/// # Errors
/// If it can, and refuses: `NotFound` if one of the names does not exist.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(crate) fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP | Errno::XDEV) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(crate) fn exchange(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}
