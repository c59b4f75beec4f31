//! `id-in-export`: the id of a reasoning item in a log or dump.

use holdover_wire::item::ItemKind;

use crate::draft::Draft;
use crate::explain;
use crate::exports::{Kind, Spill, Spilt};
use crate::finding::Severity;
use crate::rules::rule;

rule! {
    name: "id-in-export", class: Leak, severity: Error,
    summary: "the id of a reasoning item stands in an export",
    what: "A log, dump, span, eval set or cache key holds the id of an issued reasoning or compaction item, whole or by its last 24 hex digits, or a text of a confirmed id shape.",
    why: "Such ids can carry tenant and trace names, and where the server keeps the item the id is a handle to it. Ids of responses are fine; ids inside the API's own error text are a note.",
    fix: "log counts and hashes of the input fragment instead of the items; set `omit` where ids must not travel; approve a false positive for its file in the allowlist",
    clients: {
        AgentsPython: "log `frag_hash` and `ids_present` instead of the input list; `reasoning_item_id_policy=\"omit\"` keeps ids out of the input altogether",
    },
}

/// Ids and id shapes in an export, one finding for each item.
pub(crate) fn check(spilt: &Spilt<'_>) -> Vec<Draft> {
    let known = spilt
        .firsts(Kind::Id)
        .into_iter()
        .map(|(spill, count)| id(spilt, spill, count));
    let shapes = spilt
        .firsts(Kind::Shape)
        .into_iter()
        .take(SHAPES_MAX)
        .map(|(spill, _)| shape(spilt, spill));
    known.chain(shapes).collect()
}

/// How many texts of a confirmed shape are told for one file.
const SHAPES_MAX: usize = 20;

fn id(spilt: &Spilt<'_>, found: Spill, count: usize) -> Draft {
    let issued = spilt.item(found);
    let owner = spilt.owner(found);
    let times = Spilt::times(count);
    let message = format!(
        "the id {owner} stands in `{}` ({times}line {}); it can carry tenant and trace names, and is a handle to an item that the server keeps",
        spilt.export.file,
        spilt.line(found)
    );
    let is_protected =
        issued.is_some_and(|item| matches!(item.kind, ItemKind::Reasoning | ItemKind::Compaction));
    let severity = if is_protected && !is_error_text(spilt, found) {
        Severity::Error
    } else {
        Severity::Note
    };
    spilt
        .draft(&RULE, found, message)
        .severity(severity)
        .sent(format!("an item id ({count} times)"))
        .expected("no item id")
}

/// Whether the id stands in an error sentence of the API, which names it itself.
fn is_error_text(spilt: &Spilt<'_>, found: Spill) -> bool {
    explain::refusal(spilt.line_text(found)).is_some()
}

fn shape(spilt: &Spilt<'_>, found: Spill) -> Draft {
    let text = spilt.text(found);
    let message = format!(
        "`{text}` in `{}` (line {}) has the shape of a confirmed id, which can carry tenant and trace names",
        spilt.export.file,
        spilt.line(found)
    );
    spilt
        .draft(&RULE, found, message)
        .sent(format!("`{text}`"))
        .expected("no text of that shape")
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, id, msg, rs, user};
    use crate::{AllowEntry, JudgeConfig};

    fn talk(config: JudgeConfig) -> Talk {
        let mut talk = Talk::stateless().judged_by(config);
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        talk
    }

    fn logged(text: &str) -> Vec<String> {
        let mut talk = talk(JudgeConfig::default());
        talk.export("app.log", text);
        talk.found()
    }

    #[test]
    fn a_whole_id_and_a_bare_tail_are_errors() {
        let whole = id("rs", "01", 1);
        assert_eq!(
            logged(&format!("input: [{{\"id\":\"{whole}\"}}]")),
            ["id-in-export:error"]
        );
        assert_eq!(
            logged(&format!("trace …{}", &whole[whole.len() - 24..])),
            ["id-in-export:error"]
        );
    }

    #[test]
    fn the_id_of_a_response_is_fine_and_that_of_a_message_a_note() {
        assert_eq!(logged(&id("resp", "01", 1)), Vec::<String>::new());
        assert_eq!(logged(&id("msg", "01", 1)), ["id-in-export:note"]);
    }

    #[test]
    fn the_error_text_of_the_api_is_a_note() {
        let line = format!(
            "ERROR Item '{}' of type 'reasoning' was provided without its required following item.",
            id("rs", "01", 1)
        );
        assert_eq!(logged(&line), ["id-in-export:note"]);
    }

    #[test]
    fn a_confirmed_shape_is_an_error_unless_its_file_is_approved() {
        let config = |allowlist| JudgeConfig {
            export_patterns: vec!["rs_tenant[A-Z]+_trace_".to_owned()],
            allowlist,
            ..JudgeConfig::default()
        };
        let mut open = talk(config(Vec::new()));
        open.export("docs.md", "an example: rs_tenantB_trace_0001");
        assert_eq!(open.found(), ["id-in-export:error"]);
        let approved = AllowEntry {
            file: "docs.md".to_owned(),
            pattern: "rs_tenantB".to_owned(),
        };
        let mut closed = talk(config(vec![approved]));
        closed.export("docs.md", "an example: rs_tenantB_trace_0001");
        assert_eq!(closed.found(), Vec::<String>::new());
    }

    #[test]
    fn a_fragment_of_the_tenant_table_is_an_error() {
        let mut talk = talk(JudgeConfig {
            tenant_fragments: vec!["acme-eu-7".to_owned()],
            ..JudgeConfig::default()
        });
        talk.export("app.log", "for acme-eu-7");
        assert_eq!(talk.found(), ["id-in-export:error"]);
    }
}
