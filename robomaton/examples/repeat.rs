//! Asks every URL of a file many times, to measure what a question costs
//! (`benches/readers/measure`): `cargo run -p robomaton --example repeat -- crawl.rimg GPTBot
//! urls.txt 100`.

use robomaton::{Image, Usage};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, agent, urls, repeats] = arguments.as_slice() else {
        return Err("expected IMAGE AGENT URLS REPEATS".into());
    };
    let image = Image::read(file)?;
    let crawler = image.crawler([agent]);
    let urls = std::fs::read_to_string(urls)?;
    let urls: Vec<&str> = urls.lines().collect();
    let mut allowed = 0;
    for _ in 0..repeats.parse()? {
        for url in &urls {
            allowed += usize::from(image.decide(&crawler, Usage::CRAWL, url).is_allowed());
        }
    }
    println!("{allowed}");
    Ok(())
}
