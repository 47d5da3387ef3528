//! The size of ACAP records, in the dimensions for which ACAP recommends limits (P55, V56).
//!
//! The documents name six dimensions and no numbers; the numbers are those of [`Limits`], which
//! also cover the other two, the bytes of a file and its records. This file counts fields as they
//! stand in the text; `spent` counts what they expand to.

use crate::limits::{LimitName, Limits, OverLimit};
use crate::lowering::number;
use robomaton_grammar::acap::Field;
use robomaton_grammar::{LineKind, Tree};

/// The parts of one record read so far.
#[derive(Default)]
pub(super) struct RecordSize {
    sub_records: usize,
    /// Fields of the open sub-record, or of the general part.
    fields: usize,
}

impl RecordSize {
    /// Counts the next field of the record; `joins` if a purpose extends the open sub-record.
    pub(super) fn add(
        &mut self,
        field: Option<&Field>,
        joins: bool,
        line: u32,
        limits: &Limits,
    ) -> Result<(), OverLimit> {
        match field {
            Some(Field::UsagePurpose(_)) if !joins => {
                self.sub_records += 1;
                self.fields = 0;
                hold(self.sub_records, LimitName::SubRecords, limits.sub_records, line)
            }
            Some(Field::Permission { .. } | Field::Prohibition { .. } | Field::Request { .. }) => {
                self.fields += 1;
                if self.sub_records == 0 {
                    hold(self.fields, LimitName::RecordFields, limits.record_fields, line)
                } else {
                    hold(self.fields, LimitName::SubRecordFields, limits.sub_record_fields, line)
                }
            }
            _ => Ok(()),
        }
    }
}

/// Checks the length of each ACAP field of a text, from its key to the end of its value.
pub(super) fn check_fields(tree: &Tree<'_>, allowed: usize) -> Result<(), OverLimit> {
    for (index, line) in tree.lines.iter().enumerate().filter(|(_, line)| line.kind == LineKind::Acap) {
        let end = line.value.end.max(line.key.end);
        let length = end.saturating_sub(line.key.start) as usize;
        hold(length, LimitName::Field, allowed, number(index))?;
    }
    Ok(())
}

fn hold(count: usize, limit: LimitName, allowed: usize, line: u32) -> Result<(), OverLimit> {
    if count > allowed { Err(OverLimit { limit, allowed, line }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, lower};
    use robomaton_grammar::{DEFAULT_LIMIT, scan};

    /// The limit that a text exceeds, and the line.
    fn over(text: &str, limits: Limits) -> Option<(LimitName, usize, u32)> {
        let options = Options { limits, ..Options::default() };
        let over = lower(&scan(text.as_bytes(), DEFAULT_LIMIT), None, &options).err()?;
        Some((over.limit, over.allowed, over.line))
    }

    const TEXT: &str = "\
        ACAP-crawler: a\n\
        ACAP-allow-crawl: /1\n\
        ACAP-request-re-crawl: /2\n\
        ACAP-usage-purpose: p\n\
        ACAP-usage-purpose: q\n\
        ACAP-allow-crawl: /3\n\
        ACAP-disallow-crawl: /45\n\
        ACAP-disallow-crawl: /6\n\
        ACAP-usage-purpose: r\n\
        ACAP-allow-crawl: /7\n\
        ACAP-crawler: b\n\
        ACAP-allow-crawl: /8\n";

    #[test]
    fn every_dimension_has_a_limit() {
        let limits = Limits::default;
        assert_eq!(over(TEXT, limits()), None);
        // The two records have two groups for themselves and two for sub-records.
        assert_eq!(over(TEXT, Limits { groups: 4, ..limits() }), None);
        let groups = Limits { groups: 3, ..limits() };
        assert_eq!(over(TEXT, groups), Some((LimitName::Groups, 3, 11)));
        assert_eq!(over(TEXT, Limits { sub_records: 2, ..limits() }), None);
        let sub_records = Limits { sub_records: 1, ..limits() };
        assert_eq!(over(TEXT, sub_records), Some((LimitName::SubRecords, 1, 9)));
        assert_eq!(over(TEXT, Limits { record_fields: 2, ..limits() }), None);
        let record_fields = Limits { record_fields: 1, ..limits() };
        assert_eq!(over(TEXT, record_fields), Some((LimitName::RecordFields, 1, 3)));
        assert_eq!(over(TEXT, Limits { sub_record_fields: 3, ..limits() }), None);
        let sub_record_fields = Limits { sub_record_fields: 2, ..limits() };
        assert_eq!(over(TEXT, sub_record_fields), Some((LimitName::SubRecordFields, 2, 8)));
        let longest = "ACAP-request-re-crawl: /2".len();
        assert_eq!(over(TEXT, Limits { field: longest, ..limits() }), None);
        let field = Limits { field: longest - 1, ..limits() };
        assert_eq!(over(TEXT, field), Some((LimitName::Field, longest - 1, 3)));
        // The sixth, the bytes of the file: the rest is not read.
        let options =
            Options { limits: Limits { bytes: Some(TEXT.len() - 1), ..limits() }, ..Options::default() };
        let tree = scan(TEXT.as_bytes(), options.limits.bytes(options.profile));
        assert_eq!(lower(&tree, None, &options).map(|policy| policy.rules.len()), Ok(5));
    }
}
