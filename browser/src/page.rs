//! One tab: its input, its contents, and its errors.
//!
//! Every method waits until the browser has finished. See the crate's documentation for the
//! invariants.

use headless_chrome::browser::tab::{ModifierKey, Tab};
use headless_chrome::protocol::cdp::types::{Event, Method};
use headless_chrome::protocol::cdp::{Emulation, Log, Network, Page as Protocol, Runtime};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a condition may take to become true.
const DEADLINE: Duration = Duration::from_secs(30);
/// The interval between two checks of a condition.
const LOOK: Duration = Duration::from_millis(20);

/// The user's preferred colour scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Dark text on a light background.
    Light,
    /// Light text on a dark background.
    Dark,
}

/// A tab of a [`crate::Browser`].
pub struct Page {
    tab: Arc<Tab>,
    heard: Arc<Mutex<Heard>>,
}

/// The events of a tab.
#[derive(Default)]
struct Heard {
    /// Errors on the console and uncaught exceptions.
    troubles: Vec<String>,
    /// Requested URLs.
    requests: Vec<String>,
    /// Names of the files whose download has begun, and the number of those that are whole.
    downloads: Vec<String>,
    whole: usize,
}

impl Heard {
    fn hear(&mut self, event: &Event) {
        match event {
            Event::RuntimeExceptionThrown(event) => {
                let details = &event.params.exception_details;
                let thrown = details.exception.as_ref().and_then(|thrown| thrown.description.as_deref());
                self.troubles.push(format!("{}: {}", details.text, thrown.unwrap_or_default()));
            }
            Event::RuntimeConsoleAPICalled(event)
                if event.params.Type == Runtime::ConsoleAPICalledEventTypeOption::Error =>
            {
                let said = event.params.args.iter().map(|said| {
                    said.description.clone().or_else(|| said.value.as_ref().map(Value::to_string))
                });
                self.troubles.push(said.flatten().collect::<Vec<String>>().join(" "));
            }
            // Messages of the browser itself: violations of a Content-Security-Policy, missing
            // resources.
            Event::LogEntryAdded(event) if event.params.entry.level == Log::LogEntryLevel::Error => {
                let entry = &event.params.entry;
                self.troubles.push(format!("{} {}", entry.text, entry.url.as_deref().unwrap_or_default()));
            }
            Event::NetworkRequestWillBeSent(event) => self.requests.push(event.params.request.url.clone()),
            Event::PageDownloadWillBegin(event) => {
                self.downloads.push(event.params.suggested_filename.clone())
            }
            Event::PageDownloadProgress(event)
                if event.params.state == Protocol::DownloadProgressEventStateOption::Completed =>
            {
                self.whole += 1;
            }
            _ => {}
        }
    }
}

impl Page {
    pub(crate) fn new(tab: Arc<Tab>) -> Page {
        let heard = Arc::new(Mutex::new(Heard::default()));
        let ear = Arc::clone(&heard);
        let hear = move |event: &Event| ear.lock().unwrap_or_else(PoisonError::into_inner).hear(event);
        tab.set_default_timeout(DEADLINE);
        tab.add_event_listener(Arc::new(hear)).expect("events are heard");
        tab.enable_runtime().expect("exceptions are told");
        tab.enable_log().expect("the log is told");
        let page = Page { tab, heard };
        page.call::<Network::Enable>(json!({}));
        page
    }

    /// Calls a method of the DevTools protocol by its parameters.
    fn call<M>(&self, parameters: Value) -> M::ReturnObject
    where
        M: Method + Serialize + DeserializeOwned + Debug,
    {
        let call: M = serde_json::from_value(parameters).expect("parameters of the method");
        self.tab.call_method(call).unwrap_or_else(|error| panic!("{}: {error}", M::NAME))
    }

    pub(crate) fn opened(self, url: &str) -> Page {
        self.go(url);
        self
    }

    /// Goes to a URL and waits until it is loaded.
    ///
    /// # Panics
    /// If it does not load.
    pub fn go(&self, url: &str) {
        let loaded = self.tab.navigate_to(url).and_then(|tab| tab.wait_until_navigated());
        loaded.unwrap_or_else(|error| panic!("{url} does not load: {error}"));
        self.wait("document.readyState === 'complete'");
    }

    /// The value of an expression, or the result of its promise, as JSON; `null` if it is
    /// undefined.
    ///
    /// # Panics
    /// If the expression throws.
    pub fn evaluate(&self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call::<Runtime::Evaluate>(parameters);
        if let Some(thrown) = answer.exception_details {
            let what = thrown.exception.and_then(|thrown| thrown.description).unwrap_or(thrown.text);
            panic!("{expression} throws {what}");
        }
        answer.result.value.unwrap_or(Value::Null)
    }

    /// Waits until an expression, or what its promise gives, is true.
    ///
    /// # Panics
    /// If it is not within half a minute.
    pub fn wait(&self, condition: &str) {
        let end = Instant::now() + DEADLINE;
        while self.evaluate(&format!("Promise.resolve({condition}).then(Boolean)")) != Value::Bool(true) {
            assert!(
                Instant::now() < end,
                "not within {DEADLINE:?}: {condition}\nheard: {:?}",
                self.troubles()
            );
            thread::sleep(LOOK);
        }
    }

    /// The visible text of an element.
    ///
    /// # Panics
    /// If there is no such element.
    pub fn text(&self, selector: &str) -> String {
        let selector = Value::from(selector);
        let text = self.evaluate(&format!("document.querySelector({selector}).innerText"));
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Brings the tab to the front of its window: a background tab takes no clicks and no keys.
    fn front(&self) {
        self.tab.bring_to_front().expect("a tab");
    }

    /// Clicks the centre of an element.
    ///
    /// # Panics
    /// If there is no such element, or it is not visible in the window.
    pub fn click(&self, selector: &str) {
        self.front();
        let clicked = self.tab.wait_for_element(selector).and_then(|element| element.click().map(|_| ()));
        clicked.unwrap_or_else(|error| panic!("{selector} cannot be clicked: {error}"));
    }

    /// Types a text, key by key, into the element that has the focus.
    ///
    /// # Panics
    /// If the browser has exited.
    pub fn type_text(&self, text: &str) {
        self.front();
        self.tab.type_str(text).expect("keys are pressed");
    }

    /// Presses one key, named as in events: `Tab`, `Enter`, `ArrowDown`, `Escape`, `a`.
    ///
    /// # Panics
    /// If there is no such key.
    pub fn press(&self, key: &str) {
        self.tab.press_key(key).unwrap_or_else(|error| panic!("{key}: {error}"));
    }

    /// Presses a key while holding Shift.
    ///
    /// # Panics
    /// If there is no such key.
    pub fn press_with_shift(&self, key: &str) {
        let pressed = self.tab.press_key_with_modifiers(key, Some(&[ModifierKey::Shift]));
        pressed.unwrap_or_else(|error| panic!("{key}: {error}"));
    }

    /// Sets the user's preferred colour scheme.
    ///
    /// # Panics
    /// If the browser has exited.
    pub fn color_scheme(&self, scheme: Scheme) {
        let value = if scheme == Scheme::Dark { "dark" } else { "light" };
        let feature = json!({ "name": "prefers-color-scheme", "value": value });
        self.call::<Emulation::SetEmulatedMedia>(json!({ "features": [feature] }));
    }

    /// Shows the page as if printed.
    ///
    /// # Panics
    /// If the browser has exited.
    pub fn as_printed(&self) {
        self.call::<Emulation::SetEmulatedMedia>(json!({ "media": "print" }));
    }

    /// Sets the size of the window in CSS pixels.
    ///
    /// # Panics
    /// If the browser has exited.
    pub fn viewport(&self, width: u32, height: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call::<Emulation::SetDeviceMetricsOverride>(metrics);
    }

    /// Clicks an element that saves a file into this directory, and waits until the file is whole.
    /// Returns its path.
    ///
    /// # Panics
    /// If it is not within half a minute.
    pub fn save(&self, selector: &str, folder: &Path) -> PathBuf {
        self.call::<Protocol::SetDownloadBehavior>(json!({ "behavior": "allow", "downloadPath": folder }));
        let begun = self.heard().downloads.len();
        self.click(selector);
        let end = Instant::now() + DEADLINE;
        loop {
            let heard = self.heard();
            // A file has its name before it has its contents, so only the event says that it is
            // whole.
            if let Some(name) = heard.downloads.get(begun).filter(|_| heard.whole > begun) {
                return folder.join(name);
            }
            drop(heard);
            assert!(Instant::now() < end, "{selector} saves no file within {DEADLINE:?}");
            thread::sleep(LOOK);
        }
    }

    /// The contents of the window, as a PNG.
    ///
    /// # Panics
    /// If the browser has exited.
    pub fn screenshot(&self) -> Vec<u8> {
        let png = Protocol::CaptureScreenshotFormatOption::Png;
        self.tab.capture_screenshot(png, None, None, true).expect("a picture")
    }

    /// The requested URLs so far, the page's own first.
    pub fn requests(&self) -> Vec<String> {
        self.heard().requests.clone()
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn troubles(&self) -> Vec<String> {
        self.heard().troubles.clone()
    }

    /// Takes the errors of the page, so that they do not fail the test.
    pub fn take_troubles(&self) -> Vec<String> {
        std::mem::take(&mut self.heard().troubles)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        // One more round trip, after which all earlier events have arrived.
        let _ = self.tab.evaluate("0", false);
        let troubles = self.take_troubles();
        let _ = self.tab.close(false);
        assert!(troubles.is_empty(), "the page complains: {troubles:#?}");
    }
}
