//! The page in a real browser: its charts, its search, by mouse and keyboard, light and dark.

mod common;

use common::{image, image_of, report_of, sample, whole};
use robomaton_browser::{Browser, Page, Scheme, chromium};
use robomaton_compiler::Options;
use robomaton_formats::crawlers::{Purpose, known};
use robomaton_report::{Report, report_over_time};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::AtomicU64;
use tempfile::TempDir;

/// Opens the page of a report at a fragment; its directory must live as long.
fn open(browser: &Browser, report: &Report, fragment: &str) -> (Page, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.html");
    std::fs::write(&path, &report.html).expect("the page is written");
    let page = browser.open(&format!("file://{}{fragment}", path.display()));
    page.wait("document.documentElement.dataset.ready");
    (page, folder)
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn pictures_show_the_figures() {
    let Some(browser) = chromium() else { return };
    let report = whole(&sample(&Options::default()));
    let figures = &report.figures;
    let (page, _folder) = open(&browser, &report, "");
    // The charts in numbers: for each section the sum of its bars.
    let drawn = |id: &str| {
        number(&page.evaluate(&format!(
            "[...document.querySelectorAll('#{id} figure [data-value]')].reduce((sum, bar) => sum + +bar.dataset.value, 0)"
        )))
    };
    assert_eq!(drawn("outcomes"), figures.sites);
    assert_eq!(drawn("rules"), figures.by_rules.iter().sum::<u64>());
    assert_eq!(drawn("sizes"), figures.by_size.iter().sum::<u64>());
    assert_eq!(drawn("wildcards"), figures.wildcards.iter().sum::<u64>());
    assert_eq!(drawn("restricted"), 20 * figures.sites);
    let mut kept_out = figures.everyone.kept_out();
    for purpose in Purpose::ALL {
        let of_purpose = known().iter().zip(&figures.coverages).filter(|(known, _)| known.purpose == purpose);
        let mut most: Vec<u64> = of_purpose.map(|(_, counts)| counts.kept_out()).collect();
        most.sort_unstable();
        kept_out += most.iter().rev().take(8).sum::<u64>();
    }
    assert_eq!(drawn("kept-out"), kept_out);
    let mut most: Vec<u64> = figures.agents.values().copied().collect();
    most.sort_unstable();
    assert_eq!(drawn("agents"), most.iter().rev().take(20).sum::<u64>());
    let mut most: Vec<u64> = figures.codes.values().map(|coded| coded.sites).collect();
    most.sort_unstable();
    assert_eq!(drawn("codes"), most.iter().rev().take(20).sum::<u64>());
    let mut most: Vec<u64> = figures.coverages.iter().map(|counts| counts.naming()).collect();
    most.sort_unstable();
    assert_eq!(drawn("named"), most.iter().rev().take(20).sum::<u64>());
    // And in lengths: every bar is proportional to its number, to a pixel.
    let bent = page.evaluate(
        "[...document.querySelectorAll('.chart')].flatMap((chart) => {
           const bars = [...chart.querySelectorAll('figure [data-value]')];
           if (bars.length === 0) return [];
           const length = (bar) => bar.getBoundingClientRect().width;
           const largest = bars.reduce((one, other) => +one.dataset.value < +other.dataset.value ? other : one);
           const unit = length(largest) / largest.dataset.value;
           return bars.filter((bar) => Math.abs(length(bar) - unit * bar.dataset.value) > 1).map((bar) => chart.id);
         })",
    );
    assert_eq!(bent, json!([]));
    assert!(page.requests().iter().all(|url| url.starts_with("file://")), "{:?}", page.requests());
    assert_eq!(page.requests().len(), 1);
}

#[test]
fn behind_each_picture_is_a_table() {
    let Some(browser) = chromium() else { return };
    let report = whole(&sample(&Options::default()));
    let (page, _folder) = open(&browser, &report, "");
    for id in
        ["kept-out", "restricted", "named", "outcomes", "wildcards", "rules", "sizes", "agents", "codes"]
    {
        let shut = page.evaluate(&format!("document.querySelector('#{id} table').checkVisibility()"));
        assert_eq!(shut, json!(false), "{id}");
        page.click(&format!("#{id} summary"));
        page.wait(&format!("document.querySelector('#{id} table').checkVisibility()"));
        let (rows, bars) = (
            page.evaluate(&format!("document.querySelectorAll('#{id} tbody tr').length")),
            page.evaluate(&format!("document.querySelectorAll('#{id} figure .bar').length")),
        );
        assert!(number(&rows) >= number(&bars) && number(&bars) > 0, "{id}: {rows} rows, {bars} bars");
        assert!(!page.text(&format!("#{id} caption")).is_empty());
    }
    let all = page.text("#outcomes tbody");
    assert!(all.contains(&report.figures.outcomes[0].to_string()), "{all}");
}

#[test]
fn the_first_picture_says_who_is_kept_out() {
    let Some(browser) = chromium() else { return };
    let report = whole(&sample(&Options::default()));
    let (page, _folder) = open(&browser, &report, "");
    assert_eq!(page.evaluate("document.querySelector('.chart').id"), json!("kept-out"));
    // The number after each bar is its share, and in each group the largest comes first.
    let place = known().iter().position(|known| known.token == "GPTBot").expect("it is well known");
    let gptbot = 100.0 * report.figures.coverages[place].kept_out() as f64 / report.figures.sites as f64;
    assert_eq!(page.text("#kept-out .bars .bar .label"), "GPTBot");
    assert_eq!(page.text("#kept-out .bars .bar .said"), format!("{gptbot:.1}%"));
    let numbers = page.evaluate(
        "[...document.querySelectorAll('#kept-out .bars')].map((group) => [...group.querySelectorAll('.said')].map((said) => parseFloat(said.innerText)))",
    );
    let groups: Vec<Vec<f64>> = serde_json::from_value(numbers).expect("numbers");
    assert_eq!(groups.len(), Purpose::ALL.len() + 1);
    assert!(groups.iter().all(|group| group.is_sorted_by(|one, other| one >= other)), "{groups:?}");
    let about = page.text("header");
    assert!(about.contains("fetched between 2019-04-02 and 2025-10-10"), "{about}");
}

#[test]
fn tables_are_saved_as_csv() {
    let Some(browser) = chromium() else { return };
    let texts = [
        ("a.example", "User-agent: GPTBot\nUser-agent: -x\nDisallow: /\n"),
        ("b.example", "User-agent: *\nDisallow: /\n"),
    ];
    let (page, _folder) = open(&browser, &whole(&image(&texts)), "");
    let saved = tempfile::tempdir().expect("a folder");
    let csv = |id: &str| {
        page.evaluate(&format!("document.querySelector('#{id} .csv').scrollIntoView()"));
        let path = page.save(&format!("#{id} .csv"), saved.path());
        assert_eq!(path, saved.path().join(format!("{id}.csv")));
        std::fs::read_to_string(path).expect("the table is saved")
    };
    let kept_out = csv("kept-out");
    let lines: Vec<&str> = kept_out.split_terminator("\r\n").collect();
    assert_eq!(
        lines[..2],
        [
            "crawler,operator,purpose,by its own name,by its own name %,along with everyone,along with everyone %",
            "GPTBot,OpenAI,AI training,1,50.00,1,50.00"
        ]
    );
    assert_eq!(lines.len(), known().len() + 2);
    // A text that a spreadsheet would treat as a formula stays text.
    assert!(csv("agents").contains("\r\n'-x,,1,50.00\r\n"), "{}", csv("agents"));
    assert_eq!(page.evaluate("document.querySelectorAll('.csv').length"), json!(10));
}

#[test]
fn lines_show_who_was_kept_out_over_time() {
    let Some(browser) = chromium() else { return };
    let month = |number: u32, kept_out: usize| {
        let text = |site: usize| {
            if site < kept_out {
                "User-agent: GPTBot\nDisallow: /\n"
            } else {
                "User-agent: *\nDisallow: /x\n"
            }
        };
        let line = |site: usize| {
            let at = format!("2024-{number:02}-01T00:00:00Z");
            json!({ "url": format!("s{site}.example"), "fetched_at": at, "body": text(site) }).to_string()
                + "\n"
        };
        common::image_of_lines(&(0..10).map(line).collect::<String>())
    };
    let images = [month(1, 1), month(2, 2), month(12, 7)];
    let names = ["<b>a</b>", "b", "c"];
    let named: Vec<_> = names.into_iter().zip(&images).collect();
    let report = report_over_time(&named, &common::options(10), &AtomicU64::new(0)).expect("a report");
    let (page, _folder) = open(&browser, &report, "");
    assert_eq!(page.evaluate("document.querySelector('.chart').id"), json!("over-time"));
    assert_eq!(page.text("#over-time .legend li"), "GPTBot 10.0% \u{2192} 70.0%");
    let dots = page.evaluate("[...document.querySelectorAll('#over-time circle.line-0')].map((dot) => [dot.getAttribute('cx'), +dot.dataset.share])");
    assert_eq!(dots, json!([["3%", 10], ["11.7%", 20], ["97%", 70]]));
    // Higher means more, and the axis labels are inside the chart and do not overlap.
    for width in [390, 1280] {
        page.viewport(width, 800);
        let heights = page.evaluate("[...document.querySelectorAll('#over-time circle.line-0')].map((dot) => dot.getBoundingClientRect().y)");
        let heights: Vec<f64> = serde_json::from_value(heights).expect("numbers");
        assert!(heights.is_sorted_by(|one, other| one > other), "{heights:?}");
        let words = page.evaluate(
            "(() => { const plot = document.querySelector('.plot').getBoundingClientRect(); return [...document.querySelectorAll('.plot text[text-anchor]')].map((word) => word.getBoundingClientRect()).map((box) => [box.left - plot.left, box.right - plot.left, plot.width]) })()",
        );
        let words: Vec<[f64; 3]> = serde_json::from_value(words).expect("numbers");
        assert!(words.iter().all(|[left, right, wide]| *left >= -0.5 && *right <= wide + 0.5), "{words:?}");
        assert!(words.windows(2).all(|pair| pair[0][1] < pair[1][0]), "{words:?}");
    }
    page.click("#over-time summary");
    let heads = page.text("#over-time thead");
    assert!(heads.contains("<b>a</b>, 2024-01-01") && heads.contains("c, 2024-12-01"), "{heads}");
    assert!(page.text("header").contains("the newest of 3 images, c"));
}

#[test]
fn the_search_helps() {
    let Some(browser) = chromium() else { return };
    let hosts: Vec<String> = (0..60).map(|number| format!("s{number}.example")).collect();
    let texts: Vec<(&str, &str)> =
        hosts.iter().map(|host| (host.as_str(), "User-agent: *\nDisallow: /x\n")).collect();
    let (page, _folder) = open(&browser, &whole(&image(&texts)), "#site=s1.example");
    assert!(page.text("#site h3").ends_with("s1.example"));
    page.click("#host");
    page.type_text("example");
    page.wait("document.querySelectorAll('#hosts li').length === 50");
    assert_eq!(page.text("#state"), "60 hosts match; the first 50 are listed. Type more of the name.");
    // The list scrolls to the selection.
    page.press("ArrowUp");
    page.wait("document.querySelector('#hosts li:last-child').getAttribute('aria-selected') === 'true'");
    page.wait("(() => { const item = document.querySelector('#hosts li:last-child').getBoundingClientRect(), list = document.getElementById('hosts').getBoundingClientRect(); return item.bottom <= list.bottom + 1 })()");
    // A miss clears the previous site, which can then be selected again.
    page.type_text("x");
    page.wait("document.getElementById('state').innerText.includes('No host in this page')");
    assert_eq!(page.evaluate("document.getElementById('site').checkVisibility()"), json!(false));
    assert_eq!(page.evaluate("location.hash"), json!(""));
    page.evaluate("location.hash = 'site=s1.example'");
    page.wait("document.getElementById('site').checkVisibility()");
}

#[test]
fn a_site_is_found_by_keyboard() {
    let Some(browser) = chromium() else { return };
    let image = sample(&Options::default());
    let (page, _folder) = open(&browser, &whole(&image), "");
    page.press("Tab");
    assert_eq!(page.evaluate("document.activeElement.className"), json!("skip"));
    page.press("Enter");
    page.press("Tab");
    assert_eq!(page.evaluate("document.activeElement.id"), json!("host"));
    page.type_text("ed.ac");
    page.wait("!document.getElementById('hosts').hidden");
    page.press("ArrowDown");
    page.wait("document.querySelector('#hosts [aria-selected=true]')");
    let chosen = page.text("#hosts [aria-selected=true]");
    assert!(chosen.contains("ed.ac"), "{chosen}");
    page.press("Escape");
    page.wait("document.getElementById('hosts').hidden");
    page.press("ArrowDown");
    page.press("ArrowUp");
    page.press("ArrowDown");
    page.press("Enter");
    page.wait("!document.getElementById('site').hidden");
    let shown = page.text("#site h3");
    assert_eq!(page.evaluate("decodeURIComponent(location.hash)"), json!(format!("#site={shown}")));
    let site = image.site(&shown).expect("the site is in the image");
    let detail = site.detail().expect("it has rules");
    let rules: usize = detail.groups.iter().map(|group| group.rules.len()).sum();
    let rows = page.evaluate("document.querySelectorAll('#site :is(.allow, .disallow)').length");
    assert_eq!(number(&rows), rules.min(robomaton_report::RULES_SHOWN) as u64);
    assert!(page.text("#site .facts").contains("rules"));
    let chips = page.evaluate("document.querySelectorAll('#site .chip').length");
    assert_eq!(number(&chips), robomaton_formats::crawlers::known().len() as u64);
}

#[test]
fn a_site_has_a_link() {
    let Some(browser) = chromium() else { return };
    let image =
        image(&[("https://a.example/robots.txt", "User-agent: GPTBot\nDisallow: /\n"), ("b.example", "")]);
    let (page, _folder) = open(&browser, &whole(&image), "#site=a.example");
    assert_eq!(page.text("#site h3"), "https://a.example");
    assert_eq!(page.text("#site [data-share=none][data-ground=named]"), "GPTBot");
    assert!(page.text("#site .extents").contains("line 2"));
    page.click("#host");
    page.type_text("EXAMPLE");
    page.wait("document.querySelectorAll('#hosts li').length === 2");
    page.click("#hosts li:last-child");
    page.wait("document.querySelector('#site h3').innerText === 'b.example'");
    page.evaluate("location.hash = 'site=nowhere.example'");
    page.wait("document.getElementById('state').innerText.includes('nowhere.example')");
    let (page, _folder) = open(&browser, &report_of(&image, 1), "#site=b.example");
    assert!(page.text("#state").contains("holds no site b.example"));
    assert!(page.text(".search .about").contains("holds the 1 sites whose records are the longest, of 2"));
}

#[test]
fn what_sites_write_is_text() {
    let Some(browser) = chromium() else { return };
    let script = "</script><script>window.hit=1</script><img src=x onerror=window.hit=2>";
    let text = format!(
        "User-agent: {script}\nUser-agent: a\u{202E}b\u{0}'\"`c\nDisallow: /{script}\"'\u{202E}x\u{0}\u{7F}y\n\
         Allow: /\u{2028}-->]]><!--{script}\nSitemap: javascript:window.hit=3\nSitemap: https://h.example/\u{202E}z\u{0}\n{script}: {script}\n"
    );
    for profile in ["full", "google"] {
        let compiled = Options { profile: profile.parse().expect("a profile"), ..Options::default() };
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.jsonl");
        std::fs::write(&path, json!({ "url": "h.example", "body": text }).to_string())
            .expect("it is written");
        let report = whole(&common::image_of(&path, &compiled));
        assert!(!report.html.contains("<script>window.hit") && !report.html.contains("<img"));
        assert!(!report.html.contains('\u{202E}') && !report.html.contains('\0'));
        let (page, _folder) = open(&browser, &report, "#site=h.example");
        let shown = page.text("#site");
        assert!(!shown.contains('\u{202E}'), "{shown}");
        assert!(profile != "full" || shown.contains("/\\u{202e}z\\u{0}"), "{shown}");
        // Under `full` a pattern is in canonical spelling (R10).
        let script = if profile == "full" { "script%3e" } else { "script>" };
        assert!(shown.to_lowercase().contains(script), "{shown}");
        assert_eq!(page.evaluate("window.hit"), Value::Null);
        assert_eq!(page.evaluate("document.querySelectorAll('#site :is(script, img, a)').length"), json!(0));
        // Even an injected script would be blocked by the page's policy.
        page.evaluate("document.body.append(Object.assign(document.createElement('script'), { text: 'window.hit = 4' }))");
        assert_eq!(page.evaluate("window.hit"), Value::Null);
        assert!(page.take_troubles().join("").contains("Content Security Policy"));
    }
}

#[test]
fn it_is_readable_in_any_light_and_width() {
    let Some(browser) = chromium() else { return };
    let (page, _folder) = open(&browser, &whole(&sample(&Options::default())), "#site=www.ed.ac.uk");
    // The minimum contrast of visible text with its background.
    let contrast = "(() => {
        const light = (color) => {
          const [red, green, blue] = color.match(/[\\d.]+/g).map((part) => { part /= 255; return part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4 });
          return .2126 * red + .7152 * green + .0722 * blue;
        };
        const ground = (element) => {
          const own = getComputedStyle(element).backgroundColor;
          return own !== 'rgba(0, 0, 0, 0)' || !element.parentElement ? own : ground(element.parentElement);
        };
        const texts = [...document.querySelectorAll('body *')].filter((element) => element.innerText && !element.closest('svg') && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
        return Math.min(...texts.map((element) => {
          const [one, other] = [getComputedStyle(element).color, ground(element)].map(light).sort((a, b) => b - a);
          return (one + .05) / (other + .05);
        }));
      })()";
    let mut grounds = Vec::new();
    for scheme in [Scheme::Light, Scheme::Dark] {
        page.color_scheme(scheme);
        let least = page.evaluate(contrast).as_f64().expect("a ratio");
        assert!(least >= 4.5, "{scheme:?}: a contrast of {least}");
        grounds.push(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"));
    }
    assert_ne!(grounds[0], grounds[1]);
    for width in [360, 390, 800, 1400] {
        page.viewport(width, 800);
        let wide = page.evaluate("document.documentElement.scrollWidth");
        assert!(number(&wide) <= u64::from(width), "{wide} at {width}");
        // Labels are complete: none is longer than its place, or too small to read.
        let cut = page.evaluate(
            "[...document.querySelectorAll('.bar :is(.label, .said)')].filter((label) => label.scrollWidth > label.clientWidth + 1 && getComputedStyle(label).display !== 'inline' || parseFloat(getComputedStyle(label).fontSize) < 12).map((label) => label.innerText)",
        );
        assert_eq!(cut, json!([]), "at {width}");
    }
    // Each lint code is explained below its bar.
    let mute = page.evaluate("[...document.querySelectorAll('#codes .bar')].filter((bar) => !bar.querySelector('.note-text')?.innerText).length");
    assert_eq!(mute, json!(0));
    page.as_printed();
    assert_eq!(page.evaluate("document.querySelector('.search').checkVisibility()"), json!(false));
    assert_eq!(page.evaluate("document.querySelector('#restricted figure').checkVisibility()"), json!(true));
}

/// The picture in the README: `ROBOMATON_SCREENSHOT=FILE.png`, with `ROBOMATON_CORPUS` for other
/// captures.
#[test]
fn screenshot() {
    let Some(browser) = chromium() else { return };
    let image = match std::env::var_os("ROBOMATON_CORPUS").filter(|path| Path::new(path).is_file()) {
        Some(captures) => image_of(Path::new(&captures), &Options::default()),
        None => sample(&Options::default()),
    };
    let (page, _folder) = open(&browser, &whole(&image), "");
    page.viewport(1200, 1180);
    let picture = page.screenshot();
    assert!(picture.len() > 20_000, "an empty picture");
    if let Some(path) = std::env::var_os("ROBOMATON_SCREENSHOT") {
        std::fs::write(Path::new(&path), picture).expect("the picture is written");
    }
}
