//! Windows, rates and waits, compared with slower definitions of the same.

use super::*;

fn window(from: u16, to: u16) -> Window {
    Window::new(from, to).expect("a window of the day")
}

fn rate(documents: u32, seconds: u32, window: Option<(u16, u16)>) -> Rate {
    Rate::new(documents, seconds, window.and_then(|(from, to)| Window::new(from, to))).expect("no zeros")
}

#[test]
fn windows_wrap_past_midnight() {
    let ends = [0, 1, 2, 329, 330, 719, 720, 1259, 1260, 1438, 1439];
    for (from, to) in ends.into_iter().flat_map(|from| ends.map(|to| (from, to))) {
        // The definition: walk from the first minute until the last has been visited.
        let mut inside = [from == to; 1440];
        (from..)
            .take_while(|minute| *minute == from || (minute - 1) % 1440 != to)
            .take(1440)
            .for_each(|minute| inside[usize::from(minute) % 1440] = true);
        for minute in 0..1440 {
            assert_eq!(
                window(from, to).contains(minute),
                inside[usize::from(minute)],
                "{from}-{to} {minute}"
            );
            assert!(window(from, 1440).contains(minute) == (minute >= from));
        }
        assert!(!window(from, to).contains(1440) && !window(from, to).contains(u16::MAX));
    }
    assert_eq!([Window::new(1440, 0), Window::new(0, 1441), Window::new(u16::MAX, 0)], [None; 3]);
}

#[test]
fn day_and_night_of_real_files_share_every_minute() {
    let (day, night) = (rate(6, 60, Some((330, 1259))), rate(18, 60, Some((1260, 329))));
    let schedule = Schedule { rates: vec![day, night, rate(1, 9999, None)], ..Schedule::default() };
    for minute in 0..1440_u64 {
        let now = 1_700_006_400 + minute * 60 + 59;
        assert_eq!(schedule.rate_at(now), Some(if (330..1260).contains(&minute) { day } else { night }));
    }
}

#[test]
fn fewest_documents_per_time_win() {
    let at_noon = |rates: &[Rate]| Schedule { rates: rates.to_vec(), ..Schedule::default() }.rate_at(43_200);
    let (minute, hour, ten) = (rate(10, 60, None), rate(20, 3600, None), rate(10, 600, None));
    assert_eq!(at_noon(&[minute, hour, ten]), Some(hour));
    // Among equal rates, the first. Integer division cannot distinguish these rates.
    assert_eq!(at_noon(&[rate(6, 60, None), rate(1, 10, None)]), Some(rate(6, 60, None)));
    let (max, close) = (rate(u32::MAX, u32::MAX, None), rate(u32::MAX - 1, u32::MAX, None));
    assert_eq!(at_noon(&[max, close, rate(1, 1, None)]), Some(close));
    assert!(!max.is_slower_than(rate(1, 1, None)) && !rate(1, 1, None).is_slower_than(max));
    // A rate for this time beats a slower one for any time; rates for other times do not count.
    let (timed, other) = (rate(5, 1, Some((720, 720 + 1))), rate(1, 9999, Some((722, 719))));
    assert_eq!(at_noon(&[hour, other, timed]), Some(timed));
    assert_eq!(at_noon(&[other]), None);
    assert_eq!([rate(5, 1, None).millis(), rate(3, 1, None).millis()], [200, 334]);
    assert_eq!([max.millis(), rate(1, u32::MAX, None).millis()], [1000, 4_294_967_295_000]);
    assert_eq!([Rate::new(0, 1, None), Rate::new(1, 0, None)], [None, None]);
}

#[test]
fn intervals_say_where_they_come_from() {
    let thumb = |millis| Interval { millis, source: Source::RuleOfThumb };
    let mut schedule = Schedule::default();
    assert_eq!(schedule.interval(0, None), thumb(10_000));
    assert_eq!(schedule.interval(0, Some(Duration::from_secs(5))), thumb(10_000));
    assert_eq!(schedule.interval(0, Some(Duration::from_nanos(5_000_000_001))), thumb(10_001));
    assert_eq!(schedule.interval(0, Some(Duration::MAX)), thumb(u64::MAX));
    schedule.delays = vec![0];
    assert_eq!(schedule.interval(0, None), Interval { millis: 0, source: Source::Delay });
    schedule.rates = vec![rate(1, 10, None)];
    schedule.delays = vec![500, 10_000];
    assert_eq!(schedule.interval(0, None), Interval { millis: 10_000, source: Source::Rate });
    schedule.merge(Schedule {
        delays: vec![10_001, 3],
        comments: vec!["slowly".into()],
        ..Schedule::default()
    });
    assert_eq!(schedule.interval(0, None), Interval { millis: 10_001, source: Source::Delay });
    assert_eq!((schedule.delays.len(), schedule.comments.len()), (4, 1));
}

#[test]
fn waits_for_window_interval_and_both() {
    let second = |hour: u64, minute: u64| 86_400 * 19_000 + hour * 3600 + minute * 60;
    let mut schedule = Schedule { visits: vec![window(240, 525)], ..Schedule::default() };
    let waits = |schedule: &Schedule, now, last| schedule.wait(now, last, None).as_secs();
    assert_eq!(waits(&schedule, second(3, 0), None), 3600);
    assert_eq!(waits(&schedule, second(8, 46) - 1, None), 0);
    assert_eq!(waits(&schedule, second(8, 46), None), second(24 + 4, 0) - second(8, 46));
    assert!(schedule.may_visit(second(8, 45)) && !schedule.may_visit(second(8, 46)));
    // The interval ends after the window has closed.
    schedule.delays = vec![3_600_000];
    assert_eq!(waits(&schedule, second(8, 30), Some(second(8, 20))), second(24 + 4, 0) - second(8, 30));
    assert_eq!(waits(&schedule, second(7, 30), Some(second(7, 20))), 3000);
    assert_eq!(waits(&schedule, second(7, 30), Some(u64::MAX)), 3600);
    // The slow rate ends before its interval does.
    let rates = vec![rate(1, 3600, Some((0, 719))), rate(1, 1, None)];
    let schedule = Schedule { rates, ..Schedule::default() };
    assert_eq!(waits(&schedule, second(11, 59), Some(second(11, 58))), 60);
    assert_eq!(waits(&schedule, second(24, 0) - 1, Some(second(24, 0) - 1)), 3600);
    // The rule of thumb applies only if a retrieval time is given.
    let silent = Schedule::default();
    assert_eq!(silent.wait(9, Some(9), None), Duration::ZERO);
    assert_eq!(silent.wait(9, Some(9), Some(Duration::from_millis(6001))), Duration::from_millis(12_002));
    assert_eq!(silent.wait(9, None, Some(Duration::MAX)), Duration::ZERO);
}

#[test]
fn waits_are_the_least_that_satisfy() {
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..400 {
        let mut schedule = Schedule::default();
        for _ in 0..random(3) {
            schedule.visits.push(window(random(1440) as u16, random(1441) as u16));
        }
        for _ in 0..random(4) {
            let part = (random(3) > 0).then(|| (random(1440) as u16, random(1441) as u16));
            let reach = random(17);
            schedule.rates.push(rate(1, 1 + random(1 << reach) as u32, part));
        }
        schedule.delays.extend((random(3) == 0).then(|| 1000 * random(40_000)));
        let now = 86_400 * 19_000 + random(86_400);
        let last = now - random(5000);
        let retrieval = (random(3) == 0).then(|| Duration::from_secs(random(40)));
        let is_due = |&time: &u64| {
            let interval = schedule.interval(time, retrieval);
            let asked = interval.source != Source::RuleOfThumb || retrieval.is_some();
            schedule.may_visit(time) && (!asked || (time - last) * 1000 >= interval.millis)
        };
        let wait = schedule.wait(now, Some(last), retrieval);
        assert_eq!(wait.subsec_nanos(), 0);
        assert_eq!((now..).find(is_due), Some(now + wait.as_secs()), "{schedule:?} {now} {last}");
        assert!(schedule.wait(now + wait.as_secs(), Some(last), retrieval).is_zero());
    }
}

#[test]
fn no_time_is_too_large() {
    let rates = vec![rate(1, u32::MAX, Some((1439, 1438))), rate(u32::MAX, 1, None)];
    let schedule = Schedule { rates, visits: vec![window(900, 1)], ..Schedule::default() };
    let endless = Schedule { delays: vec![u64::MAX], visits: vec![window(0, 0)], ..Schedule::default() };
    let times = [0, 1, 59, 86_399, 1 << 32, u64::MAX / 1000, u64::MAX - 1, u64::MAX];
    for (now, last) in times.into_iter().flat_map(|now| times.map(|last| (now, last))) {
        for retrieval in [None, Some(Duration::ZERO), Some(Duration::MAX)] {
            assert!(schedule.wait(now, Some(last), retrieval).as_secs() < 4_294_967_295 + 86_400);
            let wait = endless.wait(now, Some(last), retrieval).as_millis();
            assert_eq!(wait, u128::from(u64::MAX).saturating_sub(millis(now) - millis(last.min(now))));
        }
    }
}

#[test]
fn survives_the_image() {
    let schedule = Schedule {
        delays: vec![2500],
        rates: vec![rate(6, 60, Some((330, 1440))), rate(1, 10, None)],
        visits: vec![window(1260, 329)],
        comments: vec!["at night, please".into()],
    };
    let bytes = postcard::to_stdvec(&schedule).expect("it is written");
    assert_eq!(postcard::from_bytes(&bytes), Ok(schedule));
    let of_pair =
        |pair: (u16, u16)| postcard::from_bytes::<Window>(&postcard::to_stdvec(&pair).expect("a pair"));
    assert_eq!(of_pair((0, 1440)), Ok(window(0, 1440)));
    assert!(of_pair((1440, 0)).is_err() && of_pair((0, 1441)).is_err());
    assert!(
        postcard::from_bytes::<Rate>(&[0, 1, 0]).is_err()
            && postcard::from_bytes::<Rate>(&[1, 0, 0]).is_err()
    );
}
