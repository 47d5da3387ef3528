//! Classes of HTTP status codes (RFC 9110, section 15).
//!
//! The readers of captures, the resolver of redirects and the store ask for them. A 304 is of the
//! class of redirections, but leads nowhere ([`crate::Capture`]). This file does not know what a
//! class means for a site.

const SWITCHING_PROTOCOLS: u16 = 101;
const TOO_MANY_REQUESTS: u16 = 429;

/// True for 1xx, but for a 101: another answer follows.
pub(crate) fn is_interim(status: u16) -> bool {
    (100..200).contains(&status) && status != SWITCHING_PROTOCOLS
}

/// True for 2xx: the answer has the resource.
pub fn is_success(status: u16) -> bool {
    (200..300).contains(&status)
}

/// True for 3xx.
pub fn is_redirection(status: u16) -> bool {
    (300..400).contains(&status)
}

/// True if the answer says nothing of the resource: 429, 5xx, and no answer at all (0).
pub(crate) fn is_failure(status: u16) -> bool {
    status == TOO_MANY_REQUESTS || !(200..500).contains(&status)
}

/// True for 4xx: there is no resource, or not for this client.
pub(crate) fn is_client_error(status: u16) -> bool {
    (400..500).contains(&status)
}
