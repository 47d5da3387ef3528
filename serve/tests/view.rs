//! The visible part of the page after *Test*, without scrolling: the verdict and the deciding line,
//! on three screens, for real files; and the other functions of the page in a browser: tables,
//! files, links, the list of sites.

mod common;

use common::page::{content, open, paste, send};
use common::{Service, capture, compile};
use robomaton_browser::{Page, Scheme, chromium};
use robomaton_corpus::{BatchOptions, Built, Input, Progress, build};
use robomaton_formats::crawlers::known;
use serde_json::json;

const SCREENS: [(u32, u32); 3] = [(1280, 720), (1920, 1080), (390, 844)];

/// A service over the captures of the sample corpus.
fn sample() -> Service {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/sample.warc.gz");
    let built = build(&[Input::Path(sample.into())], &BatchOptions::default(), &Progress::default());
    let Built { image, .. } = built.expect("the sample");
    Service::with(|options| std::fs::write(&options.image, image).expect("a file"))
}

/// True if an element is inside the window, and inside the list if it belongs to it, and nothing
/// covers its centre.
const SEEN: &str = "(selector) => {
  const node = document.querySelector(selector);
  const { top, bottom, left, right, width, height } = node.getBoundingClientRect();
  const list = node.closest('#lines')?.getBoundingClientRect() ?? { top: 0, bottom: innerHeight };
  const inside = height > 0 && top >= Math.max(0, list.top) && bottom <= Math.min(innerHeight, list.bottom) + 0.5
    && left >= 0 && right <= innerWidth;
  return inside && node.contains(document.elementFromPoint(left + Math.min(width / 2, 40), top + height / 2));
}";

#[test]
fn verdict_and_deciding_line_are_in_view() {
    let Some(browser) = chromium() else { return };
    let service = sample();
    let text = |site: &str| service.get(&format!("/v1/text?url=https://{site}/")).text().to_owned();
    let long = format!("{}\n{}", text("uy.linkedin.com"), text("www.who.int"));
    assert!((5_000..6_000).contains(&long.lines().count()), "{} lines", long.lines().count());
    let cases = [
        (text("www.ed.ac.uk"), "GPTBot", "/search/x", 76),
        (text("uy.linkedin.com"), "MJ12bot", "/groups/1", 3148),
        (long.clone(), "ZumBot", "/x", 5363),
        (long, "Googlebot", "/groups/1", 34),
    ];
    let page = open(&browser, &service, Scheme::Light);
    for (width, height) in SCREENS {
        page.viewport(width, height);
        for (text, agent, url, line) in &cases {
            paste(&page, "text", text);
            paste(&page, "agent", agent);
            paste(&page, "url", url);
            // As if the user had scrolled to the end of the text.
            page.evaluate("document.getElementById('text').scrollIntoView({ block: 'end' })");
            send(&page);
            let place = format!("{width} x {height}, {agent}");
            page.wait(&format!("document.querySelector('#lines .decides')?.id === 'line-{line}'"));
            for part in ["#status .word", "#status .reason", "#jump", "#lines .decides .said"] {
                page.wait(&format!("({SEEN})('{part}')"));
            }
            assert!(
                page.text("#jump").starts_with(&format!("Line {line}")),
                "{place}: {}",
                page.text("#jump")
            );
            // A rule that does not match takes one line, like a line without a note.
            let rows = "[...document.querySelectorAll('#lines li')].filter((row) => row.querySelector('.beside') \
                && !row.querySelector('.note') && row.querySelector('.said').getClientRects().length && row.querySelector('.said').offsetHeight < 25)";
            let heights = format!(
                "Math.max(0, ...{rows}.filter((row) => row.checkVisibility({{ \
                contentVisibilityAuto: true }})).map((row) => row.offsetHeight))"
            );
            assert!(page.evaluate(&heights).as_f64().expect("pixels") < 28.0, "{place}");
        }
    }
}

#[test]
fn remarks_are_counted_and_visited_in_turn() {
    let Some(browser) = chromium() else { return };
    let service = Service::start();
    let page = open(&browser, &service, Scheme::Light);
    let filler = "# nothing\n".repeat(300);
    let text = format!(
        "Disallow: /early\nUser-agent: *\nDisalow: /a\n{filler}Disallow /b\n{filler}Disallow /c\nDisallow: /\n"
    );
    paste(&page, "text", &text);
    send(&page);
    let of = |severity: &str| {
        let rows = "[...document.querySelectorAll('#lines li')]";
        page.evaluate(&format!(
            "{rows}.flatMap((row) => [...row.querySelectorAll('.remark.{severity}')].map(() => row.id))"
        ))
    };
    for severity in ["error", "warning"] {
        let lines = of(severity);
        let lines: Vec<&str> = lines.as_array().expect("rows").iter().filter_map(|id| id.as_str()).collect();
        let button = format!("#counts .{severity}");
        assert!(!lines.is_empty(), "{severity}");
        assert!(
            page.text(&button).starts_with(&format!("{} {severity}", lines.len())),
            "{}",
            page.text(&button)
        );
        let mut visits = lines.clone();
        visits.dedup();
        send(&page);
        // Once around, and back to the first.
        for id in visits.iter().chain(visits.first()) {
            page.click(&button);
            page.wait(&format!("document.activeElement.id === '{id}' && ({SEEN})('#{id} .said')"));
        }
    }
    paste(&page, "text", "User-agent: *\nDisallow: /\n");
    send(&page);
    assert_eq!(page.text("#counts"), "No errors, no warnings");
}

#[test]
fn known_crawlers_are_picked_and_compared() {
    let Some(browser) = chromium() else { return };
    let service = Service::start();
    let page = open(&browser, &service, Scheme::Dark);
    page.wait("document.querySelectorAll('#known option').length > 1");
    let options = page.evaluate(
        "[...document.querySelectorAll('#known optgroup option')].map(({ value }) => value).sort()",
    );
    let mut tokens: Vec<&str> = known().iter().map(|known| known.token).collect();
    tokens.sort_unstable();
    assert_eq!(options, json!(tokens));
    page.evaluate("document.getElementById('known').focus()");
    page.type_text("Googlebot");
    page.wait("document.getElementById('agent').value.startsWith('Google')");
    page.wait("document.querySelector('#facts').textContent.includes('default group')");
    // All crawlers at a glance, by purpose.
    page.click("#tab-crawlers");
    page.wait("document.querySelectorAll('#crawlers tbody').length > 0");
    assert_eq!(
        page.evaluate("document.querySelectorAll('#crawlers tbody th[scope=row]').length"),
        tokens.len()
    );
    let groups = page.text("#crawlers");
    for group in ["Training: ", "Search: ", "Assistants: ", "Other: "] {
        assert!(groups.contains(group), "{groups}");
    }
    let row =
        "[...document.querySelectorAll('#crawlers tr')].find((row) => row.textContent.startsWith('CCBot'))";
    let told = page.evaluate(&format!("{row}.innerText"));
    let told = told.as_str().expect("a row");
    assert!(
        told.contains("disallowed") && told.contains("by name") && told.contains("Disallow: /search"),
        "{told}"
    );
    let status = page.text("#crawlers-status");
    assert!(page.text("#glance").contains("2 disallowed"), "{}", page.text("#glance"));
    assert!(status.contains("/search/results?q=a: ") && status.contains("2 disallowed"), "{status}");
    // From the table to the crawler, and to the line.
    page.evaluate(&format!("{row}.querySelector('button').focus()"));
    page.press("Enter");
    page.wait("document.getElementById('agent').value === 'CCBot'");
    page.wait(&format!("{row}?.className === 'current'"));
    page.evaluate(&format!("{row}.querySelector('td a').click()"));
    page.wait("document.activeElement.id === 'line-8'");
    assert_eq!(page.evaluate("document.getElementById('panel-lines').hidden"), false);
    // The tabs by arrows.
    page.evaluate("document.getElementById('tab-lines').focus()");
    page.press("ArrowLeft");
    assert_eq!(page.evaluate("document.activeElement.id"), "tab-urls");
    assert_eq!(page.evaluate("document.getElementById('panel-urls').hidden"), false);
}

/// Captures downloads of the page in place of a download directory.
fn catch_downloads(page: &Page) {
    page.evaluate(
        "const make = URL.createObjectURL; \
         URL.createObjectURL = (blob) => { window.content = blob.text(); return make(blob); }; \
         HTMLAnchorElement.prototype.click = function () { window.handed = this.download; };",
    );
}

#[test]
fn several_urls_are_tested_and_downloaded() {
    let Some(browser) = chromium() else { return };
    let service = Service::start();
    let page = open(&browser, &service, Scheme::Light);
    catch_downloads(&page);
    page.click("#tab-urls");
    paste(&page, "urls", "/search\n\n  /a,b \n/search/about");
    page.click("#urls-send");
    page.wait("document.querySelectorAll('#several tbody tr').length === 3");
    let verdicts =
        page.evaluate("[...document.querySelectorAll('#several td.word')].map((cell) => cell.textContent)");
    assert_eq!(verdicts, json!(["disallowed", "allowed", "allowed"]));
    page.click("#urls-csv");
    assert_eq!(page.evaluate("window.handed"), "urls.csv");
    let lines = "url,usage,agent,verdict,choice,line,rule\r\n\
        /search,crawl,GPTBot,disallowed,named,8,Disallow: /search\r\n\
        \"/a,b\",crawl,GPTBot,allowed,named,,\r\n\
        /search/about,crawl,GPTBot,allowed,named,9,Allow: /search/about\r\n";
    assert_eq!(page.evaluate("window.content"), lines);
    paste(&page, "urls", "/a\nexample.com");
    page.click("#urls-send");
    page.wait("document.getElementById('urls-status').classList.contains('failed')");
    assert!(page.text("#urls-status").starts_with("Line 2:"), "{}", page.text("#urls-status"));
    assert_eq!(page.evaluate("document.getElementById('urls-csv').disabled"), true);
    page.click("#tab-crawlers");
    page.wait("!document.getElementById('crawlers-csv').disabled");
    page.click("#crawlers-csv");
    let text = page.evaluate("window.content");
    let text = text.as_str().expect("a text");
    assert!(text.contains("\r\n/search/results?q=a,crawl,GPTBot,OpenAI,train,disallowed,named,"), "{text}");
    assert_eq!(text.lines().count(), known().len() + 1);
    // A cell that a spreadsheet would treat as a formula.
    let cell = "import('/common.js').then(({ csv }) => csv([['=1+1', '-', 'a\"b', null]]))";
    assert_eq!(page.evaluate(cell), "'=1+1,'-,\"a\"\"b\",\r\n");
    page.click("#download");
    assert_eq!(page.evaluate("window.handed"), "robots.txt");
    assert_eq!(page.evaluate("window.content"), page.evaluate("document.getElementById('text').value"));
    // The browser reports the refusal.
    let troubles = page.take_troubles();
    assert!(troubles.iter().all(|trouble| trouble.contains("Failed to load resource")), "{troubles:?}");
}

/// Chooses a file, like the file dialog.
fn choose(page: &Page, content: &str) {
    page.evaluate(&format!(
        "(() => {{ const files = new DataTransfer(); files.items.add(new File([{content}], 'mine.txt')); \
            const field = document.getElementById('file'); field.files = files.files; \
            field.dispatchEvent(new Event('change')); }})()"
    ));
}

#[test]
fn files_are_opened() {
    let Some(browser) = chromium() else { return };
    let service = Service::start();
    let page = open(&browser, &service, Scheme::Light);
    choose(&page, "'\\ufeffUser-agent: *\\r\\nDisallow: /search\\r\\n'");
    page.wait("document.querySelector('#jump')?.textContent.includes('Line 2')");
    assert_eq!(page.text("#text-status"), "mine.txt: 3 lines.");
    assert!(
        content(&page, "#lines").contains("a byte order mark begins the file"),
        "{}",
        content(&page, "#lines")
    );
    choose(&page, "'x'.repeat(3 << 20)");
    page.wait("document.getElementById('text-status').classList.contains('failed')");
    assert_eq!(page.text("#text-status"), "mine.txt has 3,145,728 bytes; at most 2 MiB are opened.");
}

#[test]
fn a_link_asks_the_question_again() {
    let Some(browser) = chromium() else { return };
    let service = Service::start();
    let page = open(&browser, &service, Scheme::Light);
    let shared = |page: &Page| {
        page.click("#link");
        page.wait("!document.getElementById('link-status').hidden");
        page.evaluate("location.href").as_str().expect("a URL").to_owned()
    };
    let verdict = |page: &Page| page.wait("document.querySelector('#status .word') !== null");
    let text = format!(
        "User-agent: caf\u{e9}bot\nDisallow: /a b&c=d\n\n{}",
        "User-agent: *\nDisallow: /\n".repeat(90)
    );
    for (text, form) in [(text.as_str(), "packed="), ("User-agent: *\n", "text=")] {
        paste(&page, "text", text);
        paste(&page, "url", "/a b&c=d");
        paste(&page, "agent", "nobody, x");
        paste(&page, "usage", "index");
        paste(&page, "profile", "google");
        send(&page);
        let link = shared(&page);
        assert!(link.contains(form) && link.len() < 700, "{link}");
        let other = browser.open(&link);
        verdict(&other);
        let field = |id: &str| other.evaluate(&format!("document.getElementById('{id}').value"));
        assert_eq!(field("text"), text);
        let fields = ["url", "agent", "usage", "profile"].map(field);
        assert_eq!(fields, ["/a b&c=d", "nobody, x", "index", "google"].map(|value| json!(value)));
        assert_eq!(other.text("#status .word"), page.text("#status .word"));
        // The part after # is never sent.
        assert!(
            other.requests().iter().all(|url| !url.contains(form) || url == &link),
            "{:?}",
            other.requests()
        );
    }
    // A text from the image is named as long as it is unchanged.
    page.evaluate("document.getElementById('profile').value = 'full'");
    paste(&page, "site", "a.example");
    page.click("#load");
    page.wait("document.getElementById('text').value.includes('a.example/map.xml')");
    verdict(&page);
    let link = shared(&page);
    assert!(link.contains("site=https%3A%2F%2Fa.example") && !link.contains("text="), "{link}");
    let other = browser.open(&link);
    other.wait("document.getElementById('text').value.includes('a.example/map.xml')");
    page.evaluate("document.getElementById('text').focus()");
    page.type_text("#");
    assert_eq!(page.evaluate("location.hash"), "", "a link that asks otherwise is taken away");
    assert!(!shared(&page).contains("site="));
    // A link that would be too long is not created.
    let noise = "Array.from({ length: 9000 }, (_, n) => `Disallow: /${(n * 2654435761 % 4294967296).toString(36)}`).join('\\n')";
    page.evaluate(&format!("document.getElementById('text').value = {noise}"));
    page.click("#link");
    page.wait("document.getElementById('link-status').classList.contains('failed')");
    assert!(page.text("#link-status").contains("too long for a link"), "{}", page.text("#link-status"));
}

#[test]
fn links_of_strangers_are_read_with_care() {
    let Some(browser) = chromium() else { return };
    let service = Service::start();
    let at = |fragment: &str| {
        let page = browser.open(&format!("http://{}/#{fragment}", service.address));
        page.wait("document.querySelector('#status .word') !== null");
        page
    };
    let page = at(
        "url=/x&text=%3Cscript%3Ewindow.hit=1%3C/script%3E&agent=%3Cimg src=x onerror=window.hit=1%3E&profile=x",
    );
    assert_eq!(page.evaluate("window.hit === undefined"), true);
    assert_eq!(page.evaluate("document.querySelectorAll('#result :is(script, img)').length"), 0);
    assert_eq!(page.evaluate("document.getElementById('profile').value"), "full");
    // The service may refuse such a name, which the browser reports.
    page.take_troubles();
    for broken in ["packed=%%%", "packed=AAAA", "packed=~"] {
        let page = at(broken);
        assert!(
            page.text("#status").contains("text of this link cannot be read"),
            "{}",
            page.text("#status")
        );
    }
    // A short link that expands to a very long text.
    let bomb = "import('/link.js').then(async () => { const zeros = new Blob([new Uint8Array(16 << 20)]).stream() \
        .pipeThrough(new CompressionStream('deflate-raw')); const bytes = new Uint8Array(await new Response(zeros).arrayBuffer()); \
        let binary = ''; for (const byte of bytes) binary += String.fromCharCode(byte); \
        return btoa(binary).replaceAll('+', '-').replaceAll('/', '_'); })";
    let bomb = page.evaluate(bomb);
    let page = at(&format!("packed={}", bomb.as_str().expect("a text")));
    assert!(page.text("#status").contains("over 2 MiB"), "{}", page.text("#status"));
}

#[test]
fn the_sites_of_the_image_are_listed() {
    let Some(browser) = chromium() else { return };
    let service = Service::with(|options| {
        let captures: Vec<String> = (0..120)
            .map(|n| {
                capture(
                    &format!("{}{n:03}.example", if n < 60 { "a" } else { "www.b" }),
                    200,
                    "User-agent: *\nDisalow: /\n",
                )
            })
            .chain([capture("gone.example", 404, "")])
            .collect();
        compile(&captures.join("\n"), &options.image);
    });
    let page = browser.open(&format!("http://{}/sites", service.address));
    let rows = "document.querySelectorAll('#sites tbody tr')";
    page.wait(&format!("{rows}.length === 50"));
    assert_eq!(
        page.evaluate(&format!("{rows}[49].innerText"))
            .as_str()
            .map(|row| row.starts_with("https://a049.example")),
        Some(true)
    );
    page.click("#next");
    page.wait(&format!("{rows}[0].innerText.startsWith('https://a050')"));
    page.evaluate("document.getElementById('prefix').focus()");
    page.type_text("gone");
    page.press("Enter");
    page.wait(&format!("{rows}.length === 1"));
    assert_eq!(page.text("#status"), "1 site whose host begins with gone.");
    let told = page.text("#sites tbody");
    assert!(told.contains("https://gone.example") && told.contains("404"), "{told}");
    assert_eq!(page.evaluate("document.querySelectorAll('#sites tbody a').length"), 0);
    paste(&page, "prefix", "www.b119");
    page.click("#form .main");
    page.wait("document.querySelectorAll('#sites tbody a').length === 1");
    for part in ["1 warning", "2024-05-11", "24"] {
        assert!(page.text("#sites tbody").contains(part), "{}", page.text("#sites tbody"));
    }
    for (width, height) in SCREENS {
        page.viewport(width, height);
        assert_eq!(page.evaluate("document.documentElement.scrollWidth"), width);
    }
    page.click("#sites tbody a");
    page.wait("document.getElementById('text')?.value.includes('Disalow')");
    page.wait("document.querySelector('#status .word') !== null");
    assert_eq!(page.evaluate("document.getElementById('site').value"), "https://www.b119.example");
}
