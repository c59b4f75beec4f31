//! One server with one session.

use std::fmt::Write as _;

use holdover_fault::Fault;
use holdover_judge::{Export, Finding, Severity, Verdict};
use holdover_profile::Profile;
use holdover_server::{Evidence, ServerConfig, Sessions};
use holdover_wire::{AuditRecord, Reply, SessionName};
use tokio::sync::oneshot;

/// How a session is set up. What cannot be used makes the test panic: it is a mistake of the test.
#[derive(Debug)]
pub struct Setup {
    name: String,
    replies: Vec<Reply>,
    faults: Vec<Fault>,
    profile: Profile,
    fail_on: Severity,
}

impl Setup {
    /// The session of a test of this name.
    pub fn of(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            replies: Vec::new(),
            faults: Vec::new(),
            profile: Profile::openai(),
            fail_on: Severity::Error,
        }
    }

    /// The next reply of the model; the n-th request takes the n-th.
    #[must_use]
    pub fn reply(mut self, reply: Reply) -> Self {
        self.replies.push(reply);
        self
    }

    /// A fault, as `NAME:KEY=VALUE,…`.
    #[must_use]
    pub fn fault(mut self, text: &str) -> Self {
        let fault = Fault::parse_flag(text);
        self.faults
            .push(fault.unwrap_or_else(|problems| panic!("`{text}` is no fault: {problems:?}")));
        self
    }

    /// The endpoint whose behaviour is played.
    #[must_use]
    pub fn profile(mut self, name: &str) -> Self {
        self.profile = Profile::builtin(name).unwrap_or_else(|error| panic!("{error}"));
        self
    }

    /// The lowest severity that fails the test.
    #[must_use]
    pub fn fail_on(mut self, lowest: Severity) -> Self {
        self.fail_on = lowest;
        self
    }

    /// Starts it, on a free port of this machine.
    pub async fn start(self) -> Holdover {
        let session = SessionName::parse(&self.name).unwrap_or_else(|| {
            panic!(
                "`{}` is no name of a session: 1 to 64 of A-Z a-z 0-9 _ . -",
                self.name
            )
        });
        let server = holdover_server::bind(ServerConfig::default())
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        let base = format!("http://{}", server.local_addr());
        let sessions = server.sessions();
        let mut setup = sessions.setup(&session);
        setup.replies = self.replies;
        setup.faults = self.faults;
        setup.fake.profile = self.profile.clone();
        setup.judge.profile = self.profile;
        sessions
            .open(&session, setup)
            .unwrap_or_else(|error| panic!("{error}"));
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(server.run(async move {
            // The sender is dropped with the session, and then the server stops as well.
            let _ = stopped.await;
        }));
        Holdover {
            base,
            session,
            sessions,
            evidence: Evidence::default(),
            fail_on: self.fail_on,
            _stop: stop,
        }
    }
}

/// A session that is open until it is finished.
#[derive(Debug)]
pub struct Holdover {
    base: String,
    session: SessionName,
    sessions: Sessions,
    evidence: Evidence,
    fail_on: Severity,
    _stop: oneshot::Sender<()>,
}

impl Holdover {
    /// A session with nothing set up.
    pub async fn start(name: &str) -> Self {
        Setup::of(name).start().await
    }

    /// Base URL for a client, with its `/v1`.
    pub fn base_url(&self) -> String {
        format!("{}/s/{}/v1", self.base, self.session)
    }

    /// A key that names the session.
    pub fn api_key(&self) -> String {
        format!("sk-holdover-{}", self.session)
    }

    /// Text that the client lets out (a log, a dump): it is scanned for ids, payloads and reasoning.
    pub fn export(&mut self, file: &str, text: &str) {
        self.evidence.exports.push(Export {
            file: file.to_owned(),
            text: text.to_owned(),
        });
    }

    /// An audit record of the client.
    pub fn audit(&mut self, record: AuditRecord) {
        self.evidence.audit.push(record);
    }

    /// Ends the session and gives the verdict.
    pub async fn finish(self) -> Verdict {
        let report = self.sessions.finish(&self.session, self.evidence).await;
        report
            .unwrap_or_else(|| panic!("the session `{}` is gone", self.session))
            .verdict
    }

    /// Ends the session; panics when there is a finding at or above the severity that fails.
    pub async fn assert_clean(self) -> Verdict {
        let (name, fail_on) = (self.session.clone(), self.fail_on);
        let verdict = self.finish().await;
        let found: Vec<&Finding> = verdict
            .findings
            .iter()
            .filter(|finding| finding.severity >= fail_on)
            .collect();
        assert!(found.is_empty(), "holdover: session {name}\n{}", shown(&found));
        verdict
    }

    /// As [`Holdover::assert_clean`]; panics also when no reasoning item came back: silence is not success.
    pub async fn assert_carried(self) -> Verdict {
        let verdict = self.assert_clean().await;
        assert!(
            verdict.coverage.reasoning_carried > 0,
            "no reasoning item was carried ({} turns, {} issued); the fake must see a second request of the same conversation, on a reasoning model",
            verdict.coverage.turns,
            verdict.coverage.reasoning_issued,
        );
        verdict
    }
}

fn shown(findings: &[&Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        let exchange = finding.exchange.map(|number| format!("exchange {number}"));
        let place = [exchange, finding.pointer.clone(), finding.place.clone()];
        let place: Vec<String> = place.into_iter().flatten().collect();
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "{}[{}]: {}\n  at: {}",
            finding.severity.as_str(),
            finding.rule,
            finding.message,
            place.join(", ")
        );
        let members = [("sent", &finding.sent), ("expected", &finding.expected)];
        for (name, value) in members {
            if let Some(value) = value {
                let _ = writeln!(text, "  {name}: {value}");
            }
        }
        let _ = writeln!(text, "  help: {}", finding.help);
    }
    text
}
