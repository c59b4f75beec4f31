//! `[server]`.

use std::collections::BTreeMap;

use super::fields::{Fields, Reader};
use crate::keys::{ACCOUNT, SERVER};
use crate::problem::{Code, Located, Span};
use crate::spec::{AccountSpec, AutoTools, ModelKind, ServerSpec, SwitchSpec};
use crate::tree::{Node, Value};

/// Words of `auto-tools`.
const AUTO_TOOLS: &[&str] = &["off", "named", "any"];

pub(crate) fn read(reader: &mut Reader<'_>, root: &Fields<'_>) -> ServerSpec {
    let mut server = server(reader, root).unwrap_or_default();
    server.accounts.extend(accounts(reader, root, "account"));
    check_keys(reader, &server.accounts);
    server
}

fn server(reader: &mut Reader<'_>, root: &Fields<'_>) -> Option<ServerSpec> {
    let entry = root.get("server")?;
    let fields = reader.open(&SERVER, &entry.node)?;
    let models = models(reader, &fields);
    reader.declared_models = models.keys().cloned().collect();
    Some(ServerSpec {
        model: reader.name(&fields, "model"),
        models,
        effort: reader.plain(&fields, "effort"),
        profile: reader.name(&fields, "profile"),
        switches: switches(reader, &fields),
        org: reader.word(&fields, "org").map(|word| word.value),
        seed: reader.number(&fields, "seed").map(|number| number.value),
        token_size: reader.number(&fields, "token-size").map(|number| number.value),
        id_shape: reader.word(&fields, "id-shape").map(|word| word.value),
        token_shape: reader.word(&fields, "token-shape").map(|word| word.value),
        encrypted: reader.word(&fields, "encrypted").map(|word| word.value),
        partial_token: reader.word(&fields, "partial-token").map(|word| word.value),
        order: reader.word(&fields, "order").map(|word| word.value),
        auto_tools: auto_tools(reader, &fields),
        accounts: accounts(reader, &fields, "accounts"),
    })
}

/// The models that a table declares.
pub(crate) fn models(reader: &mut Reader<'_>, fields: &Fields<'_>) -> BTreeMap<String, ModelKind> {
    let Some(entry) = fields.get("models") else {
        return BTreeMap::new();
    };
    if !matches!(entry.node.value, Value::Table(_)) {
        reader.wrong_type("`models`", "a table", &entry.node);
    }
    let entries = entry.node.entries().iter();
    let kinds = entries.filter_map(|entry| {
        let kind = reader.word_of(&format!("model `{}`", entry.key), &entry.node)?;
        Some((entry.key.clone(), kind.value))
    });
    kinds.collect()
}

/// The switches that a table sets: a word or a number each.
fn switches(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Vec<SwitchSpec> {
    let Some(entry) = fields.get("switches") else {
        return Vec::new();
    };
    if !matches!(entry.node.value, Value::Table(_)) {
        reader.wrong_type("`switches`", "a table", &entry.node);
    }
    let mut switches = Vec::new();
    for entry in entry.node.entries() {
        let value = match &entry.node.value {
            Value::Text(text) => text.clone(),
            Value::Integer(Some(number)) => number.to_string(),
            _ => {
                let what = format!("switch `{}`", entry.key);
                reader.wrong_type(&what, "a string or a number", &entry.node);
                continue;
            }
        };
        switches.push(SwitchSpec {
            name: Located::new(entry.key.clone(), entry.key_span.clone()),
            value: Located::new(value, entry.node.span.clone()),
        });
    }
    switches
}

fn auto_tools(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Option<AutoTools> {
    let entry = fields.get("auto-tools")?;
    match &entry.node.value {
        Value::Text(word) => match word.as_str() {
            "off" => Some(AutoTools::Off),
            "named" => Some(AutoTools::Named),
            "any" => Some(AutoTools::Any),
            _ => {
                reader.unknown_word("`auto-tools`", word, AUTO_TOOLS, &entry.node.span);
                None
            }
        },
        Value::List(_) => {
            let names = reader.texts(fields, "auto-tools");
            Some(AutoTools::List(
                names.into_iter().map(|name| name.value).collect(),
            ))
        }
        _ => {
            reader.wrong_type("`auto-tools`", "a string or a list of strings", &entry.node);
            None
        }
    }
}

fn accounts(reader: &mut Reader<'_>, fields: &Fields<'_>, key: &str) -> Vec<AccountSpec> {
    let nodes = reader.tables(fields, key);
    nodes.iter().filter_map(|node| account(reader, node)).collect()
}

fn account(reader: &mut Reader<'_>, node: &Node) -> Option<AccountSpec> {
    let fields = reader.open(&ACCOUNT, node)?;
    let organisation = reader.plain(&fields, "organisation");
    let project = reader.plain(&fields, "project");
    let region = reader.plain(&fields, "region");
    let keys = reader.texts(&fields, "keys");
    let name: Located<String> = reader.text(&fields, "name")?;
    Some(AccountSpec {
        name,
        organisation,
        project,
        region,
        keys,
    })
}

/// Two accounts have two names, and no key in common: a call must belong to one of them.
fn check_keys(reader: &mut Reader<'_>, accounts: &[AccountSpec]) {
    let mut names = BTreeMap::new();
    let mut keys = BTreeMap::new();
    for account in accounts {
        once(reader, &mut names, "an account", &account.name);
        for key in &account.keys {
            once(reader, &mut keys, "a key of an account", key);
        }
    }
}

fn once(reader: &mut Reader<'_>, seen: &mut BTreeMap<String, Span>, what: &str, text: &Located<String>) {
    let Some(first) = seen.insert(text.value.clone(), text.span.clone()) else {
        return;
    };
    let message = format!("`{}` is {what} twice", text.value);
    let problem = reader.problem(Code::SettingsClash, &text.span, message);
    reader.report(
        problem
            .label("again here")
            .other(first, "taken here")
            .help("let each call belong to one account"),
    );
}
