//! No import rings: the modules of a crate stand in an order, in which each imports only from those
//! below.
//!
//! Siblings are compared: the modules of a crate with each other, and likewise those inside of one
//! module. A module and its own children may know each other. What is read is the text of `use`
//! lines and of paths that begin with `crate`, `self` or `super`; what a parent re-exports counts
//! as an import of the module that it comes from. Tests are left out. It does not see what macros
//! write.

use robomaton_tests::home;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The crates of the workspace.
const CRATES: [&str; 16] = [
    "grammar",
    "formats",
    "compiler",
    "runtime",
    "corpus",
    "tables",
    "report",
    "build",
    "explain",
    "serve",
    "robomaton",
    "python",
    "cli",
    "browser",
    "tests",
    "benches",
];

/// A module by its path from the crate's root.
type Module = Vec<String>;

/// The modules of a crate with their texts, tests left out.
fn modules(folder: &Path, at: &[String], found: &mut BTreeMap<Module, String>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let child: Module = at.iter().cloned().chain([name.clone()]).collect();
        if path.is_dir() {
            if name != "bin" {
                modules(&path, &child, found);
            }
            continue;
        }
        if path.extension().is_none_or(|extension| extension != "rs") || name == "tests" {
            continue;
        }
        let module = if matches!(name.as_str(), "lib" | "main" | "mod") { at.to_vec() } else { child };
        let text = std::fs::read_to_string(&path).expect("sources are UTF-8");
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        found.entry(module).or_default().push_str(text);
    }
}

/// The code of a text without its comments.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Every path of a text that begins with `crate`, `self` or `super`, its groups written out; and
/// whether it is re-exported.
fn paths(text: &str) -> Vec<(bool, Vec<String>)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for root in ["crate::", "super::", "self::"] {
        for (at, _) in text.match_indices(root) {
            let before = &text[..at];
            if before.ends_with(is_word) || before.ends_with("::") {
                continue;
            }
            let visible = before.trim_end().strip_suffix("use").map(str::trim_end);
            let is_reexport = visible.is_some_and(|front| {
                front.ends_with("pub") || front.ends_with(')') && front.contains("pub(")
            });
            let mut tails = Vec::new();
            spread(&text[at..], &mut Vec::new(), &mut tails);
            found.extend(tails.into_iter().map(|tail| (is_reexport, tail)));
        }
    }
    found
}

/// Writes the groups of a path out; gives how much of the text it takes.
fn spread(text: &str, front: &mut Vec<String>, found: &mut Vec<Vec<String>>) -> usize {
    let depth = front.len();
    let mut at = 0;
    loop {
        let word: usize =
            text[at..].chars().take_while(|&c| c.is_alphanumeric() || c == '_').map(char::len_utf8).sum();
        if word > 0 {
            front.push(text[at..at + word].to_owned());
            at += word;
            if let Some(rest) = text[at..].strip_prefix("::") {
                at = text.len() - rest.len();
                continue;
            }
        } else if text[at..].starts_with('{') {
            at += 1;
            loop {
                at += text[at..].len() - text[at..].trim_start_matches([' ', '\n', ',']).len();
                if text[at..].starts_with('}') || at >= text.len() {
                    at += 1;
                    break;
                }
                let taken = spread(&text[at..], front, found);
                if taken == 0 {
                    break;
                }
                at += taken;
                // What follows `as`.
                at += text[at..].find([',', '}']).unwrap_or(0);
            }
            front.truncate(depth);
            return at;
        } else if text[at..].starts_with('*') {
            at += 1;
        }
        if front.len() > depth {
            found.push(front.clone());
        }
        front.truncate(depth);
        return at;
    }
}

/// The longest module that a path from inside of `of` leads into.
fn resolve(
    modules: &BTreeMap<Module, String>,
    exports: &BTreeMap<Module, Module>,
    of: &[String],
    path: &[String],
) -> Option<Module> {
    let (mut module, mut rest) = (of.to_vec(), path);
    while let Some((first, behind)) = rest.split_first() {
        match first.as_str() {
            "crate" => module.clear(),
            "super" => _ = module.pop(),
            "self" => {}
            _ => break,
        }
        rest = behind;
    }
    for name in rest {
        module.push(name.clone());
        if modules.contains_key(&module) {
            continue;
        }
        if let Some(target) = exports.get(&module) {
            return Some(target.clone());
        }
        module.pop();
        break;
    }
    Some(module)
}

/// The rings among siblings of a crate: for each module that is in one, the modules that it reaches
/// and that reach it.
fn rings(name: &str) -> BTreeSet<String> {
    let root = home().parent().expect("the workspace holds this crate").join(name).join("src");
    let mut modules_of = BTreeMap::new();
    modules(&root, &[], &mut modules_of);
    let texts: BTreeMap<Module, String> =
        modules_of.into_iter().map(|(module, text)| (module, code(&text))).collect();
    // The names that a module passes on from another.
    let mut exports: BTreeMap<Module, Module> = BTreeMap::new();
    for (module, text) in &texts {
        let own = children(&texts, module);
        let mut add = |path: &[String]| {
            if let Some(target) = resolve(&texts, &BTreeMap::new(), module, path)
                && let Some(last) = path.last()
                && target != *module
            {
                exports.insert(module.iter().chain([last]).cloned().collect(), target);
            }
        };
        paths(text).into_iter().filter(|(is_export, _)| *is_export).for_each(|(_, path)| add(&path));
        // `pub use child::Name`, without `self`.
        for child in own {
            for (at, _) in text.match_indices(&format!("use {child}::")) {
                let mut found = Vec::new();
                spread(&text[at + "use ".len()..], &mut Vec::new(), &mut found);
                found.iter().for_each(|path| add(path));
            }
        }
    }
    // Edges between siblings, by their parent.
    let mut edges: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (module, text) in &texts {
        for (_, path) in paths(text) {
            let Some(target) = resolve(&texts, &exports, module, &path) else { continue };
            let shared = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
            if shared < module.len() && shared < target.len() {
                edges.entry(module[..=shared].to_vec()).or_default().insert(target[..=shared].to_vec());
            }
        }
    }
    let reach = |from: &Module| {
        let (mut seen, mut waiting) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(module) = waiting.pop() {
            for next in edges.get(&module).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    waiting.push(next.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<Module, BTreeSet<Module>> =
        edges.keys().map(|module| (module.clone(), reach(module))).collect();
    let mut rings = BTreeSet::new();
    for (module, seen) in &reached {
        let ring: Vec<String> = seen
            .iter()
            .filter(|other| reached.get(*other).is_some_and(|back| back.contains(module)))
            .map(|other| other.join("::"))
            .collect();
        if !ring.is_empty() {
            rings.insert(format!("{name}: {}", ring.join(", ")));
        }
    }
    rings
}

fn children(modules: &BTreeMap<Module, String>, of: &[String]) -> Vec<String> {
    let is_child = |module: &&Module| module.len() == of.len() + 1 && module.starts_with(of);
    modules.keys().filter(is_child).filter_map(|module| module.last().cloned()).collect()
}

#[test]
fn there_are_no_import_rings() {
    let rings: BTreeSet<String> = CRATES.into_iter().flat_map(rings).collect();
    assert!(rings.is_empty(), "{rings:#?}");
}

#[test]
fn paths_are_read() {
    let text = "pub use crate::a::{self, B, c::{D, *}};\nlet x = super::e::f(1); mycrate::g; crate::h;";
    let found: Vec<String> =
        paths(text).into_iter().map(|(is, path)| format!("{is} {}", path.join("::"))).collect();
    let expected = ["crate::a::self", "crate::a::B", "crate::a::c::D"].map(|path| format!("true {path}"));
    assert!(expected.iter().all(|path| found.contains(path)), "{found:?}");
    assert!(found.contains(&"false super::e::f".to_owned()) && found.contains(&"false crate::h".to_owned()));
    assert!(!found.iter().any(|path| path.contains('g')), "{found:?}");
}
