//! The format as a reader of `docs/architecture.md` expects it.

use holdover_scenario::spec::{IdShape, SessionStore, StateMode, Table};
use holdover_scenario::{Names, Scenario, Vocabulary, expand, parse};
use holdover_wire::audit::IdPolicy;
use holdover_wire::{Reply, ReplyEnd, ReplyPart};

/// The example of `docs/architecture.md`, Scenario file.
const EXAMPLE: &str = r#"
name  = "F2_omit_resume_miss"
about = "omit strips the id; a resume that looks the reasoning up by id finds nothing"
table = "reasoning_id_policy"
world = "policy"
proves = ["P3", "P5"]

[server]
model = "gpt-5.6"
id-shape = "tenant"

[agent]
preset = "agents-sdk"
state  = "client-replay"
store  = false
session-store = "sqlite"
reasoning-item-id-policy = "omit"
slip   = "resume-by-reasoning-id"

[[turn]]
user  = "Plan the migration."
reply = ["reasoning", { call = { name = "lookup", arguments = { key = "a" } } }]

[[turn]]
tool-output = { lookup = "42" }
reply = ["reasoning", { message = "Done." }]

[[fault]]
on = { turn = 2, event = "response.output_item.done" }
do = "cut"

[export]
patterns = ["rs_tenant[A-Z]+_trace_"]

[expect]
findings = ["resume-by-stripped-id"]
result   = "resume_miss"
"#;

fn read(text: &str) -> Scenario {
    match parse("a.toml", text, &Vocabulary::default()) {
        Ok(scenario) => scenario,
        Err(problems) => panic!("{problems:#?}"),
    }
}

#[test]
fn the_example_of_the_architecture_is_read_as_it_says() {
    let scenario = read(EXAMPLE);
    assert_eq!(scenario.name.value, "F2_omit_resume_miss");
    assert_eq!(scenario.table, Some(Table::ReasoningIdPolicy));
    assert_eq!(scenario.world(), "policy");
    assert_eq!(scenario.proves, ["P3", "P5"]);
    assert_eq!(scenario.server.id_shape, Some(IdShape::Tenant));
    let agent = scenario.agent.as_ref().expect("an agent");
    assert_eq!(agent.state, StateMode::ClientReplay);
    assert_eq!(agent.store, Some(false));
    assert_eq!(agent.session_store, SessionStore::Sqlite);
    assert_eq!(agent.reasoning_item_id_policy, IdPolicy::Omit);
    assert_eq!(agent.slips[0].value, "resume-by-reasoning-id");
    assert_eq!(agent.tools[0]["name"], "lookup");
    assert_eq!(scenario.faults[0].name.value, "cut");
    assert_eq!(scenario.faults[0].on[0].0.value, "turn");
    assert_eq!(scenario.export.patterns[0].value, "rs_tenant[A-Z]+_trace_");
    assert_eq!(
        scenario.expect.result.as_ref().expect("a result").value,
        "resume_miss"
    );
}

#[test]
fn a_reply_becomes_parts_of_the_wire() {
    let scenario = read(EXAMPLE);
    let call = ReplyPart::Call {
        id: None,
        name: "lookup".to_owned(),
        arguments: Some(r#"{"key":"a"}"#.to_owned()),
    };
    let reply = Reply {
        parts: vec![ReplyPart::Reasoning { summary: None }, call],
    };
    assert_eq!(scenario.turns[0].reply, Some(reply));
    assert_eq!(scenario.turns[1].tool_outputs[0].key.value, "lookup");
    assert_eq!(scenario.turns[1].tool_outputs[0].output, "42");
}

#[test]
fn custom_calls_and_ends_are_parts_too() {
    let scenario = read(
        r#"
name = "ends"

[agent]

[[turn]]
user = "Patch it."
reply = ["reasoning", { custom-call = { id = "call_1", name = "apply", input = "*** Begin" } }, { custom-call = { name = "apply" } }, { end = { incomplete = "max_output_tokens" } }]

[[turn]]
user = "Again."
reply = [{ end = { failed = "rate_limit_exceeded", message = "Wait." } }]
"#,
    );
    let custom = |id: Option<&str>, input: Option<&str>| ReplyPart::CustomCall {
        id: id.map(str::to_owned),
        name: "apply".to_owned(),
        input: input.map(str::to_owned),
    };
    let parts = |turn: usize| {
        scenario.turns[turn]
            .reply
            .as_ref()
            .expect("a reply")
            .parts
            .clone()
    };
    let expected = vec![
        ReplyPart::Reasoning { summary: None },
        custom(Some("call_1"), Some("*** Begin")),
        custom(None, None),
        ReplyPart::End(ReplyEnd::Incomplete {
            reason: "max_output_tokens".to_owned(),
        }),
    ];
    assert_eq!(parts(0), expected);
    let failed = ReplyEnd::Failed {
        code: "rate_limit_exceeded".to_owned(),
        message: Some("Wait.".to_owned()),
    };
    assert_eq!(parts(1), vec![ReplyPart::End(failed)]);
}

#[test]
fn the_twin_has_no_slip_and_the_same_world() {
    let scenario = read(EXAMPLE);
    let twin = scenario.twin.as_ref().expect("a twin");
    assert_eq!(twin.name.value, "F2_omit_resume_miss.twin");
    assert_eq!(twin.world(), "policy");
    assert!(twin.agent.as_ref().expect("an agent").slips.is_empty());
    assert_eq!(twin.expect.findings.as_deref(), Some(&[][..]));
    assert_eq!(twin.turns, scenario.turns);
}

#[test]
fn a_matrix_multiplies_and_names_its_cases() {
    let scenario = read(
        "name = 'm'\n[agent]\nslip = 'x'\n[[turn]]\nuser = 'a'\n[matrix]\nstream = [false, true]\nagent.effort = ['low', 'high']\n",
    );
    let cases = expand(&scenario);
    let names: Vec<_> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "m[stream=false,agent.effort=low]",
            "m[stream=false,agent.effort=high]",
            "m[stream=true,agent.effort=low]",
            "m[stream=true,agent.effort=high]",
        ]
    );
    let last = &cases[3].scenario;
    assert_eq!(
        last.agent.as_ref().expect("an agent").effort.as_deref(),
        Some("high")
    );
    assert_eq!(
        last.twin.as_ref().expect("a twin").world(),
        "m[stream=true,agent.effort=high]"
    );
}

#[test]
fn a_setting_of_the_twin_stands_in_the_place_of_the_scenarios() {
    let text = "name = 'm'\n[agent]\ninclude = 'nothing'\n[[turn]]\nuser = 'a'\n[twin]\nset = { include = 'encrypted' }\nresult = 'kept'\n";
    let scenario = read(text);
    let twin = scenario.twin.as_ref().expect("a twin");
    assert_eq!(
        twin.agent
            .as_ref()
            .expect("an agent")
            .include
            .map(holdover_scenario::Include::as_str),
        Some("encrypted")
    );
    assert_eq!(twin.expect.result.as_ref().expect("a result").value, "kept");
}

#[test]
fn unknown_names_are_refused_with_the_nearest_one() {
    let vocabulary = Vocabulary {
        slips: Names::only(["text-only-append"]),
        ..Vocabulary::default()
    };
    let text = "name = 'm'\n[agent]\nslip = 'text-only-apend'\n";
    let problems = parse("a.toml", text, &vocabulary).expect_err("a problem");
    assert_eq!(problems.len(), 1, "{problems:#?}");
    assert_eq!(problems[0].code.as_str(), "E-unknown-slip");
    assert_eq!(&text[problems[0].at.span.clone()], "'text-only-apend'");
    assert_eq!(
        problems[0].help.as_deref(),
        Some("did you mean `text-only-append`?")
    );
}

#[test]
fn a_turn_that_is_refused_takes_no_reply() {
    let turn = |more: &str| format!("[[turn]]\nuser = 'x'\n{more}\n");
    let turns = [
        turn(""),
        turn("expect = { refusal = 'E06' }"),
        turn("expect = { status = 404 }\nreply = ['reasoning']"),
        turn("reply = ['message']"),
        turn(""),
    ];
    let scenario = read(&format!("name = 'a'\n[agent]\n{}", turns.concat()));
    let message = ReplyPart::Message {
        text: None,
        phase: None,
    };
    // The first turn has the default reply; behind the last reply nothing needs to be said.
    assert_eq!(scenario.script(), [None, Some(Reply { parts: vec![message] })]);
}

#[test]
fn items_and_tools_are_pasted_as_json() {
    let text = r#"
name = 'a'
[agent]
tools = ['lookup', { name = "search", parameters = {} }, '''{"type": "web_search"}''']
[[turn]]
user = 'x'
reply = [{ item = '''{"type": "custom_tool_call", "call_id": "c1", "name": "run", "input": "ls"}''' }]
[[turn]]
tool-output = { run = { lines = [1, 2] } }
"#;
    let scenario = read(text);
    let tools = &scenario.agent.as_ref().expect("an agent").tools;
    let types: Vec<_> = tools
        .iter()
        .map(|tool| tool["type"].as_str().expect("a type"))
        .collect();
    assert_eq!(types, ["function", "function", "web_search"]);
    assert_eq!(scenario.turns[1].tool_outputs[0].output, r#"{"lines":[1,2]}"#);
    let Some(ReplyPart::Item(item)) = scenario.turns[0].reply.as_ref().map(|reply| &reply.parts[0]) else {
        panic!("an item");
    };
    assert_eq!(item.call_id(), Some("c1"));
}

#[test]
fn a_real_client_has_its_command_and_no_twin() {
    let text = "name = 'a'\n[client]\ncommand = ['python', 'app.py']\ntimeout = 30\nenv = { A = 'b' }\n[[turn]]\nreply = ['message']\n";
    let scenario = read(text);
    let client = scenario.client.as_ref().expect("a client");
    assert_eq!(client.command.value, ["python", "app.py"]);
    assert_eq!((client.timeout_s, client.env["A"].as_str()), (Some(30), "b"));
    assert_eq!(scenario.twin, None);
    assert_eq!(scenario.agent, None);
}

#[test]
fn what_plants_nothing_has_no_twin_and_one_case() {
    let scenario = read("name = 'a'\n[agent]\n[[turn]]\nuser = 'x'\neffort = 'low'\n");
    assert_eq!(scenario.twin, None);
    assert_eq!(scenario.world(), "a");
    assert_eq!(scenario.turns[0].effort.as_deref(), Some("low"));
    let cases = expand(&scenario);
    assert_eq!(cases.len(), 1);
    assert_eq!(cases[0].scenario, scenario);
}
