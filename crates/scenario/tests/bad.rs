//! A folder of bad files: what is said about each is on view in a snapshot. Snapshots guard the appearance; that the
//! codes and places are right is held by `tests/problems.rs`.

use std::path::Path;

use holdover_scenario::{parse, position, short};

#[path = "common/vocabulary.rs"]
mod vocabulary;

fn refused(path: &Path, text: String) -> datatest_stable::Result<()> {
    let file = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let problems = match parse(file, &text, &vocabulary::known()) {
        Ok(_) => return Err(format!("{file} is read without a problem").into()),
        Err(problems) => problems,
    };
    let mut shown = String::new();
    for problem in &problems {
        shown.push_str(&short(problem, &text));
        shown.push('\n');
        for label in std::iter::once(&problem.at).chain(&problem.other) {
            let at = position(&text, label.span.start);
            let marked = text.get(label.span.clone()).unwrap_or("?").replace('\n', "⏎");
            shown.push_str(&format!(
                "    {}:{} {marked:?} {}\n",
                at.line, at.column, label.text
            ));
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("bad/snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(file.trim_end_matches(".toml"), shown));
    Ok(())
}

datatest_stable::harness! {
    { test = refused, root = "tests/bad", pattern = r"^[a-z_0-9]+\.toml$" },
}
