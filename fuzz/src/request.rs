//! The bytes of one connection to the service, through its HTTP, in memory.
//!
//! One service and one image answer all inputs. The clock stands still while anything works and
//! jumps to the next limit when nothing does, so the service's times take no time.

use robomaton_formats::Profile;
use robomaton_runtime::Terms;
use robomaton_serve::limits::{BODY_TIME, HEAD_TIME};
use robomaton_serve::{Loopback, Options};
use robomaton_tests::damage::small_image;
use serde_json::Value;
use std::io;
use std::pin::Pin;
use std::sync::LazyLock;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime::{Builder, Runtime};

static SERVICE: LazyLock<Loopback> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let image = folder.path().join("small.rimg");
    std::fs::write(&image, small_image(Profile::Full)).expect("a file");
    let options = Options {
        image,
        listen: ([127, 0, 0, 1], 0).into(),
        map_above: u64::MAX,
        without_damaged_layers: false,
        verify: true,
        terms: Terms::default(),
        hosts: Vec::new(),
        poll: Duration::MAX,
        remark: |_| {},
    };
    Loopback::open(options).expect("a small image opens")
});

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime")
});

/// Sends what follows a byte with options: bits 0 to 3 are the logarithm of the bytes that arrive
/// at a time; with bit 4, the client ends its half of the connection behind them.
///
/// # Panics
/// If an answer is not whole, is an error of the service, or the connection does not end in time.
pub fn request(data: &[u8]) {
    let Some((&options, bytes)) = data.split_first() else { return };
    let mut client = Client {
        unsent: bytes,
        at_a_time: 1 << (options & 15),
        ends: options & 1 << 4 != 0,
        received: Vec::new(),
    };
    // All bytes arrive at once: only the last request waits for more.
    let longest = HEAD_TIME + BODY_TIME + Duration::from_secs(1);
    let ended =
        RUNTIME.block_on(async { tokio::time::timeout(longest, SERVICE.converse(&mut client)).await });
    assert!(ended.is_ok(), "the connection goes on");
    let has_head = bytes.windows(5).any(|word| word == b"HEAD ");
    let mut rest = client.received.as_slice();
    while !rest.is_empty() {
        rest = check(rest, has_head);
    }
}

/// A client that reads everything.
struct Client<'d> {
    unsent: &'d [u8],
    at_a_time: usize,
    ends: bool,
    received: Vec<u8>,
}

impl AsyncRead for Client<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.unsent.is_empty() && !self.ends {
            return Poll::Pending;
        }
        let count = self.unsent.len().min(self.at_a_time).min(into.remaining());
        let (now, later) = self.unsent.split_at(count);
        into.put_slice(now);
        self.unsent = later;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Client<'_> {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.received.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Checks the first answer; returns the others.
fn check(answers: &[u8], has_head: bool) -> &[u8] {
    let shown = || String::from_utf8_lossy(&answers[..answers.len().min(2000)]);
    let end = answers.windows(4).position(|end| end == b"\r\n\r\n").expect("a whole head");
    let head = std::str::from_utf8(&answers[..end]).expect("a head in UTF-8");
    let rest = &answers[end + 4..];
    let (line, headers) = head.split_once("\r\n").unwrap_or((head, ""));
    let status = line.strip_prefix("HTTP/1.0 ").or_else(|| line.strip_prefix("HTTP/1.1 "));
    let status: u16 = status.and_then(|rest| rest.get(..3)?.parse().ok()).expect("a status");
    if status == 100 {
        return rest;
    }
    assert!((200..500).contains(&status), "an error of the service: {}", shown());
    let header = |wanted: &str| {
        let pairs = headers.split("\r\n").filter_map(|line| line.split_once(": "));
        pairs.filter(|(name, _)| *name == wanted).map(|(_, value)| value).next()
    };
    let length: usize = header("content-length").and_then(|length| length.parse().ok()).expect("a length");
    let kind = header("content-type");
    // What is no HTTP is refused before it becomes a request.
    let is_http = kind.is_some();
    assert!(is_http || (status >= 400 && length == 0), "no type: {}", shown());
    assert_eq!(header("x-content-type-options").is_some(), is_http, "{}", shown());
    // The answer to a HEAD request has the length of a body that is not sent.
    if has_head && (rest.is_empty() || rest.starts_with(b"HTTP/1.")) {
        return rest;
    }
    let (body, others) = rest.split_at_checked(length).expect("a whole body");
    let is_json = |text: &[u8]| serde_json::from_slice::<Value>(text).is_ok();
    match kind {
        _ if status >= 400 && is_http => {
            let refusal: Value = serde_json::from_slice(body).expect("a refusal in JSON");
            assert!(refusal["error"].is_string(), "no reason: {}", shown());
        }
        Some("application/json") => assert!(is_json(body), "no JSON: {}", shown()),
        Some("application/x-ndjson") => {
            assert!(body.split(|&byte| byte == b'\n').all(|line| line.is_empty() || is_json(line)));
        }
        _ => {}
    }
    others
}
