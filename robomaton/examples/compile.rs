//! From captures to an image:
//! `cargo run -p robomaton --features compile --example compile -- crawl.warc.gz crawl.rimg`.

use robomaton::compile::{BatchOptions, Compile, Destination, Input, Progress};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, image] = arguments.as_slice() else { return Err("expected INPUT IMAGE".into()) };
    let destination = Destination::open(image.as_ref(), None)?;
    let job = Compile::new(Input::from_args([input.as_ref()])?, BatchOptions::default(), false)?;
    let compiled = job.run(destination, &Progress::default())?;
    println!("{} sites in {:.1} s", compiled.image.len(), compiled.seconds);
    Ok(())
}
