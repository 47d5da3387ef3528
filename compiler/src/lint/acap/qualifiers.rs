//! Qualifiers of ACAP permissions: whether the usage has them, and whether crawlers support them.
//!
//! `acap` passes the qualifiers of each permission and definition. `condition` of the language says
//! which qualifiers a usage has. This file does not know which permission wins.

use super::{Code, Lint};
use crate::language::condition::{Dialect, Place, condition};
use robomaton_formats::condition::Condition;
use robomaton_grammar::Span;
use robomaton_grammar::acap::{Modification, Qualifier, Role, UsageName, Value, value};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The qualifiers in any of the ACAP documents (P31 to P37, V31 to V38, M23).
pub(in crate::lint) const QUALIFIERS: [&str; 8] = [
    "time-limit",
    "max-length",
    "prohibited-modification",
    "must-use-resource",
    "must-include-resource",
    "prohibited-context",
    "required-context",
    "location",
];

impl Lint<'_, '_, '_> {
    /// Qualifiers that are unknown, not permitted for the usage, or repeated (decision 19).
    pub(super) fn qualifiers(&mut self, usage: UsageName, qualifiers: &[Qualifier]) {
        let tree = self.pass.tree;
        let usage_name = String::from_utf8_lossy(tree.text(usage.span())).into_owned();
        let mut seen: HashMap<Vec<u8>, Span> = HashMap::new();
        let is_any = |qualifier: &Qualifier| {
            let parts = [qualifier.name, qualifier.value].map(|span| tree.text(span));
            value(parts[0], parts[1]) == Some(Value::Modification(Modification::Any))
        };
        let any = qualifiers.iter().any(is_any);
        for qualifier in qualifiers {
            let span = Span { start: qualifier.name.start, end: qualifier.value.end };
            let name = self.name(qualifier.name);
            let text = tree.text(qualifier.value);
            let quoted = self.quoted(qualifier.name);
            if text.is_empty() {
                // Not a qualifier; the grammar reports it.
                continue;
            }
            if !QUALIFIERS.iter().any(|known| known.as_bytes() == name) {
                let message = format!("ACAP has no qualifier {quoted}: the permission cannot be used");
                self.pass.say(Code::AcapUnknownQualifier, span, message);
                continue;
            }
            let typed = value(&name, text);
            if typed == Some(Value::UntilRecrawled) && text.eq_ignore_ascii_case(b"until-recrawl") {
                let message = "`until-recrawl` is read as `until-recrawled`, which is the value of ACAP";
                self.pass.say(Code::AcapMisspelledValue, qualifier.value, message);
            }
            let is_unsupported = matches!(
                condition(&usage_name, &name, text, self.dialect, Place::File),
                Condition::Unsupported { .. }
            );
            if let (UsageName::Standard(_), Some(typed), false) = (usage, &typed, is_unsupported) {
                self.status(&usage_name, typed, span);
            }
            if let UsageName::Standard(_) = usage
                && typed.is_some()
                && is_unsupported
            {
                let message = match name.as_slice() {
                    b"location" => format!("{quoted} is for META tags alone: the permission cannot be used"),
                    _ => format!("the usage `{usage_name}` has no {quoted}: the permission cannot be used"),
                };
                self.pass.say(Code::AcapMisplacedQualifier, span, message);
            }
            let repeatable = name == b"prohibited-modification" && !any;
            match seen.entry(name) {
                Entry::Vacant(entry) => _ = entry.insert(span),
                Entry::Occupied(entry) if !repeatable => {
                    let message = format!("{quoted} may stand once; both must be met");
                    let first = *entry.get();
                    self.pass.say_with(
                        Code::AcapRepeatedQualifier,
                        span,
                        message,
                        first,
                        "the first is here",
                    );
                }
                Entry::Occupied(_) => {}
            }
        }
    }

    /// Features that crawlers do not support by default yet (V57). The pilot does not mark any.
    fn status(&mut self, usage: &str, value: &Value, span: Span) {
        if self.dialect == Dialect::Pilot {
            return;
        }
        let (code, message) = match value {
            Value::Use(_) if usage.eq_ignore_ascii_case("index") => (
                Code::AcapByPriorArrangement,
                "`must-use-resource` of `index` is honoured by prior arrangement only".to_owned(),
            ),
            Value::Use(_) => (
                Code::AcapNotReady,
                format!("`must-use-resource` of `{usage}` is not ready for use; crawlers may not honour it"),
            ),
            Value::Include { role: Some(Role::Link), .. } => (
                Code::AcapNotReady,
                "the role `link` is not ready for use; crawlers may not honour it".to_owned(),
            ),
            Value::Include { .. } => (
                Code::AcapNotReady,
                "`must-include-resource` is not ready for use; crawlers may not honour it".to_owned(),
            ),
            _ => return,
        };
        self.pass.say(code, span, message);
    }
}
