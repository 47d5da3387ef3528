//! Well-formed and malformed values of qualifiers, and ACAP in HTML, which has the same qualifiers.

use proptest::prelude::*;
use robomaton_grammar::acap::{Locator, Modification, Role, Value, value};
use robomaton_grammar::meta::{ClassField, ClassUsage, ElementSet, Meta, class, content};

fn of(name: &str, text: &str) -> Option<Value> {
    value(name.as_bytes(), text.as_bytes())
}

#[test]
fn time_limits() {
    assert_eq!(of("time-limit", "until-recrawled"), Some(Value::UntilRecrawled));
    assert_eq!(of("Time-Limit", "until-RECRAWL"), Some(Value::UntilRecrawled));
    assert_eq!(of("time-limit", "until-2007-12-31"), Some(Value::Until { year: 2007, month: 12, day: 31 }));
    assert_eq!(of("time-limit", "until-2008-02-29"), Some(Value::Until { year: 2008, month: 2, day: 29 }));
    assert_eq!(of("time-limit", "until-2000-02-29"), Some(Value::Until { year: 2000, month: 2, day: 29 }));
    assert_eq!(of("time-limit", "3-days"), Some(Value::Days(3)));
    assert_eq!(of("time-limit", "4294967295-days"), Some(Value::Days(u32::MAX)));
    for none in [
        "",
        "until",
        "until-",
        "until-recrawled-",
        "until-2007-02-29",
        "until-1900-02-29",
        "until-2007-04-31",
        "until-2007-00-10",
        "until-2007-13-10",
        "until-2007-10-00",
        "until-2007-10-32",
        "until-2007-1-1",
        "until-12007-01-01",
        "4294967296-days",
        "-3-days",
        "3 days",
        "3-day",
        "-days",
        "3.5-days",
        "+3-days",
        "\u{663}-days",
        "until-20\u{661}7-12-31",
    ] {
        assert_eq!(of("time-limit", none), None, "{none}");
    }
}

#[test]
fn fixed_words() {
    assert_eq!(of("max-length", "250-chars"), Some(Value::Chars(250)));
    assert_eq!(of("max-length", "030-Words"), Some(Value::Words(30)));
    let words = ["any", "format", "style", "translation", "annotation"];
    let meanings = [
        Modification::Any,
        Modification::Format,
        Modification::Style,
        Modification::Translation,
        Modification::Annotation,
    ];
    for (word, meaning) in words.into_iter().zip(meanings) {
        assert_eq!(of("prohibited-modification", word), Some(Value::Modification(meaning)));
        assert_eq!(of("prohibited-modification", &format!("{word}s")), None);
    }
    assert_eq!(of("prohibited-context", "within-user-frame"), Some(Value::WithinUserFrame));
    assert_eq!(of("required-context", "within-original-frame"), Some(Value::WithinOriginalFrame));
    assert_eq!(of("prohibited-context", "within-original-frame"), None);
    assert_eq!(of("required-context", "within-user-frame"), None);
    assert_eq!(of("max-length", "3-days"), None);
    assert_eq!(of("max-length", "99999999999-words"), None);
    assert_eq!(of("used-resource", "stored-copy"), None);
    assert_eq!(of("", "any"), None);
}

#[test]
fn resources() {
    let uri = |text: &str| Locator::Uri(text.to_owned());
    assert_eq!(of("must-use-resource", "/page-index.txt"), Some(Value::Use(uri("/page-index.txt"))));
    assert_eq!(of("must-use-resource", "acap://host/x"), Some(Value::Use(uri("acap://host/x"))));
    let class = Locator::Class("abstract".to_owned());
    assert_eq!(of("must-use-resource", "the-acap:extract:class:abstract"), Some(Value::Use(class.clone())));
    assert_eq!(of("must-use-resource", "ACAP:Extract:Class:abstract"), Some(Value::Use(class)));
    assert_eq!(
        of("must-use-resource", "acap:extract:id:X:y"),
        Some(Value::Use(Locator::Id("X:y".to_owned())))
    );
    assert_eq!(
        of("must-use-resource", "acap:extract:meta:d"),
        Some(Value::Use(Locator::Meta("d".to_owned())))
    );
    for none in ["", "acap:", "acap:extract:", "acap:extract:id:", "acap:extract:x:y", "the-acap:credit:id:x"]
    {
        assert_eq!(of("must-use-resource", none), None, "{none}");
    }

    let include = |text: &str| of("must-include-resource", text);
    let with = |role, locator| Some(Value::Include { role, locator });
    assert_eq!(include("/credit.txt"), with(None, uri("/credit.txt")));
    assert_eq!(include("the-acap:credit:id:c"), with(Some(Role::Credit), Locator::Id("c".to_owned())));
    assert_eq!(include("acap:link:class:c"), with(Some(Role::Link), Locator::Class("c".to_owned())));
    assert_eq!(include("acap:icon:meta:c"), with(Some(Role::Icon), Locator::Meta("c".to_owned())));
    assert_eq!(include("acap:text:http://e.example/"), with(Some(Role::Text), uri("http://e.example/")));
    for none in ["", "acap:credit", "acap:credit:", "acap:credit:id:", "acap:extract:id:x", "acap:logo:/x"] {
        assert_eq!(include(none), None, "{none}");
    }

    assert_eq!(of("location", "http://a.example/"), Some(Value::Location("http://a.example/".to_owned())));
    assert_eq!(of("location", ""), None);
}

#[test]
fn escapes() {
    let location = |text: &str| match of("location", text) {
        Some(Value::Location(uri)) => uri,
        other => format!("{other:?}"),
    };
    // Escapes of a URI belong to it.
    assert_eq!(location("/%22%27%23%25"), "/%22%27%23%25");
    assert_eq!(location("/caf%C3%a9/\u{e9}"), "/caf%C3%a9/%C3%A9");
    assert_eq!(location("/%x00e9%x20AC0"), "/%C3%A9%E2%82%AC0");
    let id = |text: &str| of("must-use-resource", &format!("acap:extract:id:{text}"));
    assert_eq!(id("%22%27%23%25"), Some(Value::Use(Locator::Id("\"'#%".to_owned()))));
    assert_eq!(id("caf%x00e9"), Some(Value::Use(Locator::Id("caf\u{e9}".to_owned()))));
    let credit = of("must-include-resource", "acap:credit:http://a.example/%2Fb:c");
    let locator = Locator::Uri("http://a.example/%2Fb:c".to_owned());
    assert_eq!(credit, Some(Value::Include { role: Some(Role::Credit), locator }));
    assert_eq!(of("time-limit", "3%2Ddays"), Some(Value::Days(3)));
    for none in ["%", "a%4", "%zz", "%x00e", "%C3", "%xD800"] {
        assert_eq!(location(none), "None", "{none}");
    }
    assert_eq!(value(b"location", b"/\xff"), None);
}

fn permission(purpose: Option<&str>, usage: &str, qualifiers: &[(&str, &str)]) -> Meta {
    let purpose = purpose.map(str::to_owned);
    let qualifiers =
        qualifiers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Meta::Permission { purpose, usage: usage.to_owned(), qualifiers }
}

fn prohibition(purpose: Option<&str>, usage: &str, qualifiers: &[(&str, &str)]) -> Meta {
    match permission(purpose, usage, qualifiers) {
        Meta::Permission { purpose, usage, qualifiers } => Meta::Prohibition { purpose, usage, qualifiers },
        other => other,
    }
}

#[test]
fn meta_tags() {
    assert_eq!(content("ACAP allow-index"), permission(None, "index", &[]));
    assert_eq!(content(" acap\tALLOW-Index "), permission(None, "Index", &[]));
    assert_eq!(content("ACAP disallow-follow"), prohibition(None, "follow", &[]));
    assert_eq!(content("ACAP news allow-index"), permission(Some("news"), "index", &[]));
    assert_eq!(
        content("ACAP news.search.com allow-index"),
        permission(Some("news.search.com"), "index", &[])
    );
    assert_eq!(content("ACAP http://*/ disallow-crawl"), prohibition(Some("http://*/"), "crawl", &[]));
    assert_eq!(content("ACAP version allow-index"), permission(Some("version"), "index", &[]));
    assert_eq!(
        content("ACAP allow-present-snippet\r\nmax-length=100-chars"),
        permission(None, "present-snippet", &[("max-length", "100-chars")])
    );
    assert_eq!(
        content("ACAP allow-crawl\nlocation = http://myserver.com/legitimate-copy.htm x"),
        permission(None, "crawl", &[("location", "http://myserver.com/legitimate-copy.htm"), ("x", "")])
    );
    // The URL of a location may have a fragment; no other value has a hash.
    assert_eq!(
        content("ACAP allow-index Location=/a#b#c=d e"),
        permission(None, "index", &[("Location", "/a"), ("e", "")])
    );
    assert!(matches!(content("ACAP allow-index must-use-resource=/a#b"), Meta::Problem(_)));
    assert!(matches!(content("ACAP allow-index location=/a #b"), Meta::Problem(_)));
    assert_eq!(content("ACAP disallow-index a=b c"), prohibition(None, "index", &[("a", "b"), ("c", "")]));
    assert_eq!(content("ACAP Version 1.1"), Meta::Version(1, 1));
    assert_eq!(content("acap version\n2.10 "), Meta::Version(2, 10));
}

#[test]
fn conventional_meta_tags() {
    let conventional =
        |words: &[&str]| Meta::Conventional(words.iter().map(|word| (*word).to_owned()).collect());
    assert_eq!(content("index nofollow"), conventional(&["index", "nofollow"]));
    assert_eq!(content(" NoIndex,\n,max-snippet:50 "), conventional(&["noindex", "max-snippet:50"]));
    assert_eq!(content(""), conventional(&[]));
    assert_eq!(content(" , "), conventional(&[]));
    assert_eq!(content("ACAP"), conventional(&["acap"]));
    assert_eq!(content("ACAP, noindex"), conventional(&["acap", "noindex"]));
    assert_eq!(content("ACAPallow-index \u{dc}"), conventional(&["acapallow-index", "\u{fc}"]));
}

#[test]
fn meta_tags_that_say_nothing() {
    let problem = |text: &str| match content(text) {
        Meta::Problem(message) => message,
        other => format!("{other:?}"),
    };
    assert_eq!(problem("ACAP "), "nothing follows the token ACAP");
    for two in [
        "ACAP allow-index disallow-follow",
        "ACAP disallow-index allow-follow",
        "ACAP allow-a x=y disallow-b c=d",
        "ACAP news allow-index news disallow-follow",
    ] {
        assert_eq!(problem(two), "a second expression; each needs a tag of its own", "{two}");
    }
    for wrong in ["ACAP version 1", "ACAP version 1.1.1", "ACAP Version 1.x"] {
        assert_eq!(problem(wrong), "a version should be two numbers with a dot between");
    }
    assert_eq!(problem("ACAP version 99999999999.1"), "a version whose numbers are too great");
    for wrong in ["ACAP allow-", "ACAP allow-(local)", "ACAP news disallow-2", "ACAP allow-index, follow"] {
        assert!(problem(wrong).starts_with("the name of a standard usage"), "{wrong}");
    }
    for wrong in ["ACAP index", "ACAP news index", "ACAP version", "ACAP two words allow-index", "ACAP ="] {
        assert_eq!(problem(wrong), "neither a version nor a permission nor a prohibition", "{wrong}");
    }
}

#[test]
fn class_attributes() {
    let standard = |name: &str| ClassUsage::Standard(name.to_owned());
    let local = |name: &str| ClassUsage::Local(name.to_owned());
    assert_eq!(class("the-acap:allow-index"), Some(ClassField::Permission(standard("index"))));
    assert_eq!(class("THE-ACAP:Allow-(local)"), Some(ClassField::Permission(local("local"))));
    assert_eq!(class("acap:allow-local"), Some(ClassField::Permission(standard("local"))));
    assert_eq!(
        class("the-acap:disallow-present-snippet"),
        Some(ClassField::Prohibition(standard("present-snippet")))
    );
    assert_eq!(class("the-acap:disallow-(x)"), Some(ClassField::Prohibition(local("x"))));
    let set = |set, names: &[&str]| {
        Some(ClassField::ElementSet(set, names.iter().map(|name| (*name).to_owned()).collect()))
    };
    assert_eq!(class("the-acap:idlist:a"), set(ElementSet::Ids, &["a"]));
    assert_eq!(class("the-acap:classlist:a, b"), set(ElementSet::Classes, &["a", "b"]));
    assert_eq!(class("the-acap:taglist:DIV,p"), set(ElementSet::Tags, &["DIV", "p"]));
    for none in [
        "",
        "index",
        "the-acap:",
        "the-acap:index",
        "the-acap:allow-",
        "the-acap:allow-(",
        "the-acap:allow-()",
        "the-acap:allow-index x",
        " the-acap:allow-index",
        "the-acap:idlist:",
        "the-acap:idlist:a,",
        "allow-index",
        "the-acap:allow-1",
        "the-acap:extract:id:x",
    ] {
        assert_eq!(class(none), None, "{none}");
    }
}

#[test]
fn repetition_takes_no_stack() {
    let sources = [
        ("ACAP allow-index", " a=b"),
        ("ACAP disallow-index", " a"),
        ("ACAP ", "allow-"),
        ("ACAP ", "allow-a "),
        ("ACAP ", "a "),
        ("ACAP version ", "1."),
        ("", "acap "),
        ("", ", "),
        ("the-acap:idlist:a", ",a"),
        ("the-acap:allow-", "("),
        ("the-acap:allow-", "a"),
        ("ACAP", "\n"),
        ("ACAP allow-a", " \r"),
    ];
    let reader = std::thread::Builder::new().stack_size(320 << 10).spawn(move || {
        for (head, piece) in sources {
            let begin = std::time::Instant::now();
            let text = [head, &piece.repeat(100_000)].concat();
            content(&text);
            class(&text);
            for name in ["time-limit", "max-length", "must-include-resource", "location"] {
                of(name, &text);
            }
            assert!(begin.elapsed().as_secs() < 20, "{head}{piece}");
        }
    });
    reader.unwrap().join().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4096) })]

    #[test]
    fn nothing_panics(text in "\\PC{0,20}|(ACAP|[ \n]|allow-|disallow-|version|1.1|a|=|,|#|\\(|\\)|the-acap:|idlist:){0,12}") {
        content(&text);
        class(&text);
    }

    #[test]
    fn no_value_panics(bytes in prop::collection::vec(any::<u8>(), 0..20), which in 0usize..8) {
        let names = [
            "time-limit", "max-length", "prohibited-modification", "must-use-resource", "must-include-resource",
            "prohibited-context", "required-context", "location",
        ];
        value(names[which].as_bytes(), &bytes);
        value(&bytes, b"any");
    }

    #[test]
    fn dates_are_real(year in 0u16..10000, month in 0u8..20, day in 0u8..40) {
        let found = of("time-limit", &format!("until-{year:04}-{month:02}-{day:02}"));
        if let Some(value) = found {
            prop_assert_eq!(value, Value::Until { year, month, day });
        } else {
            prop_assert!(month == 0 || month > 12 || day == 0 || day > 28);
        }
    }
}
