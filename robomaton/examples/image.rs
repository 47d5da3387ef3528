//! An image of many sites: `cargo run -p robomaton --example image -- crawl.rimg GPTBot
//! https://example.com/x`.

use robomaton::{Image, Usage};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, agent, url] = arguments.as_slice() else { return Err("expected IMAGE AGENT URL".into()) };
    // A copy in memory. `Image::map` opens the file itself, in constant time, and asks for a
    // promise.
    let image = Image::read(file)?;
    let crawler = image.crawler([agent]);
    let verdict = image.decide(&crawler, Usage::CRAWL, url);
    println!("{}", verdict.decision());
    if let Some(rule) = verdict.rule() {
        println!("line {}: {rule}", rule.line);
    }
    Ok(())
}
