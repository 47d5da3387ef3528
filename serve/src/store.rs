//! The state of a service over a store, and the thread that compacts it.
//!
//! `robomaton-store` takes captures and answers. The store has one writer, this service, and no
//! thread of its own, so a thread here calls `compact` and reports its errors. Invariant: when the
//! thread has been joined, nothing of it writes to the store. It does not know the handlers.

use crate::app::Common;
use crate::error::Error;
use crate::token::Token;
use robomaton_compiler::{Options as CompileOptions, emit};
use robomaton_explain::time::now;
use robomaton_runtime::{Image, Terms};
use robomaton_store::{Durability, Store, StoreOptions};
use std::net::SocketAddr;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How often the store is compacted.
const COMPACT: Duration = Duration::from_secs(1);

/// The options of a service over a store.
pub struct StoreServerOptions {
    /// The directory, which is created if it is missing.
    pub directory: PathBuf,
    /// The address to listen on; port 0 means any free port.
    pub listen: SocketAddr,
    /// The token of clients that put captures. Without one, none are taken, and the address must be
    /// of this machine only.
    pub token: Option<Token>,
    /// The options for compiling, as when the store was opened before.
    pub compile: CompileOptions,
    /// The meaning of outcomes other than rules. Its time does not count: an unreachable site stays
    /// disallowed.
    pub terms: Terms,
    /// Host names that browsers may use, in addition to `localhost` and IP addresses.
    pub hosts: Vec<String>,
    /// Receives messages for the operator of the service, one line at a time.
    pub remark: fn(&str),
}

/// The state of a service over a store, shared by all requests.
pub(crate) struct StoreApp {
    pub(crate) common: Arc<Common>,
    pub(crate) store: Store,
    pub(crate) token: Option<Token>,
    pub(crate) compile: CompileOptions,
    /// An image without sites: it has the usages that every image knows.
    pub(crate) empty: Image<Vec<u8>>,
    pub(crate) opened_at: u64,
    directory: PathBuf,
    compact_error: Mutex<Option<String>>,
}

impl Deref for StoreApp {
    type Target = Common;

    fn deref(&self) -> &Common {
        &self.common
    }
}

impl StoreApp {
    /// Opens the store.
    ///
    /// # Errors
    /// If it cannot be opened, or the address needs a token.
    pub(crate) fn open(options: StoreServerOptions) -> Result<StoreApp, Error> {
        let StoreServerOptions { directory, listen, token, compile, terms, hosts, remark } = options;
        if token.is_none() && !listen.ip().is_loopback() {
            return Err(Error::NoToken { listen });
        }
        let image = |error| Error::Broken { path: directory.clone(), error };
        let empty = Image::from_bytes(emit(Vec::new(), &compile).map_err(image)?).map_err(image)?;
        let options = StoreOptions {
            compile: compile.clone(),
            // A batch is synced once, before its answer.
            durability: Durability::Never,
            terms: Terms { now: None, ..terms },
            ..StoreOptions::default()
        };
        let store = Store::open(&directory, options)?;
        let common = Arc::new(Common::new(hosts, remark));
        let (opened_at, compact_error) = (now(), Mutex::default());
        Ok(StoreApp { common, store, token, compile, empty, opened_at, directory, compact_error })
    }

    /// The reason why the last compaction failed.
    pub(crate) fn compact_error(&self) -> Option<String> {
        self.compact_error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Compacts once, and reports an error unless it is the one of the last time.
    fn compact(&self) {
        let error = self.store.compact().err().map(|error| error.to_string());
        let mut last = self.compact_error.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = error.as_ref().filter(|_| *last != error) {
            let remark = self.common.remark;
            remark(&format!("{error}; {} is not compacted", self.directory.display()));
        }
        *last = error;
    }
}

/// The thread that compacts. Dropping it waits for its end.
pub(crate) struct Compaction(Option<(Sender<()>, JoinHandle<()>)>);

impl Compaction {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the operating system refuses it.
    pub(crate) fn start(app: Arc<StoreApp>) -> Result<Compaction, Error> {
        let (stop, stopped) = channel();
        let run = move || {
            while stopped.recv_timeout(COMPACT) == Err(RecvTimeoutError::Timeout) {
                app.compact();
            }
        };
        let thread = thread::Builder::new().name("robomaton-compact".to_owned()).spawn(run);
        Ok(Compaction(Some((stop, thread.map_err(Error::Runtime)?))))
    }
}

impl Drop for Compaction {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.0.take() {
            drop(stop);
            // A panic was printed by its thread.
            let _ = thread.join();
        }
    }
}
