//! A real Chromium for tests of what robomaton shows in one: opens a page, presses its keys, sees
//! what a reader sees.
//!
//! ```text
//!   chromium() ──▶ Browser ──▶ open(url) ──▶ Page: click, type, press, wait for, evaluate, screenshot
//! ```
//!
//! For tests alone, so failures are panics that say what was wanted. Keys and clicks are input
//! events of the browser, not of a script: what works here works for a hand. Invariants: a page
//! that says an error on its console, or throws what nobody catches, fails its test when it is
//! dropped; names of hosts lead nowhere, only this machine's address does; every wait ends. It does
//! not know what the pages are about.

mod page;

pub use page::{Page, Scheme};

use headless_chrome::LaunchOptions;
use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

/// Names the program; then its absence is a failure.
pub const VARIABLE: &str = "ROBOMATON_CHROMIUM";

/// What the program is called where nobody names it.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// How long a browser may say nothing: one test may wait for the work of another.
const IDLE: Duration = Duration::from_secs(600);

/// A running Chromium with a profile of its own. Ends with it.
pub struct Browser(headless_chrome::Browser);

/// A browser; `None` on a machine without one, which is said on standard error: the test is left
/// out.
///
/// # Panics
/// When [`VARIABLE`] is set and leads to no program, or the program does not start.
pub fn chromium() -> Option<Browser> {
    let Some(program) = program() else {
        eprintln!("left out: no Chromium on PATH ({VARIABLE} names one)");
        return None;
    };
    let options = LaunchOptions {
        path: Some(program.clone()),
        // Within containers there is often no sandbox to be had, and the pages are our own.
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
    /// Opens a URL (`file:`, `data:`, or `http:` of 127.0.0.1) in a tab of its own and waits until
    /// it is loaded.
    ///
    /// # Panics
    /// When it does not load.
    pub fn open(&self, url: &str) -> Page {
        self.blank().opened(url)
    }

    /// A tab that shows nothing yet, to be set up before [`Page::go`].
    ///
    /// # Panics
    /// When the browser has gone.
    pub fn blank(&self) -> Page {
        Page::new(self.0.new_tab().expect("a tab"))
    }
}
