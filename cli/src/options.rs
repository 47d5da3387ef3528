//! Options that several subcommands share: the dialect of a text, the terms of a question.
//!
//! Turns words of the command line into the options of the crates below. It reads no file.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use robomaton_compiler::{Limits, Options};
use robomaton_runtime::{Crawler, Decision, Image, Profile, Terms, Usage};

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
        let Limits { groups, rules, stars, pattern, .. } = Limits::default();
        Options {
            profile: self.profile,
            limits: Limits {
                bytes: self.max_bytes,
                groups: self.max_groups.unwrap_or(groups),
                rules: self.max_rules.unwrap_or(rules),
                stars: self.max_stars.unwrap_or(stars),
                pattern,
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
            _ => {}
        }
    }
    Options { profile: image.profile(), limits, crawlers: meta.crawlers, no_sources: false }
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
    /// The terms, as of now.
    pub(crate) fn terms(&self) -> Terms {
        Terms {
            on_forbidden: self.on_forbidden.into(),
            on_throttled: self.on_throttled.into(),
            on_long_unreachable: self.on_long_unreachable.into(),
            now: Some(crate::time::now()),
        }
    }
}

/// Who asks, and for what.
#[derive(Args, Clone, Debug)]
pub(crate) struct AskerArgs {
    /// Name of the crawler; several (repeated, or product tokens parted by commas), best first: the first
    /// that a site has a group for answers. `*` asks the default groups.
    #[arg(long = "agent", short = 'a', value_name = "AGENT")]
    agents: Vec<String>,
    /// What the crawler wants to do.
    #[arg(long, default_value = "crawl")]
    pub(crate) usage: String,
}

impl AskerArgs {
    /// The names; `*` when none was given.
    pub(crate) fn agents(&self) -> Vec<String> {
        if self.agents.is_empty() {
            return vec!["*".to_owned()];
        }
        self.agents.iter().flat_map(|agent| names(agent)).map(str::to_owned).collect()
    }

    /// Resolved for an image.
    pub(crate) fn resolve<D: AsRef<[u8]>>(&self, image: &Image<D>) -> (Crawler, Usage) {
        (image.crawler(self.agents()), image.usage(&self.usage))
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
    fn lists_are_lists_of_tokens() {
        assert_eq!(names("a, b/1.0"), ["a", "b/1.0"]);
        assert_eq!(names("a"), ["a"]);
        assert_eq!(names("Mozilla/5.0 (KHTML, like Gecko)"), ["Mozilla/5.0 (KHTML, like Gecko)"]);
        assert_eq!(names(""), [""]);
        assert_eq!(names("a,"), ["a,"]);
    }
}
