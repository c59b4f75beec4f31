//! `holdover.toml`.

use super::fields::Reader;
use super::{expect, server};
use crate::keys::{PROJECT, SUPPRESS};
use crate::problem::{Code, Located};
use crate::spec::{Project, SuppressSpec};
use crate::tree::Node;

/// Reads one tree as the settings of a repository.
pub(crate) fn read(reader: &mut Reader<'_>, root: &Node) -> Option<Project> {
    let fields = reader.open(&PROJECT, root)?;
    let plain = |text: Located<String>| text.value;
    let tables = reader.tables(&fields, "suppress");
    Some(Project {
        profile: reader.name(&fields, "profile").map(plain),
        org: reader.word(&fields, "org").map(|word| word.value),
        fail_on: reader.word(&fields, "fail-on").map(|word| word.value),
        scan: reader.texts(&fields, "scan").into_iter().map(plain).collect(),
        baseline: reader.plain(&fields, "baseline"),
        models: server::models(reader, &fields).into_iter().collect(),
        export: expect::export(reader, &fields),
        suppress: tables.iter().filter_map(|node| suppress(reader, node)).collect(),
    })
}

fn suppress(reader: &mut Reader<'_>, node: &Node) -> Option<SuppressSpec> {
    let fields = reader.open(&SUPPRESS, node)?;
    let rule = reader.name(&fields, "rule").map(|name| name.value);
    let reason = reader.text(&fields, "reason");
    if let Some(reason) = reason.as_ref().filter(|reason| reason.value.trim().is_empty()) {
        let problem = reader.problem(Code::EmptyValue, &reason.span, "a suppression says why");
        reader.report(
            problem
                .label("no reason")
                .help("name the ticket, or why the finding is right to leave"),
        );
    }
    let until = reader.text(&fields, "until");
    if let Some(day) = until.as_ref().filter(|day| !is_day(&day.value)) {
        let problem = reader.problem(
            Code::BadDate,
            &day.span,
            format!("`until` does not take `{}`", day.value),
        );
        reader.report(
            problem
                .label("no day")
                .help("write it as in `until = \"2027-01-31\"`"),
        );
    }
    Some(SuppressSpec {
        rule: rule?,
        session: reader.plain(&fields, "session").unwrap_or_else(|| "*".to_owned()),
        reason: reason?.value,
        until: until.map(|day| day.value),
    })
}

/// `2027-01-31`. Days sort as their texts do.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return false;
    };
    let number = |part: &str, length: usize, range: std::ops::RangeInclusive<u16>| {
        part.len() == length && part.parse().is_ok_and(|number| range.contains(&number))
    };
    number(year, 4, 1970..=9999) && number(month, 2, 1..=12) && number(day, 2, 1..=31)
}
