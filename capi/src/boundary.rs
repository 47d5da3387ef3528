//! The functions that C calls. With its part `boundary/pointers.rs`, it is all `unsafe` code of
//! this crate.
//!
//! The two files are one boundary with one contract. They are two because they are read for
//! different reasons, and are 800 lines together: a function here is correct if it passes each
//! pointer to the right check, and a check there if it follows a pointer only after what can be
//! checked holds. Nothing else may call `pointers`, which is private to this file.
//!
//! Each function checks its arguments, calls safe code in a guard that no panic leaves, and copies
//! the result. All share one contract, which `robomaton.h` states at its top and each function's
//! `# Safety` refers to:
//!
//! * A pointer is null, or points to what its type says, for the time of the call: an input to
//!   memory that nobody writes to, an output to memory that nobody else uses.
//! * A text or array has at least its stated length.
//! * A handle comes from the function that makes such handles, and was not closed. Null, a handle
//!   of another kind and a handle of another image are errors, not undefined.
//! * No handle is closed while another thread uses it. Otherwise, threads share handles freely.
//! * Nobody writes to the files of a mapped image.
//!
//! Whatever else a caller does is an error code: null pointers, lengths beyond the address space,
//! texts that are not UTF-8, numbers out of their range.
#![allow(unsafe_code)]

mod pointers;

use self::pointers::{end, fits, give, guard, items, make, null, object, output, question, text};
use crate::abi::*;
use crate::error::{Failure, RobomatonCode, RobomatonError};
use crate::image::{Image, Question};
use crate::reasons::Reasons;
use crate::site::Site;
use robomaton_formats::layout::VERSION;
use robomaton_runtime::Image as Runtime;
use std::ffi::{CStr, c_char};

/// The version, for C.
const VERSION_TEXT: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };

/// The version of this library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn robomaton_version() -> *const c_char {
    VERSION_TEXT.as_ptr()
}

/// The version of the image format that this library reads.
#[unsafe(no_mangle)]
pub extern "C" fn robomaton_format_version() -> u32 {
    VERSION
}

/// The name of a decision, as in the JSON of the command; "invalid" for other numbers.
#[unsafe(no_mangle)]
pub extern "C" fn robomaton_decision_name(decision: u8) -> *const c_char {
    RobomatonDecision::name(decision).as_ptr()
}

/// The name of a basis, as in the JSON of the command; "invalid" for other numbers.
#[unsafe(no_mangle)]
pub extern "C" fn robomaton_basis_name(basis: u8) -> *const c_char {
    RobomatonBasis::name(basis).as_ptr()
}

/// The name of an outcome, as in the JSON of the command; "invalid" for other numbers.
#[unsafe(no_mangle)]
pub extern "C" fn robomaton_outcome_name(outcome: u8) -> *const c_char {
    RobomatonOutcome::name(outcome).as_ptr()
}

/// Opens an image: a file, a directory of shards, or a stack of layers, which is a directory with a
/// manifest. Header and section table are checked here, the contents by `robomaton_image_verify`.
/// `options` may be null.
///
/// A small image is copied into memory; what happens to its files later makes no difference. A
/// large one is mapped: nobody may write to its files. To replace one, rename another file over it.
/// Before a question, and after a batch or a verification too, the lengths and modification times
/// of mapped files are compared with those at the opening, unless that was done in the last 20
/// microseconds. If they differ, the code is `ROBOMATON_CODE_MODIFIED`. A question that runs during
/// a write, or begins less than 20 microseconds after it, may be answered from the new bytes; if a
/// file is cut short, such a question may end the process, as it does for every program that maps
/// files.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_image_open(
    path: *const c_char,
    options: *const RobomatonOptions,
    image: *mut *mut RobomatonImage,
    error: *mut RobomatonError,
) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe {
        guard(error, || {
            make(image, || {
                let (path, options) = (pointers::path(path)?, pointers::options(options)?);
                // The promise not to write to the files is in the contract of this function.
                let (runtime, watch) = Runtime::read_or_watch(options.map_above, path)?;
                Ok(Image::new(runtime, watch, options))
            })
        })
    }
}

/// Opens an image of one file that is in memory already; the bytes are copied. `options` may be
/// null.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_image_copy(
    bytes: *const u8,
    length: usize,
    options: *const RobomatonOptions,
    image: *mut *mut RobomatonImage,
    error: *mut RobomatonError,
) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe {
        guard(error, || {
            make(image, || {
                let (bytes, options) = (items("bytes", bytes, length)?, pointers::options(options)?);
                Ok(Image::new(Runtime::copy(bytes)?, None, options))
            })
        })
    }
}

/// Closes an image and makes `*image` null. Crawlers, usages, reasons and sites of it may be freed
/// later. Null is fine.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_image_close(image: *mut *mut RobomatonImage) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe { end(image) }
}

/// Checks the image against all rules of its format, in time linear in its size; with `texts` 1 the
/// stored texts, too.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_image_verify(
    image: *const RobomatonImage,
    texts: u8,
    error: *mut RobomatonError,
) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe {
        guard(error, || match texts {
            0 | 1 => object(image)?.verify(texts == 1),
            _ => Err(Failure::new(RobomatonCode::InvalidArgument, "texts: must be 0 or 1")),
        })
    }
}

/// Resolves a crawler by its names, best first: the first name that a file has a group for decides
/// which group applies. A name is a product token (`GPTBot`), several separated by commas, a whole
/// `User-Agent` header, or `*` for any crawler. `flags` is 0 or `ROBOMATON_NAMED_ONLY`. Resolve
/// once and ask often.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_crawler_new(
    image: *const RobomatonImage,
    names: *const RobomatonString,
    count: usize,
    flags: u32,
    crawler: *mut *mut RobomatonCrawler,
    error: *mut RobomatonError,
) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe {
        guard(error, || {
            make(crawler, || {
                let names = items("names", names, count)?;
                let names: Vec<&str> = names
                    .iter()
                    .map(|name| text("name", name.data, name.length))
                    .collect::<Result<_, _>>()?;
                object(image)?.crawler(&names, flags)
            })
        })
    }
}

/// Frees a crawler and makes `*crawler` null. Null is fine.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_crawler_free(crawler: *mut *mut RobomatonCrawler) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe { end(crawler) }
}

/// Resolves a usage by its name, such as `crawl`, `index` or `ai-train`, or by a label of a
/// language, such as `train-ai`. A name that neither a vocabulary nor the image has may be
/// misspelt: `ROBOMATON_CODE_UNKNOWN_USAGE`. The purpose may be null.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_usage_new(
    image: *const RobomatonImage,
    name: *const c_char,
    name_length: usize,
    purpose: *const c_char,
    purpose_length: usize,
    usage: *mut *mut RobomatonUsage,
    error: *mut RobomatonError,
) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe {
        guard(error, || {
            make(usage, || {
                let name = text("name", name, name_length)?;
                let given = text("purpose", purpose, purpose_length)?;
                object(image)?.usage(name, (!purpose.is_null()).then_some(given))
            })
        })
    }
}

/// Frees a usage and makes `*usage` null. Null is fine.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_usage_free(usage: *mut *mut RobomatonUsage) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe { end(usage) }
}

/// May this crawler use this absolute URL in this way? A null `usage` is crawling. A site that the
/// image does not have, and a text that is no URL, are `ROBOMATON_DECISION_UNKNOWN`.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_decide(
    image: *const RobomatonImage,
    crawler: *const RobomatonCrawler,
    usage: *const RobomatonUsage,
    url: *const c_char,
    url_length: usize,
    verdict: *mut RobomatonVerdict,
    error: *mut RobomatonError,
) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe {
        guard(error, || {
            let (image, question, url) =
                (object(image)?, question(crawler, usage)?, text("url", url, url_length)?);
            let verdict = output("verdict", verdict)?;
            verdict.write(image.decide(question, url, RobomatonVerdict::from)?);
            Ok(())
        })
    }
}

/// The same, by another document of the site, such as `data.txt`. If the image does not have the
/// document, robots.txt does not answer in its place.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_decide_document(
    image: *const RobomatonImage,
    crawler: *const RobomatonCrawler,
    usage: *const RobomatonUsage,
    document: *const c_char,
    document_length: usize,
    url: *const c_char,
    url_length: usize,
    verdict: *mut RobomatonVerdict,
    error: *mut RobomatonError,
) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe {
        guard(error, || {
            let (image, question, url) =
                (object(image)?, question(crawler, usage)?, text("url", url, url_length)?);
            let document = Some(text("document", document, document_length)?);
            let verdict = output("verdict", verdict)?;
            verdict.write(image.decide(Question { document, ..question }, url, RobomatonVerdict::from)?);
            Ok(())
        })
    }
}

/// Decides about many URLs, `verdicts[i]` about `urls[i]`; of a large image faster than one by one.
/// If the code is `ROBOMATON_CODE_INVALID_UTF8`, or another one about a URL, `error.index` is the
/// index of that URL, the verdicts before it hold, and no others are written. After
/// `ROBOMATON_CODE_MODIFIED` any of them may be written, and none holds.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_decide_many(
    image: *const RobomatonImage,
    crawler: *const RobomatonCrawler,
    usage: *const RobomatonUsage,
    urls: *const RobomatonString,
    count: usize,
    verdicts: *mut RobomatonVerdict,
    error: *mut RobomatonError,
) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe {
        guard(error, || {
            let (image, question) = (object(image)?, question(crawler, usage)?);
            let urls = items("urls", urls, count)?;
            if count > 0 && verdicts.is_null() {
                return Err(null("verdicts"));
            }
            fits("verdicts", verdicts, count)?;
            let texts = urls.iter().enumerate().map(|(index, url)| {
                text("url", url.data, url.length).map_err(|failure| Failure { index, ..failure })
            });
            let mut to = verdicts;
            image.decide_many(question, texts, |verdict| {
                // There are at most as many verdicts as URLs.
                to.write(verdict.into());
                to = to.add(1);
            })
        })
    }
}

/// The reasons of an answer: its deciding rules, statements and conditions. A null `usage` is
/// crawling; a null `document` is robots.txt.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_reasons_new(
    image: *const RobomatonImage,
    crawler: *const RobomatonCrawler,
    usage: *const RobomatonUsage,
    document: *const c_char,
    document_length: usize,
    url: *const c_char,
    url_length: usize,
    reasons: *mut *mut RobomatonReasons,
    error: *mut RobomatonError,
) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe {
        guard(error, || {
            make(reasons, || {
                let (image, question) = (object(image)?, question(crawler, usage)?);
                let name = text("document", document, document_length)?;
                let document = (!document.is_null()).then_some(name);
                let url = text("url", url, url_length)?;
                image.decide(Question { document, ..question }, url, Reasons::new)
            })
        })
    }
}

/// Frees reasons and makes `*reasons` null. Null is fine.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_reasons_free(reasons: *mut *mut RobomatonReasons) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe { end(reasons) }
}

/// The verdict that these are the reasons of.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_reasons_verdict(
    reasons: *const RobomatonReasons,
    verdict: *mut RobomatonVerdict,
    error: *mut RobomatonError,
) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe {
        guard(error, || {
            let verdict = output("verdict", verdict)?;
            verdict.write(object(reasons)?.verdict);
            Ok(())
        })
    }
}

/// A deciding rule by its index, in file order; `ROBOMATON_CODE_OUT_OF_RANGE` behind the last one.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_reasons_rule(
    reasons: *const RobomatonReasons,
    index: usize,
    rule: *mut RobomatonRule,
    error: *mut RobomatonError,
) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe { guard(error, || give(object(reasons)?.rule(index), rule)) }
}

/// A statement about the usage by its index, those that decide first; `ROBOMATON_CODE_OUT_OF_RANGE`
/// behind the last one.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_reasons_statement(
    reasons: *const RobomatonReasons,
    index: usize,
    statement: *mut RobomatonStatement,
    error: *mut RobomatonError,
) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe { guard(error, || give(object(reasons)?.statement(index), statement)) }
}

/// A condition of a conditional permission by its index; all of them must be met.
/// `ROBOMATON_CODE_OUT_OF_RANGE` behind the last one. The string lives as long as the reasons.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_reasons_condition(
    reasons: *const RobomatonReasons,
    index: usize,
    condition: *mut RobomatonString,
    error: *mut RobomatonError,
) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe { guard(error, || give(object(reasons)?.condition(index), condition)) }
}

/// The site of an absolute URL; `ROBOMATON_CODE_NO_SITE` if the image does not have it. The crawl
/// delay is that for the crawler.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_site_new(
    image: *const RobomatonImage,
    crawler: *const RobomatonCrawler,
    url: *const c_char,
    url_length: usize,
    site: *mut *mut RobomatonSite,
    error: *mut RobomatonError,
) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe {
        guard(error, || {
            make(site, || {
                let (image, url) = (object(image)?, text("url", url, url_length)?);
                let crawler = image.own(object(crawler)?)?;
                match image.runtime()?.site(url) {
                    Some(site) => Ok(Site::new(&site, crawler)),
                    None => Err(Failure::new(RobomatonCode::NoSite, "the image does not have the site")),
                }
            })
        })
    }
}

/// Frees a site and makes `*site` null. Null is fine.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_site_free(site: *mut *mut RobomatonSite) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe { end(site) }
}

/// The facts about a site.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_site_facts(
    site: *const RobomatonSite,
    facts: *mut RobomatonSiteFacts,
    error: *mut RobomatonError,
) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe {
        guard(error, || {
            let facts = output("facts", facts)?;
            facts.write(object(site)?.facts);
            Ok(())
        })
    }
}

/// The URL of a sitemap by its index, in file order; `ROBOMATON_CODE_OUT_OF_RANGE` behind the last
/// one. The string lives as long as the site.
///
/// # Safety
/// The contract at the top.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robomaton_site_sitemap(
    site: *const RobomatonSite,
    index: usize,
    sitemap: *mut RobomatonString,
    error: *mut RobomatonError,
) -> RobomatonCode {
    // SAFETY: the contract of this file, for every pointer.
    unsafe { guard(error, || give(object(site)?.sitemap(index), sitemap)) }
}
