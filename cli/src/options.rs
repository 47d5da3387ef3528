//! Options that several subcommands share: output, dialect, terms, query, files that a text refers
//! to.
//!
//! Turns words of the command line into the options of the crates below. It reads no files except
//! those of `--with`.

use crate::failure::Failure;
use crate::input::read_text;
use crate::output::remark;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use robomaton_build::Destination;
use robomaton_compiler::{Limits, Options};
use robomaton_explain::{
    Query, SiteFiles, check_usage, crawler_names, for_purpose, name_remark, names, time,
};
use robomaton_runtime::{Crawler, Decision, Image, Profile, Terms, Usage};
use std::num::NonZero;
use std::path::PathBuf;

/// Where an image goes.
#[derive(Args)]
pub(crate) struct DestinationArgs {
    /// The image to write.
    #[arg(short, long, value_name = "IMAGE")]
    output: PathBuf,
    /// Write so many files into the directory IMAGE, which every command opens as one image.
    #[arg(long, value_name = "N")]
    shards: Option<NonZero<u8>>,
}

impl DestinationArgs {
    /// Finds out whether it can be written.
    pub(crate) fn open(&self) -> Result<Destination, Failure> {
        Ok(Destination::open(&self.output, self.shards)?)
    }
}

/// How a text is read.
#[derive(Args, Clone, Debug)]
pub(crate) struct Dialect {
    /// The dialect that texts are read in.
    #[arg(long, default_value = "full", value_parser = profiles())]
    pub(crate) profile: Profile,
    /// Read no more than this many bytes of a text [default: 512000; of the profile google: 64
    /// MiB].
    #[arg(long, value_name = "N")]
    pub(crate) max_bytes: Option<usize>,
    /// Groups that a text may have; one with more is disallowed, over limit.
    #[arg(long, value_name = "N", default_value_t = Limits::default().groups)]
    max_groups: usize,
    /// Rules that a text may have.
    #[arg(long, value_name = "N", default_value_t = Limits::default().rules)]
    max_rules: usize,
    /// Stars that the rules of a group may have.
    #[arg(long, value_name = "N", default_value_t = Limits::default().stars)]
    max_stars: usize,
}

fn profiles() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(Profile::ALL.map(Profile::name)).try_map(|name| name.parse::<Profile>())
}

impl Dialect {
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
            ..Options::default()
        }
    }
}

/// A word for yes, a word for no. (Docs on the variants would become help, longer than the words.)
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

/// What an outcome other than rules means (R16).
#[derive(Args, Clone, Debug)]
pub(crate) struct TermsArgs {
    /// For sites that answered 401 or 403.
    #[arg(long, value_enum, value_name = "PERMISSION", default_value_t = Terms::default().on_forbidden.into())]
    on_forbidden: Permission,
    /// For sites that answered 429.
    #[arg(long, value_enum, value_name = "PERMISSION", default_value_t = Terms::default().on_throttled.into())]
    on_throttled: Permission,
    /// For sites that were unreachable more than 30 days ago.
    #[arg(long, value_enum, value_name = "PERMISSION", default_value_t = Terms::default().on_long_unreachable.into())]
    on_long_unreachable: Permission,
}

impl TermsArgs {
    /// The terms, as of now, of one who works on elements of pages or does not.
    pub(crate) fn terms(&self, elements: bool) -> Terms {
        Terms {
            elements,
            on_forbidden: self.on_forbidden.into(),
            on_throttled: self.on_throttled.into(),
            on_long_unreachable: self.on_long_unreachable.into(),
            now: Some(time::now()),
        }
    }
}

/// What the crawler wants to do.
#[derive(Args, Clone, Debug)]
pub(crate) struct UsageArgs {
    /// What the crawler wants to do: crawl, index, follow, preserve, present, present-snippet,
    /// train, or any other name that a record of the image has. Allow and Disallow speak of crawl,
    /// Noindex of index, and ACAP's records and META tags of whatever they name; of all else, such
    /// as train, only ACAP's `other` speaks. Content-Signal and Content-Usage are kept, but not
    /// weighed.
    #[arg(long, default_value = "crawl")]
    pub(crate) usage: String,
    /// What it wants that for, as sub-records of ACAP and META tags name it. No conventional record
    /// speaks of purposes.
    #[arg(long)]
    pub(crate) purpose: Option<String>,
    /// The crawler works on single elements of pages: what is said of one does not speak for the
    /// whole page.
    #[arg(long)]
    pub(crate) elements: bool,
}

impl UsageArgs {
    /// Refuses a usage that neither a vocabulary nor the image knows.
    pub(crate) fn check<D: AsRef<[u8]>>(&self, image: &Image<D>) -> Result<(), Failure> {
        check_usage(image, &self.usage).map_err(Failure::from_error)
    }

    /// Resolved for an image.
    pub(crate) fn resolve<D: AsRef<[u8]>>(&self, image: &Image<D>) -> Usage<'_> {
        for_purpose(image.usage(&self.usage), self.purpose.as_deref())
    }
}

/// Which document of a site answers.
#[derive(Args, Clone, Debug)]
pub(crate) struct DocumentArgs {
    /// The document of the site that answers.
    #[arg(long, value_name = "NAME", default_value = "robots.txt", value_parser = ["robots.txt", "data.txt"])]
    pub(crate) document: String,
}

impl DocumentArgs {
    /// The document, where it is not robots.txt.
    pub(crate) fn other(&self) -> Option<&str> {
        Some(self.document.as_str()).filter(|&name| name != "robots.txt")
    }

    /// The dialect of the document in an image of this one.
    pub(crate) fn profile(&self, image: Profile) -> Profile {
        if self.other().is_some() { Profile::Koster } else { image }
    }
}

/// Which groups count.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct NamedArgs {
    /// Only groups that name the crawler count, as for AdsBot-Google: `User-agent: *` is as if it
    /// were not there.
    #[arg(long)]
    pub(crate) named_only: bool,
}

impl NamedArgs {
    /// The crawler, restricted to these groups.
    pub(crate) fn restrict(self, crawler: Crawler) -> Crawler {
        crawler.named_only(self.named_only)
    }
}

/// Who asks, and for what.
#[derive(Args, Clone, Debug)]
pub(crate) struct QueryArgs {
    /// Name of the crawler, or its whole User-Agent header. Several names (repeated, or separated
    /// by commas) are asked best first: the first that a site has a group for answers. `*` means
    /// any crawler.
    #[arg(long = "agent", short = 'a', value_name = "AGENT", default_value = "*")]
    agents: Vec<String>,
    #[command(flatten)]
    named: NamedArgs,
    #[command(flatten)]
    pub(crate) usage: UsageArgs,
}

impl QueryArgs {
    /// The names of the crawler, lists taken apart.
    pub(crate) fn agents(&self) -> Vec<String> {
        self.agents.iter().flat_map(|agent| names(agent)).map(str::to_owned).collect()
    }

    /// Checks the crawler's names under a profile, as [`check_agents`] does.
    pub(crate) fn check_agents(&self, profile: Profile) -> Result<(), Failure> {
        check_agents(self.agents.iter().map(String::as_str), profile)
    }

    /// The crawler, and its names as they are printed, after a check of names and usage.
    pub(crate) fn checked(
        &self,
        image: &Image,
        document: &DocumentArgs,
    ) -> Result<(Crawler, String), Failure> {
        self.check_agents(document.profile(image.profile()))?;
        self.usage.check(image)?;
        Ok((self.resolve(image).0, self.agents().join(",")))
    }

    /// The query by names, to be explained.
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

/// Refuses words that name no crawler under this profile. Where more than a name was given, a
/// remark says which names are used.
pub(crate) fn check_agents<'n>(
    given: impl IntoIterator<Item = &'n str>,
    profile: Profile,
) -> Result<(), Failure> {
    for given in given {
        crawler_names(given, profile).map_err(|error| Failure::Said(error.to_string()))?;
        name_remark(given, profile).iter().for_each(|message| remark(message));
    }
    Ok(())
}

/// Refuses an empty URL.
pub(crate) fn given_url(url: &str) -> Result<(), Failure> {
    match url.trim_ascii() {
        "" => Err(Failure::Said(
            "the URL is empty; of a robots.txt, `/` is the root (--help tells more)".to_owned(),
        )),
        _ => Ok(()),
    }
}

/// Files that a text may refer to.
#[derive(Args, Clone, Debug)]
pub(crate) struct WithArgs {
    /// A file that the robots.txt refers to, as the one of this path of its site; may be given
    /// several times. An answer that lacks one is incomplete, and permits nothing.
    #[arg(long = "with", value_name = "PATH=FILE", value_parser = with)]
    with: Vec<(String, PathBuf)>,
}

fn with(argument: &str) -> Result<(String, PathBuf), String> {
    match argument.split_once('=') {
        Some((path, file)) if path.starts_with('/') && !file.is_empty() => Ok((path.to_owned(), file.into())),
        _ => Err("a path of the site, `=`, and a file, as in /news.txt=news.txt".to_owned()),
    }
}

impl WithArgs {
    /// The files' paths and texts; of two for one path the first counts.
    pub(crate) fn read(&self) -> Result<SiteFiles, Failure> {
        let files = self.with.iter().map(|(path, file)| Ok((path.clone(), read_text(file)?)));
        files.collect::<Result<_, Failure>>().map(SiteFiles)
    }
}

/// A remark that a file of `--with` is not used.
pub(crate) fn remark_unused(path: &str) {
    remark(&format!("--with {path}: the robots.txt does not refer to it"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_paths() {
        assert_eq!(with("/a?b=c=d"), Ok(("/a?b".to_owned(), "c=d".into())));
        assert!(["a=b", "/a", "/a=", ""].into_iter().all(|argument| with(argument).is_err()));
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
