//! Questions by the line: a chunk of text → verdicts, in order.
//!
//! What `query` and `filter` share. Runs of plain URLs go through the runtime's batch, so that the waits for memory
//! overlap; the rare lines that are something else are answered one by one, in their place. No allocation per line.
//! It does not know what is printed.

use crate::input::Lines;
use robomaton_explain::{decide, spelled};
use robomaton_runtime::{Crawler, Image, Question, Usage, Verdict};

/// A line of the input.
pub(crate) enum Line<'a> {
    /// A URL as it was read, answered.
    Answered(&'a [u8], Verdict<'a>),
    /// A JSON object, not looked at yet.
    Object(&'a str),
}

/// Who asks, for what, and of which image.
#[derive(Clone, Copy)]
pub(crate) struct Asker<'a> {
    pub(crate) image: &'a Image,
    pub(crate) crawler: &'a Crawler,
    pub(crate) usage: Usage<'a>,
    /// The document that answers, where it is not robots.txt.
    pub(crate) document: Option<&'a str>,
    /// Whether a line that begins with `{` is a JSON object rather than a URL.
    pub(crate) objects: bool,
}

impl<'a> Asker<'a> {
    /// Answers one question of anybody.
    pub(crate) fn decide<'q>(&self, crawler: &'q Crawler, usage: Usage<'q>, url: &'q str) -> Verdict<'q>
    where
        'a: 'q,
    {
        decide(self.image, self.document, crawler, usage, url)
    }

    /// Answers the lines of a chunk, in order.
    pub(crate) fn chunk(&self, chunk: &[u8], each: &mut impl FnMut(Line<'_>)) {
        if let Ok(text) = std::str::from_utf8(chunk) {
            return self.text(text, each);
        }
        for line in chunk.split(|&octet| octet == b'\n') {
            match std::str::from_utf8(line) {
                Ok(line) => self.text(line, each),
                Err(_) => self.octets(line.trim_ascii(), each),
            }
        }
    }

    fn text(&self, text: &str, each: &mut impl FnMut(Line<'_>)) {
        let mut lines = Lines::new(text);
        if self.document.is_some() {
            return lines.for_each(|line| match self.objects && line.starts_with('{') {
                true => each(Line::Object(line)),
                false => each(Line::Answered(line.as_bytes(), self.decide(self.crawler, self.usage, line))),
            });
        }
        loop {
            let mut asked = lines.clone();
            let plain = std::iter::from_fn(|| {
                let here = lines.clone();
                let url = lines.next()?;
                if self.objects && url.starts_with('{') {
                    lines = here;
                    return None;
                }
                Some(Question { crawler: self.crawler, usage: self.usage, url })
            });
            // The batch answers in order, so the next line asked is the one answered.
            self.image.decide_batch(plain, |verdict| {
                each(Line::Answered(asked.next().unwrap_or_default().as_bytes(), verdict));
            });
            match lines.next() {
                Some(object) => each(Line::Object(object)),
                None => return,
            }
        }
    }

    /// A line that is no UTF-8.
    fn octets(&self, line: &[u8], each: &mut impl FnMut(Line<'_>)) {
        each(Line::Answered(line, self.decide(self.crawler, self.usage, &spelled(line))));
    }
}
