//! Many answers at once: all known crawlers, several URLs, and the list of sites. Each is compared
//! with the single answer.

mod common;

use common::{ROBOTS, Service, capture, compile};
use robomaton_formats::crawlers::known;
use robomaton_serve::limits::{COUNTED_TEXT, TEST_URLS};
use serde_json::{Value, json};

/// The keys that a row shares with the single answer.
const KEYS: [&str; 10] = [
    "verdict",
    "decision",
    "incomplete",
    "conditions",
    "rule",
    "line",
    "basis",
    "choice",
    "name",
    "looked_for",
];

/// The values of these keys.
fn parts<'v>(value: &'v Value, keys: &[&str]) -> Vec<&'v Value> {
    keys.iter().map(|&key| &value[key]).collect()
}

#[test]
fn each_known_crawler_is_answered_as_alone() {
    let service = Service::start();
    let text = "User-agent: GPTBot\nUser-agent: ccbot\nDisallow: /\n\nUser-agent: *\nDisallow: /private\n\
        Noindex: /drafts\n";
    let acap = include_str!("../../tests/golden/acap-pilot/robots.txt");
    for (text, url, usage, profile) in [
        (text, "/private/x", "crawl", "full"),
        (text, "https://a.example/drafts", "index", "full"),
        (text, "/", "train", "rfc9309"),
        (text, "/private", "crawl", "koster"),
        ("User-agent: GPTBot\nDisallow: /\n", "/", "crawl", "google"),
        ("", "/", "crawl", "full"),
        (acap, "/public", "index", "full"),
    ] {
        let all = json!({ "text": text, "url": url, "usage": usage, "profile": profile });
        let all = service.post("/v1/test/crawlers", all.to_string()).json();
        let rows = all["crawlers"].as_array().expect("rows");
        assert_eq!(rows.len(), known().len());
        for (row, known) in rows.iter().zip(known()) {
            assert_eq!((&row["agent"], &row["operator"]), (&json!(known.token), &json!(known.operator)));
            assert_eq!(row["purpose"], known.purpose.name());
            let alone =
                json!({ "text": text, "url": url, "usage": usage, "profile": profile, "agent": known.token });
            let alone = service.post("/v1/test", alone.to_string()).json();
            assert_eq!(parts(row, &KEYS), parts(&alone, &KEYS), "{profile} {text} {row}");
            assert_eq!(all["target"], alone["target"]);
        }
    }
}

#[test]
fn each_known_crawler_is_answered_by_the_image() {
    let service = Service::start();
    let list = service.get("/v1/crawlers").json();
    assert_eq!(list["crawlers"].as_array().expect("a list").len(), known().len());
    assert_eq!(list["crawlers"][0], json!({ "agent": "AhrefsBot", "operator": "Ahrefs", "purpose": "seo" }));
    for url in ["https://a.example/private", "https://gone.example/x", "https://nobody.example/"] {
        let all = service.get(&format!("/v1/crawlers?url={url}")).json();
        for row in all["crawlers"].as_array().expect("rows") {
            let agent = row["agent"].as_str().expect("a name");
            let alone = service.get(&format!("/v1/explain?url={url}&agent={agent}")).json();
            assert_eq!(parts(row, &KEYS), parts(&alone, &KEYS), "{row}");
            let of_site = ["site", "outcome", "status", "fetched_at", "target"];
            assert_eq!(parts(&all, &of_site), parts(&alone, &of_site));
        }
    }
    assert!(service.get("/v1/crawlers?usage=index").refused(400).contains("no url"));
    assert!(service.get("/v1/crawlers?url=/&agent=a").refused(400).contains("no parameter"));
}

#[test]
fn several_urls_are_answered_as_alone() {
    let service = Service::start();
    let urls = ["/private", "https://a.example/private/open", "/", "https://a.example/robots.txt", "?q"];
    for agent in ["*", "GPTBot", "nobody, gptbot"] {
        let all = json!({ "text": ROBOTS, "urls": urls, "agent": agent });
        let all = service.post("/v1/test/urls", all.to_string()).json();
        let rows = all["answers"].as_array().expect("rows");
        assert_eq!(rows.len(), urls.len());
        for (row, url) in rows.iter().zip(urls) {
            let alone = json!({ "text": ROBOTS, "url": url, "agent": agent });
            let alone = service.post("/v1/test", alone.to_string()).json();
            assert_eq!(row["url"], url);
            assert_eq!(parts(row, &KEYS), parts(&alone, &KEYS), "{row}");
            assert_eq!(parts(&all, &["agent", "usage"]), parts(&alone, &["agent", "usage"]));
        }
    }
}

#[test]
fn wrong_lists_are_refused() {
    let service = Service::start();
    let refused = |path: &str, body: Value, status| service.post(path, body.to_string()).refused(status);
    let urls = |urls: Value| json!({ "text": "", "urls": urls });
    let path = "/v1/test/urls";
    assert!(refused(path, urls(json!([])), 400).contains("no urls"));
    assert!(refused(path, urls(json!(["/", " "])), 400).starts_with("question 2: the url is empty"));
    assert!(refused(path, urls(json!(["/", "x y"])), 400).starts_with("question 2: "));
    let two = json!(["https://a.example/", "/", "https://b.example/"]);
    assert!(refused(path, urls(two), 400).contains("question 3: b.example is another site than a.example"));
    assert!(refused(path, urls(json!(vec!["/"; TEST_URLS + 1])), 413).contains("500 urls"));
    assert!(refused(path, json!({ "text": "", "url": "/" }), 400).contains("unknown field `url`"));
    let path = "/v1/test/crawlers";
    assert!(
        refused(path, json!({ "text": "", "url": "/", "agent": "a" }), 400).contains("unknown field `agent`")
    );
    assert!(refused(path, json!({ "text": "", "url": "" }), 400).contains("the root"));
    let unknown = json!({ "text": "", "url": "/", "usage": "trian" });
    assert!(refused(path, unknown, 400).contains("did you mean \"train\"?"));
    let groups = "User-agent: a\nDisallow: /\n".repeat(6_000);
    assert!(refused(path, json!({ "text": groups, "url": "/" }), 422).contains("5000 groups"));
}

/// All sites in the pages of a list, fetched page by page.
fn sites(service: &Service, query: &str) -> Vec<Value> {
    let (mut all, mut after) = (Vec::new(), String::new());
    loop {
        let mut page = service.get(&format!("/v1/sites?{query}{after}")).json();
        let rows = page["sites"].as_array_mut().expect("rows");
        all.append(rows);
        let Some(next) = page["next"].as_str() else { return all };
        assert_eq!(all.last().expect("a site")["site"], next);
        after = format!("&after={next}");
    }
}

#[test]
fn sites_are_listed_page_by_page() {
    let service = Service::with(|options| {
        let mut captures: Vec<String> = (0..25)
            .map(|n| capture(&format!("{}{n}.example", ["a", "b"][n % 2]), 200, "User-agent: *\n"))
            .collect();
        captures.push(capture("b1.example", 200, "").replace("https", "http"));
        captures.push(capture("b1.example:8080", 404, ""));
        captures.push(capture("long.example", 200, &format!("Disalow: /\n{}", "#\n".repeat(COUNTED_TEXT))));
        captures.push(capture("odd.example", 200, "User-agent: *\nDisallow: /a\nAllow: /a\nDisalow: /b\n"));
        compile(&captures.join("\n"), &options.image);
    });
    let names = |query: &str| -> Vec<String> {
        sites(&service, query).iter().map(|row| row["site"].as_str().expect("a name").to_owned()).collect()
    };
    let all = names("limit=500");
    assert_eq!(all.len(), 29);
    let hosts: Vec<&str> = all.iter().map(|site| site.split_once("://").expect("a scheme").1).collect();
    assert!(hosts.is_sorted(), "{hosts:?}");
    for limit in [1, 2, 7, 28, 29] {
        assert_eq!(names(&format!("limit={limit}")), all);
    }
    let begins = |prefix: &str| -> Vec<String> {
        let own = |site: &&String| site.split_once("://").is_some_and(|(_, host)| host.starts_with(prefix));
        all.iter().filter(own).cloned().collect()
    };
    for prefix in ["a", "b", "b1", "b1.example", "nobody"] {
        assert_eq!(names(&format!("limit=3&prefix={prefix}")), begins(prefix), "{prefix}");
    }
    assert_eq!(names("prefix=HTTPS://B1.Example/x"), begins("b1.example"));
    let row = |prefix: &str| sites(&service, &format!("prefix={prefix}")).remove(0);
    let odd = row("odd");
    assert_eq!((&odd["outcome"], &odd["status"], &odd["bytes"]), (&json!("rules"), &json!(200), &json!(49)));
    assert_eq!(odd["fetched_at"], "2024-05-11T00:00:00Z");
    let text = "User-agent: *\nDisallow: /a\nAllow: /a\nDisalow: /b\n";
    let told =
        service.post("/v1/test", json!({ "text": text, "url": "https://odd.example/" }).to_string()).json();
    let mut remarks = [("errors", 0), ("warnings", 0), ("notes", 0)];
    for line in told["lines"].as_array().expect("lines") {
        for remark in line["remarks"].as_array().expect("remarks") {
            let severity = remark["severity"].as_str().expect("a word");
            remarks
                .iter_mut()
                .filter(|(name, _)| name.starts_with(severity))
                .for_each(|(_, count)| *count += 1);
        }
    }
    assert!(remarks.iter().any(|(_, count)| *count > 0));
    for (name, count) in remarks {
        assert_eq!(odd["issues"][name], count, "{odd}");
    }
    assert_eq!(row("long")["issues"], Value::Null);
    assert_eq!(row("b1.example:")["issues"], Value::Null);
}

#[test]
fn wrong_pages_are_refused() {
    let service = Service::start();
    assert!(service.get("/v1/sites?limit=0").refused(400).contains("from 1 to 500"));
    assert!(service.get("/v1/sites?page=2").refused(400).contains("no parameter \"page\""));
    assert_eq!(service.get("/v1/sites?after=zzz").json(), json!({ "sites": [], "next": null }));
}
