//! Texts that are not robots.txt, and values of extension records without effect.
//!
//! The grammar's value parsers decide which values are valid. Nothing here depends on groups.

use super::{Code, Pass, quote};
use crate::language;
use robomaton_formats::Profile;
use robomaton_grammar::{Key, LineKind, Span, extended};

/// The number of bytes examined to detect the encoding.
const HEAD: usize = 512;

/// Reports the actual format of a text that is not a robots.txt (R1, R16). A text with a group
/// counts as a robots.txt, whatever comes before it.
pub(super) fn text(pass: &mut Pass<'_, '_>) {
    let tree = pass.tree;
    if !tree.groups.is_empty() {
        return;
    }
    let source = tree.source;
    let marked = source.starts_with(b"\xff\xfe") || source.starts_with(b"\xfe\xff");
    let head = &source[..source.len().min(HEAD)];
    let zeros = |odd: usize| head.iter().skip(odd).step_by(2).filter(|&&byte| byte == 0).count();
    // ASCII in UTF-16 has a NUL in every other byte.
    if marked || head.len() >= 8 && zeros(0).max(zeros(1)) * 4 > head.len() {
        let span = Span { start: 0, end: source.len().min(2) as u32 };
        let message = "this file is in UTF-16; crawlers read UTF-8 and understand no line of it";
        return pass.say(Code::Utf16, span, message);
    }
    let mut text = &source[tree.bom.end as usize..];
    text = text.trim_ascii_start();
    // No line of a robots.txt begins with a tag.
    if let [b'<', b'a'..=b'z' | b'A'..=b'Z' | b'!' | b'?' | b'/', ..] = text {
        let start = (source.len() - text.len()) as u32;
        let length = text.iter().take_while(|byte| !byte.is_ascii_whitespace()).count() as u32;
        let message = "this is a page of HTML, not a robots.txt; crawlers find no rule in it";
        pass.say(Code::Html, Span { start, end: start + length }, message);
    }
}

/// Reports groups with several Visit-times (N15), each of which counts.
pub(super) fn visit_times(pass: &mut Pass<'_, '_>) {
    let tree = pass.tree;
    for group in &tree.groups {
        let mut first = None;
        for line in &tree.lines[group.start as usize..group.end as usize] {
            let is_one = line.kind == LineKind::Field(Key::VisitTime);
            if !is_one || extended::visit_time(tree.text(line.value)).is_none() {
                continue;
            }
            match first {
                None => first = Some(line.value),
                Some(first) => {
                    let message =
                        "the group has a Visit-time already; crawlers may come at any of these times";
                    pass.say_with(Code::VisitTimeRepeated, line.value, message, first, "the first is here");
                }
            }
        }
    }
}

/// Checks the values of extension records (R18, N2, N15, N16). The grammar reports empty ones.
pub(super) fn lint(pass: &mut Pass<'_, '_>) {
    for line in &pass.tree.lines {
        let LineKind::Field(key) = line.kind else { continue };
        let value = pass.tree.text(line.value);
        let (code, form) = match key {
            _ if value.is_empty() => continue,
            Key::CrawlDelay if extended::crawl_delay(value).is_none() => {
                (Code::BadCrawlDelay, "a number of seconds, such as `2.5`")
            }
            Key::RequestRate if extended::request_rate(value).is_none() => {
                (Code::BadRequestRate, "documents and a time, such as `10/1m` or `1/5 0600-2200`")
            }
            Key::VisitTime if extended::visit_time(value).is_none() => {
                (Code::BadVisitTime, "two times of the day in UTC, such as `0600-0845`")
            }
            Key::RobotVersion if extended::version(value).is_none() => {
                (Code::BadRobotVersion, "three numbers, such as `2.0.0`")
            }
            Key::Sitemap if !is_absolute(value) => (Code::RelativeSitemap, "a whole URL (`https://...`)"),
            _ => continue,
        };
        let effect = if code == Code::RelativeSitemap { "some crawlers drop it" } else { "it has no effect" };
        let message = format!("{} is not {form}; {effect}", quote(value));
        pass.say(code, line.value, message);
    }
}

/// Checks the values of records in user-agent groups that other languages read.
pub(super) fn languages(profile: Profile, pass: &mut Pass<'_, '_>) {
    let tree = pass.tree;
    for line in &tree.lines {
        let Some(language) = language::reader(profile, tree, line) else { continue };
        let value = tree.text(line.value);
        if let Some(mistake) = language.mistake(value) {
            let message = format!("{} is not understood, so it has no effect: {mistake}", quote(value));
            let span = if value.is_empty() { line.key } else { line.value };
            pass.say(Code::UnreadableValue, span, message);
        }
    }
}

fn is_absolute(value: &[u8]) -> bool {
    let scheme = value.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    scheme > 0 && value[scheme..].starts_with(b"://")
}
