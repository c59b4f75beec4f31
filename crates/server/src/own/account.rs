//! Accounts in the body of `PUT sessions/NAME`, with the members that `[[account]]` of a scenario file has.

use std::collections::BTreeSet;

use holdover_fake::{Account, FakeConfig, OtherAccount};
use serde_json::{Map, Value};

use super::setup::{check_members, text};

/// Members of an account.
const MEMBERS: [&str; 5] = ["name", "organisation", "project", "region", "keys"];

/// Gives a fake these accounts instead of its own; none leaves it as it is. The error is a whole sentence.
pub(super) fn set_all(fake: &mut FakeConfig, value: &Value) -> Result<(), String> {
    let list = value.as_array().ok_or("`accounts` is a list")?;
    let mut taken = BTreeSet::new();
    let mut read_one = |(index, value): (usize, &Value)| {
        read(value)
            .and_then(|account| once(&mut taken, account))
            .map_err(|reason| format!("accounts[{index}]: {reason}"))
    };
    let accounts: Vec<_> = list
        .iter()
        .enumerate()
        .map(&mut read_one)
        .collect::<Result<_, _>>()?;
    let mut accounts = accounts.into_iter();
    if let Some(first) = accounts.next() {
        fake.account = first.account;
        fake.others = accounts.collect();
    }
    Ok(())
}

fn read(value: &Value) -> Result<OtherAccount, String> {
    let members = value.as_object().ok_or("an account is an object")?;
    check_members("an account", members, &MEMBERS)?;
    let name = member(members, "name")?.ok_or("an account has a `name`")?;
    let or = |name: &str, default: String| Ok::<_, String>(member(members, name)?.unwrap_or(default));
    Ok(OtherAccount {
        account: Account {
            organisation: or("organisation", format!("org-{name}"))?,
            project: or("project", format!("proj_{name}"))?,
            region: or("region", Account::default().region)?,
            name,
        },
        keys: keys(members)?,
    })
}

fn member(members: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    members.get(name).map(|value| text(name, value)).transpose()
}

fn keys(members: &Map<String, Value>) -> Result<Vec<String>, String> {
    let Some(keys) = members.get("keys") else {
        return Ok(Vec::new());
    };
    let list = keys.as_array().ok_or("`keys` is a list of strings")?;
    list.iter().map(|key| text("keys", key)).collect()
}

/// A call must belong to one account.
fn once(taken: &mut BTreeSet<(&'static str, String)>, account: OtherAccount) -> Result<OtherAccount, String> {
    let name = std::iter::once(("name", &account.account.name));
    let keys = account.keys.iter().map(|key| ("key", key));
    for (what, text) in name.chain(keys) {
        if !taken.insert((what, text.clone())) {
            return Err(format!("the {what} `{text}` belongs to an account before it"));
        }
    }
    Ok(account)
}
