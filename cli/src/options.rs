//! Options that several subcommands share: the dialect of a text, the terms of a question, files beside a text.
//!
//! Turns words of the command line into the options of the crates below. It reads no file but those of `--with`.

use crate::failure::Failure;
use crate::input::read_text;
use crate::output::remark;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use robomaton_compiler::trace::Asked;
use robomaton_compiler::{Limits, Options};
use robomaton_formats::profile::AgentRule;
use robomaton_runtime::{Crawler, Decision, Image, Outcome, Profile, Site, Terms, Usage};
use std::path::PathBuf;

/// How a text is read.
#[derive(Args, Clone, Debug)]
pub(crate) struct Dialect {
    /// The dialect that texts are read in.
    #[arg(long, default_value = "full", value_parser = profiles())]
    pub(crate) profile: Profile,
    /// Read no more than this many bytes of a text [default: 512000; of the profile google: 64 MiB].
    #[arg(long, value_name = "N")]
    pub(crate) max_bytes: Option<usize>,
    /// Groups that a text may have; one with more is disallowed, over limit [default: 50000].
    #[arg(long, value_name = "N")]
    max_groups: Option<usize>,
    /// Rules that a text may have [default: 200000].
    #[arg(long, value_name = "N")]
    max_rules: Option<usize>,
    /// Stars that the rules of a group may have [default: 8192].
    #[arg(long, value_name = "N")]
    max_stars: Option<usize>,
}

fn profiles() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(Profile::ALL.map(Profile::name)).try_map(|name| name.parse::<Profile>())
}

impl Dialect {
    /// The compiler's options.
    pub(crate) fn options(&self) -> Options {
        let Limits { groups, rules, stars, .. } = Limits::default();
        Options {
            profile: self.profile,
            limits: Limits {
                bytes: self.max_bytes,
                groups: self.max_groups.unwrap_or(groups),
                rules: self.max_rules.unwrap_or(rules),
                stars: self.max_stars.unwrap_or(stars),
                ..Limits::default()
            },
            ..Options::default()
        }
    }
}

/// The options that an image was compiled with, as far as its provenance tells them.
pub(crate) fn of_image<D: AsRef<[u8]>>(image: &Image<D>) -> Options {
    let meta = image.view().meta().unwrap_or_default();
    let mut limits = Limits::default();
    for (name, value) in &meta.limits {
        let value = usize::try_from(*value).unwrap_or(usize::MAX);
        match name.as_str() {
            "bytes" => limits.bytes = Some(value),
            "groups" => limits.groups = value,
            "rules" => limits.rules = value,
            "stars" => limits.stars = value,
            "pattern" => limits.pattern = value,
            "usages" => limits.usages = value,
            "references" => limits.references = value,
            "conditions" => limits.conditions = value,
            "times" => limits.times = value,
            "depth" => limits.depth = value,
            "patterns" => limits.patterns = value,
            _ => {}
        }
    }
    Options { profile: image.profile(), limits, crawlers: meta.crawlers, ..Options::default() }
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

/// What an outcome other than rules means (R16).
#[derive(Args, Clone, Debug)]
pub(crate) struct TermsArgs {
    /// For sites that answered 401 or 403.
    #[arg(long, value_name = "PERMISSION", default_value = "allow")]
    on_forbidden: Permission,
    /// For sites that answered 429.
    #[arg(long, value_name = "PERMISSION", default_value = "allow")]
    on_throttled: Permission,
    /// For sites that were unreachable more than 30 days ago.
    #[arg(long, value_name = "PERMISSION", default_value = "deny")]
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
            now: Some(crate::time::now()),
        }
    }

    /// Whether the site may have a robots.txt that nobody has read, or has to be taken for one that forbids everything:
    /// then what pages say to any crawler is not all.
    pub(crate) fn unheard(&self, site: &Site<'_>) -> bool {
        let outcome = site.outcome().unwrap_or(Outcome::Unresolved);
        let denied = match site.status() {
            401 | 403 => self.on_forbidden,
            429 => self.on_throttled,
            _ => Permission::Allow,
        };
        outcome.is_unheard() || outcome == Outcome::Unavailable && denied == Permission::Deny
    }
}

/// What the crawler wants to do.
#[derive(Args, Clone, Debug)]
pub(crate) struct UseArgs {
    /// What the crawler wants to do: crawl, index, follow, preserve, present, present-snippet, train, or any other name.
    /// Allow and Disallow speak of crawl, Noindex of index, and ACAP's records and META tags of whatever they name; of
    /// all else, such as train, only ACAP's `other` speaks. Content-Signal and Content-Usage are kept, but not weighed.
    #[arg(long, default_value = "crawl")]
    pub(crate) usage: String,
    /// What it wants that for, as sub-records of ACAP and META tags name it. No conventional record speaks of purposes.
    #[arg(long)]
    pub(crate) purpose: Option<String>,
    /// The crawler works on single elements of pages: what is said of one does not speak for the whole page.
    #[arg(long)]
    pub(crate) elements: bool,
}

impl UseArgs {
    /// Resolved for an image.
    pub(crate) fn resolve<D: AsRef<[u8]>>(&self, image: &Image<D>) -> Usage<'_> {
        for_purpose(image.usage(&self.usage), self.purpose.as_deref())
    }

    /// As the trace is asked.
    pub(crate) fn asked<'a>(&'a self, agents: &'a [&'a str], target: &'a [u8], unheard: bool) -> Asked<'a> {
        Asked {
            agents,
            usage: &self.usage,
            purpose: self.purpose.as_deref(),
            target,
            elements: self.elements,
            unheard,
        }
    }
}

/// The asker in words.
pub(crate) fn asks(agents: &[String], usage: &str, purpose: Option<&str>, elements: bool) -> String {
    let purpose = purpose.map_or(String::new(), |purpose| format!(", for {purpose}"));
    let elements = if elements { ", on elements of pages" } else { "" };
    format!("{}, to {usage}{purpose}{elements}", agents.join(", then "))
}

/// A usage for a purpose, if there is one.
pub(crate) fn for_purpose<'p>(usage: Usage<'p>, purpose: Option<&'p str>) -> Usage<'p> {
    purpose.map_or(usage, |purpose| usage.for_purpose(purpose))
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

/// Who asks, and for what.
#[derive(Args, Clone, Debug)]
pub(crate) struct AskerArgs {
    /// Name of the crawler; several (repeated, or product tokens parted by commas), best first: the first that a site
    /// has a group for answers. `*` asks the default groups.
    #[arg(long = "agent", short = 'a', value_name = "AGENT", default_value = "*")]
    agents: Vec<String>,
    #[command(flatten)]
    pub(crate) use_: UseArgs,
}

impl AskerArgs {
    /// The names.
    pub(crate) fn agents(&self) -> Vec<String> {
        self.agents.iter().flat_map(|agent| names(agent)).map(str::to_owned).collect()
    }

    /// The names as the groups of this dialect are looked for, where they name anybody.
    pub(crate) fn looked_for(&self, rule: AgentRule) -> Vec<String> {
        let names = self.agents().into_iter().map(|name| rule.reduce(&name));
        names.filter(|name| !matches!(name.as_str(), "" | "*")).collect()
    }

    /// Refuses names that name nobody, and says where more of one is left out than its version.
    pub(crate) fn heed(&self, profile: Profile) -> Result<(), Failure> {
        let agents = self.agents();
        heed(agents.iter().map(String::as_str), profile)
    }

    /// Resolved for an image.
    pub(crate) fn resolve<D: AsRef<[u8]>>(&self, image: &Image<D>) -> (Crawler, Usage<'_>) {
        (image.crawler(self.agents()), self.use_.resolve(image))
    }
}

/// Refuses names that name nobody under this profile, and says where more of one is left out than its version.
pub(crate) fn heed<'n>(names: impl IntoIterator<Item = &'n str>, profile: Profile) -> Result<(), Failure> {
    let rule = profile.agent_rule();
    for name in names {
        let (trimmed, reduced) = (name.trim_ascii(), rule.reduce(name));
        if rule == AgentRule::Verbatim || trimmed == "*" {
            continue;
        }
        if reduced.is_empty() {
            return Err(Failure::Said(format!(
                "{name:?} names no crawler: a name begins with a letter, a digit, `_`, `-` or `.`; `*` asks the \
                 default groups"
            )));
        }
        if !is_version(&trimmed[reduced.len()..]) {
            remark(&format!("looked for {reduced:?}, the part of {name:?} that is compared"));
        }
    }
    Ok(())
}

/// Whether this is nothing, or `/` and a version.
fn is_version(rest: &str) -> bool {
    let of_version =
        |octet: u8| octet.is_ascii_alphanumeric() || matches!(octet, b'.' | b'-' | b'_' | b'+' | b'~');
    rest.is_empty() || rest.strip_prefix('/').is_some_and(|version| version.bytes().all(of_version))
}

/// A URL that is an argument: something at least.
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
    /// A file that the robots.txt refers to, as the one of this path of its site; may be given several times. An answer
    /// that lacks one is incomplete, and permits nothing.
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
    pub(crate) fn read(&self) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        self.with.iter().map(|(path, file)| Ok((path.clone(), read_text(file)?))).collect()
    }
}

/// The names in a list. A whole `User-Agent` header may hold commas too, and is one name.
pub(crate) fn names(agent: &str) -> Vec<&str> {
    let is_token = |name: &str| {
        let of_token =
            |octet| matches!(octet, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'/');
        !name.is_empty() && name.bytes().all(of_token)
    };
    let parts: Vec<&str> = agent.split(',').map(str::trim_ascii).collect();
    if parts.iter().all(|part| is_token(part)) { parts } else { vec![agent] }
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
    fn lists_are_lists_of_tokens() {
        assert_eq!(names("a, b/1.0"), ["a", "b/1.0"]);
        assert_eq!(names("a"), ["a"]);
        assert_eq!(names("Mozilla/5.0 (KHTML, like Gecko)"), ["Mozilla/5.0 (KHTML, like Gecko)"]);
        assert_eq!(names(""), [""]);
        assert_eq!(names("a,"), ["a,"]);
    }

    #[test]
    fn names_must_name() {
        for name in ["*", " * ", "a", "a/1.0", "Mozilla/5.0 (x)"] {
            assert!(Profile::ALL.iter().all(|&profile| heed([name], profile).is_ok()), "{name}");
        }
        for name in ["", " ", "/1.0"] {
            let fails = Profile::ALL.map(|profile| heed([name], profile).is_err());
            assert_eq!(fails, [true, true, false, true], "{name:?}");
        }
        assert!(["", "/2.1", "/1.0-beta"].into_iter().all(is_version));
        assert!([" x", "/5.0 (x)", ",", "/a/b", "\u{e9}"].into_iter().all(|rest| !is_version(rest)));
    }
}
