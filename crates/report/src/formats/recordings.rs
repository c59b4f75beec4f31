//! `recordings/*.jsonl`: the exchanges of each case, a file a case.

use std::collections::BTreeSet;

use crate::files::ReportFile;
use crate::run::Run;

/// Longest stem of a file, in bytes: well under the limit of every file system.
const STEM_BYTES_MAX: usize = 120;

/// The files, in the order of the cases.
pub(crate) fn write(run: &Run) -> Vec<ReportFile> {
    let texts = run.cases.iter().map(|case| case.recording.to_lines());
    let files = names(run).into_iter().zip(texts);
    files
        .map(|(name, text)| ReportFile {
            name,
            bytes: text.into_bytes(),
        })
        .collect()
}

/// The file of each case. Two cases whose names differ only in what no file name may hold get a number.
pub(crate) fn names(run: &Run) -> Vec<String> {
    // Taken apart by member: a new one has to be decided about here.
    let Run {
        started: _,
        cases,
        notes: _,
    } = run;
    let mut taken = BTreeSet::new();
    let stems = cases
        .iter()
        .map(|case| unique(&stem(case.name().as_str()), &mut taken));
    stems.map(|stem| format!("recordings/{stem}.jsonl")).collect()
}

fn stem(name: &str) -> String {
    let legal = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.');
    let safe: String = name
        .chars()
        .map(|character| if legal(character) { character } else { '_' })
        .take(STEM_BYTES_MAX)
        .collect();
    // A name of dots is a folder, and a leading dot hides a file.
    match safe.strip_prefix('.') {
        Some(rest) => format!("_{rest}"),
        None if safe.is_empty() => "_".to_owned(),
        None => safe,
    }
}

/// Some file systems take `A` and `a` for one name.
fn unique(stem: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{stem}~{number}"));
    let mut candidates = std::iter::once(stem.to_owned()).chain(numbered);
    candidates
        .find(|candidate| taken.insert(candidate.to_lowercase()))
        .unwrap_or_else(|| stem.to_owned())
}
