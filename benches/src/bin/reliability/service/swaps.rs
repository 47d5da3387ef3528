//! Replaces the image of a running service, as an operator does: rename, then SIGHUP.

use crate::service::client::{Client, get};
use crate::service::process::Process;
use crate::service::sites::{self, Generation};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The time within which a new file is used or refused, also on a busy machine.
const WITHIN: Duration = Duration::from_secs(30);

/// One file of so many is damaged.
const DAMAGED: usize = 5;

/// The image of a service, and its replacements.
pub(crate) struct Swapper {
    image: PathBuf,
    /// The bytes of the old and of the new image.
    images: [Vec<u8>; 2],
    current: Generation,
}

/// What a service did with new files.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Swaps {
    pub(crate) used: usize,
    /// Damaged files.
    pub(crate) refused: usize,
}

impl Swapper {
    /// Writes the old image, which a service is started with.
    pub(crate) fn new(folder: &Path) -> Result<Swapper, String> {
        let images = [Generation::Old.image()?, Generation::New.image()?];
        let image = folder.join("served.rimg");
        replace(&image, &images[0])?;
        Ok(Swapper { image, images, current: Generation::Old })
    }

    /// The file of the image.
    pub(crate) fn image(&self) -> &Path {
        &self.image
    }

    /// Swaps with pauses until the end. After each swap, answers come from the right image.
    pub(crate) fn swap(
        &mut self,
        process: &Process,
        pause: Duration,
        is_over: impl Fn(usize) -> bool,
    ) -> Result<Swaps, String> {
        let Swaps { mut used, mut refused } = Swaps::default();
        let mut client = Client::connect(process.address)?;
        while !is_over(used) {
            let is_damaged = (used + refused) % DAMAGED == DAMAGED - 1;
            let next = self.current.other();
            let good = &self.images[next as usize];
            let bytes = if is_damaged { &good[..good.len() / 2] } else { good };
            replace(&self.image, bytes)?;
            process.signal("HUP")?;
            if is_damaged {
                wait(&mut client, |health| health["reload_error"].is_string())?;
                refused += 1;
            } else {
                wait(&mut client, |health| {
                    health["sites"] == next.sites() && health["reload_error"].is_null()
                })?;
                self.current = next;
                used += 1;
            }
            if sites::single(&client.ask(get(&sites::question(used)))?, used)? != self.current {
                return Err(format!("after {used} swaps, the wrong image answers"));
            }
            std::thread::sleep(pause);
        }
        Ok(Swaps { used, refused })
    }
}

/// Puts a file in the place of another one in one step.
fn replace(image: &Path, bytes: &[u8]) -> Result<(), String> {
    let aside = image.with_extension("aside");
    let replaced = std::fs::write(&aside, bytes).and_then(|()| std::fs::rename(&aside, image));
    replaced.map_err(|error| format!("{}: {error}", image.display()))
}

/// Waits until the health of the service is as expected.
fn wait(client: &mut Client, is_so: impl Fn(&Value) -> bool) -> Result<(), String> {
    let began = Instant::now();
    loop {
        let health = client.ask(get("/healthz"))?.json(200)?;
        if is_so(&health) {
            return Ok(());
        }
        if began.elapsed() > WITHIN {
            return Err(format!("a new file is ignored: {health}"));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
