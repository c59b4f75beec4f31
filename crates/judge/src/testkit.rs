//! Recordings for tests, in few words: items by number, exchanges by their bodies.

pub(crate) mod chat;

use holdover_wire::Members as _;
use holdover_wire::audit::AuditRecord;
use holdover_wire::recording::Exchange;
use serde_json::{Value, json};

use crate::{Export, Finding, Judge, JudgeConfig, Verdict};

/// Id of the server grammar; `flag` is `00` (kept) or `01` (`tests/facts/items.md`, Ids).
pub(crate) fn id(prefix: &str, flag: &str, number: u64) -> String {
    let tail = blake3::hash(format!("{prefix} {number}").as_bytes()).to_hex();
    format!("{prefix}_00000000000000aa{flag}6afd86c0{}", &tail[..24])
}

/// Token number `number` in one of its three sealings; all letters after the head differ.
pub(crate) fn token(number: u64, sealing: &str) -> String {
    let mut text = String::from("gAAAAABq_YbE");
    let mut word = blake3::hash(format!("{number} {sealing}").as_bytes());
    for _ in 0..4 {
        text.push_str(&word.to_hex());
        word = blake3::hash(word.as_bytes());
    }
    text.push_str("-_==");
    text
}

/// A reasoning item as a JSON answer carries it.
pub(crate) fn rs(number: u64) -> Value {
    json!({"id": id("rs", "01", number), "type": "reasoning", "encrypted_content": token(number, "done"), "summary": []})
}

/// A reasoning item that the server keeps, without token.
pub(crate) fn kept_rs(number: u64) -> Value {
    json!({"id": id("rs", "00", number), "type": "reasoning", "summary": []})
}

/// An assistant message.
pub(crate) fn msg(number: u64, text: &str) -> Value {
    json!({"id": id("msg", "01", number), "type": "message", "status": "completed", "role": "assistant",
        "content": [{"type": "output_text", "annotations": [], "text": text}]})
}

/// A call of `lookup`.
pub(crate) fn fc(number: u64, call_id: &str) -> Value {
    json!({"id": id("fc", "01", number), "type": "function_call", "status": "completed", "call_id": call_id,
        "name": "lookup", "arguments": format!("{{\"key\":{number}}}")})
}

/// The output of a call.
pub(crate) fn fo(call_id: &str, output: &str) -> Value {
    json!({"type": "function_call_output", "call_id": call_id, "output": output})
}

/// A user message.
pub(crate) fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

/// An assistant message in the easy form.
pub(crate) fn easy(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

/// The item without one of its members.
pub(crate) fn without(item: &Value, member: &str) -> Value {
    let mut item = item.clone();
    item.as_object_mut().expect("an item").shift_remove(member);
    item
}

/// The item with a member set.
pub(crate) fn with(item: &Value, member: &str, value: impl Into<Value>) -> Value {
    let mut item = item.clone();
    item.as_object_mut()
        .expect("an item")
        .insert(member.to_owned(), value.into());
    item
}

/// A session under test.
pub(crate) struct Talk {
    judge: Judge,
    base: Value,
    responses: u64,
    headers: Value,
    at_ms: u64,
}

impl Talk {
    /// A stateless client that asks for tokens.
    pub(crate) fn stateless() -> Self {
        Self::with_base(
            json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"]}),
        )
    }

    /// A client whose responses the server keeps.
    pub(crate) fn stored() -> Self {
        Self::with_base(json!({"model": "gpt-5.6"}))
    }

    /// A client with these members in every request.
    pub(crate) fn with_base(base: Value) -> Self {
        Self {
            judge: Judge::new(JudgeConfig::default()).expect("a judge"),
            base,
            responses: 0,
            headers: json!({}),
            at_ms: 0,
        }
    }

    /// With another configuration.
    pub(crate) fn judged_by(mut self, config: JudgeConfig) -> Self {
        self.judge = Judge::new(config).expect("a judge");
        self
    }

    /// With other members in every further request.
    pub(crate) fn set(&mut self, member: &str, value: impl Into<Value>) -> &mut Self {
        self.base = with(&self.base, member, value);
        self
    }

    /// Without this member in further requests.
    pub(crate) fn unset(&mut self, member: &str) -> &mut Self {
        self.base = without(&self.base, member);
        self
    }

    /// With a request header from now on.
    pub(crate) fn header(&mut self, name: &str, value: &str) -> &mut Self {
        self.headers[name] = value.into();
        self
    }

    /// Lets time pass.
    pub(crate) fn wait_ms(&mut self, milliseconds: u64) -> &mut Self {
        self.at_ms += milliseconds;
        self
    }

    /// Id of the response of this number, from 1.
    pub(crate) fn response_id(&self, number: u64) -> String {
        let flag = if self.base.member("store") == Some(&json!(false)) {
            "01"
        } else {
            "00"
        };
        id("resp", flag, number)
    }

    pub(crate) fn body(&self, input: &[Value]) -> Value {
        with(&self.base, "input", input.to_vec())
    }

    /// Any exchange, as a line of a recording.
    pub(crate) fn exchange(&mut self, line: Value) -> &mut Self {
        let mut exchange: Exchange = serde_json::from_value(line).expect("an exchange");
        exchange.at_ms = self.at_ms;
        if exchange.request.headers.is_empty() {
            exchange.request.headers = self.headers.as_object().expect("headers").clone();
        }
        self.judge.observe(&exchange);
        self
    }

    /// A request with a JSON answer.
    pub(crate) fn turn(&mut self, input: &[Value], output: &[Value]) -> &mut Self {
        self.responses += 1;
        let response =
            json!({"id": self.response_id(self.responses), "status": "completed", "output": output});
        let line = json!({"request": {"body": self.body(input)}, "response": {"body": response}});
        self.exchange(line)
    }

    /// A request with a streamed answer: `added` without content and with a short token, `done`, and a terminal
    /// object whose tokens are sealed again.
    pub(crate) fn stream(&mut self, input: &[Value], output: &[Value]) -> &mut Self {
        self.responses += 1;
        let mut events = Vec::new();
        for (index, item) in output.iter().enumerate() {
            let mut added = item.clone();
            let mut sealed = item.clone();
            if let Some(token) = item.member("encrypted_content").and_then(Value::as_str) {
                added["encrypted_content"] = token[..100].into();
                sealed["encrypted_content"] = format!("{}again", &token[..200]).into();
            }
            if added["type"] == "message" {
                added["content"] = json!([]);
            }
            events.push(json!({"type": "response.output_item.added", "output_index": index, "item": added}));
            events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
        }
        let response =
            json!({"id": self.response_id(self.responses), "status": "completed", "output": output});
        events.push(json!({"type": "response.completed", "response": response}));
        let line = json!({"transport": "sse", "request": {"body": self.body(input)}, "response": {"events": events}});
        self.exchange(line)
    }

    /// A request that is refused.
    pub(crate) fn refused(
        &mut self,
        input: &[Value],
        status: u16,
        message: &str,
        code: Option<&str>,
    ) -> &mut Self {
        let error = json!({"error": {"message": message, "type": "invalid_request_error", "param": "input", "code": code}});
        let line =
            json!({"request": {"body": self.body(input)}, "response": {"status": status, "body": error}});
        self.exchange(line)
    }

    /// An audit record.
    pub(crate) fn audit(&mut self, record: Value) -> &mut Self {
        let record: AuditRecord = serde_json::from_value(record).expect("an audit record");
        self.judge.observe_audit(&record);
        self
    }

    /// An export.
    pub(crate) fn export(&mut self, file: &str, text: &str) -> &mut Self {
        self.judge.observe_export(&Export {
            file: file.to_owned(),
            text: text.to_owned(),
        });
        self
    }

    /// Findings that are settled so far.
    pub(crate) fn live(&self) -> Vec<String> {
        self.judge.findings().iter().map(label).collect()
    }

    /// The verdict.
    ///
    /// Whatever fires says what was sent, what was expected and how to mend it (law 7 of `docs/architecture.md`).
    pub(crate) fn verdict(self) -> Verdict {
        let verdict = self.judge.finish();
        for finding in &verdict.findings {
            let is_whole = finding.sent.is_some() && finding.expected.is_some() && !finding.help.is_empty();
            let is_placed = finding.exchange.is_some() || finding.place.is_some();
            assert!(is_whole && is_placed, "{finding:?}");
        }
        verdict
    }

    /// All findings as `rule:severity`, in order.
    pub(crate) fn found(self) -> Vec<String> {
        self.verdict().findings.iter().map(label).collect()
    }
}

/// `rule:severity`, with the rules of `also` after a plus sign.
pub(crate) fn label(finding: &Finding) -> String {
    let mut text = format!("{}:{}", finding.rule, finding.severity.as_str());
    for name in &finding.also {
        text.push('+');
        text.push_str(name);
    }
    text
}
