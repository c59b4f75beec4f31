//! The four ways to plant a fault do the same, also where they refuse one (`docs/architecture.md`, Command line).

use serde_json::{Value, json};

use crate::support::{Holdover, Serving};

/// One way to plant a fault.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// `[[fault]]` of the scenario that is served.
    Scenario,
    /// `--fault`
    Flag,
    /// `faults` of `PUT /_holdover/sessions/NAME`.
    Session,
    /// The name of the model.
    Model,
}

const WAYS: [Way; 4] = [Way::Scenario, Way::Flag, Way::Session, Way::Model];

/// A fault as a text, and as a table of a scenario.
struct Planted {
    text: &'static str,
    table: &'static str,
}

/// What a client gets: status, the headers that a fault may change, body.
type Got = (u16, Vec<(&'static str, Option<String>)>, Vec<u8>);

const HEADERS: [&str; 4] = [
    "content-type",
    "retry-after",
    "x-should-retry",
    "x-holdover-fault",
];

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .proxy(None);
    config.build().into()
}

fn scenario(table: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("planted.toml");
    let text = format!("name = \"planted\"\n\n[[turn]]\nuser = \"Hi\"\n\n[[fault]]\n{table}\n");
    std::fs::write(&file, text).expect("a file");
    (folder, file.to_str().expect("UTF-8").to_owned())
}

fn put(server: &Serving, faults: &Value) -> (u16, String) {
    let host = server.base_url().trim_end_matches("/v1");
    let sent = agent()
        .put(format!("{host}/_holdover/sessions/e2e"))
        .send_json(json!({"faults": faults}));
    let mut answer = sent.expect("an answer");
    (
        answer.status().as_u16(),
        answer.body_mut().read_to_string().expect("a body"),
    )
}

fn ask(server: &Serving, model: &str) -> Got {
    let sent = agent()
        .post(format!("{}/responses", server.base_url()))
        .header("authorization", "Bearer sk-holdover-e2e")
        .send_json(json!({"model": model, "input": "Hi"}));
    let mut answer = sent.expect("an answer");
    let header = |name: &&'static str| {
        let value = answer.headers().get(*name);
        (
            *name,
            value.map(|value| value.to_str().expect("ASCII").to_owned()),
        )
    };
    let headers = HEADERS.iter().map(header).collect();
    let body = answer.body_mut().read_to_vec().expect("a body");
    (answer.status().as_u16(), headers, body)
}

fn planted(way: Way, fault: &Planted) -> Got {
    match way {
        Way::Scenario => {
            let (_folder, file) = scenario(fault.table);
            ask(&Serving::start(&[&file]), "gpt-5.6")
        }
        Way::Flag => ask(&Serving::start(&["--fault", fault.text]), "gpt-5.6"),
        Way::Session => {
            let server = Serving::start(&[]);
            let (status, said) = put(&server, &json!([fault.text]));
            assert_eq!(status, 201, "{said}");
            ask(&server, "gpt-5.6")
        }
        Way::Model => ask(&Serving::start(&[]), &format!("gpt-5.6:fault={}", fault.text)),
    }
}

#[test]
fn each_way_plants_the_same_fault() {
    let table = [
        (
            Planted {
                text: "rate-limit:seconds=7,turn=1",
                table: "on = { turn = 1 }\ndo = { name = \"rate-limit\", seconds = 7 }",
            },
            429,
            Some("7"),
        ),
        (
            Planted {
                text: "should-retry",
                table: "on = {}\ndo = \"should-retry\"",
            },
            500,
            None,
        ),
        (
            Planted {
                text: "server-error-html:call=1",
                table: "on = { call = 1 }\ndo = \"server-error-html\"",
            },
            502,
            None,
        ),
    ];
    for (fault, status, retry_after) in table {
        for way in WAYS {
            let got = planted(way, &fault);
            assert_eq!(got.0, status, "{way:?} {}", fault.text);
            assert_eq!(got.1[1].1.as_deref(), retry_after, "{way:?} {}", fault.text);
            assert_eq!(got, planted(Way::Flag, &fault), "{way:?} {}", fault.text);
        }
    }
}

/// What a way says of a fault that there is not, or that can never happen.
fn refused(way: Way, fault: &Planted) -> String {
    match way {
        Way::Scenario => {
            let (_folder, file) = scenario(fault.table);
            let ended = Holdover::new(&["serve", "--listen", "127.0.0.1:0", &file]).run();
            ended.assert_code(2);
            ended.stderr
        }
        Way::Flag => {
            let ended = Holdover::new(&["serve", "--listen", "127.0.0.1:0", "--fault", fault.text]).run();
            ended.assert_code(2);
            ended.stderr
        }
        Way::Session => {
            let (status, said) = put(&Serving::start(&[]), &json!([fault.text]));
            assert_eq!(status, 400, "{said}");
            said
        }
        Way::Model => {
            let got = ask(&Serving::start(&[]), &format!("gpt-5.6:fault={}", fault.text));
            assert_eq!(got.0, 400);
            String::from_utf8(got.2).expect("UTF-8")
        }
    }
}

#[test]
fn each_way_refuses_what_is_none_and_says_what_was_meant() {
    let table = [
        (
            Planted {
                text: "rate-limt",
                table: "on = {}\ndo = \"rate-limt\"",
            },
            ["rate-limt", "rate-limit"],
        ),
        (
            Planted {
                text: "rate-limit:secnds=7",
                table: "on = {}\ndo = { name = \"rate-limit\", secnds = 7 }",
            },
            ["secnds", "seconds"],
        ),
        (
            Planted {
                text: "rate-limit:turn=0",
                table: "on = { turn = 0 }\ndo = \"rate-limit\"",
            },
            ["turn", "1"],
        ),
    ];
    for (fault, said) in table {
        for way in WAYS {
            let text = refused(way, &fault);
            for word in said {
                assert!(text.contains(word), "{way:?} {}: {text}", fault.text);
            }
        }
    }
}
