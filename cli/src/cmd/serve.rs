//! `robomaton serve`: serves an image or a store over HTTP until it is stopped.
//!
//! Arguments and help; the service is the crate `serve`.

use crate::failure::Failure;
use crate::input::remark_logged;
use crate::options::{Dialect, LayersArgs, TermsArgs};
use crate::output::remark;
use clap::Args;
use robomaton_formats::site::SiteKey;
use robomaton_serve::{Error, Options, Server, StoreServerOptions, Token};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// How often the file is checked for changes.
const POLL: Duration = Duration::from_secs(1);

#[derive(Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("without_damaged_layers", |option| option.help(WITHOUT_DAMAGED))
)]
pub(crate) struct Arguments {
    /// Image to serve
    #[arg(required_unless_present = "store", conflicts_with = "Dialect")]
    image: Option<PathBuf>,
    /// Serve the store in this directory, and take captures into it. No other process can write it
    /// meanwhile
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["image", "no_verify", "map_above"]
    )]
    store: Option<PathBuf>,
    /// File with the token of clients that put captures, 16 to 1024 visible ASCII characters
    /// [default: the environment variable ROBOMATON_TOKEN]
    #[arg(long, value_name = "FILE", conflicts_with = "image")]
    token_file: Option<PathBuf>,
    /// Address and port to listen on; port 0 means any free port. There is no TLS, and no
    /// authentication but for captures: listen only on this machine, or behind a proxy that has
    /// both
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080", value_parser = address)]
    listen: SocketAddr,
    /// Host name that browsers may use, in addition to IP addresses and `localhost`; may be given
    /// several times
    #[arg(long = "host", value_name = "NAME", value_parser = host_name)]
    hosts: Vec<String>,
    /// Do not verify an image before it answers. Opening then takes constant time; a damaged image
    /// may give wrong answers
    #[arg(long)]
    no_verify: bool,
    /// Read an image of up to MIB mebibytes into memory, where nothing that happens to its file can
    /// damage it; map a larger one
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    map_above: u32,
    #[command(flatten)]
    layers: LayersArgs,
    #[command(flatten)]
    terms: TermsArgs,
    #[command(flatten)]
    dialect: Dialect,
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

/// The name of a host, as clients send it.
fn host_name(text: &str) -> Result<String, String> {
    let is_bare = !text.contains([':', '/']);
    match SiteKey::from_host(text) {
        Ok(site) if is_bare => Ok(site.authority().to_owned()),
        _ => Err("the name of a host without scheme and port, as in robots.example.com".to_owned()),
    }
}

const WITHOUT_DAMAGED: &str = "Leave out the layers that are missing or damaged, and print which. Their sites get the \
answers of older layers. With --store, take them out of the store for good, and keep their files as N.rimg.damaged";

const EXAMPLES: &str = "\
Prints the address on standard error and serves until SIGTERM or SIGINT; requests in progress are then completed.

  GET  /v1/decide?url=U&agent=A   the verdict, as `query --json` prints it
  POST /v1/decide                 many questions, as `query` reads them in JSON
  POST /v1/verdicts               one word for each of many URLs, one a line
  GET  /v1/explain?url=U&agent=A  the reasons, as `explain --json` prints them
  GET  /v1/site?url=U             the contents of the image for a site
  GET  /v1/text?url=U             the robots.txt of a site
  GET  /v1/crawlers?url=U         every known crawler at once
  GET  /v1/sites?prefix=P         the sites, a page at a time
  POST /v1/test                   a text, line by line
  POST /v1/test/crawlers          a text, for every known crawler
  POST /v1/test/urls              a text, for several URLs
  GET  /healthz, /metrics         for monitoring and Prometheus
  GET  /, /sites                  pages for testing robots.txt files and for the sites
docs/service.md describes their parameters.

With --store, the service answers /healthz, /metrics and:
  PUT  /v1/captures               captures as `store put` reads them, or a WARC stream
  GET  /v1/state?url=U            the state of a site, as `store state --json` prints it
  GET  /v1/due?limit=N            the fetches that are due; POST marks them as begun
  POST /v1/begin?url=U            the beginning of a fetch, if it is not in flight
  GET  /v1/decide, POST /v1/decide, POST /v1/verdicts   as over an image
  GET  /v1/explain, /v1/site, /v1/text, /v1/sites       as over an image
`/v1/captures`, `/v1/due` and `/v1/begin` need `Authorization: Bearer TOKEN`. Without a token, they are refused, and so is \
an address that is not of this machine only.

To replace the image, rename a new one over it, as `compile` does; of a stack of layers, rename a new manifest over it: the file is checked every second and at SIGHUP, \
verified, and then used for all new requests; no request is lost. A file that cannot be opened is reported and counted, \
and the old image stays in use.

Examples:
  robomaton serve crawl.rimg
  robomaton serve crawl.rimg --listen 127.0.0.1:0 --on-forbidden deny
  robomaton serve crawl.rimg --listen 0.0.0.0:80 --host robots.example.com
  robomaton serve --store crawl.store --token-file token.txt
  curl --get http://127.0.0.1:8080/v1/decide --data agent=GPTBot \\
    --data-urlencode url=https://example.com/a";

/// The variable of the environment that has the token.
const TOKEN: &str = "ROBOMATON_TOKEN";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let server = match (&arguments.store, &arguments.image) {
        (Some(directory), _) => of_store(arguments, directory)?,
        (None, Some(image)) => of_image(arguments, image)?,
        (None, None) => return Err(Failure::Message("no image and no store".to_owned())),
    };
    remark(&format!("listening on http://{}", server.address()));
    server.run(std::future::pending());
    Ok(ExitCode::SUCCESS)
}

fn of_image(arguments: &Arguments, image: &Path) -> Result<Server, Failure> {
    let options = Options {
        image: image.to_owned(),
        listen: arguments.listen,
        map_above: u64::from(arguments.map_above) << 20,
        verify: !arguments.no_verify,
        without_damaged_layers: arguments.layers.without_damaged_layers,
        terms: arguments.terms.terms(false),
        hosts: arguments.hosts.clone(),
        poll: POLL,
        remark,
    };
    let server = Server::bind(options).map_err(|error| match error {
        Error::Open(error) => error.into(),
        error => Failure::from_error(error),
    })?;
    remark_logged(image);
    Ok(server)
}

fn of_store(arguments: &Arguments, directory: &Path) -> Result<Server, Failure> {
    let options = StoreServerOptions {
        directory: directory.to_owned(),
        listen: arguments.listen,
        token: token(arguments.token_file.as_deref())?,
        compile: arguments.dialect.options(),
        without_damaged_layers: arguments.layers.without_damaged_layers,
        terms: arguments.terms.terms(false),
        hosts: arguments.hosts.clone(),
        remark,
    };
    Server::bind_store(options).map_err(Failure::from_error)
}

/// The token of this file, or of the environment.
fn token(file: Option<&Path>) -> Result<Option<Token>, Failure> {
    if let Some(file) = file {
        let text = std::fs::read_to_string(file).map_err(|error| Failure::of(file, error))?;
        return Token::new(&text).map(Some).map_err(|error| Failure::of(file, error));
    }
    let Some(text) = std::env::var_os(TOKEN) else { return Ok(None) };
    let token = Token::new(text.to_str().unwrap_or_default());
    token.map(Some).map_err(|error| Failure::Message(format!("{TOKEN}: {error}")))
}
