//! The labelled set of `tests/scan/`: at least 95 % of its labels are found, and fewer than 5 % of what is found has
//! no label.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use holdover_scan::{Language, scan};

struct Snippet {
    title: String,
    labels: BTreeSet<(String, usize)>,
    text: String,
}

fn snippets(language: Language) -> Vec<Snippet> {
    let path = format!(
        "{}/../../tests/scan/{}.txt",
        env!("CARGO_MANIFEST_DIR"),
        language.as_str()
    );
    let file = std::fs::File::open(&path).expect("a labelled set");
    let all = std::io::read_to_string(file).expect("text");
    let blocks = all.split("### ").filter(|block| !block.is_empty());
    blocks
        .map(|block| {
            let (head, text) = block.split_once('\n').expect("a title");
            let (labels, title) = head.split_once(": ").expect("labels");
            let label = |label: &str| {
                let (rule, line) = label.trim().split_once(' ').expect("a rule and a line");
                (rule.to_owned(), line.parse().expect("a number"))
            };
            let labels = if labels == "clean" {
                BTreeSet::new()
            } else {
                labels.split(',').map(label).collect()
            };
            Snippet {
                title: title.to_owned(),
                labels,
                text: text.to_owned(),
            }
        })
        .collect()
}

#[test]
fn the_labelled_set_is_found_with_few_false_alarms() {
    let (mut labels, mut found, mut places, mut alarms, mut count) = (0, 0, 0, 0, 0);
    let mut report = String::new();
    for language in Language::ALL {
        for snippet in snippets(language) {
            count += 1;
            let named: BTreeSet<_> = scan(language, &snippet.text)
                .into_iter()
                .map(|place| (place.rule.to_owned(), place.line))
                .collect();
            labels += snippet.labels.len();
            found += snippet.labels.intersection(&named).count();
            places += named.len();
            alarms += named.difference(&snippet.labels).count();
            if named != snippet.labels {
                let title = format!("{}: {}", language.as_str(), snippet.title);
                writeln!(
                    report,
                    "{title}\n  labelled {:?}\n  named    {named:?}",
                    snippet.labels
                )
                .unwrap();
            }
        }
    }
    println!(
        "{count} snippets, {found} of {labels} labels found, {alarms} of {places} places without label\n{report}"
    );
    assert!(count >= 200, "only {count} snippets");
    assert!(
        found * 100 >= labels * 95,
        "{found} of {labels} labels found\n{report}"
    );
    assert!(
        alarms * 100 < places * 5,
        "{alarms} of {places} places have no label\n{report}"
    );
}
