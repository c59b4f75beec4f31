//! The board: every real client in every program of `holdover conformance`, and the tables that come of it.
//!
//! | module | what is there |
//! |---|---|
//! | [`cells`] | what a run of one client left |
//! | [`table`] | `docs/clients.csv` |
//! | [`page`] | `docs/clients.md` |

mod cells;
mod page;
mod table;

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use serde::Deserialize;

use crate::workspace::Workspace;
use crate::{clients, node, say};
use cells::Cells;

/// The clients, in the order of the tables.
const CLIENTS: &str = "tests/clients/board/board.toml";
/// Folder of the expected failures, a file for each client.
const EXPECTED: &str = "tests/clients/board/expected";
/// A second reading of every recording.
const FOLLOW: &str = "tests/clients/board/python/follow.py";
/// The test with parallel workers.
const WORKERS: &str = "tests/clients/board/parallel/test_workers.py";
/// The tests of the recipes.
const RECIPES: &str = "tests/docs/recipes";
/// The environment of a Python driver that runs a program of Node's packages.
const CODEX: &str = "codex";
/// Programs at a time; CI has two cores.
const JOBS: &str = "2";
/// Seconds for one answer: a client may take long to load on a busy machine.
const TIMEOUT: &str = "180";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    client: Vec<Client>,
}

/// One client of the board.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Client {
    /// Its name, which is that of its file of expected failures.
    name: String,
    /// The environment that it runs in: a Python environment, `node`, `codex` or `rust`.
    environment: String,
    /// File of its driver in the folder of its language; for Rust, the binary.
    driver: String,
    /// Arguments of the driver.
    #[serde(default)]
    arguments: Vec<String>,
    /// Profile of the endpoint, for a client that speaks another wire.
    profile: Option<String>,
    /// Model on that wire.
    model: Option<String>,
}

/// Runs the board and writes the tables; with a client's name, runs that one (perhaps only some programs) and writes
/// nothing.
pub(crate) fn write(workspace: &Workspace, names: &[String]) -> anyhow::Result<()> {
    build(workspace)?;
    if let Some((name, programs)) = names.split_first() {
        let all = read(workspace)?;
        let client = all.iter().find(|client| client.name == *name);
        let client = client.with_context(|| format!("{CLIENTS} has no client `{name}`"))?;
        set_up(workspace, std::slice::from_ref(client))?;
        return play(workspace, client, programs);
    }
    let board = run(workspace)?;
    for (path, text) in &board.files {
        std::fs::write(workspace.path(path), text).with_context(|| format!("cannot write {path}"))?;
    }
    board.end()
}

/// Runs the board and compares the tables with those that are committed.
pub(crate) fn compare(workspace: &Workspace) -> anyhow::Result<()> {
    let mut board = run(workspace)?;
    for (path, text) in &board.files {
        let committed = std::fs::read_to_string(workspace.path(path)).unwrap_or_default();
        if committed != *text {
            let lines = committed.lines().zip(text.lines());
            let first = lines
                .clone()
                .position(|(old, new)| old != new)
                .unwrap_or(lines.count());
            let line = |text: &str| text.lines().nth(first).unwrap_or("(nothing)").to_owned();
            board.failed.push(format!(
                "{path} differs from line {} on: committed `{}`, now `{}`; `cargo xtask clients` writes it anew",
                first + 1,
                line(&committed),
                line(text)
            ));
        }
    }
    board.end()
}

/// Eight test workers against one server: no session may see anything of another.
pub(crate) fn workers(workspace: &Workspace) -> anyhow::Result<()> {
    clients::OPENAI_3.set_up(workspace)?;
    workspace
        .tool(&clients::OPENAI_3.python(workspace))
        .arguments(&["-m", "pytest", "-q", "-p", "no:cacheprovider", WORKERS])
        .env("HOLDOVER_BIN", workspace.holdover())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .run()
}

/// The recipes of the book, with the clients that they speak of.
pub(crate) fn recipes(workspace: &Workspace) -> anyhow::Result<()> {
    clients::OPENAI_3.set_up(workspace)?;
    node::BOARD.set_up(workspace)?;
    workspace
        .tool(&clients::OPENAI_3.python(workspace))
        .arguments(&["-m", "pytest", "-q", "-p", "no:cacheprovider", RECIPES])
        .env("HOLDOVER_BIN", workspace.holdover())
        .env("HOLDOVER_NODE", workspace.target("clients").join("node"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .run()
}

/// The tables by their paths, and what went wrong.
struct Board {
    files: Vec<(&'static str, String)>,
    failed: Vec<String>,
}

impl Board {
    fn end(self) -> anyhow::Result<()> {
        if !self.failed.is_empty() {
            bail!("{}", self.failed.join("; "));
        }
        Ok(())
    }
}

fn build(workspace: &Workspace) -> anyhow::Result<()> {
    if std::env::var_os("HOLDOVER_BIN").is_some() {
        return Ok(());
    }
    workspace
        .cargo("build --locked --package holdover")
        .arguments(&["--profile", &workspace.profile()])
        .run()
}

fn read(workspace: &Workspace) -> anyhow::Result<Vec<Client>> {
    let text =
        std::fs::read_to_string(workspace.path(CLIENTS)).with_context(|| format!("cannot read {CLIENTS}"))?;
    let file: File = toml::from_str(&text).with_context(|| format!("{CLIENTS} is not understood"))?;
    Ok(file.client)
}

fn set_up(workspace: &Workspace, chosen: &[Client]) -> anyhow::Result<()> {
    let uses = |name: &str| chosen.iter().any(|client| client.environment == name);
    for python in clients::of_the_board().filter(|python| uses(python.name)) {
        python.set_up(workspace)?;
    }
    if uses(CODEX) {
        clients::CLIENTS.set_up(workspace)?;
    }
    if uses("node") || uses(CODEX) {
        node::BOARD.set_up(workspace)?;
    }
    if uses("rust") {
        build_rust(workspace)?;
    }
    Ok(())
}

/// The adapters of Rust clients: a workspace of their own, so that their lock is not ours.
fn build_rust(workspace: &Workspace) -> anyhow::Result<()> {
    workspace
        .cargo("build --quiet --locked --manifest-path tests/clients/board/rust/Cargo.toml")
        .env("CARGO_TARGET_DIR", workspace.target("clients").join("rust"))
        .run()
}

fn run(workspace: &Workspace) -> anyhow::Result<Board> {
    let clients = read(workspace)?;
    set_up(workspace, &clients)?;
    let mut failed = Vec::new();
    let mut all = Vec::new();
    for client in &clients {
        say(&format!("--- {}", client.name));
        if let Err(error) = play(workspace, client, &[]) {
            failed.push(format!("{}: {error:#}", client.name));
        }
        match Cells::read(&folder(workspace, client)) {
            Ok(cells) => all.push((client.clone(), cells)),
            Err(error) => failed.push(format!("{}: {error:#}", client.name)),
        }
    }
    if let Err(error) = follow(workspace) {
        failed.push(format!("the second reading: {error:#}"));
    }
    Ok(Board {
        files: vec![
            ("docs/clients.csv", table::csv(&all)),
            ("docs/clients.md", page::markdown(&all)),
        ],
        failed,
    })
}

/// One client, in all programs or in these.
fn play(workspace: &Workspace, client: &Client, programs: &[String]) -> anyhow::Result<()> {
    let folder = folder(workspace, client);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let expected = workspace.path(EXPECTED).join(format!("{}.toml", client.name));
    let mut options = vec!["conformance".into(), "--jobs".into(), JOBS.into()];
    options.extend(["--timeout".into(), TIMEOUT.into()]);
    options.extend(["--expected".into(), expected.into_os_string()]);
    options.extend(["--out".into(), folder.into_os_string()]);
    for (name, value) in [("--profile", &client.profile), ("--client-model", &client.model)] {
        options.extend(value.iter().flat_map(|value| [name.into(), value.into()]));
    }
    options.extend(programs.iter().flat_map(|id| ["--program".into(), id.into()]));
    options.push("--".into());
    options.extend(
        command(workspace, client)?
            .into_iter()
            .map(PathBuf::into_os_string),
    );
    options.extend(client.arguments.iter().map(Into::into));
    workspace
        .tool(&workspace.holdover())
        .arguments(&options)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .run()
}

fn command(workspace: &Workspace, client: &Client) -> anyhow::Result<Vec<PathBuf>> {
    if client.environment == "node" {
        return Ok(vec![
            node::BOARD.binary(workspace),
            node::BOARD.program(workspace, &client.driver),
        ]);
    }
    if client.environment == "rust" {
        let folder = workspace.target("clients").join("rust").join("debug");
        return Ok(vec![folder.join(&client.driver)]);
    }
    let environment = if client.environment == CODEX {
        clients::CLIENTS.name
    } else {
        &client.environment
    };
    let mut pythons = clients::of_the_board();
    let python = pythons.find(|python| python.name == environment);
    let python = python.with_context(|| format!("there is no environment `{}`", client.environment))?;
    let driver = workspace.path("tests/clients/board/python").join(&client.driver);
    Ok(vec![python.python(workspace), driver])
}

/// Where the run of a client leaves its cells and recordings.
fn folder(workspace: &Workspace, client: &Client) -> PathBuf {
    workspace.target("clients").join("board").join(&client.name)
}

/// Reads every recording a second time, with a script that knows nothing of the judge, and compares.
fn follow(workspace: &Workspace) -> anyhow::Result<()> {
    workspace
        .tool(&clients::CLIENTS.python(workspace))
        .arguments(&[workspace.path(FOLLOW), workspace.target("clients").join("board")])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .run()
}
