//! The state of a service over a store, and the thread that compacts it.
//!
//! `robomaton-store` takes captures and answers. The store has one writer, this service, and no
//! thread of its own, so a thread here takes the captures that readers hand over, compacts, and
//! reports errors. Invariant: when the thread has been joined, nothing of it writes to the store.
//! It does not know the handlers.

use crate::app::Common;
use crate::error::Error;
use crate::queries::Queries;
use crate::token::Token;
use axum::extract::State;
use robomaton_compiler::{Options as CompileOptions, emit};
use robomaton_explain::time::now;
use robomaton_runtime::{Image, LeftOut, Terms};
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
    /// True if the store is opened without the layers that are missing or damaged. They are
    /// reported and set aside, as of [`StoreOptions::without_damaged_layers`].
    pub without_damaged_layers: bool,
    /// The meaning of outcomes other than rules. Its time does not count: each question has its
    /// own.
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
    /// The crawlers and usages that questions name.
    pub(crate) queries: Queries,
    pub(crate) opened_at: u64,
    /// The reason why the last captures could not be written.
    pub(crate) put_error: LastError,
    /// The reason why the last compaction failed.
    pub(crate) compact_error: LastError,
}

/// The state as a handler receives it.
pub(crate) type Shared = State<Arc<StoreApp>>;

/// An error that lasts, of which the operator is told once.
#[derive(Default)]
pub(crate) struct LastError(Mutex<Option<String>>);

impl LastError {
    /// The error, unless the last attempt succeeded.
    pub(crate) fn last(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes the result of an attempt, and remarks on an error unless it is that of the last one.
    pub(crate) fn report(&self, app: &StoreApp, error: Option<String>) {
        let last = {
            let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *last, error.clone())
        };
        // Nothing is locked while it is written, which may take long.
        if let Some(error) = error.filter(|error| last.as_ref() != Some(error)) {
            let remark = app.common.remark;
            remark(&error);
        }
    }
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
        let StoreServerOptions {
            directory,
            listen,
            token,
            compile,
            without_damaged_layers,
            terms,
            hosts,
            remark,
        } = options;
        if token.is_none() && !listen.ip().is_loopback() {
            return Err(Error::NoToken { listen });
        }
        let image = |error| Error::Broken { path: directory.clone(), error };
        let empty = Image::from_bytes(emit(Vec::new(), &compile).map_err(image)?).map_err(image)?;
        let options = StoreOptions {
            compile,
            // A batch is synced once, before its answer.
            durability: Durability::Never,
            terms: Terms { now: None, ..terms },
            without_damaged_layers,
            ..StoreOptions::default()
        };
        let store = Store::open(&directory, options)?;
        for LeftOut { name, error } in store.left_out() {
            let what = if name.ends_with(".log") { "log" } else { "layer" };
            remark(&format!(
                "the {what} {name} is left out: {error}; its file, if there is one, is kept as {name}.damaged"
            ));
        }
        let pool = Common::threads().map_err(Error::Runtime)?;
        let common = Arc::new(Common::new(hosts, remark, pool));
        Ok(StoreApp {
            common,
            store,
            token,
            queries: Queries::new(empty),
            opened_at: now(),
            put_error: LastError::default(),
            compact_error: LastError::default(),
        })
    }

    /// Takes what readers handed over, and compacts, once.
    fn compact(&self) {
        let taken = self.store.take_handed().map(|_| ());
        // A capture that is damaged holds up no compaction.
        let error = self.store.compact().and(taken).err();
        self.compact_error.report(
            self,
            error.map(|error| format!("{error}; the store is not compacted, or a capture not taken")),
        );
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
