//! Budgets for what waits in memory: bodies of requests, until they are answered, and answers,
//! until their clients have read them.
//!
//! Small ones are not counted, so that few large ones do not shut out the many. Invariant: a large
//! body or answer holds its share of the budget exactly as long as its bytes, also after the
//! connection has taken them.

use crate::error::Refusal;
use crate::limits::{SMALL_ANSWER, SMALL_BODY};
use axum::body::{Body, Bytes, HttpBody};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The unit of the budget in bytes: a semaphore counts up to a few thousand million.
const UNIT: usize = 1 << 10;

/// The bytes that may wait.
pub(crate) struct Waiting(Arc<Semaphore>);

/// Bytes with their share of the budget.
struct BudgetedBytes<B> {
    bytes: B,
    /// Given back when the bytes are freed.
    _share: Option<OwnedSemaphorePermit>,
}

impl<B: AsRef<[u8]>> AsRef<[u8]> for BudgetedBytes<B> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

/// The body of a request, as far as it has arrived.
pub(crate) struct Arriving<'w> {
    budget: &'w Waiting,
    bytes: Vec<u8>,
    share: Option<OwnedSemaphorePermit>,
}

impl Arriving<'_> {
    /// The bytes that have arrived.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Adds bytes, unless the budget does not suffice.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let counted = (self.bytes.len() + bytes.len()).saturating_sub(SMALL_BODY).div_ceil(UNIT);
        let own = self.share.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        if counted > own {
            let what = "too many requests are being read; ask again later, or for less at a time";
            let more = self.budget.share(counted - own).ok_or_else(|| over_budget(what))?;
            match &mut self.share {
                Some(share) => share.merge(more),
                None => self.share = Some(more),
            }
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// All bytes, which keep their share.
    pub(crate) fn whole(self) -> Bytes {
        Bytes::from_owner(BudgetedBytes { bytes: self.bytes, _share: self.share })
    }
}

fn over_budget(what: &str) -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, what)
}

impl Waiting {
    /// A budget of some bytes.
    pub(crate) fn new(bytes: usize) -> Waiting {
        Waiting(Arc::new(Semaphore::new(bytes / UNIT)))
    }

    /// A body of which nothing has arrived.
    pub(crate) fn body(&self) -> Arriving<'_> {
        Arriving { budget: self, bytes: Vec::new(), share: None }
    }

    fn share(&self, units: usize) -> Option<OwnedSemaphorePermit> {
        self.0.clone().try_acquire_many_owned(u32::try_from(units).ok()?).ok()
    }

    /// The same response, counted until its client has read it; a refusal if the budget does not
    /// suffice.
    pub(crate) async fn hold(&self, response: Response) -> Response {
        let bytes = usize::try_from(response.body().size_hint().lower()).unwrap_or(usize::MAX);
        if bytes <= SMALL_ANSWER {
            return response;
        }
        let Some(share) = self.share(bytes / UNIT) else {
            let what = "too many answers wait for their readers; ask again later, or for less at a time";
            return over_budget(what).into_response();
        };
        let (head, body) = response.into_parts();
        match body.collect().await {
            Ok(body) => {
                let held = Bytes::from_owner(BudgetedBytes { bytes: body.to_bytes(), _share: Some(share) });
                Response::from_parts(head, Body::from(held))
            }
            Err(error) => Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The status and the bytes of a response of some length.
    async fn answer(waiting: &Waiting, length: usize) -> (u16, Bytes) {
        let response = waiting.hold(vec![b' '; length].into_response()).await;
        let status = response.status().as_u16();
        (status, response.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default())
    }

    #[test]
    fn large_bodies_count_until_they_are_answered() {
        let waiting = Waiting::new(4 * SMALL_BODY);
        let body = |length: usize| {
            let mut body = waiting.body();
            // A byte at a time takes no more than all at once.
            for _ in 0..length {
                body.push(b" ")?;
            }
            Ok::<Bytes, Refusal>(body.whole())
        };
        let unanswered = body(4 * SMALL_BODY).expect("room for one");
        assert!(body(3 * SMALL_BODY).is_err());
        let small = body(SMALL_BODY).expect("room for small ones");
        assert_eq!((unanswered.len(), small.len()), (4 * SMALL_BODY, SMALL_BODY));
        drop(unanswered);
        assert!(body(5 * SMALL_BODY).is_ok());
        assert!(body(5 * SMALL_BODY + 1).is_err());
    }

    #[test]
    fn large_answers_count_until_they_are_read() {
        let waiting = Waiting::new(3 * SMALL_ANSWER);
        let large = 2 * SMALL_ANSWER;
        let test = async {
            let (status, unread) = answer(&waiting, large).await;
            assert_eq!((status, unread.len()), (200, large));
            assert_eq!(answer(&waiting, large).await.0, 503);
            assert_eq!(answer(&waiting, SMALL_ANSWER).await.0, 200);
            drop(unread);
            assert_eq!(answer(&waiting, large).await.0, 200);
        };
        crate::workers::runtime().expect("a runtime").block_on(test);
    }
}
