//! Follows the pointers of callers: texts, arrays, handles, places for results; and keeps panics
//! from leaving the library.
//!
//! Every function here is `unsafe` with the contract of `boundary`, as far as it is about its
//! arguments, and checks what can be checked. Invariant: a result does not outlive the call of C
//! that it was made for.
#![allow(unsafe_code)]

use crate::abi::{RobomatonCrawler, RobomatonOptions, RobomatonUsage};
use crate::error::{Failure, RobomatonCode, RobomatonError};
use crate::handle::{Handle, Kind};
use crate::image::{Options, Question};
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::slice;

/// Runs the work of a function. A failure and a panic are a code, and a message if the caller wants
/// one.
///
/// # Safety
/// `error` is null or points to a writable `RobomatonError`.
#[inline]
pub(super) unsafe fn guard(
    error: *mut RobomatonError,
    work: impl FnOnce() -> Result<(), Failure>,
) -> RobomatonCode {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => RobomatonCode::Ok,
        // SAFETY: the caller's promise.
        Ok(Err(failure)) => unsafe { report(error, &failure) },
        Err(panic) => {
            // Its destructor might panic again.
            std::mem::forget(panic);
            let said = "a bug of this library: it panicked, and told standard error why";
            // SAFETY: the caller's promise.
            unsafe { report(error, &Failure::new(RobomatonCode::Internal, said)) }
        }
    }
}

/// Copies a failure to the caller.
///
/// # Safety
/// As for [`guard`].
#[cold]
unsafe fn report(error: *mut RobomatonError, failure: &Failure) -> RobomatonCode {
    if !error.is_null() && error.is_aligned() {
        let message = failure.written();
        // SAFETY: the memory is writable, and no message is longer than the array for it. The parts
        // are written through pointers, since the caller's struct may be uninitialized.
        unsafe {
            (&raw mut (*error).code).write(failure.code);
            (&raw mut (*error).rule).write(failure.rule);
            (&raw mut (*error).index).write(failure.index);
            let to = (&raw mut (*error).message).cast::<u8>();
            to.copy_from_nonoverlapping(message.as_ptr(), message.len());
        }
    }
    failure.code
}

#[cold]
pub(super) fn null(name: &str) -> Failure {
    Failure::new(RobomatonCode::Null, format!("{name}: is null"))
}

/// Memory of the caller for a result.
///
/// # Safety
/// It is null, or writable and used by nobody else while the result of this function lives.
#[inline]
pub(super) unsafe fn output<'a, T>(name: &str, to: *mut T) -> Result<&'a mut MaybeUninit<T>, Failure> {
    if to.is_null() {
        return Err(null(name));
    }
    if !to.is_aligned() {
        return Err(Failure::new(RobomatonCode::InvalidArgument, format!("{name}: is not aligned")));
    }
    // SAFETY: not null, aligned, and the caller promises the rest. It may be uninitialized.
    Ok(unsafe { &mut *to.cast() })
}

/// A text of the caller.
///
/// # Safety
/// It is null, or points to at least `length` bytes, to which nobody writes while the result lives.
#[inline]
pub(super) unsafe fn text<'a>(name: &str, data: *const c_char, length: usize) -> Result<&'a str, Failure> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { items::<u8>(name, data.cast(), length)? };
    if bytes.is_ascii() {
        // SAFETY: ASCII is UTF-8. Nearly all URLs are, and this test takes fewer instructions.
        return Ok(unsafe { str::from_utf8_unchecked(bytes) });
    }
    utf8(name, bytes)
}

/// A text that is not ASCII.
#[cold]
fn utf8<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str, Failure> {
    str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        Failure::new(RobomatonCode::InvalidUtf8, format!("{name}: byte {at} is not UTF-8"))
    })
}

/// An array of the caller.
///
/// # Safety
/// It is null, or points to at least `count` items, to which nobody writes while the result lives.
#[inline]
pub(super) unsafe fn items<'a, T>(name: &str, first: *const T, count: usize) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    if first.is_null() {
        return Err(null(name));
    }
    fits(name, first, count)?;
    // SAFETY: not null, aligned, not larger than the address space, and the caller promises the
    // rest.
    Ok(unsafe { slice::from_raw_parts(first, count) })
}

/// Checks the place and length of an array.
#[inline]
pub(super) fn fits<T>(name: &str, first: *const T, count: usize) -> Result<(), Failure> {
    let bytes = count.checked_mul(size_of::<T>()).filter(|&bytes| isize::try_from(bytes).is_ok());
    if bytes.is_none_or(|bytes| first.addr().checked_add(bytes).is_none()) {
        let said = format!("{name}: a length of {count} is more than the address space");
        return Err(Failure::new(RobomatonCode::WrongSize, said));
    }
    if !first.is_aligned() {
        return Err(Failure::new(RobomatonCode::InvalidArgument, format!("{name}: is not aligned")));
    }
    Ok(())
}

/// The object of a handle.
///
/// # Safety
/// It is null or a live handle of any kind, which stays open while the result lives.
#[inline]
pub(super) unsafe fn object<'a, K: Kind>(handle: *const K) -> Result<&'a K::Object, Failure> {
    let handle = handle.cast::<Handle<K::Object>>();
    // SAFETY: the caller's promise.
    unsafe { check::<K>(handle)? };
    // SAFETY: its mark says that it was made by [`make`] of this kind, and the caller that it
    // lives.
    Ok(unsafe { &(*handle).object })
}

/// Checks that a handle is of a kind.
///
/// # Safety
/// It is null or a live handle of any kind.
#[inline]
unsafe fn check<K: Kind>(handle: *const Handle<K::Object>) -> Result<(), Failure> {
    if handle.is_null() {
        return Err(null(K::NAME));
    }
    // SAFETY: aligned, and handles of all kinds begin with a mark.
    if handle.is_aligned() && unsafe { (&raw const (*handle).mark).read() } == K::MARK {
        return Ok(());
    }
    Err(Failure::new(RobomatonCode::BadHandle, format!("not an open {}", K::NAME)))
}

/// Makes a handle and stores it for the caller; null, if making the object fails.
///
/// # Safety
/// As for [`output`].
pub(super) unsafe fn make<K: Kind>(
    to: *mut *mut K,
    object: impl FnOnce() -> Result<K::Object, Failure>,
) -> Result<(), Failure> {
    // SAFETY: the caller's promise.
    let to = unsafe { output("the place for the handle", to)? };
    to.write(std::ptr::null_mut());
    let handle = Handle { mark: K::MARK, object: object()? };
    to.write(Box::into_raw(Box::new(handle)).cast());
    Ok(())
}

/// Ends a handle and makes it null for the caller.
///
/// # Safety
/// The place is null or has a handle, null or live, which nobody else uses.
pub(super) unsafe fn end<K: Kind>(place: *mut *mut K) -> RobomatonCode {
    let work = || {
        // SAFETY: the caller's promise: the place is initialized.
        let place = unsafe { output("the place of the handle", place)?.assume_init_mut() };
        let handle = place.cast::<Handle<K::Object>>();
        if handle.is_null() {
            return Ok(());
        }
        // SAFETY: the caller's promise.
        unsafe { check::<K>(handle)? };
        *place = std::ptr::null_mut();
        // SAFETY: its mark says that [`make`] made it from a box, which nobody else uses. The mark
        // is erased for the case that the address is used again, which the compiler would leave
        // out.
        unsafe {
            (&raw mut (*handle).mark).write_volatile(0);
            drop(Box::from_raw(handle));
        }
        Ok(())
    };
    // SAFETY: there is no place for a message.
    unsafe { guard(std::ptr::null_mut(), work) }
}

/// The options of a caller.
///
/// # Safety
/// It is null or points to as many bytes as its `size` says.
pub(super) unsafe fn options(given: *const RobomatonOptions) -> Result<Options, Failure> {
    if given.is_null() {
        return Options::of(None);
    }
    // SAFETY: every version of the struct begins with its size.
    let size = unsafe { items("options", given.cast::<usize>(), 1)?[0] };
    if size != size_of::<RobomatonOptions>() {
        let said = format!(
            "options: size is {size}, not sizeof(RobomatonOptions), which is {}",
            size_of::<RobomatonOptions>()
        );
        return Err(Failure::new(RobomatonCode::WrongSize, said));
    }
    // SAFETY: aligned as its size is, and as large as it says.
    Options::of(Some(unsafe { given.read() }))
}

/// A path of the caller, ended by a zero byte.
///
/// # Safety
/// It is null, or points to bytes with a zero byte at their end.
pub(super) unsafe fn path(path: *const c_char) -> Result<PathBuf, Failure> {
    if path.is_null() {
        return Err(null("path"));
    }
    // SAFETY: the caller's promise.
    let path = unsafe { CStr::from_ptr(path) };
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Ok(std::ffi::OsStr::from_bytes(path.to_bytes()).into())
    }
    #[cfg(not(unix))]
    match path.to_str() {
        Ok(path) => Ok(path.into()),
        Err(_) => Err(Failure::new(RobomatonCode::InvalidUtf8, "path: is not UTF-8")),
    }
}

/// The parts of a question that were resolved.
///
/// # Safety
/// As for [`object`].
#[inline]
pub(super) unsafe fn question<'a>(
    crawler: *const RobomatonCrawler,
    usage: *const RobomatonUsage,
) -> Result<Question<'a>, Failure> {
    // SAFETY: the caller's promise.
    let crawler = unsafe { object(crawler)? };
    let usage = match usage.is_null() {
        true => None,
        // SAFETY: the caller's promise.
        false => Some(unsafe { object(usage)? }),
    };
    Ok(Question { crawler, usage, document: None })
}

/// An item for the caller, or the failure that there is none.
///
/// # Safety
/// As for [`output`].
pub(super) unsafe fn give<T>(item: Option<T>, to: *mut T) -> Result<(), Failure> {
    // SAFETY: the caller's promise.
    let to = unsafe { output("the place for the item", to)? };
    to.write(item.ok_or(Failure::new(RobomatonCode::OutOfRange, "there is nothing with this index"))?);
    Ok(())
}
