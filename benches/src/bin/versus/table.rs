//! Times the contestants; the results are tables and points.

use crate::{Asker, Class, Contestant, Queries, Query, floor, race as run_race};
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
    ours: &'q Asker<'_>,
    rivals: &'q [Box<dyn Rival>],
    queries: &'q Queries,
    rounds: usize,
    table: &mut Table,
    results: &mut Results,
) {
    let all = queries.all().len();
    let count =
        move |allows: &dyn Fn(&Query) -> bool| queries.all().iter().filter(|query| allows(query)).count();
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
            count(&|query| accesses[query.seat as usize].decide(queries.path(query)).is_allowed())
        }),
        Contestant::new("robomaton site_resolved", all, move || {
            count(&|query| ours.resolved(queries, query))
        }),
        Contestant::new("robomaton full_url", all, move || count(&|query| ours.full_url(queries, query))),
        Contestant::new("robomaton batch", all, move || ours.batch(queries)),
        Contestant::new("floor", all, move || count(&|query| floor(ours, queries, query))),
    ];
    for rival in rivals {
        let asked = queries.only(|seat| rival.has(seat));
        notes.push(rival.note());
        contestants.push(Contestant::new(rival.name(), asked.all().len(), move || {
            let allows = |query: &&Query| rival.allows(query.seat as usize, asked.path(query)) == Some(true);
            asked.all().iter().filter(allows).count()
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
        let asked = &queries.only(is_wanted);
        let questions = asked.all().len();
        if questions == 0 {
            continue;
        }
        // A short list is repeated in a pass, so that the time is measurable.
        let times = 2_000usize.div_ceil(questions);
        let pass = move |allows: &dyn Fn(&Query) -> bool| {
            (0..times).map(|_| asked.all().iter().filter(|query| allows(query)).count()).sum()
        };
        let mut contestants = [
            Contestant::new("robomaton", questions * times, move || {
                pass(&|query| ours.resolved(asked, query))
            }),
            Contestant::new("rival", questions * times, move || {
                pass(&|query| rival.allows(query.seat as usize, asked.path(query)) == Some(true))
            }),
        ];
        let ns = run_race(&mut contestants, rounds);
        let rules =
            asked.all().iter().map(|query| asked.seat(query).rules).sum::<usize>() as f64 / questions as f64;
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
    let mut each = |name: &str, allows: &dyn Fn(&Query) -> bool| {
        let time = |query: &Query| {
            let start = Instant::now();
            black_box(allows(query));
            (start.elapsed().as_secs_f64() * 1e9 - clock).max(1.0)
        };
        let mut times: Vec<f64> = queries.all().iter().map(time).collect();
        times.sort_unstable_by(f64::total_cmp);
        for share in (1..100).map(|percent| f64::from(percent) / 100.0).chain([0.995, 0.999]) {
            results.point("distribution", name, share, times[(times.len() as f64 * share) as usize]);
        }
    };
    each("robomaton", &|query| ours.resolved(queries, query));
    each(rival.name(), &|query| rival.allows(query.seat as usize, queries.path(query)) == Some(true));
}
