//! Asks one program about one target: the highest tag that matches, or all of them.
//!
//! Stands between `access` and `scoped`, which know which programs answer, and the two machines
//! (`lanes`, `walk`), which know how a program is run on canonical bytes. Here is decided which
//! machine runs, and whether the target must be rewritten first. Invariants: nothing is allocated
//! for targets up to a kilobyte; any damage is `None`. It does not know who asks, nor what a tag
//! means.

use crate::lanes;
use crate::target::{Space, Spellings, Target, canonical};
use crate::walk::{Highest, Register, walk};
use robomaton_formats::Notation;
use robomaton_formats::notation::is_plain;
use robomaton_formats::program::lanes::{BLOCK, Lanes, REACH_ALL};
use robomaton_formats::program::{Head, Silence, Tag, Weighing};

/// The highest tag of the rules of a ranked program that match, and what it means that none does.
/// `None` when the program is damaged.
#[inline(always)]
pub(crate) fn best(program: &[u8], target: &Target<'_>) -> Option<(Tag, Silence)> {
    if !Lanes::is_at(program) {
        return best_of_tries(program, target);
    }
    let lanes = Lanes::read(program)?;
    let front = *program.first()?;
    let notation = Notation::from_u8(front & 7)?;
    let tag = if notation == Notation::Google || is_plain(seen(&lanes, target.raw())) {
        lanes::best(&lanes, target.raw())?
    } else {
        best_of_rewritten(&lanes, notation, target.bytes())?
    };
    Some((tag, Silence::of(front)))
}

/// The same out of line, for where it is not the only one.
#[inline(never)]
pub(crate) fn best_of_several(program: &[u8], target: &Target<'_>) -> Option<(Tag, Silence)> {
    best(program, target)
}

/// Puts the tags of the rules of a scoped program that match into the register. `None` when the
/// program is damaged.
pub(crate) fn collect<R: Register>(program: &[u8], target: &Spellings<'_>, register: &mut R) -> Option<()> {
    let head = Head::read(program)?;
    if head.weighing != Weighing::Scoped {
        return None;
    }
    match head.notation {
        Notation::Acap => walk(program, &head, &target.acap, register),
        Notation::Rep => walk(program, &head, &target.rep, register),
        _ => walk_any(program, &head, target.raw, register),
    }
}

/// The part of a target that the rules look at. What is plain so far is canonical, and no fragment
/// begins there. Looking at a whole block costs no more than looking at a part of one.
#[inline(always)]
fn seen<'t>(lanes: &Lanes<'_>, target: &'t [u8]) -> &'t [u8] {
    let reach = if lanes.reach == REACH_ALL { usize::MAX } else { usize::from(lanes.reach).max(BLOCK) };
    target.get(..reach).unwrap_or(target)
}

#[inline(never)]
fn best_of_rewritten(lanes: &Lanes<'_>, notation: Notation, target: &[u8]) -> Option<Tag> {
    lanes::best(lanes, &canonical(notation, target, &mut Space::new()))
}

#[inline(never)]
fn best_of_tries(program: &[u8], target: &Target<'_>) -> Option<(Tag, Silence)> {
    let head = &Head::read(program)?;
    let Weighing::Ranked(silence) = head.weighing else { return None };
    let mut best = Highest(0);
    walk_any(program, head, target.bytes(), &mut best)?;
    Some((best.0, silence))
}

/// Walks a program with a target in whatever spelling.
#[inline]
fn walk_any<R: Register>(program: &[u8], head: &Head, target: &[u8], register: &mut R) -> Option<()> {
    match head.notation {
        Notation::Rep | Notation::Koster if is_plain(target) => walk(program, head, target, register),
        Notation::Google => walk(program, head, target, register),
        _ => walk_rewritten(program, head, target, register),
    }
}

#[inline(never)]
fn walk_rewritten<R: Register>(program: &[u8], head: &Head, target: &[u8], register: &mut R) -> Option<()> {
    walk(program, head, &canonical(head.notation, target, &mut Space::new()), register)
}
