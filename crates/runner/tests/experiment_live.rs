//! The experiment against a server that is not ours: a small model over chat completions, written here, which knows the
//! number it thought of only where its reasoning comes back.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use holdover_profile::provider::Book;
use holdover_runner::experiment::measure::Row;
use holdover_runner::experiment::server::{Evidence, Live, Secret};
use holdover_runner::experiment::{self, Plan};
use serde_json::{Value, json};

const KEY: &str = "a-key-of-the-user";

/// What the model makes of reasoning that comes back.
#[derive(Clone, Copy)]
enum Reads {
    /// It reads it.
    Everything,
    /// It never sees it.
    Nothing,
}

/// Status, type and text of an answer.
type Said = (u16, &'static str, String);

/// Starts the server and gives its base URL.
fn serve(reads: Reads) -> String {
    serve_with(move |body| answer(body, reads))
}

/// Starts a server that answers each request so.
fn serve_with(answer: impl Fn(&Value) -> Said + Copy + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let said = answer(&request(&stream));
                write(&stream, &said);
            });
        }
    });
    format!("http://{address}/api/v1")
}

/// The body of the next request.
fn request(stream: &TcpStream) -> Value {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line");
        if line.trim().is_empty() {
            break;
        }
        head.push(line.trim().to_lowercase());
    }
    assert!(head[0].starts_with("post /api/v1/chat/completions "), "{head:?}");
    assert!(head.contains(&format!("authorization: bearer {KEY}")), "{head:?}");
    let length = head.iter().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.expect("a length").parse().expect("a number")];
    reader.read_exact(&mut body).expect("a body");
    serde_json::from_slice(&body).expect("JSON")
}

fn answer(body: &Value, reads: Reads) -> Said {
    let message = model(body, reads);
    let usage = json!({"prompt_tokens": body["messages"].to_string().len(), "completion_tokens": 1, "total_tokens": 1});
    if body["stream"] == true {
        let mut delta = message;
        if let Some(calls) = delta.get_mut("tool_calls").and_then(Value::as_array_mut) {
            for (index, call) in calls.iter_mut().enumerate() {
                call["index"] = index.into();
            }
        }
        let chunk = json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]});
        let last = json!({"object": "chat.completion.chunk", "choices": [], "usage": usage});
        (
            200,
            "text/event-stream",
            format!("data: {chunk}\n\ndata: {last}\n\ndata: [DONE]\n\n"),
        )
    } else {
        let whole = json!({"object": "chat.completion", "choices": [{"index": 0, "message": message}], "usage": usage});
        (200, "application/json", whole.to_string())
    }
}

fn write(mut stream: &TcpStream, (status, kind, text): &Said) {
    let head = format!(
        "HTTP/1.1 {status} Said\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        text.len()
    );
    stream.write_all(head.as_bytes()).expect("a head");
    stream.write_all(text.as_bytes()).expect("a text");
}

/// What a model says: calls that were asked for and not made, else an answer with what it knows.
fn model(body: &Value, reads: Reads) -> Value {
    let messages = body["messages"].as_array().expect("messages");
    let asked = messages.iter().rfind(|message| message["role"] == "user");
    let asked = asked.expect("a question")["content"].as_str().expect("text");
    let after = messages
        .iter()
        .rev()
        .take_while(|message| message["role"] != "user");
    let mut outputs: Vec<(&str, &str)> = Vec::new();
    for message in after.filter(|message| message["role"] == "tool") {
        let called = messages
            .iter()
            .filter_map(|message| message["tool_calls"].as_array())
            .flatten();
        let call = called
            .clone()
            .find(|call| call["id"] == message["tool_call_id"])
            .expect("a call");
        let name = call["function"]["name"].as_str().expect("a name");
        outputs.push((name, message["content"].as_str().expect("an output")));
    }
    let worked = |tool: &str| {
        outputs
            .iter()
            .any(|(name, output)| *name == tool && !output.contains("error"))
    };
    let wanted = |tool: &str| asked.contains(&format!("`{tool}`")) && !worked(tool);
    let call = |tool: &str| {
        json!({"id": format!("call_{tool}_{}", messages.len()), "type": "function",
               "function": {"name": tool, "arguments": "{}"}})
    };
    let reasoning = "I take 480215, and tell nobody.";
    let calls: Vec<Value> = match (wanted("lookup"), wanted("fetch")) {
        (true, true) if asked.contains("both") => vec![call("lookup"), call("fetch")],
        (true, _) => vec![call("lookup")],
        (false, true) => vec![call("fetch")],
        (false, false) => Vec::new(),
    };
    if !calls.is_empty() {
        return json!({"role": "assistant", "content": "", "reasoning_content": reasoning, "tool_calls": calls});
    }
    let is_probe = asked.contains("number=");
    let came_back = messages
        .iter()
        .any(|message| message["reasoning_content"] == reasoning);
    let number = match reads {
        Reads::Everything if came_back => "480215",
        _ => "unknown",
    };
    let told: Vec<String> = outputs
        .iter()
        .map(|(name, output)| format!("; {name}={output}"))
        .collect();
    let text = if is_probe {
        format!("number={number}{}", told.concat())
    } else {
        "Grey waves.".to_owned()
    };
    json!({"role": "assistant", "content": text, "reasoning_content": reasoning})
}

fn rows(base_url: String, profile: &str) -> Vec<Row> {
    experiment::run(&Plan {
        endpoints: vec![Arc::clone(Book::builtin().find(profile).expect("an endpoint"))],
        repetitions: 3,
        seed: 7,
        live: Some(Live {
            base_url,
            // As one that was pasted with its blanks: the header, and so the server, has it without.
            key: Secret::new(&format!(" {KEY} ")),
            model: "the-model".to_owned(),
        }),
    })
}

fn results<'a>(rows: &'a [Row], reasoning: &'a str) -> impl Iterator<Item = (&'a str, &'static str)> {
    // A switch of providers begins with another provider, whose reasoning this model does not write.
    let rows = rows
        .iter()
        .filter(|row| row.cell.task.as_str() != "provider_switch");
    let rows = rows.filter(move |row| row.cell.treatment.as_str() == reasoning);
    rows.map(|row| (row.cell.task.as_str(), row.result))
}

#[test]
fn a_model_that_reads_what_comes_back_is_told_from_one_that_does_not() {
    let read = rows(serve(Reads::Everything), "kimi-k2");
    for (task, result) in results(&read, "replay") {
        // After a compaction only the last reasoning is left, which is enough.
        assert_eq!(result, "effective", "{task}");
    }
    for (task, result) in results(&read, "drop") {
        assert_eq!(result, "accepted_without_effect", "{task}");
    }
    let unread = rows(serve(Reads::Nothing), "kimi-k2");
    for (task, result) in results(&unread, "replay") {
        assert_eq!(result, "accepted_without_effect", "{task}");
    }
}

#[test]
fn rows_say_live_and_decide_and_hold_no_key() {
    let read = rows(serve(Reads::Everything), "kimi-k2");
    assert!(read.iter().all(|row| row.evidence == Evidence::Live));
    let table = String::from_utf8(experiment::table(&read)).expect("text");
    assert!(!table.contains(KEY));
    assert!(!format!("{:?}", Secret::new(KEY)).contains(KEY));
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    for row in reader.deserialize() {
        let row: std::collections::BTreeMap<String, String> = row.expect("a row");
        assert_eq!(row["evidence"], "live");
        assert!(!row["latency_ms"].is_empty());
        if ["sequential_calls", "parallel_calls", "retry_after_failure"].contains(&row["task"].as_str()) {
            assert_eq!(row["tool_call_completed"], "true", "{row:?}");
            assert_eq!(row["wrong_association"], "false", "{row:?}");
        }
    }
    let lines = experiment::summary(&read).join("\n");
    assert!(
        lines.contains("`drop_reasoning` stays off: the model read what came back"),
        "{lines}"
    );
    let lines = experiment::summary(&rows(serve(Reads::Nothing), "kimi-k2")).join("\n");
    assert!(
        lines.contains("kimi-k2, tool_loop: `drop_reasoning` may become a default"),
        "{lines}"
    );
}

#[test]
fn a_server_that_is_not_there_is_no_refusal() {
    let silent = rows("http://127.0.0.1:9/v1".to_owned(), "kimi-k2");
    // Nobody is asked again who did not answer the first time.
    assert_eq!(silent.len(), 1);
    assert_eq!(silent[0].result, "no_answer");
    assert!(
        silent[0].cells()[24].contains("no answer: "),
        "{:?}",
        silent[0].cells()
    );
    let why = experiment::turned_away(&silent).expect("nothing was measured");
    assert!(why.starts_with("no answer: "), "{why}");
}

#[test]
fn a_server_that_refuses_the_key_or_the_path_is_asked_no_further() {
    for status in [401, 403] {
        let refused = rows(
            serve_with(move |_| {
                let error = json!({"error": {"message": "no such key"}});
                (status, "application/json", error.to_string())
            }),
            "kimi-k2",
        );
        assert_eq!(refused.len(), 1);
        let why = experiment::turned_away(&refused);
        assert_eq!(why, Some(format!("{status}: no such key")));
    }
    // Neither is one that has no such path: another `--base-url` is meant.
    for status in [404, 405] {
        let lost = rows(
            serve_with(move |_| (status, "text/html", "<h1>Not here</h1>".to_owned())),
            "kimi-k2",
        );
        assert_eq!(lost.len(), 1);
        let why = experiment::turned_away(&lost);
        assert_eq!(why, Some(format!("{status}, without an error message")));
    }
    // Any other refusal is an answer about the request.
    let refused = rows(
        serve_with(|_| {
            (
                400,
                "application/json",
                json!({"error": {"message": "no"}}).to_string(),
            )
        }),
        "kimi-k2",
    );
    assert!(refused.len() > 1);
    assert_eq!(experiment::turned_away(&refused), None);
}

#[test]
fn a_200_that_is_no_completion_is_no_answer() {
    let rows = rows(
        serve_with(|_| (200, "text/html", "<html>sign in</html>".to_owned())),
        "kimi-k2",
    );
    let live = || rows.iter().filter(|row| row.evidence == Evidence::Live);
    assert!(live().count() > 0);
    for row in live() {
        assert_eq!(row.result, "no_answer");
        assert!(row.cells()[24].contains("no answer: a 200 that is no chat completion"));
    }
}

/// A stream whose last chunk says why it finished is whole, though `[DONE]` is missing and no line ends it.
#[test]
fn a_reason_to_finish_ends_a_stream() {
    let rows = rows(
        serve_with(|body| {
            let (status, kind, text) = answer(body, Reads::Nothing);
            let last = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
            (
                status,
                kind,
                text.replace("data: [DONE]\n\n", &format!("data: {last}")),
            )
        }),
        "kimi-k2",
    );
    for (task, result) in results(&rows, "replay") {
        assert_eq!(result, "accepted_without_effect", "{task}");
    }
}

#[test]
fn a_server_that_repeats_the_key_does_not_get_it_into_the_table() {
    let rows = rows(
        serve_with(|_| {
            let message = format!(
                "Incorrect API key provided: {KEY}.\nYou sent {KEY}. {}",
                "Sorry. ".repeat(99)
            );
            let error = json!({"error": {"message": message, "code": "invalid_api_key"}});
            (401, "application/json", error.to_string())
        }),
        "kimi-k2",
    );
    let table = String::from_utf8(experiment::table(&rows)).expect("text");
    assert!(!table.contains(KEY), "{table}");
    let mut notes = rows.iter().map(|row| row.cells()[24].clone());
    let note = notes.find(|note| note.contains("401")).expect("a note");
    assert!(
        note.starts_with("401: Incorrect API key provided: [key]. You sent [key]. Sorry."),
        "{note}"
    );
    assert!(note.ends_with('…') && note.chars().count() == 301, "{note}");
}

/// Our own fake behind a URL proves no more than it does without one.
#[tokio::test(flavor = "multi_thread")]
async fn our_own_fake_stays_simulated() {
    let server = holdover_server::bind(holdover_server::ServerConfig::default())
        .await
        .expect("a port");
    let base_url = format!("http://{}/v1", server.local_addr());
    tokio::spawn(server.run(std::future::pending()));
    let rows = tokio::task::spawn_blocking(move || rows(base_url, "kimi-k2"))
        .await
        .expect("rows");
    assert!(rows.iter().all(|row| row.evidence == Evidence::Simulated));
}
