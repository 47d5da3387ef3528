//! Section 6 of SPEC.md, "The walk" and "Packed", implemented literally and without optimisation,
//! for the tests of the document.

use robomaton_formats::program::packed::Packed;
use robomaton_formats::program::{self, Header, Priority, State, Step, Weighing};
use std::collections::{BTreeMap, BTreeSet};

/// The priorities that a program gives for a target; a ranked program gives the highest.
pub(crate) fn walk(program: &[u8], target: &[u8]) -> BTreeSet<Priority> {
    if Packed::is_at(program) { packed(program, target) } else { tries(program, target) }
}

/// "Packed".
fn packed(program: &[u8], target: &[u8]) -> BTreeSet<Priority> {
    let packed = Packed::read(program).expect("a whole front");
    let triggers = packed.waiting().expect("whole triggers");
    for number in 0..packed.count {
        let ruled_out = packed.probes.iter().enumerate().any(|(column, &place)| {
            let wanted = program[9 + column * packed.count + number];
            wanted != 0 && target.get(usize::from(place)) != Some(&wanted)
        });
        let rule = packed.rule(number).expect("a whole rule");
        let passed = triggers.iter().enumerate().any(|(at, (trigger, mask))| {
            let bytes = if at < packed.pairs { &trigger[..] } else { &trigger[..1] };
            mask >> number & 1 == 1 && target.windows(bytes.len()).any(|window| window == bytes)
        });
        if ruled_out || rule.wild && !passed {
            continue;
        }
        let mut pieces = rule.text[..rule.length].split(|&byte| byte == b'*').peekable();
        let prefix = pieces.next().expect("a prefix");
        let mut end = target.starts_with(prefix).then_some(prefix.len());
        while let (Some(from), Some(piece)) = (end, pieces.next()) {
            let place = target[from..].windows(piece.len().max(1)).position(|window| window == piece);
            end = if piece.is_empty() { Some(from) } else { place.map(|place| from + place + piece.len()) };
            if rule.anchored && pieces.peek().is_none() {
                let fits = target.len() - from >= piece.len() && target.ends_with(piece);
                end = fits.then_some(target.len());
            }
        }
        if end.is_some_and(|end| !rule.anchored || end == target.len()) {
            return BTreeSet::from([rule.priority]);
        }
    }
    BTreeSet::from([packed.fallback])
}

/// "The walk".
fn tries(program: &[u8], target: &[u8]) -> BTreeSet<Priority> {
    let header = Header::read(program).expect("a whole front");
    let mut met = BTreeSet::new();
    // A walk of a scoped program does not end early.
    let settled = |met: &BTreeSet<Priority>, highest| {
        header.weighing != Weighing::Scoped && met.last() >= Some(&highest)
    };
    // The positions where numbered states were reached; the steps that wait in queues, with the
    // positions from which they wait.
    let mut reached: BTreeMap<usize, usize> = BTreeMap::new();
    let mut waiting: Vec<(Step, usize)> = Vec::new();
    let (mut at, mut depth) = (header.literals, 0);
    loop {
        let flags = program[at];
        at += 1;
        let priority = |form: u8, rank: usize, at: &mut usize| match form {
            program::PRIORITY_NONE => 0,
            program::PRIORITY_EXPLICIT => program::varint(program, at).expect("a priority"),
            form => 2 * rank as Priority + Priority::from(form == program::PRIORITY_PERMIT),
        };
        let open = priority(flags & 3, depth, &mut at);
        let anchored = priority(flags >> 2 & 3, depth + 1, &mut at);
        met.extend([open, if depth == target.len() { anchored } else { 0 }]);
        if flags & program::NODE_EXTRA != 0 {
            let state = State::read(program, &mut at).expect("a state");
            reach(program, &header, state, depth, &mut reached, &mut waiting);
        }
        let Some(byte) = target.get(depth) else { break };
        let Some(length) = child(program, flags, *byte, &mut at) else { break };
        if !target[depth + 1..].starts_with(&program[at..at + length]) {
            break;
        }
        at += length;
        depth += 1 + length;
    }
    let Some(tails) = header.tails.filter(|tails| !settled(&met, tails.highest)) else { return met };
    for end in 1..=target.len() {
        let before = if end > 1 { target[end - 2] } else { 0 };
        let last = target[end - 1];
        let pairs = tails.pairs(program).expect("whole filters");
        if !(tails.last.admits(last) && (pairs.admits([before, last]) || tails.single.admits(last))) {
            continue;
        }
        let (mut at, mut begin) = (tails.root, end);
        loop {
            let flags = program[at];
            at += 1;
            if flags & program::NODE_EXTRA != 0 {
                let taken: Vec<Step> = if flags & program::NODE_QUEUE != 0 {
                    let queue = program::varint(program, &mut at).expect("a queue") as usize;
                    let ready = |(step, from): &&(Step, usize)| step.waits == queue && *from <= begin;
                    let taken = waiting.iter().filter(ready).map(|&(step, _)| step).collect();
                    // They stay because of their anchored priorities.
                    for (step, from) in &mut waiting {
                        if step.waits == queue && *from <= begin {
                            step.leads = State::default();
                        }
                    }
                    taken
                } else {
                    let own = steps(program, &mut at).into_iter();
                    own.filter(|step| reached.get(&step.waits).is_some_and(|&place| place <= begin)).collect()
                };
                for step in taken {
                    met.extend([step.open, if end == target.len() { step.anchored } else { 0 }]);
                    reach(program, &header, step.leads, end, &mut reached, &mut waiting);
                }
                if settled(&met, tails.highest) {
                    return met;
                }
            }
            let Some(byte) = begin.checked_sub(1).map(|at| target[at]) else { break };
            let Some(length) = child(program, flags, byte, &mut at) else { break };
            if !target[..begin - 1].ends_with(&program[at..at + length]) {
                break;
            }
            at += length;
            begin -= 1 + length;
        }
    }
    met
}

/// "reach".
fn reach(
    program: &[u8],
    header: &Header,
    state: State,
    place: usize,
    reached: &mut BTreeMap<usize, usize>,
    waiting: &mut Vec<(Step, usize)>,
) {
    if state.number.is_some_and(|number| reached.contains_key(&number)) {
        return;
    }
    reached.extend(state.number.map(|number| (number, place)));
    if let (Some(list), Some(tails)) = (state.list, header.tails) {
        waiting.extend(steps(program, &mut (tails.lists + list)).into_iter().map(|step| (step, place)));
    }
}

/// The list of steps at this offset.
fn steps(program: &[u8], at: &mut usize) -> Vec<Step> {
    let mut steps = Vec::new();
    loop {
        let step = Step::read(program, at).expect("a step");
        steps.push(step);
        if !step.more {
            return steps;
        }
    }
}

/// Moves to the rest of the label of the child that begins with `byte`, and returns its length.
fn child(program: &[u8], flags: u8, byte: u8, at: &mut usize) -> Option<usize> {
    let (count, width) = match flags >> 5 {
        program::CHILDREN_NONE => return None,
        program::CHILDREN_ONE => (1, 0),
        form => {
            *at += 1;
            (usize::from(program[*at - 1]) + 1, program::offset_width(form))
        }
    };
    let child = program[*at..*at + count].iter().position(|&other| other == byte)?;
    let offset = &program[*at + count + child * width..][..width];
    let offset = offset.iter().rev().fold(0, |offset, &byte| offset << 8 | usize::from(byte));
    *at += count + count * width + offset;
    Some(program::varint(program, at).expect("a length") as usize)
}
