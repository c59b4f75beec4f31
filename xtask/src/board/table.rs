//! `docs/clients.csv`: a row for each cell.

use super::Client;
use super::cells::{Cell, Cells};

const HEADER: &str = "client,version,program,level,carried,findings,notes,refusals,verdict,sent\n";

/// The table.
pub(crate) fn csv(all: &[(Client, Cells)]) -> String {
    let mut text = HEADER.to_owned();
    for (client, cells) in all {
        for cell in cells.played() {
            text.push_str(&row(client, cells.version(), cell));
        }
    }
    text
}

fn row(client: &Client, version: &str, cell: &Cell) -> String {
    let fields = [
        client.name.clone(),
        version.to_owned(),
        cell.program.clone(),
        cell.level.clone(),
        cell.carried.join(" / "),
        cell.rules().join(" "),
        cell.notes().join(" "),
        cell.refusals.join(" / "),
        cell.verdict.clone(),
        cell.sent.clone().unwrap_or_default(),
    ];
    let fields: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
    format!("{}\n", fields.join(","))
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_with_a_comma_or_a_quote_is_quoted() {
        assert_eq!(quoted("user reasoning+id"), "user reasoning+id");
        assert_eq!(quoted("a, \"b\""), "\"a, \"\"b\"\"\"");
    }
}
