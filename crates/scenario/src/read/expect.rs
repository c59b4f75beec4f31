//! `[expect]`, `[turn.expect]` and `[export]`.

use super::fields::{Fields, Reader};
use crate::keys::{ALLOW, EXPECT, EXPECT_CASE, EXPORT, TURN_EXPECT};
use crate::problem::{Code, Located};
use crate::spec::{AllowSpec, Expect, ExpectCase, ExportSpec, TurnExpect};
use crate::tree::{Entry, Node, Value};

pub(crate) fn read(reader: &mut Reader<'_>, root: &Fields<'_>) -> Expect {
    let Some(entry) = root.get("expect") else {
        return Expect::default();
    };
    let Some(fields) = reader.open(&EXPECT, &entry.node) else {
        return Expect::default();
    };
    Expect {
        findings: fields.get("findings").map(|_| reader.names(&fields, "findings")),
        notes: reader.names(&fields, "notes"),
        refusals: fields.get("refusals").map(|_| reader.names(&fields, "refusals")),
        result: reader.name(&fields, "result"),
        verdict: reader.word(&fields, "verdict"),
        span: Some(entry.node.span.clone()),
        cases: cases(reader, &fields),
    }
}

fn cases(reader: &mut Reader<'_>, expect: &Fields<'_>) -> Vec<ExpectCase> {
    let nodes = reader.tables(expect, "case");
    nodes.iter().filter_map(|node| case(reader, node)).collect()
}

fn case(reader: &mut Reader<'_>, node: &Node) -> Option<ExpectCase> {
    let fields = reader.open(&EXPECT_CASE, node)?;
    // Everything is read, so that all problems are told at once.
    let expect = Expect {
        findings: fields.get("findings").map(|_| reader.names(&fields, "findings")),
        notes: reader.names(&fields, "notes"),
        refusals: fields.get("refusals").map(|_| reader.names(&fields, "refusals")),
        result: reader.name(&fields, "result"),
        verdict: reader.word(&fields, "verdict"),
        span: Some(node.span.clone()),
        cases: Vec::new(),
    };
    let when = fields.get("when")?;
    if !matches!(when.node.value, Value::Table(_)) {
        reader.wrong_type("`when`", "a table", &when.node);
        return None;
    }
    empty(reader, when);
    let shown = |node: &Node| Located::new(node.shown(), node.span.clone());
    let when = when.node.entries().iter().map(|entry| {
        let values = match &entry.node.value {
            Value::List(values) => values.iter().map(shown).collect(),
            _ => vec![shown(&entry.node)],
        };
        (Located::new(entry.key.clone(), entry.key_span.clone()), values)
    });
    Some(ExpectCase {
        when: when.collect(),
        expect,
    })
}

/// A `when` without a setting fits every case, and a setting without a value fits none.
fn empty(reader: &mut Reader<'_>, when: &Entry) {
    let settings = when.node.entries();
    if settings.is_empty() {
        let problem = reader.problem(
            Code::EmptyValue,
            &when.node.span,
            "`when` names no setting, and would hold for every case",
        );
        reader.report(problem.label("nothing here").help(
            "name a setting of `[matrix]` and its value; what holds for every case stands in `[expect]` itself",
        ));
    }
    for entry in settings {
        if matches!(&entry.node.value, Value::List(values) if values.is_empty()) {
            let message = format!(
                "`{}` of `when` has no values, and would hold for no case",
                entry.key
            );
            let problem = reader.problem(Code::EmptyValue, &entry.node.span, message);
            reader.report(
                problem
                    .label("nothing here")
                    .help("name at least one value, or drop the setting"),
            );
        }
    }
}

pub(crate) fn of_turn(reader: &mut Reader<'_>, turn: &Fields<'_>) -> TurnExpect {
    let Some(entry) = turn.get("expect") else {
        return TurnExpect::default();
    };
    let Some(fields) = reader.open(&TURN_EXPECT, &entry.node) else {
        return TurnExpect::default();
    };
    TurnExpect {
        status: reader.number(&fields, "status"),
        refusal: reader.name(&fields, "refusal"),
        prior_protected: reader.number(&fields, "prior-protected"),
        outcome: reader.word(&fields, "outcome"),
        findings: reader.names(&fields, "findings"),
    }
}

pub(crate) fn export(reader: &mut Reader<'_>, root: &Fields<'_>) -> ExportSpec {
    let Some(entry) = root.get("export") else {
        return ExportSpec::default();
    };
    let Some(fields) = reader.open(&EXPORT, &entry.node) else {
        return ExportSpec::default();
    };
    let allowed = reader.tables(&fields, "allowlist");
    ExportSpec {
        patterns: reader.texts(&fields, "patterns"),
        allowlist: allowed.iter().filter_map(|node| allow(reader, node)).collect(),
        tenant_table: reader.texts(&fields, "tenant-table"),
    }
}

fn allow(reader: &mut Reader<'_>, node: &Node) -> Option<AllowSpec> {
    let fields = reader.open(&ALLOW, node)?;
    let file = reader.text(&fields, "file");
    let pattern = reader.text(&fields, "pattern");
    Some(AllowSpec {
        file: file?,
        pattern: pattern?,
    })
}
