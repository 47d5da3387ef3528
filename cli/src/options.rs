//! Options shared by several subcommands: output, profile and limits, terms, query, referenced
//! files.
//!
//! They turn arguments into the options of the crates below. Only the files of `--with` are read
//! here.

use crate::failure::Failure;
use crate::input::{LONGEST_PAGE, open_layers, read_text};
use crate::output::remark;
use crate::signals::watch;
use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use robomaton_build::{Destination, check_inputs, check_kind, whole};
use robomaton_compiler::{Limits, MAX_GROUPS, Options};
use robomaton_explain::{
    Origin, Query, SiteFiles, check_usage, crawler_names, for_purpose, name_remark, names, time, url_mistake,
};
use robomaton_formats::program::MAX_STEPS;
use robomaton_formats::site::absolute_url;
use robomaton_formats::vocabulary::{ControlToken, optional_tables};
use robomaton_runtime::{Crawler, Decision, Image, Profile, Terms, Usage};
use std::num::NonZero;
use std::path::{Path, PathBuf};

/// The destination of an image.
#[derive(Args)]
pub(crate) struct DestinationArgs {
    /// Image to write
    #[arg(short, long, value_name = "IMAGE")]
    output: PathBuf,
    /// Write N files, 1 to 255, to the directory IMAGE, which every command opens as one image
    #[arg(long, value_name = "N", value_parser = shards())]
    shards: Option<NonZero<u8>>,
    #[command(flatten)]
    force: ForceArgs,
}

fn shards() -> impl TypedValueParser<Value = NonZero<u8>> {
    RangedU64ValueParser::<u8>::new().range(1..=u64::from(u8::MAX)).try_map(NonZero::try_from)
}

impl DestinationArgs {
    /// Checks that it can be written.
    pub(crate) fn open(&self) -> Result<Destination, Failure> {
        watch()?;
        let open = if self.force.force { Destination::open_forced } else { Destination::open };
        Ok(open(&self.output, self.shards)?)
    }
}

/// The most threads of a command. More cost more time to start than they save.
const MOST_THREADS: u64 = 256;

/// The number of threads of a command.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ThreadsArgs {
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        value_parser = RangedU64ValueParser::<usize>::new().range(0..=MOST_THREADS),
        help = format!("Number of threads, at most {MOST_THREADS}; 0 for one per core"),
    )]
    pub(crate) threads: usize,
}

/// The permission for an output to replace any file.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ForceArgs {
    /// Replace the output even if it is one of the inputs, or was not written by this command
    #[arg(long)]
    force: bool,
}

impl ForceArgs {
    /// Refuses an output that is one of the inputs, or a file of another kind.
    pub(crate) fn check(
        self,
        output: &Path,
        inputs: &[PathBuf],
        kind: &str,
        is_kind: impl FnOnce(&[u8], &[u8]) -> bool,
    ) -> Result<(), Failure> {
        if self.force {
            return Ok(());
        }
        check_inputs(output, inputs.iter().map(PathBuf::as_path))?;
        Ok(check_kind(output, kind, is_kind)?)
    }
}

/// The profile and the limits for reading a text.
#[derive(Args, Clone, Debug)]
pub(crate) struct Dialect {
    /// Profile to read texts under
    #[arg(long, default_value = "full", value_parser = profiles())]
    pub(crate) profile: Profile,
    /// Read at most N bytes of a text [default: 512000, or 64 MiB with the profile google]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    max_bytes: Option<usize>,
    /// Maximum number of groups in a text, at most 65536; a text with more is over limit and
    /// disallowed
    #[arg(long, value_name = "N", default_value_t = Limits::default().groups,
        value_parser = RangedU64ValueParser::<usize>::new().range(..=MAX_GROUPS as u64))]
    max_groups: usize,
    /// Maximum number of rules in a text
    #[arg(long, value_name = "N", default_value_t = Limits::default().rules)]
    max_rules: usize,
    /// Maximum number of stars in the rules of a group; the default is also the largest
    #[arg(long, value_name = "N", default_value_t = Limits::default().stars,
        value_parser = RangedU64ValueParser::<usize>::new().range(..=MAX_STEPS as u64))]
    max_stars: usize,
    /// Let a table of labels count that does not by default; may be given several times
    #[arg(long = "vocabulary", value_name = "TABLE", value_parser = tables())]
    vocabulary: Vec<String>,
    /// Read the group of the user-agent NAME as a statement about usages, as those of
    /// Google-Extended are, for some crawlers or all; may be given several times
    #[arg(long = "control-token", value_name = "NAME=USAGE,...[:CRAWLER,...]", value_parser = str::parse::<ControlToken>)]
    tokens: Vec<ControlToken>,
}

fn tables() -> PossibleValuesParser {
    let mut names: Vec<&str> = optional_tables().collect();
    names.sort_unstable();
    names.dedup();
    PossibleValuesParser::new(names)
}

fn profiles() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(Profile::ALL.map(Profile::name)).try_map(|name| name.parse::<Profile>())
}

impl Dialect {
    /// The number of bytes of a text that count.
    pub(crate) fn limit(&self) -> usize {
        self.options().limits.bytes(self.profile)
    }

    /// The compiler's options.
    pub(crate) fn options(&self) -> Options {
        Options {
            profile: self.profile,
            limits: Limits {
                bytes: self.max_bytes,
                groups: self.max_groups,
                rules: self.max_rules,
                stars: self.max_stars,
                ..Limits::default()
            },
            tables: self.vocabulary.clone(),
            tokens: self.tokens.clone(),
            ..Options::default()
        }
    }
}

/// Allow or deny. (Docs on the variants would become help texts.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Permission {
    Allow,
    Deny,
}

impl From<Permission> for Decision {
    fn from(permission: Permission) -> Decision {
        Decision::from(permission == Permission::Allow)
    }
}

impl From<Decision> for Permission {
    fn from(decision: Decision) -> Permission {
        if decision.is_allowed() { Permission::Allow } else { Permission::Deny }
    }
}

/// The images that are opened, and what is done about damaged layers.
#[derive(Args)]
pub(crate) struct LayersArgs {
    /// Leave out the layers of a stack that are missing or damaged, and print which. Their sites
    /// get the answers of older layers. All layers are verified first, which takes longer
    #[arg(long)]
    pub(crate) without_damaged_layers: bool,
}

impl LayersArgs {
    /// Opens an image.
    pub(crate) fn open(&self, path: &Path) -> Result<Image, Failure> {
        open_layers(path, self.without_damaged_layers)
    }

    /// Opens an image to read all of it: of a stack, the merged image.
    pub(crate) fn open_whole(&self, path: &Path) -> Result<Image, Failure> {
        Ok(whole(self.open(path)?, path)?)
    }
}

/// The meaning of outcomes other than rules (R16).
#[derive(Args, Clone, Debug)]
pub(crate) struct TermsArgs {
    /// Answer for sites that responded with 401 or 403
    #[arg(long, value_enum, value_name = "PERMISSION", default_value_t = Terms::default().on_forbidden.into())]
    on_forbidden: Permission,
    /// Answer for sites that responded with 429
    #[arg(long, value_enum, value_name = "PERMISSION", default_value_t = Terms::default().on_throttled.into())]
    on_throttled: Permission,
    #[command(flatten)]
    long_unreachable: LongUnreachableArgs,
}

/// The choice that RFC 9309 leaves to the crawler.
#[derive(Args, Clone, Debug)]
pub(crate) struct LongUnreachableArgs {
    /// Answer for sites that are unreachable for more than 30 days
    #[arg(long, value_enum, value_name = "PERMISSION", default_value_t = Terms::default().on_long_unreachable.into())]
    on_long_unreachable: Permission,
}

impl LongUnreachableArgs {
    pub(crate) fn decision(&self) -> Decision {
        self.on_long_unreachable.into()
    }
}

impl TermsArgs {
    /// The terms at the current time, for a crawler that works on elements of pages or not.
    pub(crate) fn terms(&self, elements: bool) -> Terms {
        Terms {
            elements,
            on_forbidden: self.on_forbidden.into(),
            on_throttled: self.on_throttled.into(),
            on_long_unreachable: self.long_unreachable.decision(),
            now: Some(time::now()),
            ..Terms::default()
        }
    }
}

/// The usage in question.
#[derive(Args, Clone, Debug)]
pub(crate) struct UsageArgs {
    /// Usage to ask about: crawl, index, search, follow, preserve, translate, present,
    /// present-snippet and other special forms, ai-train, ai-input, ai-index, ai-all, tdm, all, a
    /// label such as train-ai, or any other name in a record of the image. Allow and Disallow apply
    /// to crawl, Noindex to index, ACAP records to the usages that they name; Content-Usage,
    /// Content-Signal, RSL, TDMRep, ai.txt, META tags and X-Robots-Tag to the usages of their
    /// vocabularies
    #[arg(long, default_value = "crawl")]
    pub(crate) usage: String,
    /// Purpose of the usage, as in ACAP sub-records and META tags. Conventional records state no
    /// purposes
    #[arg(long)]
    pub(crate) purpose: Option<String>,
    /// The crawler works on single elements of pages: rules about an element do not apply to the
    /// whole page
    #[arg(long)]
    pub(crate) elements: bool,
}

impl UsageArgs {
    /// Rejects a usage that neither a vocabulary nor the image knows.
    pub(crate) fn check<D: AsRef<[u8]>>(&self, image: &Image<D>) -> Result<(), Failure> {
        check_usage(image, &self.usage).map_err(Failure::from_error)
    }

    /// Resolves the usage for an image.
    pub(crate) fn resolve<D: AsRef<[u8]>>(&self, image: &Image<D>) -> Usage<'_> {
        for_purpose(image.usage(&self.usage), self.purpose.as_deref())
    }
}

/// The document of a site that answers.
#[derive(Args, Clone, Debug)]
pub(crate) struct DocumentArgs {
    /// Document of the site that answers
    #[arg(long, value_name = "NAME", default_value = "robots.txt", value_parser = ["robots.txt", "data.txt"])]
    pub(crate) document: String,
}

impl DocumentArgs {
    /// The document, if it is not robots.txt.
    pub(crate) fn other(&self) -> Option<&str> {
        Some(self.document.as_str()).filter(|&name| name != "robots.txt")
    }

    /// The profile of the document in an image of this profile.
    pub(crate) fn profile(&self, image: Profile) -> Profile {
        if self.other().is_some() { Profile::Koster } else { image }
    }
}

/// The restriction to groups that name the crawler.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct NamedArgs {
    /// Ignore default groups (`*`) of robots.txt and ai.txt, as AdsBot-Google does, and what ACAP
    /// in pages says to all crawlers. Headers, other META tags and tdmrep.json count
    #[arg(long)]
    pub(crate) named_only: bool,
}

impl NamedArgs {
    /// Restricts the crawler to these groups.
    pub(crate) fn restrict(self, crawler: Crawler) -> Crawler {
        crawler.named_only(self.named_only)
    }
}

/// The crawler and the usage of a query.
#[derive(Args, Clone, Debug)]
pub(crate) struct QueryArgs {
    /// Name of the crawler, or its whole User-Agent header. Several names (repeated, or separated
    /// by commas) are tried best first: the first one that a site has a group for decides. `*`
    /// means any crawler
    #[arg(long = "agent", short = 'a', value_name = "AGENT", default_value = "*")]
    agents: Vec<String>,
    #[command(flatten)]
    named: NamedArgs,
    #[command(flatten)]
    pub(crate) usage: UsageArgs,
}

impl QueryArgs {
    /// The names of the crawler, with lists split.
    pub(crate) fn agents(&self) -> Vec<String> {
        self.agents.iter().flat_map(|agent| names(agent)).map(str::to_owned).collect()
    }

    /// Checks the crawler's names under a profile, as [`check_agents`] does.
    pub(crate) fn check_agents(&self, profile: Profile) -> Result<(), Failure> {
        check_agents(self.agents.iter().map(String::as_str), profile)
    }

    /// The crawler, and its names as printed, after a check of names and usage.
    pub(crate) fn checked(
        &self,
        image: &Image,
        document: &DocumentArgs,
    ) -> Result<(Crawler, String), Failure> {
        self.check_agents(document.profile(image.profile()))?;
        self.usage.check(image)?;
        Ok((self.resolve(image).0, self.agents().join(",")))
    }

    /// The query by names, for an explanation.
    pub(crate) fn query(&self) -> Query {
        let UsageArgs { usage, purpose, elements } = self.usage.clone();
        let named_only = self.named.named_only;
        Query { agents: self.agents(), usage, purpose, elements, named_only }
    }

    /// Resolves crawler and usage for an image.
    pub(crate) fn resolve<D: AsRef<[u8]>>(&self, image: &Image<D>) -> (Crawler, Usage<'_>) {
        (self.named.restrict(image.crawler(&self.agents)), self.usage.resolve(image))
    }
}

/// Rejects a text that names no crawler under this profile. If the text is more than a name, a
/// remark says which names are used.
pub(crate) fn check_agents<'n>(
    given: impl IntoIterator<Item = &'n str>,
    profile: Profile,
) -> Result<(), Failure> {
    for given in given {
        crawler_names(given, profile).map_err(|error| Failure::Message(error.to_string()))?;
        name_remark(given, profile).iter().for_each(|message| remark(message));
    }
    Ok(())
}

/// Rejects an empty URL.
pub(crate) fn given_url(url: &str) -> Result<(), Failure> {
    match url.trim_ascii() {
        "" => Err(Failure::Message(
            "the URL is empty; of a robots.txt, `/` is the root (see --help)".to_owned(),
        )),
        _ => Ok(()),
    }
}

/// The site of a text, if `--site` names it.
pub(crate) fn origin(site: Option<&str>, profile: Profile) -> Result<Origin, Failure> {
    match site {
        Some(url) => match url_mistake(url) {
            Some(mistake) => Err(Failure::Message(mistake)),
            None => Ok(Origin::of(url, profile)?),
        },
        None => Ok(Origin::unknown()?),
    }
}

/// Files that a text may refer to.
#[derive(Args, Clone, Debug)]
pub(crate) struct WithArgs {
    /// Supply FILE as the file at PATH of the site, or at URL of any server, for a robots.txt that
    /// refers to it or names it as its licence; may be given several times. What a missing file
    /// may refuse is not permitted
    #[arg(long = "with", value_name = "PATH|URL=FILE", value_parser = with)]
    with: Vec<(String, PathBuf)>,
}

fn with(argument: &str) -> Result<(String, PathBuf), String> {
    // A URL may have parameters.
    let parts = if argument.starts_with('/') { argument.split_once('=') } else { argument.rsplit_once('=') };
    let parts = parts.filter(|(_, file)| !file.is_empty());
    let key = |of: &str| if of.starts_with('/') { Some(of.to_owned()) } else { absolute_url(of) };
    parts
        .and_then(|(of, file)| Some((key(of)?, file.into())))
        .ok_or_else(|| "a path of the site or a URL, `=`, and a file, as in /news.txt=news.txt".to_owned())
}

impl WithArgs {
    /// True if no file is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.with.is_empty()
    }

    /// The files' paths and texts; of two for one path, the first counts.
    pub(crate) fn read(&self) -> Result<SiteFiles, Failure> {
        let files = self.with.iter().map(|(path, file)| Ok((path.clone(), read_text(file, LONGEST_PAGE)?)));
        files.collect::<Result<_, Failure>>().map(SiteFiles)
    }
}

/// Remarks that a file of `--with` is not used.
pub(crate) fn remark_unused(path: &str) {
    remark(&format!("--with {path}: the robots.txt does not refer to it"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_paths() {
        assert_eq!(with("/a?b=c=d"), Ok(("/a?b".to_owned(), "c=d".into())));
        assert_eq!(with("https://A.b/c=d"), Ok(("https://a.b/c".to_owned(), "d".into())));
        assert!(["a=b", "ftp://a/b=c", "/a", "/a=", ""].into_iter().all(|argument| with(argument).is_err()));
    }

    #[test]
    fn names_must_name() {
        for name in ["*", " * ", "a", "a/1.0", "Mozilla/5.0 (compatible; FooBot/1.0)"] {
            assert!(Profile::ALL.iter().all(|&profile| check_agents([name], profile).is_ok()), "{name}");
        }
        for (name, fails) in [
            ("", [true, true, false, true]),
            ("/1.0", [true, true, false, true]),
            ("Mozilla/5.0 (X11; Linux x86_64)", [true; 4]),
        ] {
            assert_eq!(Profile::ALL.map(|profile| check_agents([name], profile).is_err()), fails, "{name:?}");
        }
    }
}
