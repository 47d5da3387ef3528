//! A finding about a page, which the lints of its permissions and of its directives share.

use super::Code;

/// One finding about a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageFinding {
    /// The subject.
    pub code: Code,
    /// The index of the page in [`CompileContext::pages`](crate::CompileContext::pages).
    pub page: usize,
    /// The line of the tag or the element.
    pub line: u32,
    /// The problem in one sentence without a full stop.
    pub message: String,
}
