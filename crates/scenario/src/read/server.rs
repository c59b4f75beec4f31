//! `[server]`.

use std::collections::BTreeMap;

use super::fields::{Fields, Reader};
use crate::keys::{ACCOUNT, SERVER};
use crate::problem::Located;
use crate::spec::{AccountSpec, AutoTools, ModelKind, ServerSpec};
use crate::tree::{Node, Value};

/// Words of `auto-tools`.
const AUTO_TOOLS: &[&str] = &["off", "named", "any"];

pub(crate) fn read(reader: &mut Reader<'_>, root: &Fields<'_>) -> ServerSpec {
    let Some(entry) = root.get("server") else {
        return ServerSpec::default();
    };
    let Some(fields) = reader.open(&SERVER, &entry.node) else {
        return ServerSpec::default();
    };
    let models = models(reader, &fields);
    reader.declared_models = models.keys().cloned().collect();
    ServerSpec {
        model: reader.name(&fields, "model"),
        models,
        effort: reader.plain(&fields, "effort"),
        profile: reader.name(&fields, "profile"),
        org: reader.word(&fields, "org").map(|word| word.value),
        seed: reader.number(&fields, "seed").map(|number| number.value),
        token_size: reader.number(&fields, "token-size").map(|number| number.value),
        id_shape: reader.word(&fields, "id-shape").map(|word| word.value),
        token_shape: reader.word(&fields, "token-shape").map(|word| word.value),
        encrypted: reader.word(&fields, "encrypted").map(|word| word.value),
        partial_token: reader.word(&fields, "partial-token").map(|word| word.value),
        order: reader.word(&fields, "order").map(|word| word.value),
        auto_tools: auto_tools(reader, &fields),
        accounts: accounts(reader, &fields),
    }
}

fn models(reader: &mut Reader<'_>, fields: &Fields<'_>) -> BTreeMap<String, ModelKind> {
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

fn accounts(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Vec<AccountSpec> {
    let nodes = reader.tables(fields, "accounts");
    nodes.iter().filter_map(|node| account(reader, node)).collect()
}

fn account(reader: &mut Reader<'_>, node: &Node) -> Option<AccountSpec> {
    let fields = reader.open(&ACCOUNT, node)?;
    let organisation = reader.plain(&fields, "organisation");
    let project = reader.plain(&fields, "project");
    let region = reader.plain(&fields, "region");
    let name: Located<String> = reader.text(&fields, "name")?;
    Some(AccountSpec {
        name,
        organisation,
        project,
        region,
    })
}
