//! A HAR file as a proxy in front of an agent writes it, of any length, written entry by entry.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

/// Second of the first exchange.
const BEGAN: usize = 1_795_000_000;
/// Characters of the token of a reasoning item.
const TOKEN_CHARS: usize = 1_000;
/// Words of an answer.
const ANSWER_WORDS: usize = 60;

/// What a capture holds: conversations of which each sends its whole history with every turn.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) conversations: usize,
    pub(crate) turns: usize,
    /// Words of each question; an agent that reads files into its questions has many.
    pub(crate) question_words: usize,
    /// The conversation, from zero, whose last request has the last answer as text only.
    pub(crate) loses: usize,
}

impl Shape {
    /// The number of the exchange in which the text stands without its reasoning.
    pub(crate) fn lost_at(self) -> usize {
        (self.loses + 1) * self.turns
    }
}

/// What was written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    pub(crate) bytes: u64,
    pub(crate) largest_entry: u64,
    /// Bytes of the items, each once.
    pub(crate) distinct: u64,
}

/// Writes the capture. The same shape gives the same bytes.
pub(crate) fn write(shape: Shape, path: &Path) -> io::Result<Size> {
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut size = Size::default();
    let mut letters = Letters(1);
    write!(
        file,
        r#"{{"log":{{"version":"1.2","creator":{{"name":"a proxy","version":"1"}},"entries":["#
    )?;
    for conversation in 0..shape.conversations {
        let mut history: Vec<String> = Vec::new();
        for turn in 0..shape.turns {
            let second = BEGAN + 60 * (conversation * shape.turns + turn);
            history.push(user(&letters.words(shape.question_words)));
            let answer = letters.answer(second);
            let entry = entry(&history, &answer, second);
            let separator = if conversation + turn == 0 { "" } else { ",\n" };
            write!(file, "{separator}{entry}")?;
            size.largest_entry = size.largest_entry.max(entry.len() as u64);
            if shape.loses == conversation && turn + 2 == shape.turns {
                history.push(format!(r#"{{"role":"assistant","content":"{}"}}"#, answer.text));
            } else {
                history.extend([answer.reasoning, answer.message]);
            }
        }
        size.distinct += history.iter().map(|item| item.len() as u64).sum::<u64>();
    }
    file.write_all(b"]}}")?;
    file.flush()?;
    size.bytes = file.get_ref().metadata()?.len();
    Ok(size)
}

fn user(text: &str) -> String {
    format!(r#"{{"role":"user","content":"{text}"}}"#)
}

/// One entry: the bodies are texts in it, as in every HAR file.
fn entry(history: &[String], answer: &Answer, second: usize) -> String {
    let request = format!(
        r#"{{"model":"gpt-5.6","store":false,"include":["reasoning.encrypted_content"],"instructions":"Be brief.","input":[{}]}}"#,
        history.join(",")
    );
    let response = format!(
        r#"{{"id":"{}","object":"response","status":"completed","model":"gpt-5.6","output":[{},{}]}}"#,
        answer.id, answer.reasoning, answer.message
    );
    let minutes = (second - BEGAN) / 60;
    let started = format!(
        "2026-11-{:02}T{:02}:{:02}:00.000Z",
        1 + minutes / 1440,
        minutes / 60 % 24,
        minutes % 60
    );
    format!(
        r#"{{"startedDateTime":"{started}","request":{{"method":"POST","url":"https://api.openai.com/v1/responses","headers":[{{"name":"authorization","value":"Bearer sk-proj-captured"}}],"postData":{{"mimeType":"application/json","text":{}}}}},"response":{{"status":200,"headers":[],"content":{{"mimeType":"application/json","text":{}}}}}}}"#,
        serde_json::Value::from(request),
        serde_json::Value::from(response)
    )
}

/// A reasoning item and a message, as JSON.
struct Answer {
    id: String,
    reasoning: String,
    message: String,
    text: String,
}

/// Letters that look random and are the same in every run.
struct Letters(u64);

impl Letters {
    fn next(&mut self, below: usize) -> usize {
        // Knuth's MMIX generator; its upper bits are good enough.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % below
    }

    fn of(&mut self, alphabet: &[u8], count: usize) -> String {
        (0..count)
            .map(|_| char::from(alphabet[self.next(alphabet.len())]))
            .collect()
    }

    /// Words of a small vocabulary, as a text has them.
    fn words(&mut self, count: usize) -> String {
        const SYLLABLES: [&str; 16] = [
            "mi", "gra", "tion", "sche", "ma", "roll", "out", "plan", "free", "ze", "ta", "ble", "in", "dex",
            "lock", "key",
        ];
        let word = |letters: &mut Self| -> String {
            (0..3).map(|_| SYLLABLES[letters.next(SYLLABLES.len())]).collect()
        };
        let words: Vec<String> = (0..count).map(|_| word(self)).collect();
        words.join(" ")
    }

    /// Ids in the present grammar (`tests/facts/items.md`, Ids), and a token of the shape that real ones have.
    fn answer(&mut self, second: usize) -> Answer {
        const HEX: &[u8] = b"0123456789abcdef";
        const TOKEN: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let partition = self.of(HEX, 16);
        let mut id = |prefix: &str| format!("{prefix}_{partition}01{second:08x}{}", self.of(HEX, 24));
        let (response, reasoning, message) = (id("resp"), id("rs"), id("msg"));
        let token = self.of(TOKEN, TOKEN_CHARS);
        let text = self.words(ANSWER_WORDS);
        Answer {
            id: response,
            reasoning: format!(
                r#"{{"type":"reasoning","id":"{reasoning}","summary":[],"encrypted_content":"gAAAAAB{token}"}}"#
            ),
            message: format!(
                r#"{{"type":"message","id":"{message}","role":"assistant","status":"completed","content":[{{"type":"output_text","text":"{text}","annotations":[]}}]}}"#
            ),
            text,
        }
    }
}
