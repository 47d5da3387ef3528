//! `robomaton canonical`: URLs without the parameters that their sites call meaningless.
//!
//! `explain` applies the Clean-param records of a site; this file reads URLs and prints them. No
//! verdict depends on it: a crawler asks about the URL that it fetches.

use crate::failure::Failure;
use crate::input::{Chunks, announce_stdin};
use crate::options::LayersArgs;
use crate::output::Out;
use clap::Args;
use robomaton_explain::{canonical_url, url_text};
use robomaton_runtime::Image;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Image with the sites' Clean-param records
    image: PathBuf,
    /// URLs; without any, the lines of standard input
    #[arg(value_name = "URL")]
    urls: Vec<String>,
    #[command(flatten)]
    layers: LayersArgs,
}

const EXAMPLES: &str = "\
Prints each URL, in order, without the query parameters that the Clean-param records of its site name for its path: two \
URLs that differ only in these show the same. The other parameters keep their order. A URL that no record changes is \
printed as it is, also if the image does not have its site.

Examples:
  robomaton canonical crawl.rimg 'https://example.com/shop/?ref=mail&id=1'
  robomaton canonical crawl.rimg <urls.txt | sort -u";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let image = arguments.layers.open(&arguments.image)?;
    let mut out = Out::new();
    for url in &arguments.urls {
        write(&image, url.as_bytes(), &mut out)?;
    }
    if arguments.urls.is_empty() {
        announce_stdin();
        let mut chunks = Chunks::new(std::io::stdin().lock());
        while let Some(chunk) = chunks.next()? {
            let lines = chunk.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
            for line in lines.filter(|line| !line.is_empty()) {
                write(&image, line, &mut out)?;
            }
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn write(image: &Image, url: &[u8], out: &mut Out) -> Result<(), Failure> {
    let text = url_text(url);
    let canonical = image.site(&text).map(|site| canonical_url(&site, &text)).filter(|clean| *clean != text);
    // A URL that stays is printed as it was read.
    out.url(canonical.as_ref().map_or(url, |clean| clean.as_bytes()));
    Ok(out.write_all(b"\n")?)
}
