//! The metrics, in the format of Prometheus.
//!
//! Dashboards rely on the names and labels. It counts; it does not know the content of a request.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use robomaton_runtime::Decision;
use std::time::Duration;

/// The content type of [`Metrics::text`].
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Upper bounds of the histogram in seconds: a question takes some microseconds, a batch some
/// tenths of a second.
const SECONDS: [f64; 10] = [5e-6, 1e-5, 2.5e-5, 5e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0];

/// The decisions that are counted.
const DECISIONS: [Decision; 4] =
    [Decision::Allowed, Decision::Disallowed, Decision::Conditional, Decision::Unknown];

/// The labels of the request counter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    endpoint: &'static str,
    status: u16,
}

/// All metrics.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Request, Counter>,
    seconds: Family<[(&'static str, &'static str); 1], Histogram>,
    /// The counters of the decisions, in the order of [`DECISIONS`].
    decisions: [Counter; DECISIONS.len()],
    reloads: Family<[(&'static str, &'static str); 1], Counter>,
    verified: Counter,
    pub(crate) connections: Gauge,
    sites: Gauge,
    opened_at: Gauge,
}

/// Decisions that are added to the metrics when it is dropped: all threads share these counters,
/// and a batch would fetch them from each other for every question.
pub(crate) struct Tally<'m> {
    metrics: &'m Metrics,
    /// In the order of [`DECISIONS`].
    counts: [u64; DECISIONS.len()],
}

impl Tally<'_> {
    pub(crate) fn add(&mut self, decision: Decision) {
        let counted = DECISIONS.iter().zip(&mut self.counts).find(|(of, _)| **of == decision);
        counted.into_iter().for_each(|(_, count)| *count += 1);
    }
}

impl Drop for Tally<'_> {
    fn drop(&mut self) {
        for (counter, &count) in self.metrics.decisions.iter().zip(&self.counts) {
            counter.inc_by(count);
        }
    }
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let histogram: fn() -> Histogram = || Histogram::new(SECONDS);
        let mut metrics = Metrics {
            registry: Registry::with_prefix("robomaton"),
            requests: Family::default(),
            seconds: Family::new_with_constructor(histogram),
            decisions: Default::default(),
            reloads: Family::default(),
            verified: Counter::default(),
            connections: Gauge::default(),
            sites: Gauge::default(),
            opened_at: Gauge::default(),
        };
        let Metrics {
            registry,
            requests,
            seconds,
            decisions,
            reloads,
            verified,
            connections,
            sites,
            opened_at,
        } = &mut metrics;
        registry.register("requests", "Requests, by endpoint and status", requests.clone());
        let help = "Time from the head of a request to its answer, by endpoint";
        registry.register("request_duration_seconds", help, seconds.clone());
        let by_verdict = Family::<[(&'static str, &'static str); 1], Counter>::default();
        registry.register("decisions", "Answered questions, by verdict", by_verdict.clone());
        registry.register("reloads", "Attempts to open a replaced image, by result", reloads.clone());
        let help = "Layers that were verified for a replaced image";
        registry.register("layers_verified", help, verified.clone());
        registry.register("connections", "Open connections", connections.clone());
        registry.register(
            "image_sites",
            "Sites of the image, and documents beside robots.txt",
            sites.clone(),
        );
        let help = "When the image was opened, in seconds since 1970";
        registry.register("image_opened_timestamp_seconds", help, opened_at.clone());
        // A rate needs a counter that starts at zero.
        for result in ["ok", "failed"] {
            drop(reloads.get_or_create(&[("result", result)]));
        }
        *decisions =
            DECISIONS.map(|decision| by_verdict.get_or_create_owned(&[("verdict", decision.name())]));
        metrics
    }

    pub(crate) fn answered(&self, endpoint: &'static str, status: u16, took: Duration) {
        self.requests.get_or_create(&Request { endpoint, status }).inc();
        self.seconds.get_or_create(&[("endpoint", endpoint)]).observe(took.as_secs_f64());
    }

    pub(crate) fn decided(&self, decision: Decision) {
        let counted = DECISIONS.iter().zip(&self.decisions).find(|(of, _)| **of == decision);
        counted.into_iter().for_each(|(_, counter)| _ = counter.inc());
    }

    /// The decisions of one batch.
    pub(crate) fn tally(&self) -> Tally<'_> {
        Tally { metrics: self, counts: [0; DECISIONS.len()] }
    }

    pub(crate) fn reloaded(&self, well: bool) {
        self.reloads.get_or_create(&[("result", if well { "ok" } else { "failed" })]).inc();
    }

    pub(crate) fn verified(&self, layers: u64) {
        self.verified.inc_by(layers);
    }

    /// All metrics as text, including those of the image.
    pub(crate) fn text(&self, sites: usize, opened_at: u64) -> String {
        self.sites.set(i64::try_from(sites).unwrap_or(i64::MAX));
        self.opened_at.set(i64::try_from(opened_at).unwrap_or(i64::MAX));
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
