//! `robomaton serve`: the image behind HTTP, until somebody ends it.
//!
//! Arguments and help; the service is the crate `serve`.

use crate::failure::Failure;
use crate::options::TermsArgs;
use crate::output::remark;
use clap::Args;
use robomaton_serve::{Error, Options, Server};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// How often the file is looked at.
const POLL: Duration = Duration::from_secs(1);

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The image to ask.
    image: PathBuf,
    /// The address and port to listen on; port 0 is any that is free. There is no TLS and no
    /// password: keep it to this machine, or behind something that has both.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080", value_parser = address)]
    listen: SocketAddr,
    /// A name that browsers may ask under, beside IP addresses and `localhost`; may be given
    /// several times.
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Do not hold an image against the rules of its format before it answers. Opening then takes
    /// no time, whatever the size; a damaged image may give wrong answers.
    #[arg(long)]
    no_verify: bool,
    #[command(flatten)]
    terms: TermsArgs,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        let port = text.rsplit(':').next().unwrap_or(text);
        match port.parse::<u16>() {
            Ok(port) => format!("an IP address and a port, as in 127.0.0.1:{port}"),
            Err(_) => "an IP address and a port below 65536, as in 127.0.0.1:8080".to_owned(),
        }
    })
}

const EXAMPLES: &str = "\
Prints the address on standard error and answers until SIGTERM or SIGINT; what is under way then is ended.

  GET  /v1/decide?url=U&agent=A   the verdict, as `query --json` prints it
  POST /v1/decide                 many questions, as `query` reads them in JSON
  GET  /v1/explain?url=U&agent=A  why, as `explain --json` tells it
  GET  /v1/site?url=U             what the image holds of a site
  GET  /v1/text?url=U             the robots.txt of a site
  GET  /v1/crawlers?url=U         every known crawler at once
  GET  /v1/sites?prefix=P         the sites, a page at a time
  POST /v1/test                   a text, line by line
  POST /v1/test/crawlers          a text, for every known crawler
  POST /v1/test/urls              a text, for several URLs
  GET  /healthz, /metrics         for supervisors and Prometheus
  GET  /, /sites                  a page to try robots.txt files on, and one of the sites
docs/service.md tells their parameters.

Replace the image by renaming a new one over it, as `compile` does: it is looked at each second and at SIGHUP, verified, \
and answers from then on; no request is lost. What cannot be opened is said and counted, and the old image goes on.

Examples:
  robomaton serve crawl.rimg
  robomaton serve crawl.rimg --listen 127.0.0.1:0 --on-forbidden deny
  robomaton serve crawl.rimg --listen 0.0.0.0:80 --host robots.example.com
  curl 'http://127.0.0.1:8080/v1/decide?agent=GPTBot&url=https%3A%2F%2Fexample.com%2Fa'";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let server = Server::bind(Options {
        image: arguments.image.clone(),
        listen: arguments.listen,
        verify: !arguments.no_verify,
        terms: arguments.terms.terms(false),
        hosts: arguments.hosts.clone(),
        poll: POLL,
        remark,
    })
    .map_err(|error| match error {
        Error::Open(error) => error.into(),
        error => Failure::from_error(error),
    })?;
    remark(&format!("listening on http://{}", server.address()));
    server.run(std::future::pending());
    Ok(ExitCode::SUCCESS)
}
