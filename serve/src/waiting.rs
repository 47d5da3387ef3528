//! A budget for answers that wait for slow readers.
//!
//! A finished answer stays in memory until its client has read it. Invariant: a large answer holds
//! its share of the budget exactly as long as its bytes, also after the connection has taken them.

use crate::error::Refusal;
use crate::limits::SMALL_ANSWER;
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

/// The bytes of an answer with their share of the budget.
struct Held {
    bytes: Bytes,
    /// Given back when the bytes are freed.
    _share: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Waiting {
    /// A budget of some bytes.
    pub(crate) fn new(bytes: usize) -> Waiting {
        Waiting(Arc::new(Semaphore::new(bytes / UNIT)))
    }

    /// The same response, counted until its client has read it; a refusal if the budget does not
    /// suffice.
    pub(crate) async fn hold(&self, response: Response) -> Response {
        let bytes = response.body().size_hint().lower();
        if bytes <= SMALL_ANSWER as u64 {
            return response;
        }
        let units = u32::try_from(bytes / UNIT as u64).unwrap_or(u32::MAX);
        let Ok(share) = self.0.clone().try_acquire_many_owned(units) else {
            let what = "too many answers wait for their readers; ask again later, or for less at a time";
            return Refusal::new(StatusCode::SERVICE_UNAVAILABLE, what).into_response();
        };
        let (head, body) = response.into_parts();
        match body.collect().await {
            Ok(body) => {
                let held = Bytes::from_owner(Held { bytes: body.to_bytes(), _share: share });
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
