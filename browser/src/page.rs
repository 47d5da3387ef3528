//! One tab: what a reader does in it, what it shows, and what it complains about.
//!
//! Every method waits until the browser has done it. See the crate's head for the invariants.

use headless_chrome::browser::tab::{ModifierKey, Tab};
use headless_chrome::protocol::cdp::types::{Event, Method};
use headless_chrome::protocol::cdp::{Emulation, Log, Network, Page as Protocol, Runtime};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt::Debug;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a condition may take to come true.
const DEADLINE: Duration = Duration::from_secs(30);
/// Between two looks at a condition.
const LOOK: Duration = Duration::from_millis(20);

/// What the reader's system asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Dark ink on light ground.
    Light,
    /// Light ink on dark ground.
    Dark,
}

/// A tab of a [`crate::Browser`].
pub struct Page {
    tab: Arc<Tab>,
    heard: Arc<Mutex<Heard>>,
}

/// What the tab has told by itself.
#[derive(Default)]
struct Heard {
    /// Errors on the console and exceptions that nobody caught.
    troubles: Vec<String>,
    /// URLs that were asked for.
    requests: Vec<String>,
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
            // What the browser itself says: broken rules of a Content-Security-Policy, resources
            // that are not there.
            Event::LogEntryAdded(event) if event.params.entry.level == Log::LogEntryLevel::Error => {
                let entry = &event.params.entry;
                self.troubles.push(format!("{} {}", entry.text, entry.url.as_deref().unwrap_or_default()));
            }
            Event::NetworkRequestWillBeSent(event) => self.requests.push(event.params.request.url.clone()),
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
    /// When it does not load.
    pub fn go(&self, url: &str) {
        let loaded = self.tab.navigate_to(url).and_then(|tab| tab.wait_until_navigated());
        loaded.unwrap_or_else(|error| panic!("{url} does not load: {error}"));
        self.wait("document.readyState === 'complete'");
    }

    /// The value of an expression, or what a promise of it becomes, as JSON; `null` if it is
    /// undefined.
    ///
    /// # Panics
    /// When the expression throws.
    pub fn evaluate(&self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call::<Runtime::Evaluate>(parameters);
        if let Some(thrown) = answer.exception_details {
            let what = thrown.exception.and_then(|thrown| thrown.description).unwrap_or(thrown.text);
            panic!("{expression} throws {what}");
        }
        answer.result.value.unwrap_or(Value::Null)
    }

    /// Waits until an expression is true.
    ///
    /// # Panics
    /// When it is not within half a minute.
    pub fn wait(&self, condition: &str) {
        let end = Instant::now() + DEADLINE;
        while self.evaluate(&format!("Boolean({condition})")) != Value::Bool(true) {
            assert!(
                Instant::now() < end,
                "not within {DEADLINE:?}: {condition}\nheard: {:?}",
                self.troubles()
            );
            thread::sleep(LOOK);
        }
    }

    /// The text that an element shows.
    ///
    /// # Panics
    /// When there is no such element.
    pub fn text(&self, selector: &str) -> String {
        let selector = Value::from(selector);
        let text = self.evaluate(&format!("document.querySelector({selector}).innerText"));
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Puts the tab before the others of its window: one behind them takes no clicks and no keys.
    fn front(&self) {
        self.tab.bring_to_front().expect("a tab");
    }

    /// Clicks into the middle of an element.
    ///
    /// # Panics
    /// When there is no such element, or it has no place in the window.
    pub fn click(&self, selector: &str) {
        self.front();
        let clicked = self.tab.wait_for_element(selector).and_then(|element| element.click().map(|_| ()));
        clicked.unwrap_or_else(|error| panic!("{selector} cannot be clicked: {error}"));
    }

    /// Types a text, key by key, to whatever has the focus.
    ///
    /// # Panics
    /// When the browser has gone.
    pub fn type_text(&self, text: &str) {
        self.front();
        self.tab.type_str(text).expect("keys are pressed");
    }

    /// Presses one key, named as events name it: `Tab`, `Enter`, `ArrowDown`, `Escape`, `a`.
    ///
    /// # Panics
    /// When there is no such key.
    pub fn press(&self, key: &str) {
        self.tab.press_key(key).unwrap_or_else(|error| panic!("{key}: {error}"));
    }

    /// Presses a key with Shift held.
    ///
    /// # Panics
    /// When there is no such key.
    pub fn press_with_shift(&self, key: &str) {
        let pressed = self.tab.press_key_with_modifiers(key, Some(&[ModifierKey::Shift]));
        pressed.unwrap_or_else(|error| panic!("{key}: {error}"));
    }

    /// The reader's system asks for light or dark from now on.
    ///
    /// # Panics
    /// When the browser has gone.
    pub fn color_scheme(&self, scheme: Scheme) {
        let value = if scheme == Scheme::Dark { "dark" } else { "light" };
        let feature = json!({ "name": "prefers-color-scheme", "value": value });
        self.call::<Emulation::SetEmulatedMedia>(json!({ "features": [feature] }));
    }

    /// The page is seen as if it was printed from now on.
    ///
    /// # Panics
    /// When the browser has gone.
    pub fn as_printed(&self) {
        self.call::<Emulation::SetEmulatedMedia>(json!({ "media": "print" }));
    }

    /// The window has this many CSS pixels from now on.
    ///
    /// # Panics
    /// When the browser has gone.
    pub fn viewport(&self, width: u32, height: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call::<Emulation::SetDeviceMetricsOverride>(metrics);
    }

    /// Files that the page gives to be saved go to this folder from now on.
    ///
    /// # Panics
    /// When the browser has gone.
    pub fn save_downloads(&self, folder: &Path) {
        self.call::<Protocol::SetDownloadBehavior>(json!({ "behavior": "allow", "downloadPath": folder }));
    }

    /// What the window shows, as a PNG.
    ///
    /// # Panics
    /// When the browser has gone.
    pub fn screenshot(&self) -> Vec<u8> {
        let png = Protocol::CaptureScreenshotFormatOption::Png;
        self.tab.capture_screenshot(png, None, None, true).expect("a picture")
    }

    /// URLs that were asked for so far, the page's own first.
    pub fn requests(&self) -> Vec<String> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).requests.clone()
    }

    fn troubles(&self) -> Vec<String> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).troubles.clone()
    }

    /// Takes what the page has complained about, so that it does not fail the test.
    pub fn take_troubles(&self) -> Vec<String> {
        std::mem::take(&mut self.heard.lock().unwrap_or_else(PoisonError::into_inner).troubles)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        // One more question and answer: what was said before it has been heard then.
        let _ = self.tab.evaluate("0", false);
        let troubles = self.take_troubles();
        let _ = self.tab.close(false);
        assert!(troubles.is_empty(), "the page complains: {troubles:#?}");
    }
}
