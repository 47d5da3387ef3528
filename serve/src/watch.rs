//! The watch: checks the image's file at every tick and after SIGHUP, and sets the clock.
//!
//! It reports reloads and failures to the operator. [`crate::current`] opens and swaps images.

use crate::app::App;
use crate::current::Look;
use crate::first_of;
use crate::heavy::Heavy;
use crate::signals::Hangup;
use robomaton_explain::count;
use std::sync::Arc;

/// Checks the file in an endless loop, on a thread that has no other work.
pub(crate) async fn watch(app: Arc<App>, thread: Heavy, mut hangup: Hangup) {
    let mut ticks = tokio::time::interval(app.options.poll);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
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
        let looked = thread.run(move || {
            let look = looking.current.look(&looking.options, insist);
            looking.current.tick(&looking.options.terms);
            look
        });
        let remark = app.options.remark;
        match looked.await {
            Some(Look::Same) => {}
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
            // It panicked, which was printed; the next look may succeed.
            None => app.metrics.reloaded(false),
        }
    }
}
