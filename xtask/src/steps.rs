//! The steps of `cargo xtask test`, as data: one more is one more line.

use std::process::ExitCode;

use crate::schedule::{self, Step};
use crate::workspace::Workspace;
use crate::{board, budgets, captures, clients, fault_clients, fuzz, node, packages, run, say};

/// Everything CI runs, quick answers first.
const STEPS: &[Step<Workspace>] = &[
    step("fmt", &[], |w| w.cargo("fmt --all -- --check").run()),
    step("clippy", &[], |w| {
        w.cargo("clippy --workspace --all-targets --locked --keep-going -- -D warnings")
            .run()
    }),
    step("rust-tests", &[], rust_tests),
    step("fuzz", &[], fuzz::readers),
    step("doc-tests", &[], |w| {
        w.cargo("test --workspace --doc --locked").run()
    }),
    step("docs", &[], |w| {
        w.cargo("doc --workspace --no-deps --locked")
            .env("RUSTDOCFLAGS", "-D warnings")
            .run()
    }),
    step("release", &[], |w| {
        w.cargo("build --locked --package holdover")
            .arguments(&["--profile", &w.profile()])
            .run()
    }),
    step("run-twice", &["release"], run::twice_and_compare),
    step("budgets", &["release"], budgets::hold),
    step("captures", &["release"], captures::judge),
    step("python", &[], clients::python),
    step("python-clients", &["release", "python"], |w| {
        pytest(w, "tests/clients/python")
    }),
    step("node-client", &["release"], node::test_surface),
    step("rust-client", &["release"], rust_client),
    step("node-faults", &[], |w| node::FAULTS.set_up(w)),
    step(
        "fault-clients",
        &["release", "python", "node-faults"],
        fault_clients::play,
    ),
    step("book", &["release", "python"], |w| {
        pytest(w, "tests/docs/test_book.py")
    }),
    step("recipes", &["release", "python"], board::recipes),
    step("wheel", &["release"], packages::wheel_step),
    step("npm", &["release"], packages::npm_step),
    step("python-package", &["wheel"], packages::try_wheel_step),
    step("npm-package", &["npm", "python"], packages::try_npm_step),
    step(
        "ci-reports",
        &["python-package", "npm-package"],
        packages::check_reports,
    ),
    step("board", &["release", "python"], board::compare),
    step("workers", &["release"], board::workers),
    // In the profile of the tests, whose crates are built by now; `cargo xtask bench` measures in that of `bench`.
    step("benches-compile", &[], |w| {
        w.cargo("bench --workspace --no-run --locked --profile dev").run()
    }),
];

const fn step(
    name: &'static str,
    needs: &'static [&'static str],
    action: fn(&Workspace) -> anyhow::Result<()>,
) -> Step<Workspace> {
    Step { name, needs, action }
}

/// Runs the steps of these names (all of them for no name), and closes with the line that CI reads.
pub(crate) fn test(workspace: &Workspace, names: &[String]) -> anyhow::Result<ExitCode> {
    let chosen = schedule::select(STEPS, names)
        .map_err(|name| anyhow::anyhow!("no step `{name}`: `cargo xtask list` names them"))?;
    let count = schedule::run(&chosen, workspace, &mut |line| say(line));
    say(&count.line());
    Ok(if count.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Prints the names of the steps.
pub(crate) fn list() -> ExitCode {
    for step in STEPS {
        say(step.name);
    }
    ExitCode::SUCCESS
}

/// All Rust tests but those in doc comments, with the faster runner where it is installed.
fn rust_tests(workspace: &Workspace) -> anyhow::Result<()> {
    if workspace.cargo("nextest --version").works() {
        return workspace
            .cargo("nextest run --workspace --locked --no-fail-fast")
            .run();
    }
    workspace
        .cargo("test --workspace --locked --lib --bins --tests --no-fail-fast")
        .run()
}

/// The tests of one folder or file in the Python environment; they find the binary under `HOLDOVER_BIN`.
fn pytest(workspace: &Workspace, path: &str) -> anyhow::Result<()> {
    workspace
        .tool(&clients::python_binary(workspace))
        .arguments(&["-m", "pytest", "-q", "-p", "no:cacheprovider", path])
        .env("HOLDOVER_BIN", workspace.holdover())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .run()
}

/// async-openai, which is a package of its own with its own lock and its own target folder.
fn rust_client(workspace: &Workspace) -> anyhow::Result<()> {
    workspace
        .cargo("test --manifest-path tests/clients/rust/Cargo.toml --locked")
        .env("HOLDOVER_BIN", workspace.holdover())
        .env("CARGO_TARGET_DIR", workspace.target("clients").join("rust"))
        .run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_needs_only_steps_before_it() {
        for (index, step) in STEPS.iter().enumerate() {
            for need in step.needs {
                assert!(
                    STEPS[..index].iter().any(|earlier| earlier.name == *need),
                    "{} needs {need}",
                    step.name
                );
            }
        }
    }
}
