//! What a run of one client left: its `cells.json`.

use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;

/// The cells of one client, in the order of the programs.
pub(crate) struct Cells(pub(crate) Vec<Cell>);

/// One program.
#[derive(Deserialize)]
pub(crate) struct Cell {
    pub(crate) program: String,
    pub(crate) level: String,
    pub(crate) version: String,
    pub(crate) verdict: String,
    pub(crate) comparison: String,
    pub(crate) why: Option<String>,
    pub(crate) sent: Option<String>,
    pub(crate) carried: Vec<String>,
    pub(crate) refusals: Vec<String>,
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    rule: String,
    severity: String,
}

impl Cells {
    /// Reads the file in the folder of a run.
    pub(crate) fn read(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join("cells.json");
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("it left no {}", path.display()))?;
        let cells = serde_json::from_str(&text).context("its cells are not understood")?;
        Ok(Self(cells))
    }

    /// Version of the client.
    pub(crate) fn version(&self) -> &str {
        let named = self.0.iter().find(|cell| !cell.version.is_empty());
        named.map_or("", |cell| &cell.version)
    }

    /// The programs that the client can run.
    pub(crate) fn played(&self) -> impl Iterator<Item = &Cell> {
        self.0.iter().filter(|cell| cell.verdict != "not-applicable")
    }
}

impl Cell {
    /// Rules above `note`, each once.
    pub(crate) fn rules(&self) -> Vec<&str> {
        self.named(|severity| severity != "note")
    }

    /// Rules that gave a note, each once.
    pub(crate) fn notes(&self) -> Vec<&str> {
        self.named(|severity| severity == "note")
    }

    fn named(&self, wanted: impl Fn(&str) -> bool) -> Vec<&str> {
        let mut names = Vec::new();
        for finding in self.findings.iter().filter(|finding| wanted(&finding.severity)) {
            if !names.contains(&finding.rule.as_str()) {
                names.push(&finding.rule);
            }
        }
        names
    }
}
