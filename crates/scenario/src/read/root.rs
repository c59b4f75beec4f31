//! The file itself: its own keys, then each table.

use super::fields::{Fields, Reader};
use super::{agent, check, client, expect, fault, server, turn};
use crate::keys::ROOT;
use crate::problem::{Code, Located};
use crate::spec::Scenario;
use crate::tree::Node;

/// Longest name of a case; a session name has the same limit.
const NAME_CHARS_MAX: usize = 64;

/// Reads one tree as a scenario without matrix and twin.
pub(crate) fn read(reader: &mut Reader<'_>, root: &Node) -> Option<Scenario> {
    let fields = reader.open(&ROOT, root)?;
    let server = server::read(reader, &fields);
    let script = turn::read(reader, &fields);
    let agent = agent::read(reader, &fields, &script);
    let scenario = Scenario {
        file: reader.file().to_owned(),
        name: name(reader, &fields),
        about: reader.plain(&fields, "about"),
        table: reader.word(&fields, "table").map(|table| table.value),
        world: reader.plain(&fields, "world"),
        proves: reader
            .texts(&fields, "proves")
            .into_iter()
            .map(|text| text.value)
            .collect(),
        server,
        agent,
        client: client::read(reader, &fields),
        turns: script.turns.clone(),
        faults: fault::read(reader, &fields),
        export: expect::export(reader, &fields),
        expect: expect::read(reader, &fields),
        twin: None,
        matrix: Vec::new(),
        cases: Vec::new(),
    };
    check::contradictions(reader, root, &scenario, &script);
    Some(scenario)
}

fn name(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Located<String> {
    let name = reader
        .text(fields, "name")
        .unwrap_or_else(|| Located::new(String::new(), 0..0));
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let fits = (1..=NAME_CHARS_MAX).contains(&name.value.chars().count());
    let given = fields.get("name").is_some() && name.span.end > 0;
    // The twin of a case has this ending in every table.
    let is_twins = name.value.strip_suffix(".twin").is_some();
    if given && (is_twins || !(fits && name.value.chars().all(allowed))) {
        let problem = reader.problem(
            Code::BadName,
            &name.span,
            "the name of a case has 1 to 64 characters of a few kinds, and does not end in `.twin`",
        );
        reader.report(
            problem
                .label("not such a name")
                .help("use letters, digits, `_`, `.` and `-`"),
        );
    }
    name
}
