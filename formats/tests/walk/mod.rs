//! Section 6 of SPEC.md, "The walk" and "Lanes", word for word and without haste, for the tests that hold the document.

use robomaton_formats::program::lanes::Lanes;
use robomaton_formats::program::{self, Head, Step, Tag, Weighing};
use std::collections::{BTreeMap, BTreeSet};

/// The tags that a program gives for a target; the highest is what a ranked one gives.
pub(crate) fn walk(program: &[u8], target: &[u8]) -> BTreeSet<Tag> {
    if Lanes::is_at(program) { lanes(program, target) } else { tries(program, target) }
}

/// "Lanes".
fn lanes(program: &[u8], target: &[u8]) -> BTreeSet<Tag> {
    let lanes = Lanes::read(program).expect("a whole front");
    let triggers = lanes.triggers().expect("whole triggers");
    for number in 0..lanes.count {
        let ruled_out = lanes.places.iter().enumerate().any(|(column, &place)| {
            let wanted = program[9 + column * lanes.count + number];
            wanted != 0 && target.get(usize::from(place)) != Some(&wanted)
        });
        let lane = lanes.lane(number).expect("a whole lane");
        let triggered = triggers.iter().enumerate().any(|(at, trigger)| {
            let octets = if at < lanes.pairs { &trigger[..] } else { &trigger[..1] };
            let waits = lanes.waiting(at).expect("a whole mask") >> number & 1 == 1;
            waits && target.windows(octets.len()).any(|window| window == octets)
        });
        if ruled_out || lane.wild && !triggered {
            continue;
        }
        let mut pieces = lane.text[..lane.length].split(|&octet| octet == b'*').peekable();
        let head = pieces.next().expect("a head");
        let mut end = target.starts_with(head).then_some(head.len());
        while let (Some(from), Some(piece)) = (end, pieces.next()) {
            let place = target[from..].windows(piece.len().max(1)).position(|window| window == piece);
            end = if piece.is_empty() { Some(from) } else { place.map(|place| from + place + piece.len()) };
            if lane.anchored && pieces.peek().is_none() {
                let fits = target.len() - from >= piece.len() && target.ends_with(piece);
                end = fits.then_some(target.len());
            }
        }
        if end.is_some_and(|end| !lane.anchored || end == target.len()) {
            return BTreeSet::from([lane.tag]);
        }
    }
    BTreeSet::from([lanes.otherwise])
}

/// "The walk".
fn tries(program: &[u8], target: &[u8]) -> BTreeSet<Tag> {
    let head = Head::read(program).expect("a whole front");
    let mut met = BTreeSet::new();
    // In a scoped program the walk does not end early.
    let settled =
        |met: &BTreeSet<Tag>, highest| head.weighing != Weighing::Scoped && met.last() >= Some(&highest);
    // Lengths of the heads that the target begins with; the steps that wait for segments, and from where; the places of
    // those that have armed their list.
    let mut lengths: BTreeMap<usize, usize> = BTreeMap::new();
    let mut waiting: Vec<(usize, Step, usize)> = Vec::new();
    let mut done: BTreeSet<usize> = BTreeSet::new();
    let (mut at, mut depth) = (head.literals, 0);
    loop {
        let flags = program[at];
        at += 1;
        let tag = |form: u8, rank: usize, at: &mut usize| match form {
            program::TAG_NONE => 0,
            program::TAG_EXPLICIT => program::varint(program, at).expect("a tag"),
            form => 2 * rank as Tag + Tag::from(form == program::TAG_PERMIT),
        };
        let open = tag(flags & 3, depth, &mut at);
        let anchored = tag(flags >> 2 & 3, depth + 1, &mut at);
        met.extend([open, if depth == target.len() { anchored } else { 0 }]);
        if flags & program::NODE_EXTRA != 0 {
            lengths.insert(program::varint(program, &mut at).expect("a head") as usize, depth);
        }
        let Some(octet) = target.get(depth) else { break };
        let Some(length) = child(program, flags, *octet, &mut at) else { break };
        if !target[depth + 1..].starts_with(&program[at..at + length]) {
            break;
        }
        at += length;
        depth += 1 + length;
    }
    let Some(tails) = head.tails.filter(|tails| !settled(&met, tails.highest)) else { return met };
    for end in 1..=target.len() {
        let before = if end > 1 { target[end - 2] } else { 0 };
        let last = target[end - 1];
        if !(tails.last.admits(last) && (tails.before.admits(before) || tails.single.admits(last))) {
            continue;
        }
        let (mut at, mut begin) = (tails.root, end);
        loop {
            let flags = program[at];
            at += 1;
            if flags & program::NODE_EXTRA != 0 {
                let segment = program::varint(program, &mut at).expect("a segment") as usize;
                let own = program::varint(program, &mut at).expect("a list") as usize;
                let own = if own == 0 { Vec::new() } else { steps(program, tails.lists + own - 1) };
                let own = own
                    .into_iter()
                    .filter(|(_, step)| lengths.get(&step.waits).is_some_and(|&head| head <= begin));
                let others = waiting.iter().filter(|(_, step, from)| step.waits == segment && *from <= begin);
                let taken: Vec<(usize, Step)> = own.chain(others.map(|&(at, step, _)| (at, step))).collect();
                for (place, step) in taken {
                    met.extend([step.open, if end == target.len() { step.anchored } else { 0 }]);
                    if let Some(list) = step.arms.filter(|_| done.insert(place)) {
                        let armed = steps(program, tails.lists + list).into_iter();
                        waiting.extend(armed.map(|(at, step)| (at, step, end)));
                    }
                }
                if settled(&met, tails.highest) {
                    return met;
                }
            }
            let Some(octet) = begin.checked_sub(1).map(|at| target[at]) else { break };
            let Some(length) = child(program, flags, octet, &mut at) else { break };
            if !target[..begin - 1].ends_with(&program[at..at + length]) {
                break;
            }
            at += length;
            begin -= 1 + length;
        }
    }
    met
}

/// The steps of a list, each with its place.
fn steps(program: &[u8], mut at: usize) -> Vec<(usize, Step)> {
    let mut steps = Vec::new();
    loop {
        let place = at;
        let step = Step::read(program, &mut at).expect("a step");
        steps.push((place, step));
        if !step.more {
            return steps;
        }
    }
}

/// Moves to the rest of the label of the child that begins with `octet`, and gives its length.
fn child(program: &[u8], flags: u8, octet: u8, at: &mut usize) -> Option<usize> {
    let (count, width) = match flags >> 5 {
        program::CHILDREN_NONE => return None,
        program::CHILDREN_ONE => (1, 0),
        form => {
            *at += 1;
            (usize::from(program[*at - 1]) + 1, 1 << (form - program::CHILDREN_1))
        }
    };
    let child = program[*at..*at + count].iter().position(|&other| other == octet)?;
    let offset = &program[*at + count + child * width..][..width];
    let offset = offset.iter().rev().fold(0, |offset, &octet| offset << 8 | usize::from(octet));
    *at += count + count * width + offset;
    Some(program::varint(program, at).expect("a length") as usize)
}
