//! The contents of an image in numbers. `inspect` and `compile` both show them, so they are
//! computed in one place.
//!
//! A record that several shards store counts in each. Walks policies and decodes every document's
//! details, so it takes time linear in the image. Damage counts as nothing.

use robomaton_formats::layout::Section;
use robomaton_formats::reach::Reach;
use robomaton_formats::read::View;
use robomaton_runtime::Image;
use serde::Serialize;

/// Numbers of stored records, equal ones counted once; the fields are the keys that scripts rely
/// on.
#[derive(Debug, Default, Serialize)]
pub struct Counts {
    /// Distinct texts. A text that is compiled together with pages, other files or its host counts
    /// once for each site.
    pub documents: usize,
    /// Bytes of those texts in the image, without the texts of pages.
    pub text_bytes: u64,
    /// Rules of all documents, including those of pages and of referenced files.
    pub rules: usize,
    /// Distinct policies, including those that are one program for all crawlers.
    pub policies: usize,
    /// Distinct programs.
    pub programs: usize,
    /// The sizes of the programs, ascending.
    #[serde(skip)]
    pub program_bytes: Vec<usize>,
}

impl Counts {
    /// Counts the records of an image.
    pub fn of<D: AsRef<[u8]>>(image: &Image<D>) -> Counts {
        let mut counts = Counts::default();
        image.shards().for_each(|shard| counts.add(shard.view()));
        counts.program_bytes.sort_unstable();
        counts
    }

    fn add(&mut self, view: View<'_>) {
        for document in view.document_ids() {
            let detail = view.detail(document).unwrap_or_default();
            self.rules += detail.groups.iter().map(|group| group.rules.len()).sum::<usize>();
            self.text_bytes += view.text_length(document).unwrap_or(0);
        }
        let Reach { alone, policies, programs, .. } = Reach::of(view);
        self.documents += view.documents().len();
        self.policies += alone.len() + policies.len();
        self.programs += programs.len();
        let end = view.section(Section::Programs).len();
        let ends = programs.iter().skip(1).map(|start| start.index()).chain([end]);
        let sizes = programs.iter().zip(ends).map(|(start, end)| end.saturating_sub(start.index()));
        self.program_bytes.extend(sizes);
    }
}
