//! A folder of bad files: what is said about each is on view in a snapshot. Snapshots guard the appearance; that the
//! codes and places are right is held by `tests/problems.rs`.

use std::path::Path;

use holdover_scenario::{Problem, parse, position, short};

#[path = "common/vocabulary.rs"]
mod vocabulary;

#[expect(
    clippy::needless_pass_by_value,
    reason = "the harness hands in the text by value"
)]
fn refused(path: &Path, text: String) -> datatest_stable::Result<()> {
    let file = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let Err(problems) = parse(file, &text, &vocabulary::known()) else {
        return Err(format!("{file} is read without a problem").into());
    };
    let shown: String = problems.iter().map(|problem| shown(problem, &text)).collect();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("bad/snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(file.trim_end_matches(".toml"), shown));
    Ok(())
}

/// The short rendering, and a line for each place with the text that it marks.
fn shown(problem: &Problem, text: &str) -> String {
    let mut lines = format!("{}\n", short(problem, text));
    for label in std::iter::once(&problem.at).chain(&problem.other) {
        let at = position(text, label.span.start);
        let marked = text.get(label.span.clone()).unwrap_or("?").replace('\n', "⏎");
        let place = format!("    {}:{} {marked:?} {}\n", at.line, at.column, label.text);
        lines.push_str(&place);
    }
    lines
}

datatest_stable::harness! {
    { test = refused, root = "tests/bad", pattern = r"^[a-z_0-9]+\.toml$" },
}
