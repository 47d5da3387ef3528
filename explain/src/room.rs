//! The room for what strangers wrote in one answer.
//!
//! A site may state conditions and patterns of hundreds of kilobytes, and a batch may ask about it
//! thousands of times. Invariants: an answer quotes at most [`ROOM`] bytes of texts, beginning with
//! the conditions, since a crawler has to meet them; whatever is left out is counted. Verdicts and
//! lines do not depend on it. Explanations quote more (`explanation::analysis`, and the account).

use crate::statements::StatementJson;
use crate::verdict::{RequestJson, RuleLine, VerdictJson};

/// Bytes of texts that one answer quotes. The longest answers about real sites quote some hundreds.
pub const ROOM: usize = 64 << 10;

/// The room that is left.
pub(crate) struct Room {
    pub(crate) bytes: usize,
    pub(crate) left_out: usize,
}

impl Room {
    /// Takes so many bytes, if they fit.
    pub(crate) fn takes(&mut self, bytes: usize) -> bool {
        let rest = self.bytes.checked_sub(bytes);
        self.bytes = rest.unwrap_or(self.bytes);
        rest.is_some()
    }

    /// Keeps the first elements of a list, as long as they fit.
    fn keep<T>(&mut self, list: &mut Vec<T>, length: impl Fn(&T) -> usize) {
        let kept = list.iter().take_while(|element| self.takes(length(element))).count();
        self.left_out += list.len() - kept;
        list.truncate(kept);
    }
}

/// The bytes of a text that may be absent.
fn length(text: &Option<String>) -> usize {
    text.as_ref().map_or(0, String::len)
}

impl RuleLine {
    fn length(&self) -> usize {
        self.rule.len() + length(&self.file) + length(&self.page)
    }
}

impl StatementJson {
    fn length(&self) -> usize {
        let conditions: usize = self.conditions.iter().map(String::len).sum();
        self.text.len() + self.why.len() + length(&self.document) + conditions
    }
}

impl RequestJson {
    fn length(&self) -> usize {
        self.action.len() + self.path.len() + length(&self.file)
    }
}

impl VerdictJson {
    /// The verdict for one of many answers: it quotes at most [`ROOM`] bytes of texts, and counts
    /// in `left_out` what does not fit.
    #[must_use]
    pub fn limited(mut self) -> VerdictJson {
        let mut room = Room { bytes: ROOM, left_out: self.left_out };
        // Conditions are quoted twice: as texts, and typed.
        room.keep(&mut self.conditions, |condition| 2 * condition.len());
        self.typed_conditions.truncate(self.conditions.len());
        room.keep(&mut self.rules, RuleLine::length);
        // So is the first rule.
        room.bytes = room.bytes.saturating_sub(length(&self.rule));
        self.rule = self.rule.filter(|_| !self.rules.is_empty());
        room.keep(&mut self.statements, StatementJson::length);
        room.keep(&mut self.requests, RequestJson::length);
        VerdictJson { left_out: room.left_out, ..self }
    }
}
