//! The short way: answers the most frequent kind of question in few instructions.
//!
//! ```text
//!   site entry, crawler ──▶ one program ──▶ target in vectors ──▶ rules ──▶ Ranked
//! ```
//!
//! The question is about fetching; the crawler has at most one name in the image; ranked programs
//! answer, nearly always one, and the target is plain. A packed program of a target of up to 64
//! bytes is run here, on vectors; one of a longer target by `packed`, tries by `walk`. Every other
//! question is left to `rules`, the definition of the same answers: `None` means that it is to be
//! asked, also where the image is damaged. Invariants: whatever this module answers, `rules` would
//! answer; on vectors, nothing loops over the target. A test compares the two.

use crate::crawler::{Crawler, Usage};
use crate::program::seen;
use crate::rules::{Ranked, may_be_exempt};
use crate::site::Site;
use crate::walk::{Highest, walk};
use crate::window::{LONGEST, Window};
use robomaton_formats::decision::is_robots_txt;
use robomaton_formats::int::shorts;
use robomaton_formats::notation::is_plain;
use robomaton_formats::policy::{self, QuickSet};
use robomaton_formats::program::packed::{
    ANCHORED, BLOCK, FRONT_PACKED, FRONT_STARRED, MAX_PACKED, OFFSET, PERMITS, Packed, Trigger, Triggers,
};
use robomaton_formats::program::{FRONT_SILENCE, FRONT_TAILS, Header, Priority, Silence};
use robomaton_formats::read::View;
use robomaton_formats::{Notation, PolicyAt, SetRef, SiteEntry};
use wide::u8x16;

/// The answer about fetching a path of a site; `None` if this is not the way to it. In an older
/// layer, a crawler has other numbers, which `access` knows.
#[inline(never)]
pub(crate) fn of_path(site: &Site<'_>, crawler: &Crawler, usage: Usage<'_>, path: &[u8]) -> Option<Ranked> {
    let is_path = path.first() == Some(&b'/') && site.profile.notation() != Notation::Google;
    if is_path && usage.is_crawl() && site.origin.is_first() {
        of_target(site, crawler, usage, path)
    } else {
        None
    }
}

/// The answer about a target of a site; `None` if this is not the way to it.
#[inline(always)]
pub(crate) fn of_target(
    site: &Site<'_>,
    crawler: &Crawler,
    usage: Usage<'_>,
    target: &[u8],
) -> Option<Ranked> {
    let is_for_rules = usage.is_crawl() && !site.origin.is_document();
    if is_for_rules { answer(site.view(), site.entry(), crawler, target) } else { None }
}

/// The answer about fetching a target of the site with an entry; `None` if this is not the way to
/// it.
#[inline(always)]
pub(crate) fn answer(
    view: View<'_>,
    entry: Option<SiteEntry>,
    crawler: &Crawler,
    target: &[u8],
) -> Option<Ranked> {
    let only = crawler.only()?;
    match entry? {
        SiteEntry::Program(at) => answer_of(view.program(at)?, target),
        SiteEntry::Policy(at) => of_policy(view, at, only, target),
        SiteEntry::NoRules(_) => None,
    }
}

/// The answer of the set that a policy has for a crawler.
#[inline(never)]
fn of_policy(view: View<'_>, at: PolicyAt, only: u16, target: &[u8]) -> Option<Ranked> {
    match policy::quick_set(view.policy(at)?, only) {
        QuickSet::Set(SetRef::Program(at)) => answer_of(view.program(at)?, target),
        QuickSet::Set(SetRef::List(at)) => of_list(view, view.list(at)?, target),
        QuickSet::NoSet => (!may_be_exempt(target)).then_some(Ranked::NoGroup),
        QuickSet::OtherForm => None,
    }
}

/// The answer of the programs of a list that are about fetching.
#[inline(never)]
pub(crate) fn of_list(view: View<'_>, list: &[u8], target: &[u8]) -> Option<Ranked> {
    let entries = policy::read_list(list).filter(|_| !policy::is_scoped(list))?;
    let mut best = None;
    // Entries ascend by usage.
    for entry in entries.take_while(|entry| entry.usage == Usage::CRAWL.id) {
        let program = view.program(entry.program)?;
        let priority: Priority = of_program(program, target)?;
        best = Some(best.map_or((priority, program), |(best, first)| (priority.max(best), first)));
    }
    // The first program defines what silence means.
    let (priority, first) = best?;
    Some(Ranked::of(priority, Silence::of(*first.first()?)))
}

/// The answer of a program.
#[inline(always)]
pub(crate) fn answer_of(program: &[u8], target: &[u8]) -> Option<Ranked> {
    of_program(program, target)
}

/// The result of a program for a target: the answer, or the highest priority among the rules that
/// match, 0 if none does.
trait ProgramAnswer: Sized {
    /// The result if this rule is the best that matches.
    fn of_rule(rule: &Rule<'_>, packed: &Packed<'_>) -> Option<Self>;

    /// The result if this is the highest priority; `front` is the first byte of the program.
    fn of_priority(priority: Priority, front: u8) -> Self;
}

impl ProgramAnswer for Ranked {
    #[inline(always)]
    fn of_rule(rule: &Rule<'_>, _: &Packed<'_>) -> Option<Ranked> {
        Some(Ranked::of_rule(rule.word & PERMITS != 0))
    }

    #[inline(always)]
    fn of_priority(priority: Priority, front: u8) -> Ranked {
        Ranked::of(priority, Silence::of(front))
    }
}

impl ProgramAnswer for Priority {
    #[inline(always)]
    fn of_rule(rule: &Rule<'_>, packed: &Packed<'_>) -> Option<Priority> {
        Some(packed.rule(rule.number)?.priority)
    }

    #[inline(always)]
    fn of_priority(priority: Priority, _: u8) -> Priority {
        priority
    }
}

#[inline(always)]
fn of_program<A: ProgramAnswer>(program: &[u8], target: &[u8]) -> Option<A> {
    // The rules of a packed program look at no more of the target than its reach, often sixteen
    // bytes.
    let &[front, _, _, _, reach] = program.first_chunk()?;
    let reach = if front & FRONT_PACKED == 0 { usize::MAX } else { reach.into() };
    let seen = target.get(..reach).unwrap_or(target);
    match seen.len() {
        0 => None,
        1..=16 => of_sixteen(program, seen),
        17..=32 => of_thirty_two(program, seen),
        33..=LONGEST => of_sixty_four(program, seen),
        _ => without_window(program, target),
    }
}

#[inline(never)]
fn of_sixteen<A: ProgramAnswer>(program: &[u8], target: &[u8]) -> Option<A> {
    run::<1, A>(program, target)
}

#[inline(never)]
fn of_thirty_two<A: ProgramAnswer>(program: &[u8], target: &[u8]) -> Option<A> {
    run::<2, A>(program, target)
}

#[inline(never)]
fn of_sixty_four<A: ProgramAnswer>(program: &[u8], target: &[u8]) -> Option<A> {
    run::<4, A>(program, target)
}

#[inline(always)]
fn run<const K: usize, A: ProgramAnswer>(program: &[u8], target: &[u8]) -> Option<A> {
    let packed = Packed::read(program)?;
    let front = *program.first()?;
    let window = Window::<K>::new(target);
    let is_plain = window.odd() & Window::<K>::low(window.length) == 0;
    if !is_of_paths(front) {
        return if is_plain && !window.may_be_robots() {
            of_tries(program, target)
        } else {
            without_window(program, target)
        };
    }
    if !is_plain || window.may_be_robots() {
        return None;
    }
    let mut left = if packed.count == 0 { 0 } else { candidates(&packed, &window)? };
    if left != 0 {
        if packed.trigger_count() != 0 {
            let wild = packed.wild()?;
            if left & wild != 0 {
                return with_stars(program, &window, left & !wild, left & wild);
            }
        }
        while left != 0 {
            let rule = Rule::read(&packed, program, left.trailing_zeros() as usize)?;
            left &= left - 1;
            if rule.begins(&window)? {
                return A::of_rule(&rule, &packed);
            }
        }
    }
    Some(A::of_priority(packed.fallback, front))
}

/// True if a program that begins with this byte is packed, and its targets are written as paths
/// are.
#[inline(always)]
fn is_of_paths(front: u8) -> bool {
    front & !(FRONT_SILENCE | FRONT_STARRED) == FRONT_PACKED | Notation::Rep as u8
}

/// Like [`run`], for targets of any length.
#[inline(never)]
fn without_window<A: ProgramAnswer>(program: &[u8], target: &[u8]) -> Option<A> {
    let front = *program.first()?;
    if is_robots_txt(target) {
        return None;
    }
    if front & FRONT_PACKED == 0 {
        return if is_plain(target) { of_tries(program, target) } else { None };
    }
    let packed = Packed::read(program)?;
    if is_of_paths(front) && is_plain(seen(&packed, target)) {
        Some(A::of_priority(crate::packed::best(&packed, target)?, front))
    } else {
        None
    }
}

/// The answer of a program of tries about a target that is plain and not `/robots.txt`.
#[inline(never)]
fn of_tries<A: ProgramAnswer>(program: &[u8], target: &[u8]) -> Option<A> {
    let front = *program.first()?;
    if front & !(FRONT_SILENCE | FRONT_TAILS) != Notation::Rep as u8 {
        return None;
    }
    let mut best = Highest(0);
    walk(program, &Header::read(program)?, target, &mut best)?;
    Some(A::of_priority(best.0, front))
}

/// A rule of a packed program.
struct Rule<'p> {
    number: usize,
    word: u16,
    length: usize,
    /// The text and everything after it.
    text: &'p [u8],
}

impl<'p> Rule<'p> {
    #[inline(always)]
    fn read(packed: &Packed<'_>, program: &'p [u8], number: usize) -> Option<Rule<'p>> {
        let words = packed.words(number)?;
        let [word, next] = shorts(words);
        let start = word & OFFSET;
        let length = (next & OFFSET).wrapping_sub(start).into();
        Some(Rule { number, word, length, text: program.get(start.into()..)? })
    }

    #[inline(always)]
    fn is_anchored(&self) -> bool {
        self.word & ANCHORED != 0
    }

    /// True if the target begins with the text, or is equal to it if it is anchored. `None` if the
    /// text exceeds the program.
    #[inline(always)]
    fn begins<const K: usize>(&self, window: &Window<K>) -> Option<bool> {
        if self.length > window.length || self.is_anchored() && self.length != window.length {
            return Some(false);
        }
        Some(!window.same(self.text)? & Window::<K>::low(self.length) == 0)
    }
}

/// Like [`run`], with rules left over, of which `wild` have stars and `plain` none.
#[inline(never)]
fn with_stars<const K: usize, A: ProgramAnswer>(
    program: &[u8],
    window: &Window<K>,
    mut plain: u64,
    mut wild: u64,
) -> Option<A> {
    let packed = Packed::read(program)?;
    // The best plain rule that matches. A worse rule with stars need not be looked at, nor its
    // trigger, which takes longer than a plain rule.
    let mut best = None;
    while plain != 0 {
        let number = plain.trailing_zeros() as usize;
        let rule = Rule::read(&packed, program, number)?;
        if rule.begins(window)? {
            wild &= (1 << number) - 1;
            best = Some(rule);
            break;
        }
        plain &= plain - 1;
    }
    if wild != 0 {
        wild = waiting(&packed, window, wild)?;
    }
    while wild != 0 {
        let rule = Rule::read(&packed, program, wild.trailing_zeros() as usize)?;
        wild &= wild - 1;
        if has_parts(window, &rule)? {
            best = Some(rule);
            break;
        }
    }
    match best {
        Some(rule) => A::of_rule(&rule, &packed),
        None => Some(A::of_priority(packed.fallback, *program.first()?)),
    }
}

/// The rules that match the bytes at the three probes.
#[inline(always)]
fn candidates<const K: usize>(packed: &Packed<'_>, window: &Window<K>) -> Option<u64> {
    let [a, b, c] = packed.probes.map(|place| u8x16::splat(window.byte(place)));
    let block = |number: usize| {
        // Zero where the column has the byte, or zero, which stands for any.
        let differs = |column: usize, byte: u8x16| {
            let required = u8x16::new(*packed.column(column, number)?);
            Some((required ^ byte).min(required))
        };
        let differ = differs(0, a)? | differs(1, b)? | differs(2, c)?;
        Some(u64::from(differ.simd_eq(u8x16::ZERO).to_bitmask()))
    };
    let mut left = block(0)?;
    if packed.count > BLOCK {
        for number in 1..MAX_PACKED / BLOCK {
            left |= block(number)? << (number * BLOCK);
        }
    }
    Some(left & packed.all())
}

/// The rules of `wild` whose trigger occurs in the target.
#[inline(always)]
fn waiting<const K: usize>(packed: &Packed<'_>, window: &Window<K>, wild: u64) -> Option<u64> {
    match packed.triggers()? {
        Triggers::Narrow(triggers) => occurring(triggers, packed.pairs, window, wild),
        Triggers::Wide(triggers) => occurring(triggers, packed.pairs, window, wild),
    }
}

/// The same for masks of one width. `pairs` triggers have two bytes, those after them one.
#[inline(always)]
fn occurring<const K: usize>(
    triggers: &[impl Trigger],
    pairs: usize,
    window: &Window<K>,
    wild: u64,
) -> Option<u64> {
    let target = window.pairs();
    let (pairs, singles) = triggers.split_at_checked(pairs)?;
    let mut found = 0;
    for trigger in pairs {
        let (pair, mask) = trigger.waiting();
        if mask & wild != 0 && target.contain(pair) {
            found |= mask;
        }
    }
    for trigger in singles {
        let ([byte, _], mask) = trigger.waiting();
        if mask & wild != 0 && window.places(byte) != 0 {
            found |= mask;
        }
    }
    Some(found & wild)
}

/// True if the target matches a text with stars: each segment at its first place after the one
/// before, the last segment of an anchored text at the end.
#[inline(always)]
fn has_parts<const K: usize>(window: &Window<K>, rule: &Rule<'_>) -> Option<bool> {
    let (text, length, anchored) = (rule.text, rule.length, rule.is_anchored());
    if length > LONGEST {
        return Some(crate::packed::wild(text.get(..length)?, anchored, window.target()));
    }
    let stars_in = |block| u64::from(u8x16::new(block).simd_eq(u8x16::splat(b'*')).to_bitmask());
    let mut stars = stars_in(*text.first_chunk()?);
    if length > 16 {
        for number in 1..LONGEST / 16 {
            stars |= stars_in(*text.get(16 * number..)?.first_chunk()?) << (16 * number);
        }
    }
    stars &= Window::<4>::low(length);
    // Zeros follow the target, so what is longer does not match it.
    let mut end = stars.trailing_zeros() as usize;
    if end > 16 * K || !window.same(text)? & Window::<K>::low(end) != 0 {
        return Some(false);
    }
    let mut at = end;
    while stars != 0 {
        let start = end + 1;
        stars &= stars - 1;
        end = if stars == 0 { length } else { stars.trailing_zeros() as usize };
        let (segment, size) = (text.get(start..)?, end - start);
        if size == 0 {
            continue;
        }
        if stars == 0 && anchored {
            let last = window.length.checked_sub(size).filter(|&last| last >= at);
            return last.map_or(Some(false), |last| window.has(last, segment, size));
        }
        let &[first, second] = segment.first_chunk()?;
        let mut places = window.places(first);
        if size > 1 {
            places &= window.places(second) >> 1;
        }
        places &= !Window::<K>::low(at);
        loop {
            if places == 0 {
                return Some(false);
            }
            let place = places.trailing_zeros() as usize;
            if window.has(place, segment, size)? {
                at = place + size;
                break;
            }
            places &= places - 1;
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use crate::access::at_length;
    use crate::target;
    use crate::{Image, Usage};
    use robomaton_compiler::{Entry, Options, compile, emit};
    use robomaton_formats::{Profile, SiteKey};

    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % limit
        }

        /// A few bytes, mostly of a small alphabet.
        fn text(&mut self, most: usize) -> String {
            let letters = [&b"ab/"[..], b"abcdefg/", b"ab/.?=~%#\"^|{ \x7f!$"][self.below(9) / 4];
            (0..self.below(most + 1)).map(|_| char::from(letters[self.below(letters.len())])).collect()
        }

        fn rule(&mut self) -> String {
            let sense = ["Allow", "Disallow"][self.below(2)];
            let mut pattern = "/".to_owned();
            for _ in 0..=self.below(3) {
                let most = [4, 4, 12, 30][self.below(4)];
                pattern += &self.text(most);
                pattern += ["", "", "*"][self.below(3)];
            }
            format!("{sense}: {pattern}{}\n", ["", "", "$"][self.below(3)])
        }
    }

    /// Whatever the short way answers, the long way answers, too; and it answers most questions.
    #[test]
    fn short_and_long_way_agree() {
        let (mut random, mut short, mut asked) = (Random(1), 0, 0);
        for round in 0..1_500 {
            let mut text = String::new();
            for agent in ["*", "a", "b", "c"].iter().take(1 + round % 4) {
                text += &format!("User-agent: {agent}\n");
                let most = [2, 8, 20, 140][random.below(4)];
                (0..=random.below(most)).for_each(|_| text += &random.rule());
            }
            text += if round % 7 == 0 { "User-agent: a\nDisallow: /b\n" } else { "" };
            let profile = [Profile::Rfc9309, Profile::Full, Profile::Google, Profile::Koster]
                [[0, 0, 0, 1, 1, 1, 2, 3][random.below(8)]];
            let options = Options { profile, ..Options::default() };
            let site = SiteKey::from_url("https://h/").unwrap();
            let document = compile(text.as_bytes(), None, &options);
            let image =
                Image::from_bytes(emit(vec![Entry::fetched(site, &document)], &options).unwrap()).unwrap();
            let site = image.site("https://h/").unwrap();
            let crawlers = [&["a"][..], &["d"], &["b", "c"]].map(|names| image.crawler(names));
            for _ in 0..40 {
                let most = [10, 20, 40, 70][random.below(4)];
                let path =
                    ["/", "/robots.txt"][usize::from(random.below(20) == 0)].to_owned() + &random.text(most);
                for crawler in crawlers.iter().chain([&crawlers[0].clone().named_only(true)]) {
                    let target = target::target(profile, &path);
                    asked += 1;
                    if let Some(answer) = super::of_path(&site, crawler, Usage::CRAWL, path.as_bytes()) {
                        short += 1;
                        let long = at_length(&site, crawler, Usage::CRAWL, &target);
                        assert_eq!(answer.answer(), long, "{profile} {:?} {path}\n{text}", crawler.names());
                    }
                    let decided = site.decide(crawler, Usage::CRAWL, &path).answer;
                    assert_eq!(decided, at_length(&site, crawler, Usage::CRAWL, &target));
                    let held = site.access(crawler, Usage::CRAWL).decide(&path).answer;
                    assert_eq!(held, decided);
                }
            }
        }
        assert!(short * 8 > asked, "{short} of {asked}");
    }
}
