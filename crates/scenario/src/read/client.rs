//! `[client]`.

use super::fields::{Fields, Reader};
use crate::keys::CLIENT;
use crate::problem::{Code, Located};
use crate::spec::ClientSpec;

pub(crate) fn read(reader: &mut Reader<'_>, root: &Fields<'_>) -> Option<ClientSpec> {
    let entry = root.get("client")?;
    let fields = reader.open(&CLIENT, &entry.node)?;
    let timeout_s = reader.number(&fields, "timeout").map(|number| number.value);
    let env = reader.text_map(&fields, "env");
    let words = reader.texts(&fields, "command");
    let command = fields.get("command")?;
    if words.is_empty() {
        let problem = reader.problem(Code::EmptyValue, &command.node.span, "`command` names no program");
        reader.report(
            problem
                .label("nothing to run")
                .help("name the program, then its arguments"),
        );
    }
    let words = words.into_iter().map(|word| word.value).collect();
    Some(ClientSpec {
        command: Located::new(words, command.node.span.clone()),
        timeout_s,
        env,
    })
}
