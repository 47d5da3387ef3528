//! A running service over a store.

use super::{Answer, Client};
use robomaton_compiler::Options as CompileOptions;
use robomaton_runtime::Terms;
use robomaton_serve::{Server, StoreServerOptions, Token};
use std::net::SocketAddr;
use std::path::Path;
use std::thread::JoinHandle;
use tokio::sync::oneshot;

pub(crate) const TOKEN: &str = "0123456789abcdef";

pub(crate) struct Service {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

pub(crate) fn options(directory: &Path, token: Option<&str>) -> StoreServerOptions {
    StoreServerOptions {
        directory: directory.to_owned(),
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        token: token.map(|token| Token::new(token).expect("a token")),
        compile: CompileOptions::default(),
        without_damaged_layers: false,
        terms: Terms::default(),
        hosts: Vec::new(),
        remark: |_| {},
    }
}

impl Service {
    pub(crate) fn start(directory: &Path, token: Option<&str>) -> Service {
        Service::with(options(directory, token))
    }

    pub(crate) fn with(options: StoreServerOptions) -> Service {
        let server = Server::bind_store(options).expect("a server");
        let address = server.address();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            server.run(async {
                let _ = stopped.await;
            });
        });
        Service { address, stop: Some(stop), thread: Some(thread) }
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.address)
    }

    pub(crate) fn put(&self, headers: &str, body: impl AsRef<[u8]>) -> Answer {
        let (mut client, body) = (self.client(), body.as_ref());
        let head = format!(
            "PUT /v1/captures HTTP/1.1\r\nHost: {}\r\n{headers}Content-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        client.send(head.as_bytes());
        // The service need not read all of a body that it refuses.
        client.try_send(body);
        client.answer().expect("an answer")
    }

    /// Asks with the token.
    pub(crate) fn asked_well(&self, method: &str, path: &str) -> Answer {
        let mut client = self.client();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 0\r\n\r\n",
            self.address
        );
        client.send(head.as_bytes());
        client.answer().expect("an answer")
    }

    /// Puts with the token.
    pub(crate) fn put_well(&self, body: impl AsRef<[u8]>) -> Answer {
        self.put(&format!("Authorization: Bearer {TOKEN}\r\n"), body)
    }

    pub(crate) fn words(&self, query: &str, urls: &str) -> String {
        let answer = self.client().post(&format!("/v1/verdicts{query}"), urls.as_bytes());
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.text().to_owned()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if let (Some(stop), Some(thread)) = (self.stop.take(), self.thread.take()) {
            let _ = stop.send(());
            thread.join().expect("a good end");
        }
    }
}
