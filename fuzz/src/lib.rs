//! The fuzz targets: one function for each thing that strangers may send.
//!
//! | target | bytes | what must hold |
//! |---|---|---|
//! | [`scan()`] | a text | the scanner gives the tree of the pest definition, and prints its source |
//! | [`text()`] | a question and a text | image, image of tries and trace agree; everything made of it verifies |
//! | [`oracle()`] | a question and a text | the engines and the oracles agree |
//! | [`captures()`] | a stream of captures | nothing panics, limits hold |
//! | [`archive()`] | a file that needs seeking | the same |
//! | [`packed()`] | bodies, and damage | captures of every format come out as they went in; damage makes none |
//! | [`page()`] | a page | trace and image agree about it |
//! | [`url()`] | a URL | a site's name leads back to it, and the image finds it |
//! | [`image()`] | an image | nothing panics; one that verifies answers without damage, also when merged |
//! | [`request()`] | the bytes of a connection | every answer is whole, none is an error of the service |
//!
//! Each is called by a libFuzzer program (`targets`, `fuzz/run`) and by a test with the inputs in
//! `corpus`. A failure is a panic. The first byte of an input chooses options. This crate does not
//! know how inputs are made.

mod archive;
mod captures;
mod image;
mod oracle;
mod packed;
mod page;
mod request;
mod scan;
mod text;
mod url;

pub use archive::archive;
pub use captures::captures;
pub use image::{ImageState, every_door, every_door_of_shards, image};
pub use oracle::oracle;
pub use packed::packed;
pub use page::page;
pub use request::request;
pub use scan::scan;
pub use text::text;
pub use url::url;

use robomaton_formats::Profile;

/// Lets panics of the crate `parquet` pass, which the reader of Parquet catches: libFuzzer ends at
/// any panic, also at one that is caught.
pub fn let_parquet_panic() {
    let end = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !panic.location().is_some_and(|place| place.file().contains("/parquet-")) {
            end(panic);
        }
    }));
}

/// A target.
pub type Target = fn(&[u8]);

/// The targets by name.
pub const TARGETS: [(&str, Target); 10] = [
    ("scan", scan),
    ("text", text),
    ("oracle", oracle),
    ("captures", captures),
    ("archive", archive),
    ("packed", packed),
    ("page", page),
    ("url", url),
    ("image", image),
    ("request", request),
];

/// Seconds since 1970 at which inputs are read.
const NOW: u64 = 1_800_000_000;

/// The profile that two bits choose.
fn profile(bits: u8) -> Profile {
    [Profile::Full, Profile::Rfc9309, Profile::Google, Profile::Koster][usize::from(bits & 3)]
}
