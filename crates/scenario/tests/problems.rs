//! Codes and places of the most important problems, written by hand. What the messages look like is held by the
//! snapshots of `tests/bad.rs`.

use holdover_scenario::{Code, Problem, parse};

#[path = "common/vocabulary.rs"]
mod vocabulary;

fn problems(text: &str) -> Vec<Problem> {
    parse("a.toml", text, &vocabulary::known()).expect_err("problems")
}

/// Code and marked text of each problem, in file order.
fn marked(text: &str) -> Vec<(&'static str, &str)> {
    let found = problems(text);
    found
        .iter()
        .map(|one| (one.code.as_str(), &text[one.at.span.clone()]))
        .collect()
}

fn only(text: &str, code: Code) -> Problem {
    let found = problems(text);
    assert_eq!(
        found.iter().map(|one| one.code).collect::<Vec<_>>(),
        [code],
        "{found:#?}"
    );
    found.into_iter().next().expect("one")
}

#[test]
fn four_mistakes_come_at_once_with_their_places() {
    let text = include_str!("bad/four_mistakes.toml");
    assert_eq!(
        marked(text),
        [
            ("E-unknown-key", "nmae"),
            ("E-syntax", ""),
            ("E-wrong-type", "\"false\""),
            ("E-unknown-slip", "\"text-only-apend\""),
        ]
    );
    let help: Vec<_> = problems(text)
        .into_iter()
        .map(|one| one.help.expect("a hint"))
        .collect();
    assert_eq!(help[0], "did you mean `name`?");
    assert_eq!(help[3], "did you mean `text-only-append`?");
}

/// The example of `docs/style.md`, An error in a scenario file.
#[test]
fn an_output_without_a_call_shows_both_halves() {
    let text = include_str!("bad/output_without_call.toml");
    let problem = only(text, Code::OutputWithoutCall);
    assert_eq!(&text[problem.at.span.clone()], "call_2");
    assert_eq!(problem.at.text, "asked for here");
    let other = problem.other.expect("the other half");
    assert_eq!(&text[other.span], "\"call_1\"");
    assert_eq!(other.text, "the only call made before turn 2 is `call_1`");
    assert_eq!(
        problem.help.as_deref(),
        Some("give the call an id in turn 1, or answer `call_1`")
    );
}

#[test]
fn a_reply_of_the_same_turn_is_no_earlier_turn() {
    let problem = only(
        include_str!("bad/output_of_the_same_turn.toml"),
        Code::OutputWithoutCall,
    );
    assert_eq!(problem.other, None);
}

#[test]
fn a_name_answers_the_one_open_call_and_no_more() {
    let call = |id: &str| format!("{{ call = {{ id = '{id}', name = 'f' }} }}");
    let text = format!(
        "name = 'a'\n[[turn]]\nuser = 'x'\nreply = [{}, {}]\n[[turn]]\ntool-output = {{ c1 = '1' }}\n[[turn]]\ntool-output = {{ f = '2' }}\n",
        call("c1"),
        call("c2")
    );
    // After `c1` has its output, only `c2` is open, so the name is enough.
    assert!(parse("a.toml", &text, &vocabulary::known()).is_ok());
    let both = text.replace("{ c1 = '1' }", "{ f = '1' }");
    assert_eq!(marked(&both)[0], ("E-ambiguous-output", "f"));
}

#[test]
fn automatic_tools_may_have_made_the_call() {
    let text = "name = 'a'\n[server]\nauto-tools = 'any'\n[[turn]]\nuser = 'x'\n[[turn]]\ntool-output = { f = '1' }\n";
    assert!(parse("a.toml", text, &vocabulary::known()).is_ok());
    let off = text.replace("'any'", "'off'");
    only(&off, Code::OutputWithoutCall);
}

#[test]
fn a_declared_model_is_a_known_one() {
    let text = "name = 'a'\n[server]\nmodel = 'mine'\nmodels = { mine = 'plain' }\n";
    assert!(parse("a.toml", text, &vocabulary::known()).is_ok());
    only("name = 'a'\n[server]\nmodel = 'mine'\n", Code::UnknownModel);
}

#[test]
fn json_errors_point_into_the_pasted_text() {
    let text = "name = 'a'\n[[turn]]\nuser = 'x'\nreply = [{ item = '''\n{\"type\":\n  oops}''' }]\n";
    let problem = only(text, Code::BadJson);
    assert_eq!(&text[problem.at.span.clone()], "o");
    assert_eq!(problem.at.span.start, text.find("oops").expect("the word"));
}

#[test]
fn a_matrix_value_is_checked_at_its_own_place_and_once() {
    let text =
        "name = 'a'\n[agent]\n[matrix]\nstate = ['client-replay', 'client-reply']\nstream = [true, false]\n";
    assert_eq!(marked(text), [("E-unknown-word", "'client-reply'")]);
}

#[test]
fn agent_and_client_point_at_each_other() {
    let text = "name = 'a'\n[agent]\n[client]\ncommand = ['x']\n";
    let problem = only(text, Code::AgentAndClient);
    assert_eq!(&text[problem.at.span.clone()], "[client]");
    assert_eq!(&text[problem.other.expect("the other half").span], "[agent]");
}

#[test]
fn an_unclosed_list_is_one_problem_at_its_beginning() {
    let text = "name = 'a'\nproves = ['P1',\nabout = 'x'\n[agent]\nstore = true\n";
    let problem = only(text, Code::Syntax);
    assert_eq!(problem.message, "this list is never closed");
    assert_eq!(&text[problem.at.span.clone()], "['P1',");
}

#[test]
fn a_missing_name_is_missed_at_the_beginning() {
    assert_eq!(only("", Code::MissingKey).at.span, 0..0);
    assert_eq!(marked("about = 'x'\n"), [("E-missing-key", "")]);
}

/// Bedrock is a wire that the played client does not speak; a client of one's own may.
#[test]
fn a_wire_that_is_not_spoken_is_a_problem_of_the_played_client_only() {
    let server = "name = \"a\"\n[server]\nprofile = \"bedrock-claude\"\n";
    for others in [
        "[client]\ncommand = [\"python\", \"agent.py\"]\n[[turn]]\nreply = [\"reasoning\", { message = \"Hi.\" }]\n",
        "[[turn]]\nreply = [\"reasoning\", { message = \"Hi.\" }]\n",
        "[[turn]]\nrequest = { method = \"POST\", path = \"/model/m/converse\", body = { messages = [] } }\n",
        "",
    ] {
        let text = format!("{server}{others}");
        assert!(parse("a.toml", &text, &vocabulary::known()).is_ok(), "{text}");
    }
    for played in [
        "[[turn]]\nuser = \"Hi\"\n",
        "[agent]\nstore = false\n[[turn]]\nuser = \"Hi\"\n",
    ] {
        let text = format!("{server}{played}");
        let problem = only(&text, Code::SettingsClash);
        assert_eq!(&text[problem.at.span.clone()], "\"bedrock-claude\"");
    }
}

/// Every request of Azure looks like one of OpenAI, and one of vLLM like one of any server of chat completions.
#[test]
fn of_several_providers_one_may_be_told_by_its_name() {
    let asks = |profiles: &[&str]| {
        let turn = |profile: &&str| format!("[[turn]]\nprofile = \"{profile}\"\nuser = \"Hi\"\n");
        format!("name = \"a\"\n{}", profiles.iter().map(turn).collect::<String>())
    };
    for told in [
        &["azure"][..],
        &["openai", "claude-5", "deepseek-v4"],
        &["azure", "claude-5", "azure"],
        &["vllm-chat", "openai"],
    ] {
        let text = asks(told);
        assert!(parse("a.toml", &text, &vocabulary::known()).is_ok(), "{text}");
    }
    for (untold, at) in [
        (&["openai", "azure"][..], "\"azure\""),
        (&["azure", "openai-strict"], "\"openai-strict\""),
        (&["vllm-chat", "deepseek-v4"], "\"vllm-chat\""),
        (&["azure", "claude-5", "vllm-chat"], "\"vllm-chat\""),
    ] {
        let text = asks(untold);
        let problem = only(&text, Code::SettingsClash);
        assert_eq!(&text[problem.at.span.clone()], at, "{text}");
        assert!(problem.help.is_some());
    }
}

#[test]
fn a_policy_beside_state_of_the_server_does_nothing() {
    let played = |state: &str| {
        format!("name = \"a\"\n[agent]\nreplay-policy = \"drop-all\"\n{state}\n[[turn]]\nuser = \"Hi\"\n")
    };
    for state in ["state = \"server-chain\"", "state = \"conversation\""] {
        let text = played(state);
        let problem = only(&text, Code::SettingsClash);
        assert_eq!(&text[problem.at.span.clone()], "replay-policy");
        assert!(problem.help.is_some());
    }
    for state in ["", "state = \"client-replay\"", "store = true"] {
        let text = played(state);
        assert!(parse("a.toml", &text, &vocabulary::known()).is_ok(), "{text}");
    }
}

#[test]
fn a_case_that_names_nothing_is_none() {
    let text = include_str!("bad/expect_case_empty.toml");
    assert_eq!(marked(text), [("E-empty-value", "{}"), ("E-empty-value", "[]")]);
}
