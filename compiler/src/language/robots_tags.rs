//! Robots META tags and `X-Robots-Tag` fields, and the silence of pages. The directives are those
//! of Google's page of 24 March 2026; RULES.md has their meaning.
//!
//! Only refusals and limits state something; those for everyone and those for a crawler's names
//! count together. A page that was captured and refuses nothing permits what search engines do by
//! default. This file does not know how a directive is written.

use super::{CUT, Language, Lints, QUOTED, Source, preference_text};
use crate::context::{Header, NO_SNIPPET};
use crate::limits::OverLimit;
use crate::lowering::Lowering;
use crate::lowering::preferences::{Said, Scope, set_of, shortened, unread_of};
use crate::policy::Combiner;
use crate::{MetaTag, Page};
use robomaton_formats::Profile;
use robomaton_formats::agent::name_text;
use robomaton_formats::condition::Condition;
use robomaton_formats::detail::Bytes;
use robomaton_formats::preference::{self, Carrier, Effect, Record};
use robomaton_formats::program::Silence;
use robomaton_formats::usage::{
    AI_INDEX, AI_INPUT, AI_TRAIN, FOLLOW, INDEX, OTHER, PRESENT, PRESENT_CURRENTCOPY, PRESENT_OLDCOPY,
    PRESENT_OLDSNIPPET, PRESENT_SNIPPET, PRESENT_THUMBNAIL, PRESENT_VIDEO, PRESERVE, SEARCH, TRANSLATE,
    with_parts,
};
use robomaton_formats::vocabulary::{ControlToken, control_tokens};
use robomaton_grammar::meta::{Meta, content};
use robomaton_grammar::modern::MistakeCode;
use robomaton_grammar::modern::robots_tag::{
    Directive, Directives, ImagePreview, Limit, directives, robots_tag,
};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::iter;

pub(super) struct RobotsTags;

const LANGUAGE: preference::Language = preference::Language::RobotsTag;

/// The usages that a page permits by its silence: `index, follow` is the standard's default.
const BY_DEFAULT: [u16; 5] = [SEARCH, FOLLOW, PRESERVE, TRANSLATE, PRESENT];

impl Language for RobotsTags {
    fn usages(&self) -> &'static [&'static str] {
        &[]
    }

    fn combiner(&self) -> Combiner {
        Combiner::MostRestrictive
    }

    fn silence(&self, _usage: u16) -> Silence {
        Silence::Unknown
    }

    fn lints(&self) -> &'static [Lints] {
        &[Lints::Directives]
    }

    fn lower<'s>(&self, source: &Source<'_, 's>, lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        let mut pages: Vec<&Page> = source.context.pages.iter().collect();
        pages.sort_unstable();
        for page in pages {
            state(page, lowering)?;
        }
        Ok(())
    }
}

/// The pattern that matches one page only.
pub(super) fn of_page(page: &Page) -> Bytes<'static> {
    Bytes(Cow::Owned(super::pages::exactly(page.target.as_bytes())))
}

/// Crawlers that one META tag can name.
const NAMES: usize = 16;

/// A list of directives and its place.
#[derive(Clone)]
struct Tag {
    carrier: Carrier,
    /// Not every crawler sees it, or it is one of ACAP that cannot be understood.
    may_only_refuse: bool,
    line: u32,
    text: String,
    directives: Vec<Directive>,
}

fn state(page: &Page, lowering: &mut Lowering<'_, '_>) -> Result<(), OverLimit> {
    let silent = Record {
        language: LANGUAGE,
        carrier: Carrier::Page,
        line: 0,
        file: 0,
        pattern: of_page(page),
        text: Cow::Borrowed("default: index, follow"),
    };
    let everyone = Scope::Everyone(lowering.everyone(&[]));
    let by_default = || BY_DEFAULT.into_iter().flat_map(with_parts);
    let permitted =
        by_default().map(|usage| Said { usage, effect: Effect::Permitted, rank: 1, conditions: 0 });
    lowering.state(everyone, silent.clone(), set_of(LANGUAGE, Carrier::Page), permitted.collect::<Vec<_>>());
    let mut is_whole = !page.is_cut;
    let mut by_agent: BTreeMap<Option<String>, Vec<Tag>> = BTreeMap::new();
    for Header { name, value } in page.headers.iter().filter(|header| header.name == "x-robots-tag") {
        let text = preference_text(name, value);
        let read = robots_tag(value);
        let quoted = if read.agents.len() > FEW { shortened(&text, QUOTED_OFTEN) } else { &text };
        is_whole &= read.mistakes.iter().all(|mistake| mistake.code != MistakeCode::OverLimit);
        for of_agent in read.agents {
            let agent = match of_agent.agent {
                None => None,
                Some(name) => match addressee(&name) {
                    Some(agent) => agent,
                    None => continue,
                },
            };
            let tag = Tag {
                carrier: Carrier::Header,
                may_only_refuse: false,
                line: 0,
                text: quoted.to_owned(),
                directives: of_agent.directives,
            };
            by_agent.entry(agent).or_default().push(tag);
        }
    }
    for tag in &page.metas {
        let meta = content(&tag.content);
        if !may_hold_directives(&meta) {
            continue;
        }
        let agents = addressees(&tag.name);
        if agents.is_empty() {
            continue;
        }
        let text = format!("META {} {:?}", shortened(&tag.name, QUOTED), shortened(&tag.content, QUOTED));
        let Directives { directives, mistakes } = directives(tag.content.as_bytes());
        is_whole &= mistakes.iter().all(|mistake| mistake.code != MistakeCode::OverLimit);
        let MetaTag { line, in_noscript, .. } = *tag;
        let may_only_refuse = in_noscript || !matches!(meta, Meta::Conventional(_));
        let tag = Tag { carrier: Carrier::Page, may_only_refuse, line, text, directives };
        let tags = iter::repeat_n(tag, agents.len());
        for (agent, tag) in agents.into_iter().zip(tags) {
            by_agent.entry(agent).or_default().push(tag);
        }
    }
    if !is_whole {
        let reason = if page.is_cut { CUT } else { "over a limit" };
        let record = Record { text: Cow::Borrowed(reason), ..silent.clone() };
        let usages = by_default().chain([AI_TRAIN, AI_INPUT, AI_INDEX, OTHER]);
        let unread = usages.map(|usage| Said { usage, effect: Effect::Unread, rank: 1, conditions: 0 });
        lowering.state(everyone, record, unread_of(LANGUAGE), unread.collect::<Vec<_>>());
    }
    if let Some(element) = page.elements.iter().find(|element| element.token == NO_SNIPPET) {
        let record = Record {
            language: LANGUAGE,
            carrier: Carrier::Element,
            line: element.line,
            file: 0,
            pattern: of_page(page),
            text: Cow::Borrowed(NO_SNIPPET),
        };
        let said = Said { usage: PRESENT_SNIPPET, effect: Effect::Refused, rank: 1, conditions: 0 };
        lowering.state(everyone, record, set_of(LANGUAGE, Carrier::Element), [said]);
    }
    let softens = |tag: &Tag| !tag.may_only_refuse && tag.directives.contains(&Directive::IndexIfEmbedded);
    let is_embedded = |tags: &Vec<Tag>| tags.iter().any(softens);
    let for_all = by_agent.get(&None).is_some_and(is_embedded);
    for (agent, tags) in by_agent {
        let embedded = for_all || is_embedded(&tags);
        for tag in tags {
            state_tag(page, agent.as_deref(), &tag, embedded, lowering)?;
        }
    }
    Ok(())
}

/// True for a tag that is no ACAP, and for one that is malformed or has words that are none: there,
/// too, a word that refuses counts (decision 40).
fn may_hold_directives(content: &Meta) -> bool {
    match content {
        Meta::Conventional(_) | Meta::Problem(_) => true,
        Meta::Permission { qualifiers, .. } | Meta::Prohibition { qualifiers, .. } => {
            qualifiers.iter().any(|(_, value)| value.is_empty())
        }
        Meta::Version(..) => false,
    }
}

/// The crawler that a name before a colon or of a META tag means, in lower case (R5). The inner
/// `None` is every crawler, the outer a name that no crawler has.
fn addressee(name: &str) -> Option<Option<String>> {
    let token = name_text(robomaton_grammar::product_token(name.as_bytes())?).to_ascii_lowercase();
    Some(Some(token).filter(|token| token != "*" && token != "robots"))
}

/// The crawlers that the name of a META tag means, which may be names with commas between them.
/// More than [`NAMES`] are every crawler.
fn addressees(names: &str) -> BTreeSet<Option<String>> {
    match names.split(',').nth(NAMES) {
        Some(_) => BTreeSet::from([None]),
        None => names.split(',').map(str::trim).filter_map(addressee).collect(),
    }
}

fn state_tag(
    page: &Page,
    agent: Option<&str>,
    tag: &Tag,
    embedded: bool,
    lowering: &mut Lowering<'_, '_>,
) -> Result<(), OverLimit> {
    let mut said = Vec::new();
    let (mut for_google, mut for_bing) = (Vec::new(), Vec::new());
    for directive in &tag.directives {
        for (usage, effect, condition) in meaning(*directive, embedded) {
            let conditions = lowering.conditions(condition.into_iter().collect(), tag.line)?;
            said.push(Said { usage, effect, rank: 1, conditions });
        }
        for_bing.extend(of_bing(*directive, &tag.directives, lowering)?);
        if is_no_snippet(*directive) {
            // In profile google, every crawler is Google's.
            let is_google = lowering.options.profile == Profile::Google;
            let said = if is_google { &mut said } else { &mut for_google };
            said.push(Said { usage: AI_INPUT, effect: Effect::Refused, rank: 1, conditions: 0 });
        }
    }
    if tag.may_only_refuse {
        said.iter_mut().chain(&mut for_bing).for_each(confine);
    }
    let record = Record {
        language: LANGUAGE,
        carrier: tag.carrier,
        line: tag.line,
        file: 0,
        pattern: of_page(page),
        text: Cow::Owned(tag.text.clone()),
    };
    let set = set_of(LANGUAGE, tag.carrier);
    let names: Vec<String> = agent.iter().map(|&agent| agent.to_owned()).collect();
    if !said.is_empty() {
        let scope = Scope::Everyone(lowering.everyone(&names));
        lowering.state(scope, record.clone(), set, said);
    }
    let bing = BING.map(str::to_owned);
    for (owners, said) in [(&google()[..], for_google), (&bing[..], for_bing)] {
        let owners = match agent {
            None => owners,
            Some(agent) if owners.iter().any(|owner| agent.starts_with(owner.as_str())) => &names,
            Some(_) => continue,
        };
        if !said.is_empty() {
            let scope = Scope::Everyone(lowering.everyone(owners));
            lowering.state(scope, record.clone(), set, said);
        }
    }
    Ok(())
}

/// Reduces what a tag that may only refuse says about models, which no page permits by its silence:
/// who does not see the tag, or cannot understand it, has no permission.
fn confine(said: &mut Said) {
    if said.effect == Effect::Conditional && matches!(said.usage, AI_TRAIN | AI_INPUT) {
        (said.effect, said.conditions) = (Effect::Unread, 0);
    }
}

/// A header line is quoted for each crawler that it names: of one for more than so many, less.
const FEW: usize = 8;
/// The bytes that are quoted of such a line.
const QUOTED_OFTEN: usize = 64;

/// The crawlers of Bing, and the table by which their `noarchive` speaks of models (Bing's blog of
/// September 2023).
const BING: [&str; 2] = ["bingbot", "msnbot"];
const BING_TABLE: &str = "bing-2023";

/// What a directive says to Bing about models: beside `nocache`, the less strict of the two holds.
fn of_bing(
    directive: Directive,
    all: &[Directive],
    lowering: &mut Lowering<'_, '_>,
) -> Result<Vec<Said>, OverLimit> {
    if !lowering.options.tables.iter().any(|table| table == BING_TABLE) {
        return Ok(Vec::new());
    }
    let (effect, conditions) = match directive {
        Directive::NoCache => (Effect::Conditional, vec![Condition::Excerpt]),
        Directive::NoArchive if !all.contains(&Directive::NoCache) => (Effect::Refused, Vec::new()),
        _ => return Ok(Vec::new()),
    };
    let conditions = lowering.conditions(conditions, 0)?;
    let said = [AI_INPUT, AI_TRAIN].map(|usage| Said { usage, effect, rank: 1, conditions });
    Ok(said.into())
}

/// The crawlers of Google, for which `nosnippet` also bars answers of models: those that its
/// control token binds.
fn google() -> Vec<String> {
    let token = control_tokens().iter().find(|token| token.name == "Google-Extended");
    token.map(ControlToken::bound).unwrap_or_default()
}

const fn is_no_snippet(directive: Directive) -> bool {
    matches!(directive, Directive::NoSnippet | Directive::MaxSnippet(Limit::AtMost(0)))
}

/// What a directive says: usages with effects and conditions.
fn meaning(directive: Directive, embedded: bool) -> Vec<(u16, Effect, Option<Condition>)> {
    let refused = |usages: &[u16]| usages.iter().map(|&usage| (usage, Effect::Refused, None)).collect();
    let only_if = |usages: &[u16], condition: Condition| {
        usages.iter().map(|&usage| (usage, Effect::Conditional, Some(condition.clone()))).collect()
    };
    match directive {
        Directive::NoIndex if embedded => {
            [only_if(&[INDEX], Condition::Embedded), refused(&[SEARCH])].concat()
        }
        Directive::None if embedded => {
            [only_if(&[INDEX], Condition::Embedded), refused(&[SEARCH, FOLLOW])].concat()
        }
        Directive::NoIndex => refused(&[INDEX, SEARCH]),
        Directive::None => refused(&[INDEX, SEARCH, FOLLOW]),
        Directive::NoFollow => refused(&[FOLLOW]),
        Directive::NoSnippet | Directive::MaxSnippet(Limit::AtMost(0)) => {
            refused(&[PRESENT_SNIPPET, PRESENT_OLDSNIPPET, PRESENT_VIDEO])
        }
        Directive::MaxSnippet(Limit::AtMost(count)) => {
            only_if(&[PRESENT_SNIPPET], Condition::MaxChars(count))
        }
        Directive::MaxImagePreview(ImagePreview::None) => refused(&[PRESENT_THUMBNAIL]),
        Directive::MaxImagePreview(ImagePreview::Standard) => {
            only_if(&[PRESENT_THUMBNAIL], Condition::StandardPreview)
        }
        Directive::MaxVideoPreview(Limit::AtMost(count)) => {
            only_if(&[PRESENT_VIDEO], Condition::MaxSeconds(count))
        }
        Directive::NoTranslate => refused(&[TRANSLATE]),
        Directive::NoImageIndex => only_if(&[INDEX], Condition::NoImages),
        Directive::UnavailableAfter(time) => only_if(&[INDEX, SEARCH], Condition::Before(time)),
        Directive::NoArchive | Directive::NoCache => {
            refused(&[PRESERVE, PRESENT_CURRENTCOPY, PRESENT_OLDCOPY])
        }
        Directive::NoAi => refused(&[AI_TRAIN]),
        Directive::NoImageAi => only_if(&[AI_TRAIN], Condition::NoImages),
        Directive::MaxImagePreview(ImagePreview::Large)
        | Directive::MaxSnippet(Limit::Unlimited)
        | Directive::MaxVideoPreview(Limit::Unlimited)
        | Directive::IndexIfEmbedded
        | Directive::Nothing => Vec::new(),
    }
}
