//! Completions and man pages cover every subcommand of the help.

mod common;

use common::Place;

/// The names listed by `--help`.
fn subcommands(place: &Place) -> Vec<String> {
    let help = place.run(&["--help"]).ok();
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| line.starts_with("  ")).filter(|line| !line.starts_with("   "));
    listed.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn every_shell_completes_every_subcommand() {
    let place = Place::new();
    let names = subcommands(&place);
    assert!(names.len() > 15 && names.contains(&"serve".to_owned()), "{names:?}");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = place.run(&["completions", shell]).ok();
        let missing: Vec<_> = names.iter().filter(|name| !script.contains(name.as_str())).collect();
        assert!(missing.is_empty(), "{shell}: {missing:?}");
    }
    place.run(&["completions", "tcsh"]).fails("tcsh");
}

#[test]
fn every_subcommand_has_a_man_page() {
    let place = Place::new();
    assert_eq!(place.run(&["man", "--to", "share/man1"]).ok(), "");
    let page = |name: &str| std::fs::read_to_string(place.path("share/man1").join(name)).expect("a page");
    assert!(page("robomaton.1").contains(".SH SUBCOMMANDS"));
    for name in subcommands(&place).iter().filter(|name| *name != "help") {
        let text = page(&format!("robomaton-{name}.1"));
        assert!(text.contains(".SH OPTIONS") && text.contains("Examples:"), "{name}: {text}");
    }
    place.write("file", "");
    place.run(&["man", "--to", "file"]).fails("cannot write file");
}
