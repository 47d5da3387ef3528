//! A client that understands as much of HTTP as the service sends.

use serde_json::Value;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

/// The time that a client waits for an answer. No answer takes so long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection.
pub(crate) struct Client {
    reader: BufReader<TcpStream>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The value of a JSON answer with this status.
    pub(crate) fn json(&self, status: u16) -> Result<Value, String> {
        let value = serde_json::from_slice(&self.body);
        value.ok().filter(|_| self.status == status).ok_or_else(|| self.wrong(&format!("not {status}")))
    }

    /// The complaint about this answer.
    pub(crate) fn wrong(&self, what: &str) -> String {
        let shown = &self.body[..self.body.len().min(500)];
        format!("{what}: status {}, {}", self.status, String::from_utf8_lossy(shown))
    }
}

/// A `GET` request.
pub(crate) fn get(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

/// The head of a `POST` request.
pub(crate) fn head(target: &str, length: usize) -> String {
    format!("POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n")
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Result<Client, String> {
        let failed = |error| format!("cannot connect: {error}");
        let stream = TcpStream::connect_timeout(&address, PATIENCE).map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(failed)?;
        Ok(Client { reader: BufReader::with_capacity(64 << 10, stream) })
    }

    /// The connection itself.
    pub(crate) fn stream(&self) -> &TcpStream {
        self.reader.get_ref()
    }

    /// The connection alone.
    pub(crate) fn into_stream(self) -> TcpStream {
        self.reader.into_inner()
    }

    /// Sends bytes. A service that refuses a request need not read all of it.
    pub(crate) fn send(&self, bytes: impl AsRef<[u8]>) {
        let _ = self.stream().write_all(bytes.as_ref());
    }

    /// Ends the client's half of the connection.
    pub(crate) fn finish(&self) {
        let _ = self.stream().shutdown(Shutdown::Write);
    }

    /// The next answer; `None` if the connection has ended before it.
    pub(crate) fn answer(&mut self) -> Result<Option<Answer>, String> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            match self.reader.read_line(&mut head) {
                Ok(0) if head.is_empty() => return Ok(None),
                Err(error) if head.is_empty() && is_end(error.kind()) => return Ok(None),
                Ok(count) if count > 0 => {}
                other => return Err(format!("no whole answer: {other:?} after {head:?}")),
            }
        }
        let status = head.strip_prefix("HTTP/1.").and_then(|rest| rest.get(2..5)?.parse().ok());
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        let (Some(status), Some(length)) = (status, length) else { return Err(format!("no HTTP: {head}")) };
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).map_err(|error| format!("half an answer: {error}, {head}"))?;
        Ok(Some(Answer { status, body }))
    }

    /// Sends a request; its answer must come.
    pub(crate) fn ask(&mut self, request: impl AsRef<[u8]>) -> Result<Answer, String> {
        self.send(request);
        self.answer()?.ok_or_else(|| "a request was lost".to_owned())
    }

    /// Sends a body; its answer must come.
    pub(crate) fn post(&mut self, target: &str, body: impl AsRef<[u8]>) -> Result<Answer, String> {
        self.send(head(target, body.as_ref().len()));
        self.ask(body)
    }
}

/// True if the connection was ended from the other side.
fn is_end(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::ConnectionAborted)
}
