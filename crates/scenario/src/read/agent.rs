//! `[agent]`.

use holdover_wire::audit::Handover;

use super::fields::{Fields, Reader};
use super::tool;
use super::turn::Script;
use crate::keys::{AGENT, HANDOVER};
use crate::problem::{Code, Located};
use crate::spec::{AgentSpec, PolicySpec, Streaming};
use crate::suggest::hint;
use crate::tree::Value;

pub(crate) fn read(reader: &mut Reader<'_>, root: &Fields<'_>, script: &Script) -> Option<AgentSpec> {
    let entry = root.get("agent")?;
    let fields = reader.open(&AGENT, &entry.node)?;
    let default = AgentSpec::default();
    Some(AgentSpec {
        preset: reader.name(&fields, "preset"),
        state: reader
            .word(&fields, "state")
            .map_or(default.state, |word| word.value),
        store: reader.flag(&fields, "store"),
        stream: streaming(reader, &fields),
        include: reader.word(&fields, "include").map(|word| word.value),
        effort: reader.plain(&fields, "effort"),
        summary: reader.plain(&fields, "summary"),
        instructions: reader.plain(&fields, "instructions"),
        session_store: reader
            .word(&fields, "session-store")
            .map_or(default.session_store, |word| word.value),
        reasoning_item_id_policy: reader
            .word(&fields, "reasoning-item-id-policy")
            .map_or(default.reasoning_item_id_policy, |word| word.value),
        replay_policy: replay_policy(reader, &fields),
        resume_policy: reader.word(&fields, "resume-policy").map(|word| word.value),
        resume_before: reader.number(&fields, "resume-before"),
        compact_before: reader.number(&fields, "compact-before"),
        history_limit: reader.number(&fields, "history-limit").map(|number| number.value),
        recover: reader.flag(&fields, "recover"),
        callback: reader.word(&fields, "callback").map(|word| word.value),
        exports: reader.words(&fields, "exports"),
        handover: handover(reader, &fields),
        tools: tool::read(reader, &fields, script),
        slips: reader.name_or_names(&fields, "slip"),
    })
}

/// `transport`, else `stream`; both would say the same thing twice.
fn streaming(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Streaming {
    let transport = reader.word::<Streaming>(fields, "transport");
    let flag = reader.flag(fields, "stream");
    if let (Some(transport), Some(entry)) = (&transport, fields.get("stream")) {
        let message = "`transport` and `stream` both say how answers come";
        let problem = reader.problem(Code::SettingsClash, &entry.key_span, message);
        reader.report(
            problem
                .label("said here")
                .other(transport.span.clone(), "and here")
                .help("keep `transport`"),
        );
    }
    match (transport.map(|word| word.value), flag) {
        (Some(transport), _) => transport,
        (None, Some(true)) => Streaming::Sse,
        (None, Some(false) | None) => Streaming::Json,
    }
}

/// A name, a file, or a table.
fn replay_policy(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Option<PolicySpec> {
    let node = &fields.get("replay-policy")?.node;
    match &node.value {
        Value::Table(_) => Some(PolicySpec::Inline(Located::new(
            node.to_json(),
            node.span.clone(),
        ))),
        Value::Text(text) if is_file(text) => {
            Some(PolicySpec::File(Located::new(text.clone(), node.span.clone())))
        }
        Value::Text(text) => {
            let known = &reader.vocabulary.policies;
            if known.has(text) {
                return Some(PolicySpec::Named(Located::new(text.clone(), node.span.clone())));
            }
            let names: Vec<&str> = known.list().iter().map(String::as_str).collect();
            let help = hint(text, &names, "the policies are");
            let message = format!("there is no policy `{text}`");
            let problem = reader.problem(Code::UnknownPolicy, &node.span, message);
            reader.report(problem.label("no such policy").help(help));
            None
        }
        _ => {
            reader.wrong_type("`replay-policy`", "a name, a file or a table", node);
            None
        }
    }
}

fn is_file(text: &str) -> bool {
    std::path::Path::new(text)
        .extension()
        .is_some_and(|extension| extension == "toml")
}

fn handover(reader: &mut Reader<'_>, agent: &Fields<'_>) -> Option<Handover> {
    let entry = agent.get("handover")?;
    let fields = reader.open(&HANDOVER, &entry.node)?;
    Some(Handover {
        peer_needs_id: reader.flag(&fields, "peer-needs-id").map(Into::into),
        resume_key: reader.plain(&fields, "resume-key").map(Into::into),
        export_public: reader.flag(&fields, "export-public").map(Into::into),
    })
}
