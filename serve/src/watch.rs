//! The watch: checks the image's file at every tick and after SIGHUP. The clock: sets the time at
//! every tick, however long a check takes.
//!
//! It reports reloads and failures to the operator. [`crate::current`] opens and swaps images.

use crate::app::App;
use crate::current::Look;
use crate::first_of;
use crate::signals::Hangup;
use robomaton_explain::count;
use std::sync::Arc;
use tokio::time::{Interval, MissedTickBehavior};

/// The ticks of an endless loop. None are made up for.
fn ticks(app: &App) -> Interval {
    let mut ticks = tokio::time::interval(app.options.poll);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// Sets the clock in an endless loop.
pub(crate) async fn clock(app: Arc<App>) {
    let mut ticks = ticks(&app);
    loop {
        ticks.tick().await;
        app.current.tick(&app.options.terms);
    }
}

/// Checks the file in an endless loop.
pub(crate) async fn watch(app: Arc<App>, mut hangup: Hangup) {
    let mut ticks = ticks(&app);
    loop {
        let mut insist = false;
        let tick = async {
            ticks.tick().await;
        };
        let called = async {
            hangup.next().await;
            insist = true;
        };
        first_of(tick, called).await;
        let looking = app.clone();
        let looked = app.pool.run(move || looking.current.look(&looking.options, insist));
        let remark = app.options.remark;
        match looked.await {
            // After a panic, the next tick looks again.
            Some(Look::Same) | None => {}
            Some(Look::Taken(verified)) => {
                app.metrics.reloaded(true);
                app.metrics.verified(verified);
                let sites = count(app.current.get().image.len(), "site");
                remark(&format!("opened {} anew: {sites}", app.options.image.display()));
            }
            Some(Look::Failed(error, is_news)) => {
                app.metrics.reloaded(false);
                if is_news {
                    let old = if app.current.is_altered() {
                        "the image was written to in place, so its answers may be wrong"
                    } else {
                        "the image that was opened before goes on answering"
                    };
                    remark(&format!("{error}; {old}"));
                }
            }
        }
    }
}
