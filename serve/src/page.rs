//! The page's files, which are embedded in the program.
//!
//! ```text
//!   /        index.html, tester.js ──┬──▶ lines.js    the answer, line by line
//!                                    ├──▶ tables.js   all crawlers, several URLs, CSV
//!                                    ├──▶ files.js    open, download, load from the image
//!                                    └──▶ link.js     the question in the URL's fragment
//!   /sites   sites.html, sites.js         the sites of the image
//! ```
//!
//! The scripts share `common.js`. Invariants: the page sends requests to this service only; its
//! scripts insert untrusted text as text, never as markup. It does not know the answers.

use axum::http::header;
use axum::response::{IntoResponse, Response};

/// A file of the page.
pub(crate) struct File {
    pub(crate) path: &'static str,
    kind: &'static str,
    content: &'static str,
}

impl File {
    const fn html(path: &'static str, content: &'static str) -> File {
        File { path, kind: "text/html; charset=utf-8", content }
    }

    const fn script(path: &'static str, content: &'static str) -> File {
        File { path, kind: "text/javascript; charset=utf-8", content }
    }
}

/// All files.
pub(crate) static FILES: [File; 11] = [
    File::html("/", include_str!("../page/index.html")),
    File::html("/sites", include_str!("../page/sites.html")),
    File::script("/tester.js", include_str!("../page/tester.js")),
    File::script("/lines.js", include_str!("../page/lines.js")),
    File::script("/tables.js", include_str!("../page/tables.js")),
    File::script("/files.js", include_str!("../page/files.js")),
    File::script("/link.js", include_str!("../page/link.js")),
    File::script("/sites.js", include_str!("../page/sites.js")),
    File::script("/common.js", include_str!("../page/common.js")),
    File { path: "/style.css", kind: "text/css; charset=utf-8", content: include_str!("../page/style.css") },
    File { path: "/icon.svg", kind: "image/svg+xml", content: include_str!("../page/icon.svg") },
];

impl IntoResponse for &File {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, self.kind)], self.content).into_response()
    }
}
