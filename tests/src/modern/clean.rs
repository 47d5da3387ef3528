//! `Clean-param`: URLs without the parameters that only name duplicates.
//!
//! It takes no part in permission. Invariant: parameters that remain keep their order and spelling.
//! This file does not know about groups: the records count wherever they stand.

use super::robots::{File, Key, Pattern};
use super::{Profile, Site, target_of};

/// The path and query of a URL, without the parameters that the site's robots.txt names.
pub fn canonical(site: &Site, url: &str) -> String {
    let file = File::read(site.robots.as_deref().unwrap_or_default(), &site.origin, Profile::Full);
    let target = target_of(&site.origin, url);
    let Some((path, query)) = target.split_once('?') else { return target };
    let mut dropped: Vec<String> = Vec::new();
    for record in file.all(Key::CleanParam) {
        let value = String::from_utf8_lossy(&record.value).into_owned();
        let mut words = value.split([' ', '\t']).filter(|word| !word.is_empty());
        let Some(names) = words.next() else { continue };
        let pattern = words.next().unwrap_or("/");
        let pattern =
            if pattern.starts_with(['/', '*']) { pattern.to_owned() } else { format!("/{pattern}") };
        if Pattern::new(pattern.as_bytes()).matches(path.as_bytes()) {
            dropped.extend(names.split('&').filter(|name| !name.is_empty()).map(str::to_owned));
        }
    }
    let name = |parameter: &str| parameter.split_once('=').map_or(parameter, |(name, _)| name).to_owned();
    let kept: Vec<&str> = query.split('&').filter(|parameter| !dropped.contains(&name(parameter))).collect();
    if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
}
