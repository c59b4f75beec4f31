//! The adapter's side of `holdover conformance`: one JSON line a step on standard input, one for each answer.
//!
//! A driver is an [`Adapter`]; each client has a binary that gives its own to [`serve`].

use std::io::{BufRead as _, Write as _};

use serde_json::{Map, Value, json};

/// What went wrong in a step.
pub type Failed = Box<dyn std::error::Error>;

/// What a driver does at each step behind the start.
#[expect(async_fn_in_trait, reason = "nobody else implements it")]
pub trait Adapter: Sized {
    /// Name of the client.
    const CLIENT: &'static str;
    /// Version in `Cargo.toml`.
    const VERSION: &'static str;
    /// States that the client has beside `client-replay`.
    const STATES: &'static [&'static str];

    /// Makes the client.
    fn new(start: &Start) -> Result<Self, Failed>;

    /// One turn of the user, tools and all; gives the text that the client would show.
    async fn user(&mut self, start: &Start, tools: &Tools, text: &str) -> Result<String, Failed>;

    /// The conversation as a program of this client would write it.
    fn save(&self) -> Result<String, Failed>;

    /// Reads what [`Adapter::save`] wrote.
    fn load(&mut self, saved: &str) -> Result<(), Failed>;
}

/// The first line.
pub struct Start(Value);

impl Start {
    /// A member; `null` where it is left to the client.
    pub fn get(&self, name: &str) -> &Value {
        &self.0[name]
    }

    /// A text, empty where it is left to the client.
    pub fn text(&self, name: &str) -> String {
        self.0[name].as_str().unwrap_or_default().to_owned()
    }

    /// Whether this member is `true`.
    pub fn is(&self, name: &str) -> bool {
        self.0[name] == true
    }

    /// Whether the server holds the history.
    pub fn is_chained(&self) -> bool {
        self.0["state"] == "server-chain"
    }

    /// The functions that the model may call.
    pub fn tools(&self) -> impl Iterator<Item = &Value> {
        self.0["tools"].as_array().into_iter().flatten()
    }
}

/// What each tool answers.
#[derive(Default)]
pub struct Tools(Map<String, Value>);

impl Tools {
    /// The answer of a tool.
    pub fn output(&self, name: &str) -> String {
        self.0
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    }
}

/// Answers every line until there is none.
pub async fn serve<A: Adapter>() -> Result<(), Failed> {
    let mut running: Option<Running<A>> = None;
    for line in std::io::stdin().lock().lines() {
        let step: Value = serde_json::from_str(&line?)?;
        let answer = if step["step"] == "start" {
            begin(step, &mut running)
        } else {
            let running = running.as_mut().ok_or("the first step is the start")?;
            running.step(&step).await
        };
        println!(
            "{}",
            answer.unwrap_or_else(|error| json!({"error": error.to_string()}))
        );
        std::io::stdout().flush()?;
    }
    Ok(())
}

fn begin<A: Adapter>(step: Value, running: &mut Option<Running<A>>) -> Result<Value, Failed> {
    let start = Start(step);
    if let Some(why) = absent::<A>(&start) {
        return Ok(json!({"not_applicable": why}));
    }
    if !start.get("log").is_null() {
        let all = tracing_subscriber::fmt().with_max_level(tracing_subscriber::filter::LevelFilter::TRACE);
        all.with_writer(std::io::stderr).init();
    }
    *running = Some(Running {
        adapter: A::new(&start)?,
        start,
        tools: Tools::default(),
    });
    Ok(json!({"client": A::CLIENT, "version": A::VERSION, "again": true}))
}

/// What none of these clients has.
fn absent<A: Adapter>(start: &Start) -> Option<String> {
    let state = start.text("state");
    if state != "client-replay" && !A::STATES.contains(&state.as_str()) {
        return Some(format!("the client has no {state}"));
    }
    let settings = [
        ("limit", "history_limit"),
        ("omit", "reasoning_item_id_policy"),
        ("handoff", "handoff"),
    ];
    let asked = settings.iter().find(|(_, member)| !start.get(member).is_null());
    asked.map(|(name, _)| format!("the client has no setting of this kind: {name}"))
}

struct Running<A> {
    adapter: A,
    start: Start,
    tools: Tools,
}

impl<A: Adapter> Running<A> {
    async fn step(&mut self, step: &Value) -> Result<Value, Failed> {
        let text = |name: &str| step[name].as_str().unwrap_or_default().to_owned();
        match step["step"].as_str().unwrap_or_default() {
            "user" => {
                let said = self.adapter.user(&self.start, &self.tools, &text("text")).await?;
                return Ok(json!({"text": said}));
            }
            "tool-output" => drop(self.tools.0.insert(text("tool"), step["output"].clone())),
            "save" => std::fs::write(text("file"), self.adapter.save()?)?,
            "load" => self.adapter.load(&std::fs::read_to_string(text("file"))?)?,
            "reset" => self.adapter = A::new(&self.start)?,
            other => return Err(format!("unknown step {other}").into()),
        }
        Ok(json!({}))
    }
}
