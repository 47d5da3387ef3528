//! One site held for many of its URLs, as a crawler's queue of a host does:
//! `cargo run -p robomaton --example site -- crawl.rimg GPTBot https://example.com/a /b /c`.

use robomaton::{Image, Usage};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, agent, urls @ ..] = arguments.as_slice() else {
        return Err("expected IMAGE AGENT URL...".into());
    };
    let first = urls.first().ok_or("expected a URL")?;
    let image = Image::read(file)?;
    let crawler = image.crawler([agent]);
    let site = image.site(first).ok_or("the image does not contain this site")?;
    if let Some(seconds) = site.crawl_delay(&crawler) {
        println!("wait {seconds} s between fetches");
    }
    // The rules for this crawler are looked up once, for all URLs.
    let access = site.access(&crawler, Usage::CRAWL);
    for url in urls {
        println!("{}\t{url}", access.decide(url).decision());
    }
    Ok(())
}
