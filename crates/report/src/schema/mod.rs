//! JSON Schemas (2020-12) of what other programs read. `holdover schema NAME` prints them; the copies under `schema/`
//! are held equal by a test. New members may come in any version: a reader skips what it does not know.
//!
//! | module | what is there |
//! |---|---|
//! | [`findings`] | the JSON output of a verdict |
//! | [`recording`] | one line of a recording |

use serde_json::{Value, json};

pub mod findings;
pub mod recording;

/// A schema as a file holds it: an indent of two spaces, a line feed at the end.
pub fn text(schema: &Value) -> String {
    // A value has string keys only, so serializing cannot fail.
    let mut text = serde_json::to_string_pretty(schema).unwrap_or_default();
    text.push('\n');
    text
}

/// A described member of one or several JSON types.
pub(crate) fn member(types: &Value, description: &str) -> Value {
    json!({"type": types, "description": description})
}

/// A described word out of a list.
pub(crate) fn one_of(words: &[&str], description: &str) -> Value {
    json!({"type": "string", "enum": words, "description": description})
}

/// A described number that counts something.
pub(crate) fn count(description: &str) -> Value {
    json!({"type": "integer", "minimum": 0, "description": description})
}

#[cfg(test)]
mod tests {
    use holdover_judge::{Class, Finding, Inconclusive, Severity};
    use serde_json::from_str;

    use super::*;
    use crate::testing::{WITH_ID, finding, recording as parsed, verdict};

    fn refusals(schema: &Value, instance: &Value) -> Vec<String> {
        let validator = jsonschema::draft202012::new(schema).expect("a schema");
        validator
            .iter_errors(instance)
            .map(|error| error.to_string())
            .collect()
    }

    #[test]
    fn the_committed_copies_are_the_schemas() {
        assert_eq!(
            text(&findings::schema()),
            include_str!("../../../../schema/findings.schema.json")
        );
        assert_eq!(
            text(&recording::schema()),
            include_str!("../../../../schema/recording.schema.json")
        );
    }

    /// A verdict in which every member has a value.
    fn full_verdict() -> Value {
        let full = Finding {
            item: Some("rs_1".to_owned()),
            pointer: Some("/input/1".to_owned()),
            also: vec!["orphan-follower".to_owned()],
            sent: Some("x".to_owned()),
            expected: Some("y".to_owned()),
            place: Some("a.log:1".to_owned()),
            known: Some("in the baseline".to_owned()),
            ..finding("reasoning-dropped", Severity::Error, Class::Carry)
        };
        let mut verdict = verdict(vec![full, finding("id-in-export", Severity::Note, Class::Leak)]);
        verdict.inconclusive.push(Inconclusive {
            what: "x".to_owned(),
            missing: "y".to_owned(),
            exchange: None,
        });
        from_str(&crate::text::verdict_json(&verdict)).expect("JSON")
    }

    #[test]
    fn a_verdict_keeps_its_schema() {
        assert_eq!(
            refusals(&findings::schema(), &full_verdict()),
            Vec::<String>::new()
        );
    }

    #[test]
    fn every_member_of_a_verdict_is_described() {
        let schema = findings::schema();
        let verdict = full_verdict();
        let members = |value: &Value| -> Vec<String> {
            value.as_object().expect("an object").keys().cloned().collect()
        };
        let described = |pointer: &str| members(schema.pointer(pointer).expect("described"));
        assert_eq!(members(&verdict), described("/properties"));
        assert_eq!(
            members(&verdict["coverage"]),
            described("/properties/coverage/properties")
        );
        assert_eq!(
            members(&verdict["findings"][0]),
            described("/properties/findings/items/properties")
        );
        assert_eq!(
            members(&verdict["inconclusive"][0]),
            described("/properties/inconclusive/items/properties")
        );
    }

    #[test]
    fn what_is_no_verdict_is_refused() {
        for (pointer, wrong) in [
            ("/verdict", json!("fine")),
            ("/findings/0/severity", json!("fatal")),
            ("/findings/0/rule", json!("Not A Rule")),
            ("/findings/0/exchange", json!(0)),
            ("/coverage/turns", json!(-1)),
        ] {
            let mut verdict = full_verdict();
            *verdict.pointer_mut(pointer).expect("a member") = wrong;
            assert_ne!(
                refusals(&findings::schema(), &verdict),
                Vec::<String>::new(),
                "{pointer}"
            );
        }
    }

    #[test]
    fn every_line_of_a_recording_keeps_its_schema() {
        let schema = recording::schema();
        let lines = parsed(WITH_ID).to_lines();
        let bare = r#"{"request":{"body":{"input":"a"}},"response":{"events":[{"type":"error"}]}}"#;
        let lost = r#"{"exchange":1,"request":{"body":null},"response":null}"#;
        for line in lines.lines().chain([WITH_ID, bare, lost]) {
            assert_eq!(
                refusals(&schema, &from_str(line).expect("JSON")),
                Vec::<String>::new(),
                "{line}"
            );
        }
    }

    #[test]
    fn what_is_no_line_of_a_recording_is_refused() {
        for line in [
            "[]",
            "{}",
            r#"{"recording":"holdover.recording/9"}"#,
            r#"{"request":{"method":7}}"#,
            r#"{"request":{},"transport":"pigeon"}"#,
            r#"{"request":{},"response":{"end":"happy"}}"#,
        ] {
            assert_ne!(
                refusals(&recording::schema(), &from_str(line).expect("JSON")),
                Vec::<String>::new(),
                "{line}"
            );
        }
    }
}
