//! The supply chain: dependencies come from the registry, have allowed licences and no known flaw.
//!
//! It reads `deny.toml` as `cargo deny` does, and the advisories that the repository keeps, so it
//! needs no network. It does not know advisories that are newer than that list.

use robomaton_tests::workspace;
use rustsec::advisory::Id;
use rustsec::{Database, Lockfile, Report, report};
use serde::Deserialize;
use spdx::{Expression, ParseMode};
use std::process::Command;

/// The parts of `deny.toml` that are checked here.
#[derive(Deserialize)]
struct Deny {
    advisories: Advisories,
    licenses: Licenses,
}

#[derive(Deserialize)]
struct Advisories {
    ignore: Vec<Id>,
}

#[derive(Deserialize)]
struct Licenses {
    allow: Vec<String>,
    exceptions: Vec<Exception>,
    clarify: Vec<Clarification>,
}

#[derive(Deserialize)]
struct Exception {
    #[serde(rename = "crate")]
    name: String,
    allow: Vec<String>,
}

#[derive(Deserialize)]
struct Clarification {
    #[serde(rename = "crate")]
    name: String,
    expression: String,
}

/// A package, as `cargo metadata` describes it.
#[derive(Deserialize)]
struct Package {
    name: String,
    license: Option<String>,
    source: Option<String>,
}

fn deny() -> Deny {
    let text = std::fs::read_to_string(workspace().join("deny.toml")).expect("deny.toml");
    toml::from_str(&text).expect("deny.toml is as it should be")
}

/// All packages that do not stand in this repository.
fn packages() -> Vec<Package> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--locked", "--format-version", "1"]).current_dir(workspace());
    let said = cargo.output().expect("cargo runs");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let metadata: Metadata = serde_json::from_slice(&said.stdout).expect("JSON");
    metadata.packages.into_iter().filter(|package| package.source.is_some()).collect()
}

#[test]
fn licences_are_allowed() {
    let Licenses { allow, exceptions, clarify } = deny().licenses;
    let packages = packages();
    assert!(packages.len() > 100, "{} packages", packages.len());
    let mut unknown = Vec::new();
    for Package { name, license, .. } in &packages {
        let clarified = clarify.iter().find(|about| about.name == *name).map(|about| &about.expression);
        let text = license.as_ref().or(clarified).unwrap_or_else(|| panic!("{name} names no licence"));
        let expression = Expression::parse_mode(text, ParseMode::LAX)
            .unwrap_or_else(|error| panic!("{name}: {text:?}: {error}"));
        let excepted = || exceptions.iter().filter(|of| of.name == *name).flat_map(|of| &of.allow);
        let is_allowed = |licence: &str| allow.iter().chain(excepted()).any(|allowed| allowed == licence);
        if !expression.evaluate(|wanted| is_allowed(&wanted.to_string())) {
            unknown.push(format!("{name}: {text}"));
        }
    }
    assert!(unknown.is_empty(), "not allowed by deny.toml: {unknown:#?}");
    for Exception { name, .. } in &exceptions {
        let is_used = packages.iter().any(|package| package.name == *name);
        assert!(is_used, "deny.toml has an exception for {name}, which is no dependency");
    }
}

#[test]
fn packages_come_from_the_registry() {
    let registry = Some("registry+https://github.com/rust-lang/crates.io-index".to_owned());
    let others: Vec<_> = packages().into_iter().filter(|package| package.source != registry).collect();
    assert!(
        others.is_empty(),
        "from elsewhere: {:?}",
        others.iter().map(|other| &other.name).collect::<Vec<_>>()
    );
}

#[test]
fn no_known_flaw() {
    let database = Database::open(&workspace().join("advisories")).expect("the advisories");
    let lock = Lockfile::load(workspace().join("Cargo.lock")).expect("Cargo.lock");
    let settings = report::Settings {
        ignore: deny().advisories.ignore,
        informational_warnings: vec![
            rustsec::advisory::Informational::Unmaintained,
            rustsec::advisory::Informational::Unsound,
            rustsec::advisory::Informational::Notice,
        ],
        ..report::Settings::default()
    };
    let report = Report::generate(&database, &lock, &settings);
    let flaws: Vec<String> = report
        .vulnerabilities
        .list
        .iter()
        .map(|flaw| format!("{} {}: {}", flaw.package.name, flaw.package.version, flaw.advisory.id))
        .collect();
    assert!(flaws.is_empty(), "known flaws: {flaws:#?}");
    let warnings: Vec<_> = report.warnings.values().flatten().collect();
    assert!(warnings.is_empty(), "warnings: {warnings:#?}");
}

#[test]
fn a_known_flaw_is_found() {
    let database = Database::open(&workspace().join("advisories")).expect("the advisories");
    let text = "version = 4\n[[package]]\nname = \"arc-swap\"\nversion = \"0.4.7\"\n\
         source = \"registry+https://github.com/rust-lang/crates.io-index\"\n";
    let old: Lockfile = text.parse().expect("a lockfile");
    let found = database.vulnerabilities(&old);
    assert_eq!(
        found.iter().map(|flaw| flaw.advisory.id.to_string()).collect::<Vec<_>>(),
        ["RUSTSEC-2020-0091"]
    );
}
