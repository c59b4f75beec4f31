//! The suites that come with the program: the folders of `scenarios/`, as text.

use include_dir::{Dir, include_dir};

static SCENARIOS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../scenarios");

/// One scenario file of a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuiteFile {
    /// The suite: `policy` for `@policy`.
    pub suite: &'static str,
    /// Path below `scenarios/`, with `/`.
    pub path: &'static str,
    /// The text.
    pub text: &'static str,
}

/// Every file of every suite, in path order: that is the order of rows in tables.
pub fn all() -> Vec<SuiteFile> {
    let mut files: Vec<_> = SCENARIOS.dirs().flat_map(files_of).collect();
    files.sort_by_key(|file| file.path);
    files
}

/// The names of the suites, sorted.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = all().iter().map(|file| file.suite).collect();
    names.dedup();
    names
}

/// The files of one suite; `None` when there is no such suite. The name may have its `@`.
pub fn find(name: &str) -> Option<Vec<SuiteFile>> {
    let name = name.strip_prefix('@').unwrap_or(name);
    let files: Vec<_> = all().into_iter().filter(|file| file.suite == name).collect();
    (!files.is_empty()).then_some(files)
}

fn files_of(dir: &'static Dir<'static>) -> Vec<SuiteFile> {
    let suite = dir.path().to_str().unwrap_or_default();
    let files = dir.files().filter_map(|file| {
        let path = file.path().to_str()?;
        let text = file.contents_utf8()?;
        let is_scenario = file
            .path()
            .extension()
            .is_some_and(|extension| extension == "toml");
        is_scenario.then_some(SuiteFile { suite, path, text })
    });
    files.collect()
}
