//! The body of `PUT sessions/NAME`: raw JSON in, a checked setup out. Every problem names what is allowed.

use holdover_fault::Fault;
use holdover_profile::{Org, Profile, Switch};
use holdover_wire::ApiError;
use serde_json::{Map, Value};

use crate::refusal;
use crate::session::SessionSetup;

use super::{account, fault, reply};

/// Members of the body.
const MEMBERS: [&str; 8] = [
    "world", "replies", "profile", "switches", "org", "accounts", "faults", "meta",
];
/// Organisations, as `Org::parse` takes them.
const ORGS: &str = "`default`, `zdr`";

/// The setup of a template with what the body changes.
pub(super) fn read(body: Option<Value>, template: SessionSetup) -> Result<SessionSetup, ApiError> {
    let body = match body {
        None => return Ok(template),
        Some(Value::Object(body)) => body,
        Some(_) => return Err(refusal::bad_own_request("the body is a JSON object".to_owned())),
    };
    apply(&body, template).map_err(refusal::bad_own_request)
}

/// The faults of a `PATCH sessions/NAME`. What else a session is made of stays as it was opened.
pub(super) fn read_change(body: Option<Value>) -> Result<Vec<Fault>, ApiError> {
    let Some(Value::Object(body)) = body else {
        return Err(refusal::bad_own_request(
            "the body is a JSON object with `faults`".to_owned(),
        ));
    };
    let read = || {
        check_members("the body of PATCH", &body, &["faults"])?;
        let faults = body
            .get("faults")
            .ok_or("a PATCH names the `faults` that it plants; `[]` takes all away")?;
        fault::read_all(faults)
    };
    read().map_err(refusal::bad_own_request)
}

fn apply(body: &Map<String, Value>, mut setup: SessionSetup) -> Result<SessionSetup, String> {
    check_members("the body", body, &MEMBERS)?;
    if let Some(world) = body.get("world") {
        setup.fake.world = text("world", world)?;
    }
    if let Some(name) = body.get("profile") {
        let mut profile = profile(&text("profile", name)?)?;
        profile.day.clone_from(&setup.fake.profile.day);
        setup.judge.profile = profile.clone();
        setup.fake.profile = profile;
    }
    if let Some(switches) = body.get("switches") {
        for switch in read_switches(switches)? {
            switch.apply(&mut setup.judge.profile);
            switch.apply(&mut setup.fake.profile);
        }
    }
    if let Some(name) = body.get("org") {
        setup.fake.org = org(&text("org", name)?)?;
    }
    if let Some(accounts) = body.get("accounts") {
        account::set_all(&mut setup.fake, accounts)?;
    }
    if let Some(faults) = body.get("faults") {
        setup.faults = fault::read_all(faults)?;
    }
    if let Some(replies) = body.get("replies") {
        setup.replies = reply::read_all(replies)?;
    }
    if let Some(meta) = body.get("meta") {
        setup.meta = serde_json::from_value(meta.clone()).map_err(|error| {
            format!("`meta` is not understood ({error}); it may have `test`, `file`, `line`")
        })?;
    }
    Ok(setup)
}

pub(super) fn check_members(whose: &str, object: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!(
            "{whose} has no member `{key}`; it may have `{}`",
            known.join("`, `")
        )),
        None => Ok(()),
    }
}

pub(super) fn text(name: &str, value: &Value) -> Result<String, String> {
    value
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| format!("`{name}` is a string"))
}

fn profile(name: &str) -> Result<Profile, String> {
    Profile::builtin(name).map_err(|error| {
        format!(
            "there is no profile `{name}`; there are `{}`",
            error.known.join("`, `")
        )
    })
}

/// `{"stream-done": "sent", "item-not-found-status": 400}`
fn read_switches(value: &Value) -> Result<Vec<Switch>, String> {
    let object = value
        .as_object()
        .ok_or("`switches` is an object: names of switches with their values")?;
    let switch = |(name, value): (&String, &Value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Switch::new(name, &value).map_err(|error| format!("switches: {error}"))
    };
    object.iter().map(switch).collect()
}

fn org(name: &str) -> Result<Org, String> {
    Org::parse(name).ok_or_else(|| format!("there is no org `{name}`; there are {ORGS}"))
}

#[cfg(test)]
mod tests {
    use holdover_fake::FakeConfig;
    use holdover_judge::JudgeConfig;
    use holdover_profile::KeepAlive;
    use serde_json::json;

    use super::*;
    use crate::session::Meta;

    fn template() -> SessionSetup {
        SessionSetup {
            fake: FakeConfig::default(),
            judge: JudgeConfig::default(),
            replies: Vec::new(),
            faults: Vec::new(),
            meta: Meta::default(),
        }
    }

    #[test]
    fn every_member_is_taken() {
        let body = json!({
            "world": "w",
            "profile": "azure",
            "switches": {"keep-alive": "event", "item-not-found-status": 404},
            "org": "zdr",
            "accounts": [{"name": "b", "region": "eu"}, {"name": "c", "keys": ["sk-c"]}],
            "faults": ["rate-limit:turn=2", {"do": "cut", "on": {"call": 3}}],
            "replies": [["reasoning", {"message": "hi"}]],
            "meta": {"test": "t", "file": "f.py", "line": 3},
        });
        let setup = read(Some(body), template()).expect("a setup");
        assert_eq!(setup.fake.world, "w");
        assert_eq!(setup.fake.profile.name, "azure");
        assert_eq!(setup.judge.profile.name, "azure");
        for profile in [&setup.fake.profile, &setup.judge.profile] {
            assert_eq!(profile.switches.keep_alive, KeepAlive::Event);
            assert_eq!(profile.switches.item_not_found_status, 404);
        }
        assert_eq!(setup.fake.org, Org::Zdr);
        assert_eq!(setup.fake.account.name, "b");
        assert_eq!(setup.fake.account.region, "eu");
        assert_eq!(setup.fake.account.organisation, "org-b");
        assert_eq!(setup.fake.others[0].account.name, "c");
        assert_eq!(setup.fake.others[0].keys, ["sk-c"]);
        assert_eq!(setup.replies.len(), 1);
        let names: Vec<&str> = setup.faults.iter().map(|fault| fault.card().name).collect();
        assert_eq!(names, ["rate-limit", "cut"]);
        assert_eq!(setup.meta.line, Some(3));
    }

    #[test]
    fn no_body_is_the_template() {
        let setup = read(None, template()).expect("a setup");
        assert_eq!(setup.fake, template().fake);
    }

    #[test]
    fn what_is_unknown_is_refused_with_what_is_allowed() {
        for (body, said) in [
            (
                json!({"wrld": "x"}),
                "no member `wrld`; it may have `world`, `replies`, `profile`",
            ),
            (json!({"profile": "nope"}), "`openai`"),
            (json!({"switches": []}), "`switches` is an object"),
            (
                json!({"switches": {"keep-alive": "often"}}),
                "expected one of `absent`, `comment`, `event`",
            ),
            (json!({"org": "x"}), "`zdr`"),
            (
                json!({"accounts": [{"key": "x"}]}),
                "it may have `name`, `organisation`",
            ),
            (json!({"accounts": [{}]}), "accounts[0]: an account has a `name`"),
            (
                json!({"accounts": [{"name": "a", "keys": ["k"]}, {"name": "b", "keys": ["k"]}]}),
                "accounts[1]: the key `k` belongs to an account before it",
            ),
            (
                json!({"accounts": [{"name": "a"}, {"name": "a"}]}),
                "accounts[1]: the name `a` belongs to an account before it",
            ),
            (json!({"faults": [{}]}), "faults[0]: {} is no fault"),
            (json!({"faults": "cut"}), "`faults` is a list"),
            (
                json!({"faults": ["pause", "cut:tun=2"]}),
                "faults[1]: `cut` has no option `tun`",
            ),
            (
                json!({"faults": ["quota", "refuse"]}),
                "`refuse` can never happen: `quota` before it",
            ),
            (json!({"meta": {"suite": "x"}}), "`test`, `file`, `line`"),
            (json!({"world": 1}), "`world` is a string"),
            (json!([]), "a JSON object"),
        ] {
            let error = read(Some(body), template()).expect_err("refused");
            assert_eq!(error.status, 400);
            assert!(error.message.contains(said), "{}", error.message);
        }
    }
}
