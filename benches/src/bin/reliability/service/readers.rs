//! Good clients: they ask, check every answer, and take its time.

use crate::service::client::{Client, get};
use crate::service::sites;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Questions in a batch.
const BATCH: usize = 50;

/// How often a reader connects anew. Each old connection holds a port for a minute.
const NEW_CONNECTION: Duration = Duration::from_millis(100);

/// The answers of readers, all of them right.
#[derive(Debug, Default)]
pub(crate) struct Answered {
    /// Times of single questions, those of new connections included.
    pub(crate) singles: Vec<Duration>,
    /// Times of batches and explanations, which may have to wait for others.
    pub(crate) heavy: Vec<Duration>,
}

impl Answered {
    pub(crate) fn add(&mut self, other: Answered) {
        self.singles.extend(other.singles);
        self.heavy.extend(other.heavy);
    }

    /// The number of checked answers.
    pub(crate) fn count(&self) -> usize {
        self.singles.len() + self.heavy.len()
    }
}

/// Asks until the end, with pauses: single questions, and after every seventh a batch or an
/// explanation.
pub(crate) fn read(address: SocketAddr, pause: Duration, over: &AtomicBool) -> Result<Answered, String> {
    let mut answered = Answered::default();
    let mut client = Client::connect(address)?;
    let (mut heavy, mut connected) = (Client::connect(address)?, Instant::now());
    for number in 0.. {
        if over.load(Ordering::Relaxed) {
            break;
        }
        let began = Instant::now();
        if connected.elapsed() > NEW_CONNECTION {
            client = Client::connect(address)?;
            connected = Instant::now();
        }
        sites::single(&client.ask(get(&sites::question(number)))?, number)?;
        answered.singles.push(began.elapsed());
        let began = Instant::now();
        match number % 14 {
            6 => {
                let numbers = number..number + BATCH;
                let answer = heavy.post("/v1/decide", sites::questions(numbers.clone()))?;
                sites::batch(&answer, numbers)?;
            }
            13 => {
                let target = format!("/v1/explain?url={}", sites::url(number));
                sites::explanation(&heavy.ask(get(&target))?, number)?;
            }
            _ => {
                std::thread::sleep(pause);
                continue;
            }
        }
        answered.heavy.push(began.elapsed());
    }
    Ok(answered)
}
