//! Preferences of robots.txt, line by line: values that state nothing, or not what was meant
//! (AIPREF, Content Signals, RSL, TDMRep).
//!
//! The grammar's parsers decide what is understood; this file names the likely intention, by the
//! tables of labels. It does not know where a line stands, which `placement` checks.

use super::{Code, Pass, quote};
use crate::Options;
use crate::language::rsl;
use crate::lowering::preferences::unread_of;
use crate::policy::Policy;
use crate::programs::is_over_limit;
use robomaton_formats::preference::{Carrier, Group, Language, Source};
use robomaton_formats::vocabulary::{Label, labels};
use robomaton_grammar::modern::dictionary::content_usage;
use robomaton_grammar::modern::path::split_path;
use robomaton_grammar::modern::signal::content_signal;
use robomaton_grammar::modern::{Mistake, MistakeCode, Preference};
use robomaton_grammar::{Key, Line, LineKind, Tree};

/// The kind of a line that states a preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `Content-Usage`.
    Usage,
    /// `Content-Signal`, or its plural.
    Signal,
    /// `License`.
    License,
    /// `DisallowAITraining` or `AllowAITraining`.
    Training,
}

impl Kind {
    /// Every kind.
    pub(super) const ALL: [Kind; 4] = [Kind::Usage, Kind::Signal, Kind::License, Kind::Training];

    /// The name in messages.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Kind::Usage => "Content-Usage",
            Kind::Signal => "Content-Signal",
            Kind::License => "License",
            Kind::Training => "DisallowAITraining",
        }
    }

    /// True if lines before the first group count for the crawlers whose groups have none.
    pub(super) const fn has_fallback(self) -> bool {
        matches!(self, Kind::Signal | Kind::License)
    }
}

/// The kind of a line, if it states a preference.
pub(super) fn kind(tree: &Tree<'_>, line: &Line) -> Option<Kind> {
    match line.kind {
        LineKind::Field(Key::ContentUsage) => Some(Kind::Usage),
        LineKind::Field(Key::ContentSignal) => Some(Kind::Signal),
        LineKind::Field(Key::License) => Some(Kind::License),
        LineKind::Unknown => match &*tree.text(line.key).to_ascii_lowercase() {
            b"content-signals" => Some(Kind::Signal),
            b"disallowaitraining" | b"allowaitraining" => Some(Kind::Training),
            _ => None,
        },
        _ => None,
    }
}

/// The line of the first statement in robots.txt that is unread since it exceeds a limit, or all of
/// them do.
pub(super) fn unread<'p>(policy: &'p Policy<'p>, options: &Options) -> Option<u32> {
    let of_source = |source: &'p Source<'p>| {
        let stated = |group: &'p Group<'p>| {
            group.statements.iter().filter_map(move |of| Some((group.record(of)?, of.set)))
        };
        let own = || {
            let all = source.groups.iter().flat_map(stated);
            all.filter(|(record, _)| record.carrier == Carrier::Robots && record.file == 0)
        };
        let is_over = own().next().is_some() && is_over_limit(policy, source, options);
        let unread = own().filter(|(record, set)| is_over || *set == unread_of(record.language));
        unread.map(|(record, _)| record.line).min()
    };
    policy.preferences.iter().filter_map(of_source).min()
}

/// Checks the value of every preference.
pub(super) fn lint(pass: &mut Pass<'_, '_>) {
    let tree = pass.tree;
    for line in &tree.lines {
        let value = tree.text(line.value);
        match kind(tree, line) {
            Some(Kind::Usage) => of_usage(line, value, pass),
            Some(Kind::Signal) => of_signals(line, value, pass),
            Some(Kind::License) if !value.is_empty() => of_license(line, value, pass),
            None if is_tdm(tree, line) => {
                let message = "TDMRep has no form in robots.txt, so this reserves nothing; state it in \
                               /.well-known/tdmrep.json, in a header or in the page";
                pass.say(Code::TdmInRobotsTxt, line.key, message);
            }
            _ => {}
        }
    }
}

fn is_tdm(tree: &Tree<'_>, line: &Line) -> bool {
    let is = |name: &[u8]| tree.text(line.key).eq_ignore_ascii_case(name);
    line.kind == LineKind::Unknown && (is(b"tdm-reservation") || is(b"tdm-policy"))
}

fn of_usage(line: &Line, value: &[u8], pass: &mut Pass<'_, '_>) {
    let (_, statement) = split_path(value);
    let members = match content_usage(statement) {
        Ok(members) => members,
        Err(mistake) => {
            let message = format!(
                "{} is no dictionary: {}; the whole line states nothing, and hides those with shorter paths",
                quote(statement),
                fault(&mistake, statement)
            );
            return pass.say(Code::ContentUsageMalformed, line.value, message);
        }
    };
    for (key, preference) in members {
        let quoted = quote(key.as_bytes());
        if label(Language::Aipref, &key).is_none() {
            let message = format!(
                "AIPREF has no label {quoted}, so it states nothing; {}",
                meant(&key, Language::Aipref)
            );
            pass.say(Code::ContentUsageLabel, line.value, message);
        } else if preference == Preference::Other {
            let message = format!(
                "the value of {quoted} is neither `y` nor `n`, so it states nothing; write `{key}=y` or `{key}=n`"
            );
            pass.say(Code::ContentUsageValue, line.value, message);
        }
    }
}

/// The likely fault of a statement that is not a dictionary.
fn fault(mistake: &Mistake, statement: &[u8]) -> &'static str {
    let has = |text: &[u8]| memchr::memmem::find(statement, text).is_some();
    let has_space = statement.iter().any(|byte| matches!(byte, b' ' | b'\t'));
    match statement {
        _ if mistake.code == MistakeCode::OverLimit => "it is too long",
        [b'*', ..] => "a path begins with `/`",
        [.., b','] => "a comma ends it",
        [.., b';'] => "a semicolon ends it",
        _ if statement.iter().any(u8::is_ascii_uppercase) => "labels are in lower case",
        _ if has(b":") => "a label and its value are joined by `=`",
        _ if has(b" =") || has(b"= ") => "no space is allowed at the `=`",
        _ if has_space => "labels are separated by commas",
        _ => "write labels with `y` or `n`, such as `train-ai=n, search=y`",
    }
}

fn of_signals(line: &Line, value: &[u8], pass: &mut Pass<'_, '_>) {
    if pass.tree.text(line.key).eq_ignore_ascii_case(b"content-signals") {
        let message = "the key is `Content-Signal`; some readers do not know the plural, and drop the line";
        pass.say(Code::ContentSignalsKey, line.key, message);
    }
    let (_, statement) = split_path(value);
    for mistake in content_signal(statement).mistakes {
        let text = mistake.text.as_bytes();
        let quoted = quote(text);
        let (key, given) = mistake.text.split_once('=').unwrap_or((&mistake.text, ""));
        let is_list = given.contains([';', '=']) || given.trim().contains(char::is_whitespace);
        let (code, message) = match mistake.code {
            MistakeCode::OverLimit => {
                let message = format!("the line has {}; the rest is not read", mistake.text);
                (Code::ContentSignalMalformed, message)
            }
            MistakeCode::InvalidSignalValue if is_list => {
                let message = format!("{quoted} states nothing: signals are separated by commas");
                (Code::ContentSignalMalformed, message)
            }
            MistakeCode::InvalidSignalValue => {
                let key = key.trim().to_ascii_lowercase();
                let values =
                    if key == "use" { "`immediate`, `reference` or `full`" } else { "`yes` or `no`" };
                let message = format!("{quoted} states nothing: the value of `{key}` is {values}");
                (Code::ContentSignalValue, message)
            }
            MistakeCode::UnknownSignal => {
                let key = key.trim().to_ascii_lowercase();
                let message = format!("{quoted} states nothing: {}", meant(&key, Language::ContentSignals));
                (Code::ContentSignalUnknown, message)
            }
            _ => {
                let message = format!("{quoted} states nothing: a signal is a name, `=`, and `yes` or `no`");
                (Code::ContentSignalMalformed, message)
            }
        };
        pass.say(code, line.value, message);
    }
}

/// The label of a language with this name in lower case, in its standard table.
fn label(language: Language, name: &str) -> Option<&'static Label> {
    labels().iter().find(|label| label.language == language && label.is_standard && label.name == name)
}

/// The label that was meant by one of another language, or all labels.
fn meant(name: &str, language: Language) -> String {
    let own = |label: &&Label| label.language == language && label.is_standard;
    let other = labels()
        .iter()
        .find(|label| label.language != language && label.name == name && label.level.is_none());
    let same = other.and_then(|other| labels().iter().filter(own).find(|label| label.usage == other.usage));
    match same {
        Some(same) => format!("write `{}`", same.name),
        None => {
            let names: Vec<String> =
                labels().iter().filter(own).map(|label| format!("`{}`", label.name)).collect();
            format!("it has {}", names.join(", "))
        }
    }
}

fn of_license(line: &Line, value: &[u8], pass: &mut Pass<'_, '_>) {
    if !std::str::from_utf8(value).is_ok_and(rsl::is_absolute) {
        let message = format!(
            "{} is no absolute URL, so no licence is found and every usage stays unknown; write `https://...`",
            quote(value)
        );
        pass.say(Code::LicenseUrl, line.value, message);
    }
}
