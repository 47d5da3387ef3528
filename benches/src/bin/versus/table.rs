//! Times the contestants; the results are tables and points.

use crate::{Asked, Asker, Class, Contestant, Image, Queries, floor, race as run_race};
use robomaton_benches::clock;
use robomaton_benches::results::{Results, Table};
use robomaton_benches::rivals::Rival;
use std::hint::black_box;
use std::time::Instant;

/// The table of the race, without rows.
pub(crate) fn race() -> Table {
    let columns = ["order:", "contestant:", "what a call does:", "questions", "ns per match", "times ours"];
    Table::new("race", &columns)
}

/// Times all contestants on questions in one order.
pub(crate) fn order<'q>(
    order: &'static str,
    (image, ours): (&'q Image<Vec<u8>>, &'q Asker<'_>),
    rivals: &'q [Box<dyn Rival>],
    queries: &'q Queries,
    rounds: usize,
    table: &mut Table,
    results: &mut Results,
) {
    let all = queries.all().len();
    let asked = &ours.asked(queries);
    let accesses = ours.accesses();
    let mut notes = vec![
        "file and agent held",
        "site and crawler held",
        "host look-up and splitting included",
        "the same, in batches",
        "decides nothing",
    ];
    let mut contestants = vec![
        Contestant::new("robomaton access", all, move || {
            count(asked, |asked| accesses[asked.seat].decide(asked.path).is_allowed())
        }),
        Contestant::new("robomaton site_resolved", all, move || count(asked, |asked| asked.resolved())),
        Contestant::new("robomaton full_url", all, move || count(asked, |asked| asked.full_url(image))),
        Contestant::new("robomaton batch", all, move || ours.batch(asked)),
        Contestant::new("floor", all, move || count(asked, floor)),
    ];
    for rival in rivals {
        notes.push(rival.note());
        let asked: Vec<&Asked<'_>> = asked.iter().filter(|asked| rival.has(asked.seat)).collect();
        contestants.push(Contestant::new(rival.name(), asked.len(), move || {
            asked.iter().filter(|asked| rival.allows(asked.seat, asked.path) == Some(true)).count()
        }));
    }
    let times = run_race(&mut contestants, rounds);
    for ((contestant, note), &ns) in contestants.iter().zip(notes).zip(&times) {
        // Relative to ours with the site resolved.
        let (name, ratio) = (contestant.name, ns / times[1]);
        let cells = [order, name, note].map(str::to_owned);
        let numbers = [contestant.count.to_string(), format!("{ns:.1}"), format!("{ratio:.2}")];
        table.row(cells.into_iter().chain(numbers).collect());
        results.point("race", &format!("{name}\t{order}"), 0.0, ns);
    }
}

/// The number of questions that are allowed.
fn count(asked: &[Asked<'_>], is_allowed: impl Fn(&Asked<'_>) -> bool) -> usize {
    asked.iter().filter(|asked| is_allowed(asked)).count()
}

/// True if a seat belongs to a row of the table.
type Wanted<'s> = Box<dyn Fn(usize) -> bool + 's>;

/// Ours and one rival by class of rules; the largest set last.
pub(crate) fn classes(ours: &Asker<'_>, rival: &dyn Rival, queries: &Queries, rounds: usize) -> Table {
    let seats = &queries.seats;
    let largest = queries.largest(Class::MultiStar);
    let small = |class: Class| move |seat: usize| seats[seat].class == class;
    let mut wanted: Vec<(&'static str, Wanted<'_>)> =
        Class::ALL.into_iter().map(|class| (class.name(), Box::new(small(class)) as _)).collect();
    wanted.push(("one rule", Box::new(|seat| seats[seat].rules == 1)));
    wanted.push(("2-5 rules", Box::new(|seat| (2..=5).contains(&seats[seat].rules))));
    wanted.push(("6-50 rules", Box::new(|seat| (6..=50).contains(&seats[seat].rules))));
    wanted.push(("over 50 rules", Box::new(|seat| seats[seat].rules > 50)));
    wanted.push(("largest with stars", Box::new(|seat| Some(seat) == largest)));
    let columns = ["rules:", "questions", "rules in the mean", "ours, ns", "robotxt, ns", "times ours"];
    let mut table = Table::new("classes", &columns);
    for (class, is_wanted) in wanted {
        let of_row = queries.only(is_wanted);
        let questions = of_row.all().len();
        if questions == 0 {
            continue;
        }
        // A short list is repeated in a pass, so that the time is measurable.
        let times = 2_000usize.div_ceil(questions);
        let asked = &ours.asked(&of_row);
        let mut contestants = [
            Contestant::new("robomaton", questions * times, move || {
                (0..times).map(|_| count(asked, |asked| asked.resolved())).sum()
            }),
            Contestant::new("rival", questions * times, move || {
                let allows = |asked: &Asked<'_>| rival.allows(asked.seat, asked.path) == Some(true);
                (0..times).map(|_| count(asked, allows)).sum()
            }),
        ];
        let ns = run_race(&mut contestants, rounds);
        let rules = asked.iter().map(|asked| queries.seats[asked.seat].rules).sum::<usize>() as f64
            / questions as f64;
        let ratio = ns[1] / ns[0];
        let numbers =
            [format!("{rules:.1}"), format!("{:.1}", ns[0]), format!("{:.1}", ns[1]), format!("{ratio:.2}")];
        table.row([class.to_owned(), questions.to_string()].into_iter().chain(numbers).collect());
    }
    table
}

/// The distribution of times of single questions: each is timed alone, minus the clock's own time;
/// points are share of questions and nanoseconds.
pub(crate) fn distribution(ours: &Asker<'_>, rival: &dyn Rival, queries: &Queries, results: &mut Results) {
    let clock = clock::own_time();
    let asked = ours.asked(queries);
    let mut each = |name: &str, allows: &dyn Fn(&Asked<'_>) -> bool| {
        let time = |asked: &Asked<'_>| {
            let start = Instant::now();
            black_box(allows(asked));
            (start.elapsed().as_secs_f64() * 1e9 - clock).max(1.0)
        };
        let mut times: Vec<f64> = asked.iter().map(time).collect();
        times.sort_unstable_by(f64::total_cmp);
        for share in (1..100).map(|percent| f64::from(percent) / 100.0).chain([0.995, 0.999]) {
            results.point("distribution", name, share, times[(times.len() as f64 * share) as usize]);
        }
    };
    each("robomaton", &|asked| asked.resolved());
    each(rival.name(), &|asked| rival.allows(asked.seat, asked.path) == Some(true));
}
