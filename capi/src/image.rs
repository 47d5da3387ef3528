//! An open image, its crawlers and usages, and its answers.
//!
//! `boundary` has checked pointers and texts before it calls these functions. Invariant: a question
//! to an image whose files were modified, or about a crawler of another image, is a failure.

use crate::abi::{ROBOMATON_NAMED_ONLY, ROBOMATON_NO_TIME, RobomatonOptions};
use crate::error::{Failure, RobomatonCode, modified};
use robomaton_formats::vocabulary::check_usage;
use robomaton_runtime::{Crawler, Decision, Image as Runtime, Terms, Usage, Verdict, Watch};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The default of `map_above`, as of the command.
const MAP_ABOVE: u64 = 64 << 20;

/// An open image.
pub(crate) struct Image {
    image: Runtime,
    /// Watches the files of a mapped image.
    watch: Option<Watch>,
    origin: Origin,
}

/// The image from which an object comes. While the object lives, no other image has an equal one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin(Arc<u8>);

impl PartialEq for Origin {
    #[inline]
    fn eq(&self, other: &Origin) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Something that was resolved for one image.
pub(crate) struct Resolved<T> {
    of: T,
    origin: Origin,
}

/// A usage, with its purpose.
pub(crate) struct OwnedUsage {
    pub(crate) usage: Usage<'static>,
    pub(crate) purpose: Option<String>,
}

/// The parts of a question that were resolved.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) crawler: &'a Resolved<Crawler>,
    /// Without one, the question is about crawling.
    pub(crate) usage: Option<&'a Resolved<OwnedUsage>>,
    /// Without one, robots.txt answers.
    pub(crate) document: Option<&'a str>,
}

/// The options, with defaults in place of zeros.
pub(crate) struct Options {
    pub(crate) map_above: u64,
    terms: Terms,
}

impl Options {
    /// Checks the options.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub(crate) fn of(given: Option<RobomatonOptions>) -> Result<Options, Failure> {
        let given = given.unwrap_or(RobomatonOptions {
            size: size_of::<RobomatonOptions>(),
            map_above: 0,
            now: 0,
            deny_forbidden: 0,
            deny_throttled: 0,
            allow_long_unreachable: 0,
            elements: 0,
        });
        let (allow, deny) = (Decision::Allowed, Decision::Disallowed);
        let terms = Terms {
            on_forbidden: if flag("deny_forbidden", given.deny_forbidden)? { deny } else { allow },
            on_throttled: if flag("deny_throttled", given.deny_throttled)? { deny } else { allow },
            on_long_unreachable: match flag("allow_long_unreachable", given.allow_long_unreachable)? {
                true => allow,
                false => deny,
            },
            elements: flag("elements", given.elements)?,
            now: match given.now {
                0 => SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs()),
                ROBOMATON_NO_TIME => None,
                now => Some(now),
            },
            ..Terms::default()
        };
        Ok(Options { map_above: if given.map_above == 0 { MAP_ABOVE } else { given.map_above }, terms })
    }
}

/// A number that says yes or no.
fn flag(name: &str, number: u8) -> Result<bool, Failure> {
    match number {
        0 => Ok(false),
        1 => Ok(true),
        _ => {
            Err(Failure::new(RobomatonCode::InvalidArgument, format!("{name}: must be 0 or 1, not {number}")))
        }
    }
}

#[cold]
fn foreign(of: &str) -> Failure {
    Failure::new(RobomatonCode::Foreign, format!("the {of} was resolved for another image"))
}

impl Image {
    /// An image that was opened.
    pub(crate) fn new(image: Runtime, watch: Option<Watch>, options: Options) -> Image {
        Image { image: image.with_terms(options.terms), watch, origin: Origin::default() }
    }

    /// The image, for a question.
    ///
    /// # Errors
    /// If its files were modified.
    #[inline]
    pub(crate) fn runtime(&self) -> Result<&Runtime, Failure> {
        self.check()?;
        Ok(&self.image)
    }

    #[inline]
    fn check(&self) -> Result<(), Failure> {
        match &self.watch {
            Some(watch) if !watch.is_unchanged() => Err(modified()),
            _ => Ok(()),
        }
    }

    /// Resolves a crawler by its names, best first.
    ///
    /// # Errors
    /// If there are no names, or one names no crawler.
    pub(crate) fn crawler(&self, names: &[&str], flags: u32) -> Result<Resolved<Crawler>, Failure> {
        if flags & !ROBOMATON_NAMED_ONLY != 0 {
            return Err(Failure::new(
                RobomatonCode::InvalidArgument,
                format!("flags: {flags:#x} is no flag"),
            ));
        }
        if names.is_empty() {
            let said = "without names there is no crawler; `*` means any crawler";
            return Err(Failure::new(RobomatonCode::NoCrawler, said));
        }
        let image = self.runtime()?;
        let rule = image.profile().agent_rule();
        for name in names {
            rule.crawler_names(name)?;
        }
        let of = image.crawler(names).named_only(flags & ROBOMATON_NAMED_ONLY != 0);
        Ok(Resolved { of, origin: self.origin.clone() })
    }

    /// Resolves a usage by its name.
    ///
    /// # Errors
    /// If the name may be misspelt, or the image was modified.
    pub(crate) fn usage(&self, name: &str, purpose: Option<&str>) -> Result<Resolved<OwnedUsage>, Failure> {
        let image = self.runtime()?;
        check_usage(name, image.usages())?;
        let of = OwnedUsage { usage: image.usage(name), purpose: purpose.map(str::to_owned) };
        Ok(Resolved { of, origin: self.origin.clone() })
    }

    /// The crawler of a handle.
    ///
    /// # Errors
    /// If it was resolved for another image.
    #[inline]
    pub(crate) fn own<'a>(&self, crawler: &'a Resolved<Crawler>) -> Result<&'a Crawler, Failure> {
        if crawler.origin == self.origin { Ok(&crawler.of) } else { Err(foreign("crawler")) }
    }

    /// The usage of a question.
    #[inline]
    fn usage_of<'a>(&self, usage: Option<&'a Resolved<OwnedUsage>>) -> Result<Usage<'a>, Failure> {
        match usage {
            None => Ok(Usage::CRAWL),
            Some(usage) if usage.origin != self.origin => Err(foreign("usage")),
            Some(Resolved { of: OwnedUsage { usage, purpose: None }, .. }) => Ok(*usage),
            Some(Resolved { of: OwnedUsage { usage, purpose: Some(purpose) }, .. }) => {
                Ok(usage.for_purpose(purpose))
            }
        }
    }

    /// Decides one question, and makes of the verdict what the caller wants: a verdict is larger
    /// than the parts of it that most callers look at.
    ///
    /// # Errors
    /// If a handle is of another image, or the image was modified.
    #[inline(always)]
    pub(crate) fn decide<'a, T>(
        &'a self,
        question: Question<'a>,
        url: &'a str,
        of: impl FnOnce(Verdict<'a>) -> T,
    ) -> Result<T, Failure> {
        let image = self.runtime()?;
        let (crawler, usage) = (self.own(question.crawler)?, self.usage_of(question.usage)?);
        match question.document {
            None => Ok(of(image.decide(crawler, usage, url))),
            Some(name) => Ok(of(image.decide_document(name, crawler, usage, url))),
        }
    }

    /// Decides about many URLs, up to the first one that is a failure; that failure is returned.
    ///
    /// # Errors
    /// As for [`Image::decide`], and the first failure of a URL.
    pub(crate) fn decide_many<'a>(
        &'a self,
        question: Question<'a>,
        urls: impl Iterator<Item = Result<&'a str, Failure>>,
        each: impl FnMut(Verdict<'a>),
    ) -> Result<(), Failure> {
        let image = self.runtime()?;
        let (crawler, usage) = (self.own(question.crawler)?, self.usage_of(question.usage)?);
        let mut failed = None;
        let questions = urls.map_while(|url| match url {
            Ok(url) => Some(robomaton_runtime::Question { crawler, usage, url }),
            Err(failure) => {
                failed = Some(failure);
                None
            }
        });
        // A block of questions is taken whole, so the iterator is asked again after its end.
        image.decide_batch(questions.fuse(), each);
        // A batch may last.
        self.check()?;
        failed.map_or(Ok(()), Err)
    }

    /// Checks the image against all rules of its format.
    ///
    /// # Errors
    /// The first broken rule.
    pub(crate) fn verify(&self, texts: bool) -> Result<(), Failure> {
        let image = self.runtime()?;
        let verified = if texts { image.verify_with_texts() } else { image.verify() };
        // Bytes that were written meanwhile are no damage of the image.
        self.check()?;
        Ok(verified?)
    }
}
