//! Recall and precision of the judge over the detection matrix, and the committed table.

use std::fs;
use std::path::Path;

use holdover_runner::matrix::{self, Row};

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/matrix/detection.csv");

fn rows(cells: &[matrix::Cell]) -> Vec<Row> {
    cells
        .iter()
        .map(|cell| matrix::play(cell).expect("the matrix configures no pattern"))
        .collect()
}

fn complaints(rows: &[Row], wrong: impl Fn(&Row) -> bool) -> String {
    let wrong: Vec<Row> = rows.iter().filter(|row| wrong(row)).cloned().collect();
    if wrong.is_empty() {
        String::new()
    } else {
        matrix::table(&wrong)
    }
}

#[test]
fn every_slip_is_found_alone_and_nothing_else_is() {
    let rows = rows(&matrix::singles());
    assert!(rows.len() > 200, "{} cells", rows.len());
    assert_eq!(
        complaints(&rows, |row| !row.masked().is_empty()),
        "",
        "recall: not found"
    );
    assert_eq!(
        complaints(&rows, |row| !row.unexplained().is_empty()),
        "",
        "precision: found and not planted"
    );
}

#[test]
fn every_twin_is_clean() {
    let mut rows = rows(&matrix::singles());
    rows.extend(self::rows(&matrix::pairs()));
    assert_eq!(complaints(&rows, |row| !row.twin.is_empty()), "");
}

#[test]
fn a_pair_shows_at_least_one_of_its_slips_and_nothing_else() {
    let rows = rows(&matrix::pairs());
    assert!(rows.len() > 200, "{} cells", rows.len());
    assert_eq!(
        complaints(&rows, |row| row.masked().len() == 2),
        "",
        "recall: nothing found"
    );
    assert_eq!(
        complaints(&rows, |row| !row.unexplained().is_empty()),
        "",
        "precision: found and not planted"
    );
}

#[test]
fn the_committed_table_is_what_the_judge_says_today() {
    let mut all = rows(&matrix::singles());
    all.extend(rows(&matrix::pairs()));
    let table = matrix::table(&all);
    if std::env::var_os("HOLDOVER_BLESS").is_some() {
        fs::create_dir_all(Path::new(TABLE).parent().expect("a folder")).expect("the folder can be made");
        fs::write(TABLE, &table).expect("the table can be written");
        return;
    }
    let committed = fs::read_to_string(TABLE).expect("tests/matrix/detection.csv is committed");
    assert!(
        committed == table,
        "tests/matrix/detection.csv is out of date: `cargo xtask bless` writes it"
    );
}
