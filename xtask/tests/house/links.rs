//! What documents and code point at must exist: links and paths in Markdown, facts cited in code.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use regex::Regex;

use crate::support;

/// Folders that only a build or a run makes: a path into them is not to be found in the repository.
const MADE_LATER: [&str; 3] = ["target", "out", "node_modules"];

#[test]
fn relative_links_in_markdown_lead_somewhere() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let mut problems = Vec::new();
    for path in markdown() {
        let text = without_code(&support::text(&path).unwrap());
        for target in link.captures_iter(&text).map(|found| found[1].to_owned()) {
            if !target.contains("://") && !target.starts_with("mailto:") {
                problems.extend(broken_link(&path, &target));
            }
        }
    }
    support::assert_none("links that lead nowhere", &problems);
}

#[test]
fn paths_in_backticks_in_markdown_exist() {
    let quoted = Regex::new(r"`([^`\n]+)`").unwrap();
    let repository = Repository::read();
    let mut problems = Vec::new();
    for path in markdown() {
        let text = without_fences(&support::text(&path).unwrap());
        for word in quoted.captures_iter(&text).map(|found| found[1].to_owned()) {
            if repository.is_meant_by(&path, &word) && !repository.has(&path, &word) {
                problems.push(format!("{path}: `{word}`"));
            }
        }
    }
    support::assert_none("paths that do not exist", &problems);
}

#[test]
fn facts_and_documents_cited_in_code_exist() {
    let cited = Regex::new(r"(?:^|[^A-Za-z0-9_./-])((?:tests/facts|docs)/[A-Za-z0-9_./-]+)").unwrap();
    let repository = Repository::read();
    let mut found = 0;
    let mut problems = Vec::new();
    let code = |path: &String| {
        ["rs", "toml", "py", "ts", "mjs"]
            .iter()
            .any(|kind| support::has_extension(path, kind))
    };
    for path in support::tracked().into_iter().filter(code) {
        for citation in cited.captures_iter(&support::text(&path).unwrap()) {
            found += 1;
            let cited = citation[1].trim_end_matches(['.', '/', '-']);
            if !repository.has("", cited) {
                problems.push(format!("{path}: {cited}"));
            }
        }
    }
    support::assert_none("facts that are cited and do not exist", &problems);
    assert!(
        found > 10,
        "only {found} citations: the pattern no longer finds them"
    );
}

fn markdown() -> Vec<String> {
    support::tracked()
        .into_iter()
        .filter(|path| support::has_extension(path, "md"))
        .collect()
}

/// What is wrong with a relative link, if anything is.
fn broken_link(from: &str, target: &str) -> Option<String> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() {
        PathBuf::from(from)
    } else {
        beside(from, file)?
    };
    let full = support::root().join(&path);
    if !full.exists() {
        return Some(format!("{from}: {target} (no such file)"));
    }
    let headings = || headings(&std::fs::read_to_string(&full).unwrap_or_default());
    let missing = !anchor.is_empty() && full.is_file() && !headings().contains(anchor);
    missing.then(|| format!("{from}: {target} (no such heading)"))
}

/// The path of `name` as seen from the folder of `from`, if it stays inside the repository.
fn beside(from: &str, name: &str) -> Option<PathBuf> {
    let mut path = Path::new(from).parent().unwrap_or(Path::new("")).to_owned();
    for part in Path::new(name).components() {
        match part {
            Component::ParentDir => path.pop().then_some(())?,
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

/// The anchors of a document's headings: lower case, spaces as dashes, punctuation gone.
fn headings(text: &str) -> BTreeSet<String> {
    let lines = without_fences(text);
    let titles = lines
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim().to_owned());
    titles.map(|title| anchor(&title)).collect()
}

fn anchor(title: &str) -> String {
    let kept = title
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .collect::<String>();
    kept.replace(' ', "-")
}

/// The text without fenced blocks: what they show is an example.
fn without_fences(text: &str) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// The text without fenced blocks and code spans.
fn without_code(text: &str) -> String {
    Regex::new(r"`[^`\n]*`")
        .unwrap()
        .replace_all(&without_fences(text), "")
        .into_owned()
}

/// The names that a path may have.
struct Repository {
    files: BTreeSet<String>,
    folders: BTreeSet<String>,
}

impl Repository {
    fn read() -> Self {
        let files: BTreeSet<String> = support::tracked().into_iter().collect();
        let above = files.iter().flat_map(|file| Path::new(file).ancestors().skip(1));
        let folders = above
            .map(|folder| folder.to_string_lossy().into_owned())
            .filter(|name| !name.is_empty())
            .collect();
        Self { files, folders }
    }

    /// Whether a code span names a file of this repository: it starts with one of its folders, or climbs, or is a
    /// Markdown file; and it is no pattern and no example.
    fn is_meant_by(&self, from: &str, word: &str) -> bool {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
        let first = word.split('/').next().unwrap_or_default();
        let top = word.contains('/') && self.folders.contains(first);
        // The README of `out/` names the files that a run writes beside it.
        let beside_results = MADE_LATER.iter().any(|folder| from.starts_with(folder)) && !word.contains('/');
        word.chars().all(plain)
            && !MADE_LATER.contains(&first)
            && !beside_results
            && !has_placeholder(word)
            && (top || word.starts_with("../") || support::has_extension(word, "md"))
    }

    /// Whether it exists, seen from the root or from the folder of the file that names it.
    fn has(&self, from: &str, word: &str) -> bool {
        let word = word.trim_end_matches('/');
        let seen = [Some(PathBuf::from(word)), beside(from, word)];
        seen.into_iter().flatten().any(|path| {
            let path = path.to_string_lossy();
            self.files.contains(path.as_ref()) || self.folders.contains(path.as_ref())
        })
    }
}

/// Whether a part of the path is a word in capitals, as in `scenarios/NAME.toml`.
fn has_placeholder(word: &str) -> bool {
    let stem = |part: &str| part.split('.').next().unwrap_or_default().to_owned();
    let capitals = |part: String| part.len() > 1 && part.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    word.split('/').any(|part| {
        capitals(stem(part)) && !["README", "CONTRIBUTING", "CHANGELOG"].contains(&stem(part).as_str())
    })
}

#[test]
fn an_anchor_is_made_as_the_usual_viewers_make_it() {
    assert_eq!(
        anchor("Rules, each with where it comes from"),
        "rules-each-with-where-it-comes-from"
    );
    assert_eq!(anchor("`holdover test -- CMD`"), "holdover-test----cmd");
}

#[test]
fn examples_and_patterns_are_not_taken_for_paths() {
    let repository = Repository::read();
    for word in [
        "crates/NAME/src",
        "scenarios/*.toml",
        "crates/judge/src/rules/…",
        "out/summary.json",
        "0/4012",
    ] {
        assert!(!repository.is_meant_by("README.md", word), "{word}");
    }
    for word in [
        "crates/judge/src",
        "../errors.md",
        "docs/mission.md",
        "sources.md",
    ] {
        assert!(repository.is_meant_by("README.md", word), "{word}");
    }
    assert!(repository.has("tests/facts/cases/classes.md", "../errors.md"));
    assert!(!repository.has("tests/facts/cases/classes.md", "errors.md"));
}
