//! File names that could be hosts, but are far more common for programs, documents and images.
//!
//! `kind` calls it for a name, and `input` for the content: `README.md` is in many directories, and
//! `example.md` is a host in Moldova. A list of top-level domains cannot distinguish them, so the
//! content decides. Invariant: no file is rejected by its name alone, and work is bounded for any
//! content.

use robomaton_grammar::{LineKind, scan};

/// Extensions of files that are not captures. Top-level domains that many hosts use (`.pl`, `.in`,
/// `.so`) are left out.
const ENDINGS: &str = "\
    7z apk arc avi bak bat bin bmp bz2 c cdx cfg class cmd conf cpp crt css dat db deb dll dmg doc \
    docx dylib eot epub exe flac gif go h hpp htm html ico incomplete ini invalid ipynb iso jar \
    java jpeg jpg js json jsx key kt lock log lua map markdown md mjs mkv mov mp3 mp4 msi o \
    occupied odt ogg old open orig otf out part patch pdf pem php png ppt pptx ps1 py pyc pyi rar \
    rb rimg rpm rs rst sh sql sqlite svg swf swp tex tif tiff tmp toml ts tsv tsx ttf wacz wasm \
    wav webm webp whl woff woff2 xhtml xls xlsx xml xsl xz yaml yml zip zipx zsh zst";

/// Bytes of a text that are examined.
const LOOKED_AT: usize = 64 << 10;

/// The kind of file that this name may have instead of a robots.txt: `a .md file`. `None` if the
/// name is clear.
///
/// `ended` is true if the file name had the extension `.txt` after this host.
pub(crate) fn doubt(host: &str, ended: bool) -> Option<String> {
    if ended {
        // `notes.txt` may be anything, `example.md.txt` is clear.
        let is_plain = host.contains(['.', ':']) || host.eq_ignore_ascii_case("localhost");
        return (!is_plain).then(|| "some other text".to_owned());
    }
    let (rest, ending) = host.rsplit_once('.')?;
    let is_web = rest.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."));
    let ending = ending.to_ascii_lowercase();
    let is_known = !is_web && ENDINGS.split(' ').any(|known| known == ending);
    is_known.then(|| format!("a .{ending} file"))
}

/// True if most non-blank lines of a text are robots.txt records.
pub(crate) fn is_robots(text: &[u8]) -> bool {
    let tree = scan(text, LOOKED_AT);
    let (mut records, mut others) = (0_usize, 0_usize);
    for line in &tree.lines {
        match line.kind {
            LineKind::Blank => {}
            LineKind::Field(_) | LineKind::Acap => records += 1,
            LineKind::Unknown | LineKind::Malformed => others += 1,
        }
    }
    records > others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_sorted() {
        assert!(ENDINGS.split(' ').is_sorted());
        assert_eq!(ENDINGS.split(' ').count(), 125);
    }

    #[test]
    fn names_that_files_have() {
        for name in [
            "README.md",
            "b.rs",
            "foo.py",
            "site.sh",
            "r-0.1-py3.whl",
            "x.PNG",
            "a.b.toml",
            "crawl.wacz",
            "a.warc.gz.open",
        ] {
            assert!(doubt(name, false).is_some(), "{name}");
        }
        for name in
            ["example.com", "www.gov.rs", "WWW.a.md", "onet.pl", "notion.so", "a.md:8080", "localhost"]
        {
            assert_eq!(doubt(name, false), None, "{name}");
        }
        assert_eq!(doubt("notes", true).as_deref(), Some("some other text"));
        assert!(["example.md", "localhost", "[::1]"].into_iter().all(|host| doubt(host, true).is_none()));
    }

    #[test]
    fn most_lines_are_records() {
        for text in ["User-agent: *\nDisallow:", "\u{feff}# x\n\nSitemap: https://a.md/s\noops\nAllow: /"] {
            assert!(is_robots(text.as_bytes()), "{text}");
        }
        let readme = "# Robots\n\nWrite this into your robots.txt:\n\nUser-agent: *\nand the rest follows\n";
        for text in ["", "# comment", readme, "<html>", "\u{89}PNG\r\n", "fn main() {\n}\n"] {
            assert!(!is_robots(text.as_bytes()), "{text}");
        }
    }
}
