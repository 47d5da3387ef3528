//! Why an image answers as it does.
//!
//! ```text
//! cargo run -p robomaton --features explain --example explain -- crawl.rimg GPTBot https://example.com/x
//! ```

use robomaton::Image;
use robomaton::explain::{Query, explain};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, agent, url] = arguments.as_slice() else { return Err("expected IMAGE AGENT URL".into()) };
    let image = Image::read(file)?;
    let query = Query {
        agents: vec![agent.clone()],
        usage: "crawl".to_owned(),
        purpose: None,
        elements: false,
        named_only: false,
    };
    let explanation = explain(&image, &query, None, url)?;
    explanation.write(&mut std::io::stdout().lock())?;
    Ok(())
}
