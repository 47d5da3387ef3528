//! I14 of packed programs: a program that passes the check answers as its texts define, whichever
//! byte was changed.

use robomaton_formats::program::packed::{Draft, FRONT_PACKED, FRONT_STARRED, Packed, Plan, REACH_ALL};
use robomaton_formats::program::{self, Header, PADDING, Priority, Silence, Weighing, check};
use robomaton_formats::{Notation, Pattern};
use walk::walk;

mod walk;

/// `/ab/`, `/a*.gif$`, `/*?` and `/b*`, with their triggers.
fn plan() -> Plan<'static> {
    let rule = |text: &'static str, anchored, starred, permits, trigger| {
        let length = text.len() + usize::from(anchored) + usize::from(starred);
        let prefix = text.find('*').unwrap_or(text.len());
        let priority = 2 * length as Priority + Priority::from(permits);
        Draft { text: text.as_bytes(), prefix, anchored, starred, priority, trigger }
    };
    Plan {
        rules: vec![
            rule("/a*.gif", true, false, true, Some(0)),
            rule("/ab/", false, false, false, None),
            rule("/*?", false, false, true, Some(1)),
            rule("/b", false, true, false, None),
        ],
        triggers: vec![*b".g", [b'?', 0]],
        pairs: 1,
        probes: [1, 2, 3],
        reach: REACH_ALL,
        fallback: 4,
    }
}

fn encoded(plan: &Plan<'_>) -> Vec<u8> {
    let mut program = Vec::new();
    let front = Header::front(Notation::Rep, Weighing::Ranked(Silence::Allowed), false);
    plan.encode(front | FRONT_PACKED, &mut program);
    program.extend([0; PADDING]);
    program
}

/// The highest priority according to the texts alone.
fn naive(program: &[u8], target: &[u8]) -> Priority {
    let packed = Packed::read(program).expect("a whole front");
    let matching = (0..packed.count).filter_map(|number| {
        let rule = packed.rule(number).expect("a whole rule");
        let mut text = rule.text[..rule.length].to_vec();
        text.extend(rule.anchored.then_some(b'$'));
        Pattern { text: &text, notation: Notation::Rep }.matches(target).then_some(rule.priority)
    });
    matching.max().unwrap_or(0).max(packed.fallback)
}

#[test]
fn what_passes_answers_as_its_texts_say() {
    let whole = encoded(&plan());
    assert!(check(&whole).is_ok());
    let targets =
        ["/", "/a", "/ab/", "/ab/c.gif", "/ac.gif", "/b", "/bb?", "/x?.gif", "/a.gif?", "/*", "/ab", "/?"];
    let (mut passed, mut refused) = (0, 0);
    for at in 0..whole.len() - PADDING {
        for bit in 0..8 {
            let mut program = whole.clone();
            program[at] ^= 1 << bit;
            // With another first byte, this is not a packed program.
            if check(&program).is_err() || !Packed::is_at(&program) {
                refused += 1;
                continue;
            }
            passed += 1;
            for target in targets {
                let best = walk(&program, target.as_bytes()).last().copied();
                assert_eq!(
                    best,
                    Some(naive(&program, target.as_bytes())),
                    "bit {bit} of byte {at}: {target}"
                );
            }
        }
    }
    // Nearly all changes that pass affect a literal byte of a text, a sense, or the header.
    assert!(refused > 350 && passed > 5, "{passed} passed, {refused} were refused");
}

#[test]
fn every_part_is_checked() {
    type Change = fn(&mut Plan<'static>);
    let changes: [(&str, Change); 11] = [
        ("best first", |plan| plan.rules.swap(0, 1)),
        ("best first", |plan| plan.fallback = 12),
        ("reach", |plan| plan.reach = 9),
        ("reach", |plan| plan.fallback = 1),
        ("its text holds", |plan| plan.triggers[0] = *b".h"),
        ("its text holds", |plan| plan.triggers[0] = *b"/a"),
        ("kind", |plan| plan.rules[1].trigger = Some(0)),
        ("holds a byte", |plan| plan.rules[3].text = b"/\x80"),
        ("two bytes, or one", |plan| plan.triggers[1] = *b"?x"),
        ("wildcard's character", |plan| plan.rules[1].text = b"/%2A"),
        ("wildcard's character", |plan| plan.rules[1].text = b"/%24"),
    ];
    for (what, change) in changes {
        let mut plan = plan();
        change(&mut plan);
        let found = check(&encoded(&plan)).expect_err(what);
        assert!(found.1.contains(what), "{found:?}, not {what:?}");
    }
    let long = "/a".repeat(program::packed::MAX_LENGTH);
    let mut plan = plan();
    plan.rules = vec![Draft {
        text: long.as_bytes(),
        prefix: long.len(),
        priority: 2 * long.len() as Priority,
        ..plan.rules[1]
    }];
    (plan.triggers, plan.pairs) = (Vec::new(), 0);
    assert!(check(&encoded(&plan)).is_err());
}

#[test]
fn reserved_bits_are_refused() {
    let mut unknown = encoded(&plan());
    unknown[0] |= (Silence::Unknown as u8) << 5;
    assert!(check(&unknown).is_ok());
    unknown[0] |= 2 << 5;
    assert!(check(&unknown).is_err(), "a silence of no number");

    // No rule, and a mask that says that rule 0 is starred.
    let none = |front: &[u8]| [front, &[0; PADDING]].concat();
    let front = Header::front(Notation::Rep, Weighing::Ranked(Silence::Allowed), false) | FRONT_PACKED;
    assert!(check(&none(&[front, 0, 0, 0, 16, 0, 0, 0, 4, 11, 0])).is_ok());
    assert!(check(&none(&[front | FRONT_STARRED, 0, 0, 0, 16, 0, 0, 0, 4, 13, 0, 1, 0])).is_err());
}

#[test]
fn the_texts_have_a_limit() {
    let text = "/a".repeat(120);
    let rule = Draft {
        text: text.as_bytes(),
        prefix: text.len(),
        anchored: false,
        starred: false,
        priority: 2 * text.len() as Priority,
        trigger: None,
    };
    let of = |count| Plan { rules: vec![rule; count], triggers: Vec::new(), pairs: 0, reach: 241, ..plan() };
    assert!(check(&encoded(&of(62))).is_ok());
    assert!(check(&encoded(&of(63))).is_err(), "{} bytes of texts", 63 * text.len());
}
