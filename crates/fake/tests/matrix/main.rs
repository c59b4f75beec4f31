//! Every row of `tests/facts/replay_matrix.csv`, played: the request that breaks it gets the stated status and body, or,
//! where that is silent, the stated effect; the one that obeys it gets 200, and the nonce where the model is shown what
//! came back. Rows of which nobody is sure are decided by the seed, and by a switch.
//!
//! What must happen comes from the table alone; `cases.toml` only says how to break a row.

mod anthropic;
mod bedrock;
mod chat;
mod gemini;
mod interactions;
mod play;
mod responses;
mod row;
mod wire;

use std::collections::BTreeMap;

use holdover_profile::Probe;
use play::{Heard, Play, World};
use row::{Case, Row};

#[test]
fn every_row_has_one_case_and_what_is_pending_is_counted() {
    let (rows, file) = (row::rows(), row::file());
    let mut pending = BTreeMap::new();
    for (number, (row, case)) in (1..).zip(rows.iter().zip(&file.case)) {
        assert_eq!(case.row, number);
        assert_eq!(case.is, format!("{} | {}", row.model_family, row.field));
        if let Some(wire) = &case.pending {
            *pending.entry(wire.clone()).or_insert(0) += 1;
        }
    }
    assert_eq!(rows.len(), 149);
    assert_eq!(rows.len(), file.case.len());
    assert_eq!(pending, file.pending);
}

#[test]
fn every_row_that_a_wire_serves_holds() {
    let (rows, file) = (row::rows(), row::file());
    let mut problems = Vec::new();
    let mut held = 0;
    for (row, case) in rows.iter().zip(&file.case) {
        if case.pending.is_some() {
            continue;
        }
        match holds(row, case, &rows) {
            Ok(()) => held += 1,
            Err(problem) => problems.push(format!(
                "row {} ({} {}, {}, {}): {problem}",
                case.row, row.provider, row.mode, case.profile, case.is
            )),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
    assert_eq!(held, rows.len() - file.pending.values().sum::<usize>());
}

/// Path and model choose the profile of a row, unless only its name does.
#[test]
fn path_and_model_choose_the_profile_of_a_row() {
    let file = row::file();
    let mut problems = Vec::new();
    for case in file
        .case
        .iter()
        .filter(|case| case.pending.is_none() && !case.by_name)
    {
        let heard = Play::new(case, World::chosen()).obeying();
        // An older version is chosen by its day, which a test of the book holds.
        let newest = !case.profile.starts_with("deepseek-") || case.profile == "deepseek-v4";
        if newest && heard.profile != case.profile {
            problems.push(format!(
                "row {}: {} and not {}",
                case.row, heard.profile, case.profile
            ));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn holds(row: &Row, case: &Case, rows: &[Row]) -> Result<(), String> {
    if row.is_unsure() {
        return probes(row, case, rows);
    }
    let world = World::of(&case.profile, Probe::BySeed);
    let right = Play::new(case, world.clone()).obeying();
    let wrong = Play::new(case, world).breaking();
    obeyed(row, case, &right)?;
    match (row.replay.as_str(), row.status()) {
        (_, Some(status)) if status >= 400 => refused(row, case, rows, &wrong),
        (_, Some(200)) if row.violation_code.starts_with("input_transformations") => {
            wrong.accepted()?.transformed(row)
        }
        (_, Some(200)) if row.violation_code.starts_with("stop_reason") => wrong.accepted()?.declined(row),
        _ if row.field.ends_with("(no check)") => wrong.accepted()?.says_a_nonce(),
        ("ignored", _) if case.how == "second" => wrong.accepted()?.shows_another(&right),
        ("ignored", _) => wrong.accepted()?.says_nothing("what came back is not read"),
        // The row is about what came back unbroken.
        (_, _) if case.is_sent() => wrong.accepted()?.says_a_nonce(),
        (_, _) => wrong.accepted()?.says_nothing("it is gone without a word"),
    }
}

/// The request that obeys gets 200, and the nonce where the model reads what came back.
fn obeyed(row: &Row, case: &Case, right: &Heard) -> Result<(), String> {
    let right = right.accepted()?;
    match row.replay.as_str() {
        "forbidden" | "ignored" => Ok(()),
        _ if case.obeys_without() => Ok(()),
        _ => right.says_a_nonce(),
    }
}

fn refused(row: &Row, case: &Case, rows: &[Row], wrong: &Heard) -> Result<(), String> {
    let status = row.status().ok_or("the row has no status")?;
    if wrong.status != status {
        return Err(format!(
            "status {} and not {status}: {}",
            wrong.status, wrong.body
        ));
    }
    let code = row.violation_code.as_str();
    if !row::has_code(&wrong.body, &wrong.error_type, code) {
        return Err(format!("no code `{code}` in {}", wrong.body));
    }
    if case.unworded {
        return wrong.is_unworded();
    }
    let text = case
        .message_of
        .map_or(&row.violation_message, |of| &rows[of - 1].violation_message);
    row::says(&wrong.body, text)
}

/// The switch decides as it says, and the seed both ways.
fn probes(row: &Row, case: &Case, rows: &[Row]) -> Result<(), String> {
    let play = |probe| Play::new(case, World::of(&case.profile, probe)).breaking();
    let taken = play(Probe::Accept);
    taken.accepted()?.names_a_probe()?;
    let refused_one = play(Probe::Refuse);
    match row.status() {
        Some(status) if status >= 400 => {
            refused(row, case, rows, &refused_one)?;
            refused_one.names_a_probe()?;
        }
        _ => refused_one
            .accepted()?
            .says_nothing("a probe that is refused is not read")?,
    }
    let by_seed = |seed| {
        let world = World {
            seed,
            ..World::of(&case.profile, Probe::BySeed)
        };
        Play::new(case, world).breaking().outcome()
    };
    let seen: Vec<String> = (0..24).map(by_seed).collect();
    // A placeholder that is taken says nothing either way, so only the header tells.
    if seen.iter().all(|outcome| *outcome == seen[0]) {
        return Err(format!("24 seeds, one outcome: {}", seen[0]));
    }
    Ok(())
}
