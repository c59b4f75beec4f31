//! `docs/clients.md`: the board for a reader.

use std::fmt::Write as _;

use super::Client;
use super::cells::{Cell, Cells};

const HEAD: &str = "\
# What real clients do with reasoning state

<!-- Written by `cargo xtask clients`; CI runs it and compares. Do not edit. -->

Each client runs the programs of `holdover conformance` against the fake; [conformance.md](conformance.md) says what a
program is. A cell counts only where there were two exchanges and an issued reasoning item; a program that a client has
no setting for is no cell. `carried` is the last request: item types in order, `+id`, `+token` (encrypted content),
`+phase`; an assistant's message that the client wrote anew is `assistant`. For a client that speaks another wire it is
the parts of each message (`thinking-block`, `thought-text`, `reasoning-content`, `text`, `tool-call`, `tool-output`)
with `+signature`, and the profile of its endpoint says what must come back. Every request of every cell is in
[clients.csv](clients.csv). Each finding was checked by reading its recording; the sentences below a table say what the
client sent. A second reading, by a script that knows nothing of the judge, compares each cell
([follow.py](../tests/clients/board/python/follow.py)).

This is what these versions do with these drivers, offline, against a fake. It is no judgement on a project: a client
may be right to send what it sends on another endpoint.

One cell again: `cargo xtask clients CLIENT PROGRAM`.

Of rig this is not the newest version: `rig-core` 0.45.0 and later ask for Rust 1.97.1, and CI has 1.95. Not on the board:
smolagents (1.26.0 speaks chat completions only).
";

/// The page.
pub(crate) fn markdown(all: &[(Client, Cells)]) -> String {
    let mut text = HEAD.to_owned();
    summary(&mut text, all);
    for (client, cells) in all {
        section(&mut text, client, cells);
    }
    text
}

fn summary(text: &mut String, all: &[(Client, Cells)]) {
    let counts = |verdict: &dyn Fn(&Cell) -> bool| {
        all.iter()
            .map(|(_, cells)| cells.played().filter(|cell| verdict(cell)).count())
            .sum::<usize>()
    };
    let _ = writeln!(
        text,
        "\n{} clients, {} cells, {} of them clean.\n",
        all.len(),
        counts(&|_| true),
        counts(&is_clean)
    );
    text.push_str("| client | version | cells | clean | what is lost or leaked |\n|---|---|---|---|---|\n");
    for (client, cells) in all {
        let mut rules: Vec<&str> = Vec::new();
        for rule in cells.played().flat_map(Cell::rules) {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        let _ = writeln!(
            text,
            "| [{}](#{}) | {} | {} | {} | {} |",
            client.name,
            client.name.replace('.', ""),
            cells.version(),
            cells.played().count(),
            cells.played().filter(|cell| is_clean(cell)).count(),
            links(&rules)
        );
    }
}

fn is_clean(cell: &Cell) -> bool {
    cell.verdict == "clean"
}

fn section(text: &mut String, client: &Client, cells: &Cells) {
    let _ = writeln!(
        text,
        "\n## {}\n\nVersion {}; driver [{}](../tests/clients/board/{}){}.\n",
        client.name,
        cells.version(),
        client.driver,
        source(client),
        endpoint(client)
    );
    text.push_str("| program | | carried by the last request | verdict |\n|---|---|---|---|\n");
    for cell in cells.played() {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            program(&cell.program),
            cell.level,
            cell.carried
                .last()
                .map(|last| format!("`{last}`"))
                .unwrap_or_default(),
            verdict(cell)
        );
    }
    sentences(text, cells);
    let others: Vec<String> = cells
        .0
        .iter()
        .filter(|cell| cell.verdict == "not-applicable")
        .map(|cell| format!("{} ({})", cell.program, cell.why.as_deref().unwrap_or_default()))
        .collect();
    if !others.is_empty() {
        let _ = writeln!(text, "\nNot applicable: {}.", others.join(", "));
    }
}

/// The endpoint of a client that speaks another wire.
fn endpoint(client: &Client) -> String {
    let Some((profile, model)) = client.profile.as_ref().zip(client.model.as_ref()) else {
        return String::new();
    };
    format!("; profile `{profile}`, model `{model}`")
}

/// The source of a driver.
fn source(client: &Client) -> String {
    match client.environment.as_str() {
        "node" => format!("node/{}", client.driver),
        "rust" => format!("rust/src/bin/{}.rs", client.driver),
        _ => format!("python/{}", client.driver),
    }
}

/// What the client sent where it failed: one sentence for all programs that share it.
fn sentences(text: &mut String, cells: &Cells) {
    let mut told: Vec<(&str, Vec<String>)> = Vec::new();
    for cell in cells.played() {
        let Some(sent) = cell.sent.as_deref() else {
            continue;
        };
        let link = program(&cell.program);
        match told.iter_mut().find(|(known, _)| *known == sent) {
            Some((_, programs)) => programs.push(link),
            None => told.push((sent, vec![link])),
        }
    }
    if !told.is_empty() {
        text.push_str("\nWhat it sent:\n\n");
    }
    for (sent, programs) in told {
        let _ = writeln!(text, "- {}: {sent}", programs.join(", "));
    }
}

fn program(id: &str) -> String {
    format!("[{id}](../crates/runner/programs/{id}.toml)")
}

fn verdict(cell: &Cell) -> String {
    let mut words = vec![cell.verdict.clone()];
    if matches!(cell.comparison.as_str(), "failure" | "unexpected-pass") {
        words.push(format!("**{}**", cell.comparison));
    }
    if !cell.rules().is_empty() {
        words.push(links(&cell.rules()));
    }
    words.extend(cell.refusals.iter().map(|refusal| format!("`{refusal}`")));
    words.join("; ")
}

fn links(rules: &[&str]) -> String {
    let link = |rule: &&str| format!("[{rule}](rules.md#{rule})");
    rules.iter().map(link).collect::<Vec<_>>().join(", ")
}
