//! Every fault against real clients: the table in `docs/faults.md`, played again and compared.

use crate::workspace::Workspace;
use crate::{clients, node};

const SOURCE: &str = "tests/clients/faults";

/// Plays the matrix; with `HOLDOVER_BLESS` set the table is written instead of compared.
pub(crate) fn play(workspace: &Workspace) -> anyhow::Result<()> {
    let python = clients::python_binary(workspace);
    let source = workspace.path(SOURCE);
    let cells = source.join("python_cells.py");
    let of_python =
        |name: &str, module: &str| format!("{name}={} {} {module}", python.display(), cells.display());
    let of_node = format!(
        "openai-node={} {}",
        node::FAULTS.binary(workspace).display(),
        node::FAULTS.program(workspace, "cells.mjs").display()
    );
    workspace
        .tool(&python)
        .arguments(&[source.join("matrix.py")])
        .arguments(&[
            of_python("openai-python", "python_plain"),
            of_python("openai-agents", "python_agents"),
            of_node,
        ])
        .env("HOLDOVER_BIN", workspace.holdover())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .run()
}
