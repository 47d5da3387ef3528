//! An open image, as JavaScript sees it.
//!
//! Invariants: a small image is a copy in memory, which nobody else can modify; a large one is
//! mapped, and it is an error, not a crash, that its file was modified after it was opened. A
//! question keeps the image open to its end, even if JavaScript that runs meanwhile closes it.

use crate::VERDICTS;
use crate::arguments::{Names, Options, strings};
use crate::crawler::Crawler;
use crate::error::{Result, argument, closed, damaged, modified, other, unopened};
use napi::Env;
use napi::bindgen_prelude::{Array, Function, JsObjectValue, Object, Uint8Array, Unknown};
use napi_derive::napi;
use robomaton_explain::{AnswerJson, Query, QuestionJson, SiteInfo, check_usage, decide, explain, time};
use robomaton_formats::site::DATA_TXT;
use robomaton_runtime::{Decision, Image as Runtime, Question, Terms, Usage, Watch};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The default of `mapAbove`, as of the command: images of up to this many bytes are copied.
const MAP_ABOVE: u64 = 64 << 20;

/// The number of usages that an image keeps resolved.
const USAGES: usize = 256;

/// The number of images opened so far, for [`Open::number`].
static OPENED: AtomicU64 = AtomicU64::new(0);

/// An image.
#[napi]
pub struct Image {
    /// Empty if it is closed.
    open: RefCell<Option<Rc<Open>>>,
    path: String,
}

/// An open image, at a time: the one that was given, or a second of the clock.
struct Open {
    image: Runtime,
    opened: Rc<Opened>,
}

/// What an open image has at all times.
struct Opened {
    /// True if the time of all questions was given.
    is_timed: bool,
    /// Watches the files of a mapped image.
    watch: Option<Watch>,
    /// No other image of the process has it.
    number: u64,
    usages: RefCell<HashMap<String, Usage<'static>>>,
}

/// An answer.
#[napi(object, object_from_js = false)]
pub struct Verdict {
    /// The answer to act on.
    pub verdict: &'static str,
    /// The decision of what was read.
    pub decision: &'static str,
    /// True if the crawler may go ahead without conditions.
    pub allowed: bool,
    /// True if a file, page or statement was not read, so that more may be refused.
    pub incomplete: bool,
    /// The basis of the decision.
    pub basis: &'static str,
}

/// Opens an image: copies one of up to `map_above` bytes, and maps a larger one.
fn open_image(path: &str, map_above: u64) -> Result<(Runtime, Option<Watch>)> {
    // SAFETY: the documentation requires that large images are replaced by rename, as `compile` and
    // `merge` do; the watch ends the use of one that was modified nevertheless.
    #[allow(unsafe_code)]
    let opened = unsafe { Runtime::read_or_watch(map_above, path) };
    opened.map_err(|error| unopened(&error))
}

/// A usage, a purpose and a document, as given.
struct Use {
    usage: Option<String>,
    purpose: Option<String>,
    document: Option<String>,
}

impl Use {
    fn of(usage: Option<String>, options: Option<Object<'_>>) -> Result<Use> {
        let options = Options::of(options, &["purpose", "document"])?;
        let document: Option<String> = options.get("document")?;
        let document = match document.as_deref() {
            None | Some("robots.txt") => None,
            Some(DATA_TXT) => document,
            Some(unknown) => {
                let said = format!("expected 'robots.txt' or '{DATA_TXT}', not {unknown:?}");
                return Err(argument("document", said));
            }
        };
        Ok(Use { usage, purpose: options.get("purpose")?, document })
    }

    /// The name of the usage, as in answers.
    fn name(&self) -> &str {
        self.usage.as_deref().unwrap_or("crawl")
    }
}

impl Open {
    /// The same image at the time of the clock, unless it has the time that its questions are to
    /// have. The bytes are shared.
    fn at_the_clock(&self) -> Option<Open> {
        let now = Some(time::now());
        let terms = self.image.terms();
        if self.opened.is_timed || terms.now == now {
            return None;
        }
        let terms = Terms { now, ..terms.clone() };
        Some(Open { image: self.image.clone().with_terms(terms), opened: Rc::clone(&self.opened) })
    }

    /// The usage with this name.
    ///
    /// # Errors
    /// If neither a vocabulary nor the image has it.
    fn usage(&self, name: Option<&str>) -> Result<Usage<'static>> {
        let Some(name) = name else { return Ok(Usage::CRAWL) };
        let mut usages = self.opened.usages.borrow_mut();
        if let Some(usage) = usages.get(name) {
            return Ok(*usage);
        }
        check_usage(&self.image, name).map_err(|error| argument("usage", error))?;
        if usages.len() >= USAGES {
            usages.clear();
        }
        let usage = self.image.usage(name);
        usages.insert(name.to_owned(), usage);
        Ok(usage)
    }

    /// Resolves a usage for a purpose.
    fn resolve<'u>(&self, to: &'u Use) -> Result<Usage<'u>> {
        let usage = self.usage(to.usage.as_deref())?;
        Ok(to.purpose.as_deref().map_or(usage, |purpose| usage.for_purpose(purpose)))
    }

    /// Rejects a crawler of another image.
    fn check(&self, crawler: &Crawler) -> Result<()> {
        if crawler.image == self.opened.number {
            return Ok(());
        }
        Err(argument("crawler", "was resolved for another image; image.crawler() resolves it for this one"))
    }
}

/// JSON as an object of JavaScript.
fn parsed(env: Env, json: &str) -> Result<Unknown<'static>> {
    let parse = || {
        let global = env.get_global()?;
        let parse: Function<'_, &str, Unknown<'static>> =
            global.get_named_property::<Object<'_>>("JSON")?.get_named_property("parse")?;
        parse.call(json)
    };
    parse().map_err(|error: napi::Error| other(error.reason))
}

/// The code of a decision: its index in [`VERDICTS`].
fn code(decision: Decision) -> u8 {
    let name = decision.name();
    VERDICTS.iter().position(|verdict| *verdict == name).map_or(u8::MAX, |code| code as u8)
}

impl Image {
    /// The open image, at the time of the call unless another one was given.
    ///
    /// # Errors
    /// If it is closed, or was modified.
    fn open(&self) -> Result<Rc<Open>> {
        let open = self.open.borrow().clone().ok_or_else(closed)?;
        if open.opened.watch.as_ref().is_some_and(|watch| !watch.is_unchanged()) {
            return Err(modified(&self.path));
        }
        let Some(newer) = open.at_the_clock() else { return Ok(open) };
        let newer = Rc::new(newer);
        self.open.replace(Some(Rc::clone(&newer)));
        Ok(newer)
    }

    /// The open image, for a question about a crawler.
    ///
    /// # Errors
    /// If it is closed, or was modified, or the crawler belongs to another.
    fn for_crawler(&self, crawler: &Crawler) -> Result<Rc<Open>> {
        let open = self.open()?;
        open.check(crawler)?;
        Ok(open)
    }
}

#[napi]
impl Image {
    /// Opens a file, a directory of shards, or a stack of layers.
    #[napi(factory, js_name = "open")]
    pub fn from_path(path: String, options: Option<Object<'_>>) -> Result<Image> {
        const KNOWN: [&str; 6] =
            ["mapAbove", "onForbidden", "onThrottled", "onLongUnreachable", "elements", "now"];
        let options = Options::of(options, &KNOWN)?;
        let default = Terms::default();
        let now = options.whole("now")?;
        let terms = Terms {
            on_forbidden: options.permission("onForbidden")?.unwrap_or(default.on_forbidden),
            on_throttled: options.permission("onThrottled")?.unwrap_or(default.on_throttled),
            on_long_unreachable: options
                .permission("onLongUnreachable")?
                .unwrap_or(default.on_long_unreachable),
            elements: options.get("elements")?.unwrap_or(false),
            now: Some(now.unwrap_or_else(time::now)),
            ..default
        };
        let (image, watch) = open_image(&path, options.limit("mapAbove")?.unwrap_or(MAP_ABOVE))?;
        let number = OPENED.fetch_add(1, Ordering::Relaxed);
        let opened = Opened { is_timed: now.is_some(), watch, number, usages: RefCell::default() };
        let open = Open { image: image.with_terms(terms), opened: Rc::new(opened) };
        Ok(Image { open: RefCell::new(Some(Rc::new(open))), path })
    }

    /// The path by which it was opened.
    #[napi(getter)]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The profile that it was compiled under.
    #[napi(getter)]
    pub fn profile(&self) -> Result<&'static str> {
        Ok(self.open()?.image.profile().name())
    }

    /// The size of its files in bytes.
    #[napi(getter)]
    pub fn byte_length(&self) -> Result<f64> {
        Ok(self.open()?.image.bytes() as f64)
    }

    /// The number of sites and of other documents.
    #[napi(getter)]
    pub fn size(&self) -> Result<f64> {
        Ok(self.open()?.image.len() as f64)
    }

    /// True if it is closed.
    #[napi(getter)]
    pub fn closed(&self) -> bool {
        self.open.borrow().is_none()
    }

    /// Closes it, and frees its memory. Closing it twice makes no difference.
    #[napi]
    pub fn close(&self) {
        self.open.replace(None);
    }

    /// Checks the whole image against the rules of its format.
    #[napi]
    pub fn verify(&self, options: Option<Object<'_>>) -> Result<()> {
        let texts = Options::of(options, &["texts"])?.get("texts")?.unwrap_or(false);
        let open = self.open()?;
        let verified = if texts { open.image.verify_with_texts() } else { open.image.verify() };
        // Bytes that were written meanwhile are no damage of the image.
        self.open()?;
        verified.map_err(|error| damaged(&self.path, &error))
    }

    /// Resolves a crawler.
    #[napi]
    pub fn crawler(&self, names: Names<'_>, options: Option<Object<'_>>) -> Result<Crawler> {
        let named_only = Options::of(options, &["namedOnly"])?.get("namedOnly")?.unwrap_or(false);
        let open = self.open()?;
        Crawler::of(&open.image, open.opened.number, &names, named_only)
    }

    /// True if the crawler may go ahead without conditions.
    #[napi]
    pub fn is_allowed(
        &self,
        url: String,
        crawler: &Crawler,
        usage: Option<String>,
        options: Option<Object<'_>>,
    ) -> Result<bool> {
        let to = Use::of(usage, options)?;
        let open = self.for_crawler(crawler)?;
        let usage = open.resolve(&to)?;
        Ok(decide(&open.image, to.document.as_deref(), &crawler.resolved, usage, &url).is_allowed())
    }

    /// The verdict about one URL.
    #[napi]
    pub fn decide(
        &self,
        url: String,
        crawler: &Crawler,
        usage: Option<String>,
        options: Option<Object<'_>>,
    ) -> Result<Verdict> {
        let to = Use::of(usage, options)?;
        let open = self.for_crawler(crawler)?;
        let usage = open.resolve(&to)?;
        let verdict = decide(&open.image, to.document.as_deref(), &crawler.resolved, usage, &url);
        Ok(Verdict {
            verdict: verdict.safe_decision().name(),
            decision: verdict.decision().name(),
            allowed: verdict.is_allowed(),
            incomplete: verdict.is_incomplete(),
            basis: verdict.basis().name(),
        })
    }

    /// The codes of the verdicts about many URLs.
    #[napi]
    pub fn decide_many(
        &self,
        urls: Array<'_>,
        crawler: &Crawler,
        usage: Option<String>,
        options: Option<Object<'_>>,
    ) -> Result<Uint8Array> {
        let to = Use::of(usage, options)?;
        let open = self.for_crawler(crawler)?;
        let usage = open.resolve(&to)?;
        // Reading the array may run JavaScript, and that may write to the file.
        let urls = strings(&urls, "urls")?;
        let crawler = &crawler.resolved;
        self.open()?;
        let mut codes = Vec::with_capacity(urls.len());
        match to.document.as_deref() {
            None => {
                let questions = urls.iter().map(|url| Question { crawler, usage, url });
                open.image.decide_batch(questions, |verdict| codes.push(code(verdict.safe_decision())));
            }
            document => codes.extend(
                urls.iter()
                    .map(|url| code(decide(&open.image, document, crawler, usage, url).safe_decision())),
            ),
        }
        // A batch may last.
        self.open()?;
        Ok(Uint8Array::new(codes))
    }

    /// The answer to one question as `robomaton query --json` prints it.
    #[napi]
    pub fn answer(
        &self,
        env: Env,
        url: String,
        crawler: &Crawler,
        usage: Option<String>,
        options: Option<Object<'_>>,
    ) -> Result<Unknown<'static>> {
        let to = Use::of(usage, options)?;
        let open = self.for_crawler(crawler)?;
        let usage = open.resolve(&to)?;
        let verdict = decide(&open.image, to.document.as_deref(), &crawler.resolved, usage, &url);
        let (agent, purpose) = (crawler.agent.as_str(), to.purpose.as_deref());
        let question = QuestionJson { url: &url, agent, usage: to.name(), purpose };
        let json = serde_json::to_string(&AnswerJson::new(question, &verdict)).map_err(other)?;
        parsed(env, &json)
    }

    /// The explanation: the text of `robomaton explain`.
    #[napi]
    pub fn explain(
        &self,
        url: String,
        crawler: &Crawler,
        usage: Option<String>,
        options: Option<Object<'_>>,
    ) -> Result<String> {
        let to = Use::of(usage, options)?;
        let open = self.for_crawler(crawler)?;
        open.resolve(&to)?;
        let query = Query {
            agents: crawler.resolved.given().to_vec(),
            usage: to.name().to_owned(),
            purpose: to.purpose.clone(),
            elements: open.image.terms().elements,
            named_only: crawler.resolved.is_named_only(),
        };
        let explanation = explain(&open.image, &query, to.document.as_deref(), &url).map_err(other)?;
        let mut text = Vec::new();
        explanation.write(&mut text).map_err(other)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// The site of a URL or host, as `robomaton inspect --site --json` prints it.
    #[napi]
    pub fn site(&self, env: Env, url: String) -> Result<Option<Unknown<'static>>> {
        let open = self.open()?;
        let now = open.image.terms().now.unwrap_or_else(time::now);
        let Some(site) = SiteInfo::find(&open.image, &url, now) else { return Ok(None) };
        let json = serde_json::to_string(&site).map_err(other)?;
        parsed(env, &json).map(Some)
    }

    /// The seconds between fetches that the site of a URL requests from the crawler.
    #[napi]
    pub fn crawl_delay(&self, url: String, crawler: &Crawler) -> Result<Option<f64>> {
        let open = self.for_crawler(crawler)?;
        Ok(open.image.site(&url).and_then(|site| site.crawl_delay(&crawler.resolved)))
    }

    /// The URLs of the sitemaps of the site of a URL, in file order.
    #[napi]
    pub fn sitemaps(&self, url: String) -> Result<Vec<String>> {
        Ok(self.open()?.image.site(&url).map(|site| site.sitemaps()).unwrap_or_default())
    }
}
