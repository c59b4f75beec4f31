//! What a request must be for something to hold.

use std::collections::BTreeMap;

use holdover_wire::Object;
use holdover_wire::neutral::History;
use serde::Deserialize;
use serde_json::Value;

/// Whether tools are declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tools {
    /// The request declares some.
    Declared,
    /// It declares none.
    Absent,
}

/// Whether the model thinks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Thinking {
    /// It does, because the request asks for it or does not forbid it.
    On,
    /// The request turned it off.
    Off,
    /// Either.
    #[default]
    Any,
}

/// A condition on a request; everything that is said in it must hold.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Condition {
    /// Whether tools are declared.
    pub tools: Option<Tools>,
    /// Whether the model thinks.
    pub thinking: Thinking,
    /// JSON pointers of members that must be there and not `null`.
    pub has: Vec<String>,
    /// JSON pointers of members that must be absent or `null`.
    pub lacks: Vec<String>,
    /// JSON pointers with the value that must stand there.
    pub equals: BTreeMap<String, Value>,
}

/// Whether the model thinks in a request, as its endpoint says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mind {
    /// It thinks.
    Thinks,
    /// It was told not to.
    Rests,
}

impl Condition {
    /// Whether the members of this body are as they must be.
    pub fn holds_for(&self, body: &Object) -> bool {
        let there = |pointer: &String| member(body, pointer).is_some();
        self.has.iter().all(there)
            && !self.lacks.iter().any(there)
            && self
                .equals
                .iter()
                .all(|(pointer, value)| member(body, pointer) == Some(value))
    }

    /// Whether it holds for a whole request.
    pub fn holds(&self, body: &Object, history: &History, mind: Mind) -> bool {
        let tools = match self.tools {
            None => HOLDS,
            Some(Tools::Declared) => !history.tools.is_empty(),
            Some(Tools::Absent) => history.tools.is_empty(),
        };
        let thinking = match (self.thinking, mind) {
            (Thinking::Any, _) | (Thinking::On, Mind::Thinks) | (Thinking::Off, Mind::Rests) => HOLDS,
            (Thinking::On, Mind::Rests) | (Thinking::Off, Mind::Thinks) => !HOLDS,
        };
        tools && thinking && self.holds_for(body)
    }

    /// The members of a body that `equals` asks for, one for each pointer, in the order of pointers: two values in one
    /// object are two members of one name, for the caller to merge. What else the condition says is not looked at, so a
    /// body with these members alone need not fulfil it. `None` where `equals` is empty or a pointer has more than two
    /// steps.
    pub fn members(&self) -> Option<Vec<(String, Value)>> {
        let mut members: Vec<(String, Value)> = Vec::new();
        for (pointer, value) in &self.equals {
            let steps: Vec<&str> = pointer.trim_start_matches('/').split('/').collect();
            match steps.as_slice() {
                [name] => members.push(((*name).to_owned(), value.clone())),
                [name, inner] => members.push(((*name).to_owned(), serde_json::json!({ *inner: value }))),
                _ => return None,
            }
        }
        (!members.is_empty()).then_some(members)
    }

    /// How many members it looks at: the more, the more special it is.
    pub fn weight(&self) -> usize {
        self.has.len() + self.lacks.len() + self.equals.len()
    }
}

const HOLDS: bool = true;

/// The member at a JSON pointer; `null` reads as absent.
fn member<'a>(body: &'a Object, pointer: &str) -> Option<&'a Value> {
    let mut steps = pointer.strip_prefix('/')?.split('/');
    let first = body.get(steps.next()?)?;
    let found = steps.try_fold(first, |value, step| value.get(step))?;
    (!found.is_null()).then_some(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_those_that_must_be_equal() {
        let members = |text: &str| toml::from_str::<Condition>(text).expect("a condition").members();
        assert_eq!(
            members("has = ['/x']\nequals = { '/b' = 1, '/a/c' = true, '/a/b' = 'd' }"),
            Some(vec![
                ("a".to_owned(), json!({"b": "d"})),
                ("a".to_owned(), json!({"c": true})),
                ("b".to_owned(), json!(1)),
            ])
        );
        assert_eq!(members("has = ['/x']"), None);
        assert_eq!(members("equals = { '/a/b/c' = 1 }"), None);
    }

    #[test]
    fn members_are_looked_up_by_pointer() {
        let body = json!({"thinking": {"type": "enabled", "keep": null}, "reasoning_effort": "low"});
        let body = body.as_object().expect("an object");
        let condition = |text: &str| toml::from_str::<Condition>(text).expect("a condition");
        assert!(condition("equals = { '/thinking/type' = 'enabled' }").holds_for(body));
        assert!(!condition("equals = { '/thinking/type' = 'disabled' }").holds_for(body));
        assert!(condition("lacks = ['/thinking/keep', '/x']").holds_for(body));
        assert!(!condition("has = ['/thinking', '/thinking/keep']").holds_for(body));
        assert!(condition("has = ['/thinking', '/reasoning_effort']").holds_for(body));
    }
}
