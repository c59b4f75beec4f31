//! `holdover serve` on a free port, and calls to it.

use std::io::{BufRead as _, BufReader};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use super::command::{Holdover, Killed};

/// How long the server may take until it says where it listens.
const READY_WITHIN: Duration = Duration::from_secs(30);

/// A running server; it ends with the value.
pub(crate) struct Serving {
    base_url: String,
    _process: Killed,
}

/// What a call got back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) prior_protected: Option<String>,
    pub(crate) body: Value,
}

impl Serving {
    /// Starts it with these arguments behind `serve --listen 127.0.0.1:0`.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut all = vec!["serve", "--listen", "127.0.0.1:0"];
        all.extend(arguments);
        let mut process = Holdover::new(&all).spawn();
        let base_url = base_url(process.stdout());
        Self {
            base_url,
            _process: process,
        }
    }

    /// Posts a body to a path below the base URL.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        let sent = agent()
            .post(format!("{}{path}", self.base_url))
            .header("authorization", "Bearer sk-holdover-e2e");
        answer(sent.send_json(body))
    }

    /// Posts a body with another key.
    pub(crate) fn post_as(&self, path: &str, key: &str, body: &Value) -> Answer {
        let sent = agent().post(format!("{}{path}", self.base_url));
        answer(sent.header("authorization", key).send_json(body))
    }

    /// Gets a path below the base URL with a key.
    pub(crate) fn get(&self, path: &str, key: &str) -> Answer {
        let asked = agent().get(format!("{}{path}", self.base_url));
        answer(asked.header("authorization", key).call())
    }

    /// Posts to one of Holdover's own routes, beside the base URL.
    pub(crate) fn own(&self, path: &str) -> Answer {
        let host = self.base_url.trim_end_matches("/v1");
        answer(agent().post(format!("{host}/_holdover/{path}")).send_empty())
    }

    /// Posts a body to a path beside the base URL.
    pub(crate) fn beside(&self, path: &str, body: &Value) -> Answer {
        let host = self.base_url.trim_end_matches("/v1");
        answer(agent().post(format!("{host}{path}")).send_json(body))
    }

    /// Where clients send their requests.
    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Host and port.
    pub(crate) fn address(&self) -> &str {
        self.base_url
            .trim_start_matches("http://")
            .split('/')
            .next()
            .unwrap()
    }
}

/// The first URL that the server prints.
fn base_url(stdout: std::process::ChildStdout) -> String {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let lines = BufReader::new(stdout).lines().map_while(Result::ok);
        // The sender outlives the first line, so that the server's pipe stays open.
        for line in lines {
            let _ = sender.send(line);
        }
    });
    let line = receiver
        .recv_timeout(READY_WITHIN)
        .expect("the server did not say where it listens");
    let from = line
        .find("http://")
        .unwrap_or_else(|| panic!("no base URL in the first line: {line}"));
    line[from..]
        .split([' ', '`', '"'])
        .next()
        .unwrap()
        .trim_end_matches('/')
        .to_owned()
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .proxy(None);
    config.timeout_global(Some(READY_WITHIN)).build().into()
}

fn answer(result: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Answer {
    let mut response = result.unwrap();
    let header = response.headers().get("x-holdover-prior-protected");
    Answer {
        status: response.status().as_u16(),
        prior_protected: header.map(|value| value.to_str().unwrap().to_owned()),
        body: response.body_mut().read_json().unwrap(),
    }
}
