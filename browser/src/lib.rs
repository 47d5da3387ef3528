//! A real Chromium for tests of robomaton's pages: opens a page, sends it input, and reads what it
//! shows.
//!
//! ```text
//!   chromium() ──▶ Browser ──▶ open(url) ──▶ Page: click, type, press, wait for, evaluate, screenshot
//! ```
//!
//! For tests only, so failures are panics that say what was expected. Keys and clicks are input
//! events of the browser, not of a script, so a test exercises what a user can do. Invariants: a
//! page that logs an error on its console, or has an uncaught exception, fails its test when it is
//! dropped; host names do not resolve, only the address of this machine works; every wait ends. It
//! does not know what the pages are about.

mod page;

pub use page::{Page, Scheme};

use headless_chrome::LaunchOptions;
use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

/// Names the program; if it is set, a missing program is a failure.
pub const VARIABLE: &str = "ROBOMATON_CHROMIUM";

/// The names of the program if the variable is not set.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// How long a browser may be idle: one test may wait for the work of another.
const IDLE: Duration = Duration::from_secs(600);

/// A running Chromium with its own profile, which is removed with it.
pub struct Browser(headless_chrome::Browser);

/// A browser; `None` on a machine without one: a message on standard error says that the test is
/// skipped.
///
/// # Panics
/// If [`VARIABLE`] is set and names no program, or the program does not start.
pub fn chromium() -> Option<Browser> {
    let Some(program) = program() else {
        eprintln!("left out: no Chromium on PATH ({VARIABLE} names one)");
        return None;
    };
    let options = LaunchOptions {
        path: Some(program.clone()),
        // In containers there is often no sandbox, and the pages are our own.
        sandbox: false,
        window_size: Some((1280, 900)),
        idle_browser_timeout: IDLE,
        args: ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--hide-scrollbars"]
            .map(OsStr::new)
            .to_vec(),
        ..LaunchOptions::default()
    };
    match headless_chrome::Browser::new(options) {
        Ok(browser) => Some(Browser(browser)),
        Err(error) => panic!("{} does not start: {error}", program.display()),
    }
}

/// The program: the named one, else the first on the path.
fn program() -> Option<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE) {
        let path = PathBuf::from(named);
        assert!(path.is_file(), "{VARIABLE}: {} is no file", path.display());
        return Some(path);
    }
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    let places = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|path| path.is_file())
}

impl Browser {
    /// Opens a URL (`file:`, `data:`, or `http:` of 127.0.0.1) in a new tab and waits until it is
    /// loaded.
    ///
    /// # Panics
    /// If it does not load.
    pub fn open(&self, url: &str) -> Page {
        self.blank().opened(url)
    }

    /// An empty tab, for settings before [`Page::go`].
    ///
    /// # Panics
    /// If the browser has exited.
    pub fn blank(&self) -> Page {
        Page::new(self.0.new_tab().expect("a tab"))
    }
}
