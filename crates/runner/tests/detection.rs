//! Recall and precision of the judge over the detection matrix, and the committed table.

use std::fs;
use std::path::Path;
use std::thread;

use holdover_runner::matrix::{self, Cell, Row};

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/matrix/detection.csv");

/// Plays the cells on all cores, in order.
fn rows(cells: &[Cell]) -> Vec<Row> {
    let jobs = thread::available_parallelism().expect("a number of cores").get();
    let play = |cell: &Cell| matrix::play(cell).expect("the matrix configures no pattern");
    thread::scope(|scope| {
        let parts = cells.chunks(cells.len().div_ceil(jobs));
        let threads: Vec<_> = parts
            .map(|part| scope.spawn(move || part.iter().map(play).collect()))
            .collect();
        let parts = threads
            .into_iter()
            .map(|thread| thread.join().expect("no cell panics"));
        parts.flat_map(|part: Vec<Row>| part).collect()
    })
}

/// The rows that are wrong, as a table; empty when there is none.
fn complaints(rows: &[Row], wrong: impl Fn(&Row) -> bool) -> String {
    let wrong: Vec<Row> = rows.iter().filter(|row| wrong(row)).cloned().collect();
    if wrong.is_empty() {
        String::new()
    } else {
        matrix::table(&wrong)
    }
}

/// One test, because playing the matrix takes a while and each test is a process of its own under `cargo nextest`.
#[test]
fn every_slip_is_found_and_nothing_else_is() {
    let (singles, pairs) = (rows(&matrix::singles()), rows(&matrix::pairs()));
    assert!(singles.len() > 200, "{} cells", singles.len());
    assert!(pairs.len() > 200, "{} pairs", pairs.len());
    let not_found = complaints(&singles, |row| !row.masked().is_empty());
    assert!(not_found.is_empty(), "recall: a slip was not found\n{not_found}");
    let not_found = complaints(&pairs, |row| row.masked().len() == row.cell.slips.len());
    assert!(
        not_found.is_empty(),
        "recall: neither slip of a pair was found\n{not_found}"
    );
    let all = [singles, pairs].concat();
    let not_planted = complaints(&all, |row| !row.unexplained().is_empty());
    assert!(
        not_planted.is_empty(),
        "precision: found and not planted\n{not_planted}"
    );
    let unclean = complaints(&all, |row| !row.twin.is_empty());
    assert!(unclean.is_empty(), "precision: a twin is not clean\n{unclean}");
    compare(&matrix::table(&all));
}

fn compare(table: &str) {
    if std::env::var_os("HOLDOVER_BLESS").is_some() {
        fs::create_dir_all(Path::new(TABLE).parent().expect("a folder")).expect("the folder can be made");
        fs::write(TABLE, table).expect("the table can be written");
        return;
    }
    let committed = fs::read_to_string(TABLE).expect("tests/matrix/detection.csv is committed");
    assert!(
        committed == table,
        "tests/matrix/detection.csv is out of date: `cargo xtask bless` writes it"
    );
}
