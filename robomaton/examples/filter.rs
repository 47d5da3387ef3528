//! Lets the URLs on standard input through that a crawler may fetch:
//! `cargo run -p robomaton --example filter -- crawl.rimg GPTBot <urls.txt`.

use robomaton::{Image, Usage};
use std::io::{self, BufRead, BufWriter, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, agent] = arguments.as_slice() else { return Err("expected IMAGE AGENT".into()) };
    let image = Image::read(file)?;
    let crawler = image.crawler([agent]);
    let mut out = BufWriter::new(io::stdout().lock());
    for url in io::stdin().lock().lines() {
        let url = url?;
        if image.decide(&crawler, Usage::CRAWL, &url).is_allowed() {
            writeln!(out, "{url}")?;
        }
    }
    Ok(out.flush()?)
}
