//! The directives of `X-Robots-Tag` field lines and of robots META tags.
//!
//! Lowering passes one field line to [`robots_tag`], or the `content` of a META tag to
//! [`directives`]. The name of the META tag is the caller's, as is ACAP in META tags
//! ([`meta`](crate::meta)). The directives are those of Google and Bing, and the ones against
//! training that sites have used since 2022. Invariants: order and repetitions are kept; text that
//! is not understood states nothing and is reported. This file does not know which directive wins,
//! nor which crawler honours which.

use super::date::{date, is_weekday};
use super::{Mistake, MistakeCode};
use std::borrow::Cow;

/// The longest line or content that is read, in bytes. The rest of a longer one is unread.
pub const LINE_LIMIT: usize = 64 * 1024;

/// The names of directives that have a value.
const HAS_VALUE: [&str; 4] = ["max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"];

/// The directives of one `X-Robots-Tag` field line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RobotsTag {
    /// The directives, by the prefix that they stand under, in order.
    pub agents: Vec<AgentDirectives>,
    /// The text that states nothing. [`MistakeCode::OverLimit`] is the last one, if the line is
    /// longer than [`LINE_LIMIT`].
    pub mistakes: Vec<Mistake>,
}

/// Directives with the crawler that they are addressed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentDirectives {
    /// The name before the colon, as written but in lower case (ASCII), and never empty; `None` for
    /// every crawler.
    pub agent: Option<String>,
    /// The directives.
    pub directives: Vec<Directive>,
}

/// The directives of one META tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// The directives in order.
    pub directives: Vec<Directive>,
    /// As in [`RobotsTag::mistakes`].
    pub mistakes: Vec<Mistake>,
}

/// A robots directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Directive {
    /// `noindex`
    NoIndex,
    /// `none`: the same as `noindex, nofollow`.
    None,
    /// `nofollow`
    NoFollow,
    /// `nosnippet`
    NoSnippet,
    /// `max-snippet`, in characters.
    MaxSnippet(Limit),
    /// `max-image-preview`
    MaxImagePreview(ImagePreview),
    /// `max-video-preview`, in seconds; zero for a still image.
    MaxVideoPreview(Limit),
    /// `notranslate`
    NoTranslate,
    /// `noimageindex`
    NoImageIndex,
    /// `unavailable_after`, in seconds since 1970-01-01 00:00 UTC.
    UnavailableAfter(i64),
    /// `indexifembedded`
    IndexIfEmbedded,
    /// `noarchive`
    NoArchive,
    /// `nocache`
    NoCache,
    /// `noai` or `noml`
    NoAi,
    /// `noimageai`
    NoImageAi,
    /// A known directive that restricts nothing: `all`, `index`, `follow`, `noodp`, `noydir`,
    /// `nositelinkssearchbox`.
    Nothing,
}

/// The value of a directive that limits a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// `-1`: no limit.
    Unlimited,
    /// At most this many. A number that is too large for the type is its greatest value.
    AtMost(u32),
}

/// The size of an image in a search result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ImagePreview {
    /// No image.
    None,
    /// An image of the default size.
    Standard,
    /// An image as wide as the viewport.
    Large,
}

/// Parses one `X-Robots-Tag` field line. Lines must not be joined, since a prefix holds until the
/// next prefix or the end of its line.
///
/// Text before a colon is a prefix, unless it is the name of a directive. If it contains white
/// space, a directive follows a prefix: otherwise it is another mistake. What stands under an empty
/// prefix is ignored. A directive that has no value counts also before a colon.
///
/// ```
/// use robomaton_grammar::modern::robots_tag::{Directive, robots_tag};
///
/// let tag = robots_tag(b"BadBot: noindex, nofollow, googlebot: nofollow");
/// assert_eq!(tag.agents[0].agent.as_deref(), Some("badbot"));
/// assert_eq!(tag.agents[0].directives, [Directive::NoIndex, Directive::NoFollow]);
/// assert_eq!(tag.agents[1].agent.as_deref(), Some("googlebot"));
/// ```
pub fn robots_tag(line: &[u8]) -> RobotsTag {
    let mut tag = RobotsTag::default();
    let mut agent = Some(None);
    let mut directives = Vec::new();
    let is_whole = each_piece(line, |mut piece| {
        let leads_to_directive = leads_to_directive(piece);
        while let Some((name, rest)) = prefix(piece) {
            let name = name.to_ascii_lowercase();
            if let Some(directive) = plain(&name) {
                // No crawler is called so: it would take the directives after it away from the
                // crawlers that these are for.
                tag.mistakes.push(Mistake::new(MistakeCode::InvalidDirectiveValue, piece));
                directives.extend(agent.is_some().then_some(directive));
            } else if !leads_to_directive {
                // It may be a directive that is misspelt or new, which must not take the directives
                // after it away, either.
                tag.mistakes.push(Mistake::new(MistakeCode::UnknownDirective, piece));
                return;
            } else {
                tag.close(agent.take(), &mut directives);
                if name.is_empty() {
                    tag.mistakes.push(Mistake::new(MistakeCode::EmptyAgent, piece));
                } else {
                    agent = Some(Some(name));
                }
            }
            piece = rest;
        }
        if agent.is_some() && !piece.is_empty() {
            match directive(piece) {
                Ok(directive) => directives.push(directive),
                Err(code) => tag.mistakes.push(Mistake::new(code, piece)),
            }
        }
    });
    tag.close(agent, &mut directives);
    tag.mistakes.extend(over_limit(is_whole));
    tag
}

impl RobotsTag {
    /// Ends the scope of a prefix. The scope without a prefix has no agent, and the scope of an
    /// empty prefix no entry.
    fn close(&mut self, agent: Option<Option<String>>, directives: &mut Vec<Directive>) {
        let directives = std::mem::take(directives);
        if let Some(agent) = agent
            && !directives.is_empty()
        {
            self.agents.push(AgentDirectives { agent, directives });
        }
    }
}

/// Parses the `content` of a conventional robots META tag. White space instead of a comma is a
/// mistake, and the directives around it count.
///
/// ```
/// use robomaton_grammar::modern::robots_tag::{Directive, Limit, directives};
///
/// let content = directives(b"noindex, max-snippet:20, frobnicate");
/// assert_eq!(content.directives, [Directive::NoIndex, Directive::MaxSnippet(Limit::AtMost(20))]);
/// assert_eq!(content.mistakes[0].text, "frobnicate");
/// ```
pub fn directives(content: &[u8]) -> Directives {
    let mut result = Directives::default();
    let is_whole =
        each_piece(content, |piece| read_piece(piece, &mut result.directives, &mut result.mistakes));
    result.mistakes.extend(over_limit(is_whole));
    result
}

/// A line as text. Names of crawlers may have bytes that are not UTF-8, which are Latin-1 (R5).
fn text(line: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(line) {
        return text.into();
    }
    let chunks = line.utf8_chunks();
    chunks
        .flat_map(|chunk| chunk.valid().chars().chain(chunk.invalid().iter().map(|&byte| byte.into())))
        .collect()
}

/// Calls `read` with the text between commas; a date is one piece, although its day of the week is
/// followed by a comma. A day of the week without a date is a piece of its own. Returns false if
/// the line is too long: then the last piece is cut off, as it may be incomplete.
fn each_piece(line: &[u8], mut read: impl FnMut(&str)) -> bool {
    let is_whole = line.len() <= LINE_LIMIT;
    let line = match is_whole {
        true => line,
        false => {
            let line = &line[..LINE_LIMIT];
            &line[..memchr::memrchr(b',', line).unwrap_or(0)]
        }
    };
    let line = text(line);
    let mut rest = Some(&*line);
    while let Some(line) = rest {
        let mut end = line.find(',').unwrap_or(line.len());
        if let Some(value) = weekday(&line[..end])
            && let Some(next) = line.get(end + 1..)
        {
            let after = end + 1 + next.find(',').unwrap_or(next.len());
            // What begins with a digit is the rest of a date, if in an unknown notation.
            let is_date = next.trim_start().starts_with(|first: char| first.is_ascii_digit());
            if is_date || date(line[value..after].trim()).is_some() {
                end = after;
            }
        }
        read(line[..end].trim());
        rest = line.get(end + 1..);
    }
    is_whole
}

/// Reads the text between two commas of a META tag: one directive, or several with white space
/// between them, which is a mistake as well.
fn read_piece(piece: &str, directives: &mut Vec<Directive>, mistakes: &mut Vec<Mistake>) {
    match directive(piece) {
        _ if piece.is_empty() => {}
        Ok(directive) if !ends_in_directive(piece) => directives.push(directive),
        read => {
            mistakes.push(Mistake::new(read.err().unwrap_or(MistakeCode::InvalidDirectiveValue), piece));
            directives.extend(words(piece).filter_map(|word| directive(word).ok()));
        }
    }
}

/// True if the last of several words is a directive, which a date would take for its zone.
fn ends_in_directive(text: &str) -> bool {
    let last = text.rsplit_once(char::is_whitespace).filter(|(before, _)| !before.trim_end().ends_with(':'));
    last.is_some_and(|(_, last)| plain(&last.to_ascii_lowercase()).is_some())
}

/// The length of the date at the start of a text, of several words; 0 if there is none.
fn date_length(text: &str) -> usize {
    // A date has at most seven words: Friday, 25 Jun 2010 15:00:00 -0800 has six.
    let ends = text.match_indices(char::is_whitespace).map(|(at, _)| at).chain([text.len()]);
    let dates = ends.take(8).filter(|&end| date(&text[..end]).is_some() && !ends_in_directive(&text[..end]));
    dates.last().unwrap_or(0)
}

/// The words of a piece. A colon and the word after it, or the date, belong to the name of a
/// directive that has a value, unless the word is a directive itself.
fn words(mut piece: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        piece = piece.trim_start();
        let name = piece.find(|c: char| c == ':' || c.is_whitespace()).unwrap_or(piece.len());
        let is = |known: &str| piece[..name].eq_ignore_ascii_case(known);
        let word = |text: &str| text.find(char::is_whitespace).unwrap_or(text.len());
        let end = match piece[name..].trim_start().strip_prefix(':').map(str::trim_start) {
            Some(value) if HAS_VALUE.into_iter().any(is) => {
                let date = if is("unavailable_after") { date_length(value) } else { 0 };
                let first = &value[..word(value)];
                let is_value = plain(&first.to_ascii_lowercase()).is_none()
                    || is("max-image-preview") && image_preview(first).is_some();
                piece.len() - value.len() + if is_value { date.max(first.len()) } else { date }
            }
            // A colon behind a directive without a value is a mistake, and separates.
            Some(_) if plain(&piece[..name].to_ascii_lowercase()).is_some() => name,
            _ => word(piece),
        };
        let (word, rest) = piece.split_at(end);
        piece = rest.trim_start_matches(':');
        (!word.is_empty()).then_some(word)
    })
}

fn over_limit(is_whole: bool) -> Option<Mistake> {
    let reason = format!("more than {LINE_LIMIT} bytes");
    (!is_whole).then(|| Mistake::new(MistakeCode::OverLimit, reason))
}

/// The start of the value, if the piece is `unavailable_after`, perhaps under prefixes, with a day
/// of the week.
fn weekday(piece: &str) -> Option<usize> {
    let (names, day) = piece.rsplit_once(':')?;
    let name = names.rsplit([':', ' ', '\t']).find(|name| !name.is_empty())?;
    let is_start = name.eq_ignore_ascii_case("unavailable_after") && is_weekday(day.trim());
    is_start.then_some(names.len() + 1)
}

/// True for the name of a directive that has a value, also with the other one of `-` and `_`.
fn is_valued(name: &str) -> bool {
    let sign = |byte: u8| if byte == b'_' { b'-' } else { byte.to_ascii_lowercase() };
    HAS_VALUE.iter().any(|valued| name.bytes().map(sign).eq(valued.bytes().map(sign)))
}

/// True if the first word of a text is a directive or the name of one.
fn begins_with_directive(text: &str) -> bool {
    let is_end = |c: char| matches!(c, ':' | ';') || c.is_whitespace();
    let name = text.trim_start().split(is_end).next().unwrap_or_default();
    is_valued(name) || plain(&name.to_ascii_lowercase()).is_some()
}

/// True if a directive, or nothing, stands behind one of the prefixes of a piece.
fn leads_to_directive(mut piece: &str) -> bool {
    while let Some((_, rest)) = prefix(piece) {
        if rest.is_empty() || begins_with_directive(rest) {
            return true;
        }
        piece = rest;
    }
    false
}

/// The prefix of a piece and the text after it.
fn prefix(piece: &str) -> Option<(&str, &str)> {
    let (name, rest) = piece.split_once(':')?;
    let name = name.trim();
    // The remainder of a date in an unknown notation is no prefix, nor are its hours: they would
    // take the directives after them away from the crawlers that these are for.
    let is_hour = (1..=2).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_digit());
    // Of several words, as `Acme News`, it may be a mistake in a directive, or any text. That must
    // not take the directives after it away, either.
    let is_name = !name.contains(char::is_whitespace)
        || begins_with_directive(rest) && !name.split_whitespace().any(begins_with_directive);
    (!is_valued(name) && !is_hour && is_name).then_some((name, rest.trim()))
}

fn directive(piece: &str) -> Result<Directive, MistakeCode> {
    let (name, value) = match piece.split_once(':') {
        Some((name, value)) => (name.trim_end(), Some(value.trim())),
        None => (piece, None),
    };
    let valued = match &*name.to_ascii_lowercase() {
        "max-snippet" => value.and_then(limit).map(Directive::MaxSnippet),
        "max-video-preview" => value.and_then(limit).map(Directive::MaxVideoPreview),
        "max-image-preview" => value.and_then(image_preview).map(Directive::MaxImagePreview),
        "unavailable_after" => value.and_then(date).map(Directive::UnavailableAfter),
        _ if value.is_some() => return Err(MistakeCode::UnknownDirective),
        name => return plain(name).ok_or(MistakeCode::UnknownDirective),
    };
    valued.ok_or(MistakeCode::InvalidDirectiveValue)
}

/// A directive without a value, by its name in lower case.
fn plain(name: &str) -> Option<Directive> {
    Some(match name {
        "noindex" => Directive::NoIndex,
        "none" => Directive::None,
        "nofollow" => Directive::NoFollow,
        "nosnippet" => Directive::NoSnippet,
        "notranslate" => Directive::NoTranslate,
        "noimageindex" => Directive::NoImageIndex,
        "indexifembedded" => Directive::IndexIfEmbedded,
        "noarchive" => Directive::NoArchive,
        "nocache" => Directive::NoCache,
        "noai" | "noml" => Directive::NoAi,
        "noimageai" => Directive::NoImageAi,
        "all" | "index" | "follow" | "noodp" | "noydir" | "nositelinkssearchbox" => Directive::Nothing,
        _ => return None,
    })
}

fn limit(value: &str) -> Option<Limit> {
    if value == "-1" {
        return Some(Limit::Unlimited);
    }
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    // Digits fail to parse only if the number is too large.
    is_number.then(|| Limit::AtMost(value.parse().unwrap_or(u32::MAX)))
}

fn image_preview(value: &str) -> Option<ImagePreview> {
    match &*value.to_ascii_lowercase() {
        "none" => Some(ImagePreview::None),
        "standard" => Some(ImagePreview::Standard),
        "large" => Some(ImagePreview::Large),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
