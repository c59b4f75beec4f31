//! `prefix-not-byte-stable`: what was sent before is sent again with other bytes.

use std::sync::Arc;

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::hash::{Hash, Hasher};
use crate::provider::Sent;
use crate::rules::rule;

rule! {
    name: "prefix-not-byte-stable", class: Provider, severity: Warning,
    summary: "the beginning of a request differs from the request that it continues",
    what: "A request continues an answer, and the messages, the tools or the instructions that were sent for that answer are sent again with other bytes.",
    why: "Prompt caches are kept by prefix: from the first differing byte on, everything is read and paid again. Where signatures are bound to the prefix, they stop being valid.",
    fix: "append and never rewrite: no time stamps or counters at the head, one serialisation of tools, no trimming of what was sent",
    clients: {},
}

/// The first byte at which a request leaves the one that it continues.
pub(crate) fn check(sent: &Sent<'_>) -> Vec<Draft> {
    let Some(parent) = sent.sure_parent() else {
        return Vec::new();
    };
    // Another provider has another cache, and its own words for the same history.
    if parent.endpoint.provider != sent.endpoint.provider || parent.endpoint.wire != sent.endpoint.wire {
        return Vec::new();
    }
    let Some(change) = first_change(&parent.request, &sent.lines) else {
        return Vec::new();
    };
    // Reasoning may be taken out where the endpoint does not want it; what else became of it is another rule's.
    let severity = match change.what {
        What::Reasoning | What::Trimmed => Severity::Note,
        What::Content => RULE.severity,
    };
    let cost = parent.input_tokens.map_or_else(String::new, |tokens| {
        let whole: usize = parent.request.iter().map(|line| line.len()).sum();
        let kept = tokens * change.byte as u64 / (whole.max(1) as u64);
        format!(
            ", so that about {} of {tokens} input tokens can no longer come from the cache",
            tokens - kept.min(tokens)
        )
    });
    let place = match change.line {
        0 => "what stands before the messages (tools, instructions)".to_owned(),
        line => format!("message {}", line - 1),
    };
    let message = format!(
        "{place} differs from what was sent for exchange {}, first at byte {} of the prefix{cost}",
        parent.exchange, change.byte
    );
    let mut draft = Draft::of(&RULE, message)
        .severity(severity)
        .sent("other bytes")
        .expected("the bytes that were sent before")
        .once(Once::Thing(parent.exchange.to_string()));
    if let Some(line) = change.line.checked_sub(1) {
        draft = draft.at(sent.pointer(line));
    }
    vec![draft]
}

/// What was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Only reasoning differs.
    Reasoning,
    /// Less is sent than before: the history was trimmed or summarised.
    Trimmed,
    /// Anything else.
    Content,
}

struct Change {
    line: usize,
    byte: usize,
    what: What,
}

fn first_change(before: &[Arc<str>], now: &[Arc<str>]) -> Option<Change> {
    let mut bytes = 0;
    for (line, old) in before.iter().enumerate() {
        let new = now.get(line).map_or("", |new| &**new);
        if **old != *new {
            let same = old
                .bytes()
                .zip(new.bytes())
                .take_while(|(old, new)| old == new)
                .count();
            let same_but_reasoning = bare(old).is_some() && bare(old) == bare(new);
            let is_less = now.len() < before.len() || slides(before, now, line);
            let what = match (same_but_reasoning, is_less) {
                (true, _) => What::Reasoning,
                (false, true) => What::Trimmed,
                (false, false) => What::Content,
            };
            return Some(Change {
                line,
                byte: bytes + same,
                what,
            });
        }
        bytes += old.len();
    }
    None
}

/// Whether messages went at this line and those behind them moved up: a window on the history slides, or one message
/// stands for several.
fn slides(before: &[Arc<str>], now: &[Arc<str>], line: usize) -> bool {
    // What stands before the messages is no part of a window.
    if line == 0 {
        return false;
    }
    let (old, new) = (bares(&before[line..]), bares(now.get(line..).unwrap_or_default()));
    // What is behind it stands where it stood: the message was written anew.
    if old.len() > 1 && new.get(1..).is_some_and(|new| new.starts_with(&old[1..])) {
        return false;
    }
    (1..=HEADS_MAX.min(old.len())).any(|heads| {
        let kept = &old[heads..];
        let summarised = heads > 1 && new.get(1..).is_some_and(|new| new.starts_with(kept));
        !kept.is_empty() && (new.starts_with(kept) || summarised)
    })
}

/// How many messages may have gone at once.
const HEADS_MAX: usize = 64;

/// Hashes of messages without their reasoning, which may have been taken out as well.
fn bares(lines: &[Arc<str>]) -> Vec<Hash> {
    let bares = lines.iter().map(|line| match bare(line) {
        Some(bare) => {
            let mut hasher = Hasher::new("bare");
            hasher.value(&bare);
            hasher.finish()
        }
        None => Hash::of(line.as_bytes()),
    });
    bares.collect()
}

/// A message without its reasoning.
fn bare(line: &str) -> Option<serde_json::Value> {
    let mut value: serde_json::Value = serde_json::from_str(line).ok()?;
    let object = value.as_object_mut()?;
    for field in ["reasoning_content", "reasoning", "reasoning_details"] {
        object.shift_remove(field);
    }
    for list in ["content", "parts"] {
        let Some(serde_json::Value::Array(parts)) = object.get_mut(list) else {
            continue;
        };
        parts.retain(|part| !matches!(part["type"].as_str(), Some("thinking" | "redacted_thinking")));
        parts.retain(|part| part["thought"] != true && part.get("reasoningContent").is_none());
        for part in parts.iter_mut().filter_map(serde_json::Value::as_object_mut) {
            part.shift_remove("thoughtSignature");
        }
        // A text for itself may stand without its list, and so may none.
        let alone = match parts.as_slice() {
            [] => Some(serde_json::Value::from("")),
            [part] if part["type"] == "text" => Some(part["text"].clone()),
            _ => None,
        };
        if let Some(text) = alone {
            object.insert(list.to_owned(), text);
        }
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::testkit::chat::{Chat, thought};

    #[test]
    fn a_clock_in_the_first_message_is_a_warning_with_the_byte() {
        let mut chat = Chat::of("glm-4.7");
        chat.keeps(&json!({"role": "system", "content": "Now: 10:00"}));
        let message = chat.says("hello", &thought("Let me think about this, nonce one."));
        chat.forget();
        chat.keeps(&json!({"role": "system", "content": "Now: 10:05"}));
        chat.keeps(&json!({"role": "user", "content": "hello"}));
        chat.keeps(&message);
        chat.asks("and then?");
        chat.answers(&thought("Done thinking about it, nonce two."));
        let finding = &chat.verdict().findings[0];
        assert_eq!(finding.rule, "prefix-not-byte-stable");
        // `[]` of the head has 2 bytes, `{"role":"system","content":"Now: 10:0` has 37.
        assert!(
            finding.message.contains("first at byte 39 of the prefix"),
            "{}",
            finding.message
        );
        assert!(finding.message.contains("input tokens"), "{}", finding.message);
    }

    #[test]
    fn tools_that_come_in_another_order_are_a_warning() {
        let tools = |names: [&str; 2]| {
            let tool = |name: &str| json!({"type": "function", "function": {"name": name}});
            json!(names.map(tool))
        };
        let mut chat = Chat::of("glm-4.7");
        chat.declares(&tools(["a", "b"]));
        let message = chat.says("hello", &thought("Let me think about this, nonce one."));
        chat.keeps(&message);
        chat.declares(&tools(["b", "a"]));
        chat.asks("and then?");
        chat.answers(&thought("Done thinking about it, nonce two."));
        assert_eq!(chat.found(), ["prefix-not-byte-stable:warning"]);
        assert!(
            chat.verdict().findings[0]
                .message
                .starts_with("what stands before the messages")
        );
    }

    /// Two conversations of one session may say the same.
    #[test]
    fn an_answer_that_was_said_twice_is_told_by_its_request() {
        let mut chat = Chat::of("openai-chat");
        let done = json!({"role": "assistant", "content": "Done."});
        for question in ["one", "two"] {
            chat.forget();
            chat.says(question, &done);
        }
        for question in ["one", "two"] {
            chat.forget();
            chat.asks(question);
            chat.keeps(&done);
            chat.asks("and then?");
            chat.answers(&done);
        }
        assert_eq!(chat.found(), Vec::<String>::new());
    }

    /// Users repeat themselves: the last message of before stands behind the clock, and where it stood.
    #[test]
    fn a_clock_before_messages_that_say_the_same_is_no_summary() {
        let system = |text: &str| json!({"role": "system", "content": text});
        let said = |clock: &str| [system(clock), user("continue")];
        let goes_on = |clock: &str| [said(clock).as_slice(), &[user("Yes."), user("continue")]].concat();
        assert_eq!(
            change(&said("It is 12:01."), &goes_on("It is 12:02.")),
            What::Content
        );
        let [three, four] = ["It is 12:03.", "It is 12:04."].map(goes_on);
        assert_eq!(change(&three, &[four, said("").into()].concat()), What::Content);
    }

    #[test]
    fn a_summary_in_place_of_the_beginning_is_a_note() {
        let mut chat = Chat::of("glm-4.7");
        chat.keeps(&json!({"role": "system", "content": "Be brief."}));
        let first = chat.says("hello", &thought("Let me think about this, nonce one."));
        chat.keeps(&first);
        let second = chat.says("two", &thought("Done thinking about it, nonce two."));
        chat.forget();
        chat.asks("Summary of what was said.");
        chat.keeps(&second);
        chat.asks("three");
        chat.answers(&thought("Thinking about three now, nonce three."));
        assert_eq!(chat.found(), ["prefix-not-byte-stable:note"]);
    }

    /// A window of three messages: as many as before, and the oldest two are gone.
    #[test]
    fn a_window_that_slides_is_a_note() {
        let mut chat = Chat::of("glm-4.7");
        let first = chat.says("one", &thought("Let me think about this, nonce one."));
        chat.keeps(&first);
        let second = chat.says("two", &thought("Done thinking about it, nonce two."));
        chat.forget();
        chat.keeps(&json!({"role": "user", "content": "two"}));
        chat.keeps(&second);
        chat.asks("three");
        chat.answers(&thought("Thinking about three now, nonce three."));
        assert_eq!(chat.found(), ["prefix-not-byte-stable:note"]);
    }

    /// The messages of a request, as the judge keeps them: behind what stands before them.
    fn lines(messages: &[Value]) -> Vec<Arc<str>> {
        let messages = messages.iter().map(|message| Arc::from(message.to_string()));
        std::iter::once(Arc::from("[]")).chain(messages).collect()
    }

    fn user(text: &str) -> Value {
        json!({"role": "user", "content": text})
    }

    fn change(before: &[Value], now: &[Value]) -> What {
        let change = first_change(&lines(before), &lines(now));
        change.expect("a change").what
    }

    #[test]
    fn a_window_slides_over_messages_that_say_the_same() {
        // The first `ok` is not the one that the window begins with now.
        let before = ["one", "ok", "two", "ok", "three"].map(user);
        let now = ["ok", "three", "ok", "four", "ok"].map(user);
        assert_eq!(change(&before, &now), What::Trimmed);
    }

    #[test]
    fn a_window_slides_over_thoughts_that_were_taken_out() {
        let first = thought("Let me think about this, nonce one.");
        let kept = json!({"role": "assistant", "content": first["content"]});
        let before = [user("one"), user("two"), first, user("three")];
        let now = [user("two"), kept, user("three"), user("four")];
        assert_eq!(change(&before, &now), What::Trimmed);
    }

    #[test]
    fn one_message_may_stand_for_several() {
        let before = ["one", "two", "three", "four"].map(user);
        let now = ["What was said.", "three", "four", "five", "six"].map(user);
        assert_eq!(change(&before, &now), What::Trimmed);
        // One in the place of one is no summary: it was rewritten.
        let now = ["What was said.", "two", "three", "four", "five"].map(user);
        assert_eq!(change(&before, &now), What::Content);
    }

    #[test]
    fn a_message_that_was_rewritten_is_no_window() {
        let before = ["one", "two", "three"].map(user);
        for now in [["one", "TWO", "three", "four"], ["one", "two", "THREE", "four"]] {
            assert_eq!(change(&before, &now.map(user)), What::Content, "{now:?}");
        }
    }

    #[test]
    fn appending_is_clean() {
        let mut chat = Chat::of("glm-4.7");
        let message = chat.says("hello", &thought("Let me think about this, nonce one."));
        chat.keeps(&message);
        chat.asks("and then?");
        chat.answers(&thought("Done thinking about it, nonce two."));
        assert_eq!(chat.found(), Vec::<String>::new());
    }

    /// The blocks of Anthropic and of Bedrock, the chunks of Mistral and the signatures of Gemini.
    #[test]
    fn reasoning_inside_a_list_is_reasoning() {
        for (before, now) in [
            (
                json!({"content": [{"type": "thinking", "thinking": "t", "signature": "s"}, {"type": "text", "text": "a"}]}),
                json!({"content": [{"type": "text", "text": "a"}]}),
            ),
            (
                json!({"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "a"}]}),
                json!({"content": "a"}),
            ),
            (
                json!({"parts": [{"text": "t", "thought": true}, {"text": "a", "thoughtSignature": "s"}]}),
                json!({"parts": [{"text": "a"}]}),
            ),
            (
                json!({"content": [{"reasoningContent": {"reasoningText": {"text": "t", "signature": "s"}}}, {"text": "a"}]}),
                json!({"content": [{"text": "a"}]}),
            ),
            (
                json!({"content": [{"reasoningContent": {"redactedContent": "cg=="}}, {"text": "a"}]}),
                json!({"content": [{"text": "a"}]}),
            ),
        ] {
            assert_eq!(bare(&before.to_string()), bare(&now.to_string()));
        }
        let other = json!({"content": [{"type": "text", "text": "b"}]});
        let text = json!({"content": [{"type": "text", "text": "a"}]});
        assert_ne!(bare(&other.to_string()), bare(&text.to_string()));
    }

    #[test]
    fn taking_reasoning_out_is_a_note() {
        let mut chat = Chat::of("glm-4.7");
        let first = chat.says("hello", &thought("Let me think about this, nonce one."));
        chat.keeps(&first);
        chat.asks("two");
        let second = chat.answers(&thought("Done thinking about it, nonce two."));
        chat.forget();
        chat.keeps(&json!({"role": "user", "content": "hello"}));
        chat.keeps(&json!({"role": "assistant", "content": first["content"]}));
        chat.asks("two");
        chat.keeps(&second);
        chat.asks("three");
        chat.answers(&thought("Thinking about three now, nonce three."));
        assert_eq!(chat.found(), ["prefix-not-byte-stable:note"]);
    }
}
