//! The clock, and what it says as tables and JSON.

use crate::agreement::Agreement;
use crate::rivals::{Rival, Sizes};
use crate::{Asker, Class, Contestant, Queries, Query, floor, race};
use serde::Serialize;

/// One line of the table.
#[derive(Serialize)]
pub(crate) struct Row {
    order: &'static str,
    name: &'static str,
    note: &'static str,
    questions: usize,
    ns: f64,
    /// How many times as long as ours with the site resolved.
    ratio: f64,
}

/// All contestants on questions in one order.
pub(crate) fn order<'q>(
    order: &'static str,
    ours: &'q Asker<'_>,
    rivals: &'q [Box<dyn Rival>],
    queries: &'q Queries,
    rounds: usize,
) -> Vec<Row> {
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
    let times = race(&mut contestants, rounds);
    let row = |((contestant, note), &ns): ((&Contestant<'_>, &'static str), &f64)| Row {
        order,
        name: contestant.name,
        note,
        questions: contestant.count,
        ns,
        ratio: ns / times[1],
    };
    contestants.iter().zip(notes).zip(&times).map(row).collect()
}

/// One line of the table by class.
#[derive(Serialize)]
pub(crate) struct ClassRow {
    class: &'static str,
    questions: usize,
    rules: f64,
    ns: f64,
    rival: f64,
}

/// Whether a seat belongs to a line of the table.
type Wanted<'s> = Box<dyn Fn(usize) -> bool + 's>;

/// Ours and one rival by what the rules are made of; the largest set last.
pub(crate) fn classes(
    ours: &Asker<'_>,
    rival: &dyn Rival,
    queries: &Queries,
    rounds: usize,
) -> Vec<ClassRow> {
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
    let mut rows = Vec::new();
    for (class, is_wanted) in wanted {
        let asked = &queries.only(is_wanted);
        let questions = asked.all().len();
        if questions == 0 {
            continue;
        }
        // A short list is asked several times in a pass, so that the clock has something to see.
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
        let ns = race(&mut contestants, rounds);
        let rules =
            asked.all().iter().map(|query| asked.seat(query).rules).sum::<usize>() as f64 / questions as f64;
        rows.push(ClassRow { class, questions, rules, ns: ns[0], rival: ns[1] });
    }
    rows
}

/// Prints the table.
pub(crate) fn print(rows: &[Row]) {
    println!("\n| order | contestant | what a call does | questions | ns per match | times ours |");
    println!("|---|---|---|---:|---:|---:|");
    for Row { order, name, note, questions, ns, ratio } in rows {
        println!("| {order} | {name} | {note} | {questions} | {ns:.1} | {ratio:.2} |");
    }
}

/// Prints the table by class.
pub(crate) fn print_classes(rows: &[ClassRow]) {
    println!("\n| rules | questions | rules in the mean | ours, ns | robotxt, ns | times ours |");
    println!("|---|---:|---:|---:|---:|---:|");
    for ClassRow { class, questions, rules, ns, rival } in rows {
        println!("| {class} | {questions} | {rules:.1} | {ns:.1} | {rival:.1} | {:.2} |", rival / ns);
    }
}

/// Prints what the DFAs come to.
pub(crate) fn print_sizes(sizes: &Sizes) {
    let Sizes { sets, built, octets, patterns } = sizes;
    let times = *octets as f64 / (*patterns).max(1) as f64;
    println!(
        "\nregex-automata built {built} of {sets} sets: {octets} octets of sparse DFAs, {times:.1} × their patterns"
    );
}

/// Everything as JSON.
pub(crate) fn json(rows: &[Row], classes: &[ClassRow], agreements: &[Agreement], questions: usize) -> String {
    let all = serde_json::json!({ "questions": questions, "race": rows, "classes": classes, "agreement": agreements });
    format!("{all:#}\n")
}
