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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Table;
    use crate::testing::{WITH_ID, case, recording, run, text};

    #[test]
    fn a_recording_reads_back_as_it_was() {
        let run = run(vec![case("a", Table::CarryOver, WITH_ID, vec![])]);
        let files = write(&run);
        assert_eq!(files.len(), 1);
        assert_eq!(files[0].name, "recordings/a.jsonl");
        assert_eq!(recording(text(&files[0].bytes)), *run.cases[0].recording);
    }

    #[test]
    fn names_stay_in_the_folder_and_apart() {
        let hostile = [
            "../x",
            "m[a=1,b=2]",
            "m[a=1;b=2]",
            "M_A_1_B_2_",
            "",
            "..",
            &"ä".repeat(300),
        ];
        let cases = hostile.iter().enumerate().map(|(order, name)| {
            let mut case = case(name, Table::CarryOver, "", vec![]);
            case.order = order;
            case
        });
        let long = format!("recordings/{}.jsonl", "_".repeat(120));
        assert_eq!(
            names(&run(cases.collect())),
            [
                "recordings/_._x.jsonl",
                "recordings/m_a_1_b_2_.jsonl",
                "recordings/m_a_1_b_2_~2.jsonl",
                "recordings/M_A_1_B_2_~3.jsonl",
                "recordings/_.jsonl",
                "recordings/_..jsonl",
                &long,
            ]
        );
    }
}
