//! Conditions: the typed qualifiers of a permission, and their evaluation (P30 to P40, V31 to V38,
//! M23).
//!
//! The compiler makes them from ACAP qualifiers, the cold records of an image store them, and the
//! caller evaluates them against a [`Context`]. Invariant: [`Condition`] prints in one canonical
//! spelling, the one in the ACAP documents. An unknown qualifier is kept as written and never
//! holds. This file does not know which usage admits which condition.

mod license;
mod utc;

pub use license::{Choice, Payment, Term};

use crate::text;
use crate::url::parse;
use license::contains;
use serde::{Deserialize, Serialize};
use std::fmt;
use utc::Utc;

/// One restriction of a permission.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Condition {
    /// `time-limit`: the period of use.
    TimeLimit(TimeLimit),
    /// `max-length`: the length of a snippet in characters.
    MaxChars(u32),
    /// `max-length`: the length of a snippet in words.
    MaxWords(u32),
    /// `prohibited-modification`.
    ProhibitedModification(Modification),
    /// `must-use-resource`: the resource to use in place of the original.
    MustUseResource(Locator),
    /// `must-include-resource`: a resource to show with the original, and its role.
    MustIncludeResource(Option<Role>, Locator),
    /// `prohibited-context=within-user-frame`.
    OutsideUserFrame,
    /// `required-context=within-original-frame`.
    WithinOriginalFrame,
    /// `location`: the only URL that the permission covers (M23).
    Location(#[serde(deserialize_with = "text::read")] String),
    /// An unknown, misplaced or malformed qualifier, which cannot be met (decision 19).
    Unsupported {
        /// The name, lower case.
        #[serde(deserialize_with = "text::read")]
        name: String,
        /// The value, as written.
        #[serde(deserialize_with = "text::read")]
        value: String,
    },
    /// `unavailable_after`: until this time, in Unix seconds.
    Before(i64),
    /// `max-video-preview`: the length of a preview in seconds.
    MaxSeconds(u32),
    /// `max-image-preview: standard`: no large previews.
    StandardPreview,
    /// `indexifembedded`: only as part of a page that embeds it.
    Embedded,
    /// `noimageindex`, `noimageai`: not the images of the page.
    NoImages,
    /// `nocache` of Bing: title, URL and snippet only.
    Excerpt,
    /// `tdm-policy`: a licence as this document says.
    Policy(#[serde(deserialize_with = "text::read")] String),
    /// The terms of alternative RSL licences: all of one of these sets.
    License(Vec<Vec<Term>>),
}

/// The end of a time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TimeLimit {
    /// Until the resource is crawled again.
    UntilRecrawled,
    /// Until and including this day, in UTC (decision 22).
    Until(Date),
    /// This number of days after the first use (first indexed, first preserved).
    Days(u32),
}

/// A day of the Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Date {
    /// 0 to 9999.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
}

impl Date {
    /// The first second after this day, in Unix time; 0 for days before 1970.
    pub fn end(self) -> u64 {
        // Count days from 0000-03-01, so that a leap day is the last of its year.
        let month = i64::from(self.month);
        let year = i64::from(self.year) - i64::from(month <= 2);
        let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + i64::from(self.day) - 1;
        let days = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year;
        const EPOCH: i64 = 719_468;
        u64::try_from((days - EPOCH + 1) * 86_400).unwrap_or(0)
    }
}

/// A kind of modification (P34).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Modification {
    /// Every kind.
    Any,
    /// Change of the data format.
    Format,
    /// Change of typography or layout.
    Style,
    /// Translation into another language.
    Translation,
    /// Added material.
    Annotation,
}

impl Modification {
    /// Every kind, in the order of the ACAP documents.
    pub const ALL: [Modification; 5] = [
        Modification::Any,
        Modification::Format,
        Modification::Style,
        Modification::Translation,
        Modification::Annotation,
    ];

    /// The keyword in files.
    pub const fn name(self) -> &'static str {
        match self {
            Modification::Any => "any",
            Modification::Format => "format",
            Modification::Style => "style",
            Modification::Translation => "translation",
            Modification::Annotation => "annotation",
        }
    }
}

/// The role of an included resource (P40, V36).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Role {
    /// A credit.
    Credit,
    /// An additional link.
    Link,
    /// An icon (0.2 only).
    Icon,
    /// A text (0.2 only).
    Text,
}

impl Role {
    /// The keyword in files.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Credit => "credit",
            Role::Link => "link",
            Role::Icon => "icon",
            Role::Text => "text",
        }
    }
}

/// The location of a resource: in the page itself, or elsewhere (P39, V33).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Locator {
    /// The element with this `id`.
    Id(#[serde(deserialize_with = "text::read")] String),
    /// The first element with this class.
    Class(#[serde(deserialize_with = "text::read")] String),
    /// The content of the META tag with this name.
    Meta(#[serde(deserialize_with = "text::read")] String),
    /// A separate resource.
    Uri(#[serde(deserialize_with = "text::read")] String),
}

impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Locator::Id(id) => write!(f, "id:{id}"),
            Locator::Class(class) => write!(f, "class:{class}"),
            Locator::Meta(name) => write!(f, "meta:{name}"),
            Locator::Uri(uri) => f.write_str(uri),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::TimeLimit(TimeLimit::UntilRecrawled) => f.write_str("time-limit=until-recrawled"),
            Condition::TimeLimit(TimeLimit::Until(Date { year, month, day })) => {
                write!(f, "time-limit=until-{year:04}-{month:02}-{day:02}")
            }
            Condition::TimeLimit(TimeLimit::Days(days)) => write!(f, "time-limit={days}-days"),
            Condition::MaxChars(count) => write!(f, "max-length={count}-chars"),
            Condition::MaxWords(count) => write!(f, "max-length={count}-words"),
            Condition::ProhibitedModification(kind) => write!(f, "prohibited-modification={}", kind.name()),
            Condition::MustUseResource(Locator::Uri(uri)) => write!(f, "must-use-resource={uri}"),
            Condition::MustUseResource(part) => write!(f, "must-use-resource=the-acap:extract:{part}"),
            Condition::MustIncludeResource(Some(role), locator) => {
                write!(f, "must-include-resource=the-acap:{}:{locator}", role.name())
            }
            Condition::MustIncludeResource(None, locator) => write!(f, "must-include-resource={locator}"),
            Condition::OutsideUserFrame => f.write_str("prohibited-context=within-user-frame"),
            Condition::WithinOriginalFrame => f.write_str("required-context=within-original-frame"),
            Condition::Location(url) => write!(f, "location={url}"),
            // A word that is no qualifier has no value.
            Condition::Unsupported { name, value } if value.is_empty() => f.write_str(name),
            Condition::Unsupported { name, value } => write!(f, "{name}={value}"),
            Condition::Before(time) => write!(f, "until={}", Utc(*time)),
            Condition::MaxSeconds(count) => write!(f, "max-video-preview={count}-seconds"),
            Condition::StandardPreview => f.write_str("max-image-preview=standard"),
            Condition::Embedded => f.write_str("embedded"),
            Condition::NoImages => f.write_str("not-images"),
            Condition::Excerpt => f.write_str("only=snippet|title|url"),
            Condition::Policy(url) => write!(f, "tdm-policy={url}"),
            Condition::License(alternatives) => {
                let one = |terms: &Vec<Term>| terms.iter().map(Term::to_string).collect::<Vec<_>>().join(" ");
                match alternatives.as_slice() {
                    [terms] => f.write_str(&one(terms)),
                    several => {
                        let several: Vec<String> =
                            several.iter().map(|terms| format!("[{}]", one(terms))).collect();
                        write!(f, "any-of={}", several.join("|"))
                    }
                }
            }
        }
    }
}

/// The facts about an intended use. `None` means unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The time of the use, in Unix seconds.
    pub now: Option<u64>,
    /// The time when the resource was first used in this way (first indexed, first preserved), in
    /// Unix seconds.
    pub first_used_at: Option<u64>,
    /// The resource has been crawled again since the first use.
    pub recrawled: Option<bool>,
    /// The number of characters to be shown.
    pub chars: Option<u32>,
    /// The number of words to be shown.
    pub words: Option<u32>,
    /// The modifications made; an empty list means none.
    pub modifications: Option<Vec<Modification>>,
    /// The resource is shown within a frame that the user made.
    pub in_user_frame: Option<bool>,
    /// The resource is shown within its original frame.
    pub in_original_frame: Option<bool>,
    /// The resource used in place of the original.
    pub used: Option<Locator>,
    /// The resources shown with it; an empty list means none.
    pub included: Option<Vec<Locator>>,
    /// The URL of the resource.
    pub url: Option<String>,
    /// The length of the preview of a video, in seconds.
    pub seconds: Option<u32>,
    /// A large preview of an image is shown.
    pub large_preview: Option<bool>,
    /// The resource is used as part of a page that embeds it.
    pub embedded: Option<bool>,
    /// Only the title, the URL and the snippet are used.
    pub excerpt: Option<bool>,
    /// Images are among what is used.
    pub images: Option<bool>,
    /// The licence servers whose token the crawler has.
    pub license_servers: Option<Vec<String>>,
    /// The licences that the crawler has acquired: URLs of policies, standards and terms.
    pub licenses: Option<Vec<String>>,
    /// The kinds of payment that are made, as RSL names them.
    pub payments: Option<Vec<String>>,
    /// The profiles of reports that the crawler sends.
    pub reports: Option<Vec<String>>,
    /// The class of the user, as RSL names it.
    pub user: Option<String>,
    /// The country of the use: ISO 3166-1 alpha-2, or `EU` if no more is known.
    pub geo: Option<String>,
}

/// The result of evaluating conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holds {
    /// Not met: the use is prohibited.
    No,
    /// The context lacks the necessary facts.
    Unknown,
    /// Met.
    Yes,
}

impl From<Option<bool>> for Holds {
    fn from(known: Option<bool>) -> Holds {
        known.map_or(Holds::Unknown, |holds| if holds { Holds::Yes } else { Holds::No })
    }
}

impl Holds {
    /// The name in text and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Holds::No => "no",
            Holds::Unknown => "unknown",
            Holds::Yes => "yes",
        }
    }
}

/// Evaluates several conditions together: `No` if any is not met, else `Unknown` if any is unknown.
pub fn hold<'c>(conditions: impl IntoIterator<Item = &'c Condition>, context: &Context) -> Holds {
    conditions.into_iter().map(|condition| condition.holds(context)).min().unwrap_or(Holds::Yes)
}

impl Condition {
    /// True if whoever meets the other condition meets this one: both are limits of one kind, and
    /// this one is not stricter.
    pub(crate) fn is_looser_than(&self, other: &Condition) -> bool {
        match (self, other) {
            (Condition::MaxChars(one), Condition::MaxChars(other))
            | (Condition::MaxWords(one), Condition::MaxWords(other))
            | (Condition::MaxSeconds(one), Condition::MaxSeconds(other)) => one >= other,
            (Condition::Before(one), Condition::Before(other)) => one >= other,
            _ => false,
        }
    }

    /// Evaluates this condition.
    pub fn holds(&self, context: &Context) -> Holds {
        let at_most = |limit: &u32, count: Option<u32>| count.map(|count| count <= *limit);
        let known = match self {
            Condition::TimeLimit(limit) => limit.holds(context),
            Condition::MaxChars(limit) => at_most(limit, context.chars),
            Condition::MaxWords(limit) => at_most(limit, context.words),
            Condition::ProhibitedModification(Modification::Any) => {
                context.modifications.as_ref().map(Vec::is_empty)
            }
            Condition::ProhibitedModification(kind) => {
                let made =
                    |made: &Vec<Modification>| !made.contains(kind) && !made.contains(&Modification::Any);
                context.modifications.as_ref().map(made)
            }
            Condition::MustUseResource(resource) => context.used.as_ref().map(|used| used == resource),
            Condition::MustIncludeResource(_, resource) => {
                context.included.as_ref().map(|included| included.contains(resource))
            }
            Condition::OutsideUserFrame => context.in_user_frame.map(|inside| !inside),
            Condition::WithinOriginalFrame => context.in_original_frame,
            Condition::Location(location) => context.url.as_ref().map(|url| same_url(url, location)),
            Condition::Unsupported { .. } => Some(false),
            Condition::Before(time) => context.now.map(|now| i64::try_from(now).is_ok_and(|now| now < *time)),
            Condition::MaxSeconds(limit) => at_most(limit, context.seconds),
            Condition::StandardPreview => context.large_preview.map(|large| !large),
            Condition::Embedded => context.embedded,
            Condition::NoImages => context.images.map(|images| !images),
            Condition::Excerpt => context.excerpt,
            Condition::Policy(url) => contains(&context.licenses, url),
            Condition::License(alternatives) => {
                let met = |terms: &Vec<Term>| {
                    terms.iter().map(|term| term.holds(context)).min().unwrap_or(Holds::Yes)
                };
                return alternatives.iter().map(met).max().unwrap_or(Holds::No);
            }
        };
        Holds::from(known)
    }
}

impl TimeLimit {
    fn holds(self, context: &Context) -> Option<bool> {
        match self {
            TimeLimit::UntilRecrawled => context.recrawled.map(|again| !again),
            TimeLimit::Until(date) => context.now.map(|now| now < date.end()),
            TimeLimit::Days(days) => {
                let end = context.first_used_at?.saturating_add(u64::from(days) * 86_400);
                Some(context.now? < end)
            }
        }
    }
}

/// True if two URLs are equal after parsing, but for fragments: the server that sends a page never
/// sees one (decision 42).
fn same_url(one: &str, other: &str) -> bool {
    let whole = |url: &str| url.split('#').next().unwrap_or_default().to_owned();
    let (one, other) = (&whole(one), &whole(other));
    match (parse(one), parse(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_ends_when_the_next_begins() {
        let end = |year, month, day| Date { year, month, day }.end();
        assert_eq!(end(1969, 12, 31), 0);
        assert_eq!(end(1970, 1, 1), 86_400);
        assert_eq!(end(2000, 2, 29), 951_868_800);
        assert_eq!(end(2007, 12, 31), 1_199_145_600);
        assert_eq!(end(0, 1, 1), 0);
        assert_eq!(end(9999, 12, 31), 253_402_300_800);
    }

    #[test]
    fn time_limits() {
        let until = Condition::TimeLimit(TimeLimit::Until(Date { year: 2007, month: 12, day: 31 }));
        let at = |now| Context { now: Some(now), ..Context::default() };
        assert_eq!(until.holds(&at(1_199_145_599)), Holds::Yes);
        assert_eq!(until.holds(&at(1_199_145_600)), Holds::No);
        assert_eq!(until.holds(&Context::default()), Holds::Unknown);
        let days = Condition::TimeLimit(TimeLimit::Days(3));
        let context = |now| Context { first_used_at: Some(1000), ..at(now) };
        assert_eq!(days.holds(&context(1000 + 3 * 86_400 - 1)), Holds::Yes);
        assert_eq!(days.holds(&context(1000 + 3 * 86_400)), Holds::No);
        assert_eq!(days.holds(&at(5)), Holds::Unknown);
        let recrawled = |recrawled| Context { recrawled, ..Context::default() };
        let condition = Condition::TimeLimit(TimeLimit::UntilRecrawled);
        assert_eq!(condition.holds(&recrawled(Some(false))), Holds::Yes);
        assert_eq!(condition.holds(&recrawled(Some(true))), Holds::No);
    }

    #[test]
    fn what_is_not_met_decides() {
        let conditions = [Condition::MaxChars(10), Condition::OutsideUserFrame];
        let mut context = Context { chars: Some(11), ..Context::default() };
        assert_eq!(hold(&conditions, &context), Holds::No);
        context.chars = Some(10);
        assert_eq!(hold(&conditions, &context), Holds::Unknown);
        context.in_user_frame = Some(false);
        assert_eq!(hold(&conditions, &context), Holds::Yes);
        let unsupported = Condition::Unsupported { name: "x".into(), value: "y".into() };
        assert_eq!(unsupported.holds(&context), Holds::No);
        assert_eq!(hold(&[], &context), Holds::Yes);
    }

    #[test]
    fn modifications_and_places() {
        let style = Condition::ProhibitedModification(Modification::Style);
        let any = Condition::ProhibitedModification(Modification::Any);
        let made =
            |made: &[Modification]| Context { modifications: Some(made.to_vec()), ..Context::default() };
        assert_eq!(style.holds(&made(&[Modification::Format])), Holds::Yes);
        assert_eq!(any.holds(&made(&[Modification::Format])), Holds::No);
        assert_eq!(style.holds(&made(&[Modification::Any])), Holds::No);
        assert_eq!(any.holds(&made(&[])), Holds::Yes);
        let location = Condition::Location("http://MYSERVER.com/a".into());
        let url = |url: &str| Context { url: Some(url.into()), ..Context::default() };
        assert_eq!(location.holds(&url("http://myserver.com/a")), Holds::Yes);
        assert_eq!(location.holds(&url("http://myserver.com/b")), Holds::No);
        assert_eq!(location.holds(&url("http://myserver.com/a#b")), Holds::Yes);
        let part = Condition::Location("http://myserver.com/a#part".into());
        assert_eq!(part.holds(&url("http://myserver.com/a")), Holds::Yes);
        assert_eq!(part.holds(&url("http://myserver.com/a#other")), Holds::Yes);
        assert_eq!(part.holds(&url("http://myserver.com/b#part")), Holds::No);
        let odd = Condition::Location("no url#part".into());
        assert_eq!((odd.holds(&url("no url")), odd.holds(&url("no"))), (Holds::Yes, Holds::No));
    }
}
