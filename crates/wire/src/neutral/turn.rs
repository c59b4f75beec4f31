//! One message of the assistant.

use serde_json::Value;

use crate::Object;
use crate::neutral::part::{Carrier, Part, ToolCall};

/// How a member of a message is put together from its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// One value.
    Whole,
    /// A list of them.
    List,
    /// A string, whose pieces they are.
    Pieces,
}

/// One message of the assistant, in parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssistantTurn {
    /// Its parts: reasoning, text and calls.
    pub parts: Vec<Part>,
    /// The message without what its parts hold.
    shell: Object,
    /// Members that its parts hold.
    forms: Vec<(&'static str, Form)>,
}

impl AssistantTurn {
    pub(crate) fn of(message: &Object) -> Self {
        Self {
            parts: Vec::new(),
            shell: message.clone(),
            forms: Vec::new(),
        }
    }

    /// Takes a member out of the shell and puts these parts in its place.
    pub(crate) fn take(&mut self, member: &'static str, form: Form, parts: Vec<Part>) {
        if let Some(place) = self.shell.get_mut(member) {
            *place = Value::Null;
            self.forms.push((member, form));
            self.parts.extend(parts);
        }
    }

    /// The message as it was read.
    pub fn value(&self) -> Object {
        self.with(&self.parts)
    }

    /// The message with these parts in the place of its own; a member whose parts are all gone goes with them.
    pub fn with(&self, parts: &[Part]) -> Object {
        let mut message = self.shell.clone();
        for (member, form) in &self.forms {
            let in_it = |part: &&Part| part.member == *member;
            if self.parts.iter().any(|part| in_it(&part)) && !parts.iter().any(|part| in_it(&part)) {
                message.shift_remove(*member);
                continue;
            }
            let mut raws = parts.iter().filter(in_it).map(|part| &part.raw);
            let value = match form {
                Form::Whole => raws.next().cloned().unwrap_or_default(),
                Form::List => raws.cloned().collect(),
                Form::Pieces => Value::String(raws.filter_map(Value::as_str).collect()),
            };
            message.insert((*member).to_owned(), value);
        }
        message
    }

    /// Its reasoning, of this carrier.
    pub fn reasoning(&self, carrier: Carrier) -> impl Iterator<Item = &Part> {
        self.parts
            .iter()
            .filter(move |part| part.carrier() == Some(carrier))
    }

    /// Its calls.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(Part::call)
    }

    /// Its visible text.
    pub fn text(&self) -> String {
        let texts = self
            .parts
            .iter()
            .filter(|part| part.kind == super::PartKind::Text);
        texts.map(|part| part.text.as_str()).collect()
    }

    /// A member of the message that no part holds.
    pub fn member(&self, name: &str) -> Option<&Value> {
        let held = self.forms.iter().any(|(member, _)| *member == name);
        self.shell.get(name).filter(|_| !held)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::neutral::chat;

    #[test]
    fn a_member_goes_with_its_parts_and_a_list_keeps_the_rest() {
        let call =
            |id: &str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
        let message = json!({"role": "assistant", "content": "<think>a</think>b", "reasoning_content": "t", "odd": 1,
            "tool_calls": [call("c"), call("d")]});
        let turn = chat::assistant(message.as_object().expect("an object"));
        let visible: Vec<_> = turn
            .parts
            .iter()
            .filter(|part| part.carrier().is_none() && part.call().is_none_or(|call| call.id == "d"))
            .cloned()
            .collect();
        let expected = json!({"role": "assistant", "content": "b", "odd": 1, "tool_calls": [call("d")]});
        assert_eq!(serde_json::Value::Object(turn.with(&visible)), expected);
        assert_eq!(
            serde_json::Value::Object(turn.with(&[])),
            json!({"role": "assistant", "odd": 1})
        );
    }
}
