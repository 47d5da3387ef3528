//! Panels: engines that must agree, and the smallest file on which they do not.
//!
//! Used by the agreement suites on generated files. A disagreement is shrunk by removing lines and
//! then bytes of the query, so that the output of a failing run is easy to read. This file does not
//! know which engine is right.

use crate::engines::{self, GoogleOracle, Oracle, Trace};
use crate::suite::{Answer, Engine, Question, Text, agree};

/// Engines that have loaded a file.
pub struct Panel {
    profile: &'static str,
    engines: Vec<Box<dyn Engine>>,
}

/// One query: a file, a crawler, a usage and a URL.
#[derive(Clone, Debug)]
pub struct Query {
    /// The robots.txt.
    pub robots: Vec<u8>,
    /// The site of the file; `None` for URLs that are only paths.
    pub origin: Option<String>,
    /// The crawler's token.
    pub agent: String,
    /// The usage.
    pub usage: String,
    /// The URL.
    pub url: String,
}

impl Panel {
    /// The engines that must agree under a profile: the trace, a fresh image, one with only tries,
    /// and the oracle if there is one.
    pub fn of(profile: &'static str) -> Panel {
        let mut engines: Vec<Box<dyn Engine>> =
            vec![Box::new(Trace::default()), Box::new(engines::fresh()), Box::new(engines::plain())];
        match profile {
            "full" | "rfc9309" => engines.push(Box::new(Oracle::default())),
            "google" => engines.push(Box::new(GoogleOracle::default())),
            _ => {}
        }
        Panel { profile, engines }
    }

    /// Loads the file into every engine.
    pub fn load(&mut self, robots: &[u8], origin: Option<&str>) {
        let text = Text::new(robots, origin, self.profile);
        self.engines.iter_mut().for_each(|engine| engine.load(&text));
    }

    /// Queries every engine, except the oracles for usages other than `crawl`, which they do not
    /// know.
    ///
    /// # Errors
    /// The answer of each engine, if they differ.
    pub fn ask(&self, agent: &str, usage: &str, url: &str) -> Result<Answer, String> {
        let knows = |engine: &dyn Engine| usage == "crawl" || !engine.name().ends_with("oracle");
        let asked = self.engines.iter().filter(|engine| knows(engine.as_ref()));
        let answers: Vec<(&str, Answer)> =
            asked.map(|engine| (engine.name(), engine.ask(&Question::new(&[agent], usage, url)))).collect();
        same(&answers)?;
        Ok(answers[0].1.clone())
    }

    /// Loads and queries at once.
    ///
    /// # Errors
    /// As for [`Panel::ask`].
    pub fn settle(&mut self, query: &Query) -> Result<Answer, String> {
        self.load(&query.robots, query.origin.as_deref());
        self.ask(&query.agent, &query.usage, &query.url)
    }

    /// A readable report of a disagreement, with the smallest query that still shows it.
    pub fn account(&mut self, query: &Query) -> String {
        let small = shrink(query.clone(), &mut |query| self.settle(query).is_err());
        let said = self.settle(&small).err().unwrap_or_else(|| "they agree when asked again".to_owned());
        let Query { robots, origin, agent, usage, url } = &small;
        let lines: String = (1..)
            .zip(robots.split_inclusive(|&byte| byte == b'\n'))
            .map(|(number, line)| format!("    {number:>3} | {}\n", line.escape_ascii()))
            .collect();
        format!("profile {}, file of {origin:?}: may {agent:?} {usage} {url:?}?\n{said}{lines}", self.profile)
    }
}

/// Checks that all answers are equal; lines of `None` agree with any.
///
/// # Errors
/// The answers, one per line.
pub fn same(answers: &[(&str, Answer)]) -> Result<(), String> {
    let pairs = answers
        .iter()
        .enumerate()
        .flat_map(|(at, one)| answers[at + 1..].iter().map(move |other| (one, other)));
    if pairs.into_iter().all(|(one, other)| agree(&one.1, &other.1)) {
        return Ok(());
    }
    Err(answers.iter().map(|(name, answer)| format!("  {name} said: {answer}\n")).collect())
}

/// The smallest query found that still fails: lines are removed, then bytes of the lines and of the
/// URL's end.
pub fn shrink(mut query: Query, fails: &mut dyn FnMut(&Query) -> bool) -> Query {
    let ends: fn(&u8) -> bool = |byte| *byte == b'\n';
    query.robots =
        shrink_parts(query.robots.split_inclusive(ends).map(<[u8]>::to_vec).collect(), &mut |parts| {
            fails(&Query { robots: parts.concat(), ..query.clone() })
        })
        .concat();
    query.robots = shrink_parts(query.robots.iter().map(|&byte| vec![byte]).collect(), &mut |parts| {
        query.robots.len() < 2_000 && fails(&Query { robots: parts.concat(), ..query.clone() })
    })
    .concat();
    let bytes: Vec<char> = query.url.chars().collect();
    let keep = bytes.len().min(query.origin.as_ref().map_or(1, |origin| origin.len() + 1));
    let (head, tail) = bytes.split_at(keep);
    let url = |tail: &[char]| head.iter().chain(tail).collect::<String>();
    let tail = shrink_parts(tail.to_vec(), &mut |tail| fails(&Query { url: url(tail), ..query.clone() }));
    Query { url: url(&tail), ..query }
}

/// Removes parts, in runs of decreasing length, while the remainder fails.
fn shrink_parts<T: Clone>(mut parts: Vec<T>, fails: &mut dyn FnMut(&[T]) -> bool) -> Vec<T> {
    let mut run = parts.len() / 2;
    while run > 0 {
        let mut at = 0;
        while at < parts.len() {
            let mut fewer = parts.clone();
            fewer.drain(at..parts.len().min(at + run));
            if fails(&fewer) {
                parts = fewer;
            } else {
                at += run;
            }
        }
        run /= 2;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_left_out() {
        let query = Query {
            robots: b"a\nDisallow: /x\nb\n".to_vec(),
            origin: None,
            agent: "a".to_owned(),
            usage: "crawl".to_owned(),
            url: "/xyz".to_owned(),
        };
        let mut fails = |query: &Query| query.robots.contains(&b'D') && query.url.contains('y');
        let small = shrink(query, &mut fails);
        assert_eq!((small.robots.as_slice(), small.url.as_str()), (&b"D"[..], "/y"));
    }
}
