//! One robots.txt: `cargo run -p robomaton --example one_text -- robots.txt GPTBot /private/x`.

use robomaton::{Robots, Usage};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, agent, url] = arguments.as_slice() else { return Err("expected FILE AGENT URL".into()) };
    let robots = Robots::parse(std::fs::read(file)?);
    let crawler = robots.crawler([agent]);
    let verdict = robots.decide(&crawler, Usage::CRAWL, url);
    println!("{}", verdict.decision());
    if let Some(rule) = verdict.rule() {
        println!("line {}: {rule}", rule.line);
    }
    if let Some(delay) = robots.crawl_delay(agent) {
        println!("wait {} s between fetches", delay.as_secs_f64());
    }
    robots.sitemaps().iter().for_each(|sitemap| println!("sitemap {sitemap}"));
    Ok(())
}
