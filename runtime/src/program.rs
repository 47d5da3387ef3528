//! Runs one program on one target: the highest priority that matches, or all of them.
//!
//! It stands between `access` and `scoped`, which choose the programs, and the two machines
//! (`packed`, `walk`), which run one on canonical bytes. It decides which machine runs and whether
//! the target must be rewritten first. Invariants: nothing is allocated for targets up to a
//! kilobyte; any damage is `None`. It does not know the crawler, nor what a priority means.

use crate::packed;
use crate::target::{Spellings, Target, rewritten};
use crate::walk::{Highest, Register, walk};
use robomaton_formats::Notation;
use robomaton_formats::notation::is_plain;
use robomaton_formats::program::packed::{BLOCK, Packed, REACH_ALL};
use robomaton_formats::program::{Header, Priority, Silence, Weighing};

/// The highest priority of the matching rules of a ranked program, and what silence means for it.
/// `None` if the program is damaged.
#[inline(always)]
pub(crate) fn best(program: &[u8], target: &Target<'_>) -> Option<(Priority, Silence)> {
    if !Packed::is_at(program) {
        return best_of_tries(program, target);
    }
    let packed = Packed::read(program)?;
    let front = *program.first()?;
    let notation = Notation::from_u8(front & 7)?;
    let priority = if notation == Notation::Google || is_plain(seen(&packed, target.raw())) {
        packed::best(&packed, target.raw())?
    } else {
        best_of_rewritten(&packed, notation, target.bytes())?
    };
    Some((priority, Silence::of(front)))
}

/// The same, out of line, for callers with several programs.
#[inline(never)]
pub(crate) fn best_of_several(program: &[u8], target: &Target<'_>) -> Option<(Priority, Silence)> {
    best(program, target)
}

/// Puts the priorities of the matching rules of a scoped program into the register. `None` if the
/// program is damaged.
pub(crate) fn collect<R: Register>(program: &[u8], target: &Spellings<'_>, register: &mut R) -> Option<()> {
    let header = Header::read(program)?;
    if header.weighing != Weighing::Scoped {
        return None;
    }
    match header.notation {
        Notation::Acap => walk(program, &header, &target.acap, register),
        Notation::Rep => walk(program, &header, &target.rep, register),
        _ => walk_any(program, &header, target.raw, register),
    }
}

/// The part of a target that the rules look at. If it is plain, it is canonical and contains no
/// fragment. Checking a whole block costs no more than checking a part of one.
#[inline(always)]
pub(crate) fn seen<'t>(packed: &Packed<'_>, target: &'t [u8]) -> &'t [u8] {
    let reach = if packed.reach == REACH_ALL { usize::MAX } else { usize::from(packed.reach).max(BLOCK) };
    target.get(..reach).unwrap_or(target)
}

#[inline(never)]
fn best_of_rewritten(packed: &Packed<'_>, notation: Notation, target: &[u8]) -> Option<Priority> {
    rewritten(notation, target, |target| packed::best(packed, target))
}

#[inline(never)]
fn best_of_tries(program: &[u8], target: &Target<'_>) -> Option<(Priority, Silence)> {
    let header = &Header::read(program)?;
    let Weighing::Ranked(silence) = header.weighing else { return None };
    let mut best = Highest(0);
    walk_any(program, header, target.bytes(), &mut best)?;
    Some((best.0, silence))
}

/// Walks a program with a target in any spelling.
#[inline]
fn walk_any<R: Register>(program: &[u8], header: &Header, target: &[u8], register: &mut R) -> Option<()> {
    match header.notation {
        Notation::Rep | Notation::Koster if is_plain(target) => walk(program, header, target, register),
        Notation::Google => walk(program, header, target, register),
        _ => walk_rewritten(program, header, target, register),
    }
}

#[inline(never)]
fn walk_rewritten<R: Register>(
    program: &[u8],
    header: &Header,
    target: &[u8],
    register: &mut R,
) -> Option<()> {
    rewritten(header.notation, target, |target| walk(program, header, target, register))
}
