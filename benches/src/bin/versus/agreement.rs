//! Compares the rivals' answers with ours before anything is timed.
//!
//! A few differences of each rival are shown, each with its likely class, derived from the path and
//! the file; this is no verdict on the rival.

use robomaton_benches::Field;
use robomaton_benches::queries::{Queries, Query};
use robomaton_benches::results::Table;
use robomaton_benches::rivals::Rival;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Examples that are printed for each rival.
const EXAMPLES: usize = 4;

/// The comparison of a rival's answers with ours.
pub(crate) struct Agreement {
    name: &'static str,
    profile: &'static str,
    asked: usize,
    agreed: usize,
    panics: usize,
    refused_files: usize,
    reasons: BTreeMap<&'static str, usize>,
    examples: Vec<String>,
}

impl Agreement {
    pub(crate) fn new(
        rival: &dyn Rival,
        field: &Field<'_>,
        queries: &Queries,
        answers: &[bool],
    ) -> Agreement {
        let refused_files = (0..queries.seats.len()).filter(|&seat| !rival.has(seat)).count();
        let (name, profile) = (rival.name(), rival.nearest().name());
        let mut agreement = Agreement {
            name,
            profile,
            asked: 0,
            agreed: 0,
            panics: 0,
            refused_files,
            reasons: BTreeMap::new(),
            examples: Vec::new(),
        };
        for (query, &ours) in queries.all().iter().zip(answers) {
            let seat = query.seat as usize;
            if !rival.has(seat) {
                continue;
            }
            agreement.asked += 1;
            let ask = AssertUnwindSafe(|| rival.allows(seat, queries.path(query)));
            match catch_unwind(ask).ok().flatten() {
                None => agreement.panics += 1,
                Some(theirs) if theirs == ours => agreement.agreed += 1,
                Some(_) => agreement.differs(query, ours, field, queries),
            }
        }
        agreement
    }

    /// The percentage of questions with the same answer as ours.
    fn rate(&self) -> f64 {
        100.0 * self.agreed as f64 / self.asked.max(1) as f64
    }

    fn differs(&mut self, query: &Query, ours: bool, field: &Field<'_>, queries: &Queries) {
        let seat = queries.seat(query);
        let file = &field.files[seat.file];
        let reason = reason(queries.path(query), &seat.agent, file.text);
        let seen = self.reasons.entry(reason).or_default();
        *seen += 1;
        if *seen == 1 && self.examples.len() < EXAMPLES {
            let (agent, word) = (&seat.agent, if ours { "allowed" } else { "disallowed" });
            self.examples.push(format!("{reason}: {} for {agent}; ours {word}", queries.url(query)));
        }
    }
}

/// The likely class of a difference.
fn reason(path: &str, agent: &str, text: &[u8]) -> &'static str {
    let lower = text.to_ascii_lowercase();
    let contains = |part: &str| lower.windows(part.len()).any(|window| window == part.as_bytes());
    let agent = agent.to_ascii_lowercase();
    let mut sections = 0;
    let mut partial = false;
    for line in lower.split(|&byte| byte == b'\n' || byte == b'\r') {
        let line = String::from_utf8_lossy(line);
        let Some(value) =
            line.trim().strip_prefix("user-agent").map(|rest| rest.trim_start_matches([':', ' ', '\t']))
        else {
            continue;
        };
        sections += usize::from(value.trim() == agent);
        partial |= value.trim() != agent
            && !value.is_empty()
            && (agent.contains(value.trim()) || value.contains(&agent));
    }
    if contains("allow: http") || contains("allow:http") {
        "absolute URLs as patterns (R14)"
    } else if text.starts_with(b"\xEF\xBB\xBF") {
        "byte order mark"
    } else if path.starts_with("/robots.txt") {
        "/robots.txt itself"
    } else if path.contains('%') || path.contains(['"', '<', '>', '^', '`', '{', '|', '}', '\\']) {
        "bytes (escapes)"
    } else if partial {
        "agents compared otherwise"
    } else if sections > 1 {
        "several groups of one agent"
    } else if text.len() > 500 << 10 {
        "long file"
    } else if contains("$") {
        "anchors"
    } else if contains("*") && lower.windows(2).any(|pair| pair == b"/*" || pair == b"**") {
        "wildcards"
    } else {
        "other"
    }
}

/// All rivals as a table.
pub(crate) fn table(agreements: &[Agreement]) -> Table {
    let columns = [
        "peer:",
        "our profile:",
        "questions",
        "agreement",
        "panics",
        "files and agents not taken",
        "differences by likely reason:",
    ];
    let mut table = Table::new("agreement", &columns);
    for agreement in agreements {
        let Agreement { name, profile, asked, panics, refused_files, reasons, .. } = agreement;
        let reasons: Vec<String> =
            reasons.iter().map(|(reason, count)| format!("{reason}: {count}")).collect();
        table.row(vec![
            (*name).to_owned(),
            (*profile).to_owned(),
            asked.to_string(),
            format!("{:.3} %", agreement.rate()),
            panics.to_string(),
            refused_files.to_string(),
            if reasons.is_empty() { "-".to_owned() } else { reasons.join(", ") },
        ]);
    }
    table
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Agreement { name, profile, asked, panics, refused_files, reasons, .. } = self;
        let rate = self.rate();
        writeln!(
            f,
            "{name}: agrees with {profile} on {rate:.3} % of {asked}; {panics} panics, {refused_files} files and agents not taken {reasons:?}"
        )?;
        self.examples.iter().try_for_each(|example| writeln!(f, "    {example}"))
    }
}
