//! A fault that can be planted: a card, its options, its trigger.

use serde_json::Value;

use crate::card::FaultCard;
use crate::catalogue;
use crate::options::Options;
use crate::problem::{FaultProblem, Part, did_you_mean};
use crate::trigger::{self, Trigger};

/// A checked fault.
#[derive(Clone, Debug)]
pub struct Fault {
    pub(crate) card: &'static FaultCard,
    pub(crate) options: Options,
    pub(crate) trigger: Trigger,
}

/// Members of a table as a caller read them.
pub type Members = [(String, Value)];

impl Fault {
    /// Checks a fault; every problem is listed.
    pub fn parse(name: &str, options: &Members, on: &Members) -> Result<Self, Vec<FaultProblem>> {
        let card = catalogue::find(name).ok_or_else(|| vec![unknown(name)])?;
        let (options, mut problems) = Options::parse(card.name, card.options, options);
        let (trigger, of_trigger) = trigger::parse(card, on);
        problems.extend(of_trigger);
        if problems.is_empty() {
            Ok(Self {
                card,
                options,
                trigger,
            })
        } else {
            Err(problems)
        }
    }

    /// Checks the flag form, `NAME[:KEY=VALUE[,KEY=VALUE…]]`. A value is JSON where it reads as JSON, else a text; one
    /// with a comma stands in double quotes.
    pub fn parse_flag(text: &str) -> Result<Self, Vec<FaultProblem>> {
        let (name, members) = text.split_once(':').unwrap_or((text, ""));
        let (mut options, mut on) = (Vec::new(), Vec::new());
        for member in split(members) {
            let Some((key, value)) = member.split_once('=') else {
                return Err(vec![FaultProblem::new(
                    Part::Option(member.to_owned()),
                    format!("`{member}` has no value"),
                    "write `key=value`",
                )]);
            };
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
            if trigger::key_names().contains(&key) {
                on.push((key.to_owned(), value));
            } else {
                options.push((key.to_owned(), value));
            }
        }
        Self::parse(name, &options, &on)
    }

    /// Checks the JSON form: the flag form as a string, or `{"do": NAME, "on": {…}}` where `do` may be an object that has
    /// the name as `name` and the options beside it, as a scenario file writes it.
    pub fn parse_json(value: &Value) -> Result<Self, Vec<FaultProblem>> {
        let table = match value {
            Value::String(flag) => return Self::parse_flag(flag),
            Value::Object(table) => table,
            _ => return Err(vec![no_fault(value)]),
        };
        if let Some(key) = table.keys().find(|key| !["do", "on"].contains(&key.as_str())) {
            let message = format!("a fault has no member `{key}`");
            let part = Part::Option(key.clone());
            return Err(vec![FaultProblem::new(
                part,
                message,
                "its members are: `do`, `on`",
            )]);
        }
        let on = match table.get("on") {
            None => Vec::new(),
            Some(Value::Object(on)) => members(on),
            Some(other) => {
                return Err(vec![FaultProblem::value(
                    Part::On("on".to_owned()),
                    "an object",
                    other,
                )]);
            }
        };
        match table.get("do") {
            Some(Value::String(name)) => Self::parse(name, &[], &on),
            Some(Value::Object(action)) => {
                let name = action.get("name").and_then(Value::as_str).unwrap_or_default();
                let mut options = members(action);
                options.retain(|(key, _)| key != "name");
                Self::parse(name, &options, &on)
            }
            _ => Err(vec![no_fault(value)]),
        }
    }

    /// Its card.
    pub fn card(&self) -> &'static FaultCard {
        self.card
    }
}

fn members(object: &holdover_wire::Object) -> Vec<(String, Value)> {
    let members = object.iter();
    members.map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn no_fault(value: &Value) -> FaultProblem {
    FaultProblem::new(
        Part::Name,
        format!("{value} is no fault"),
        "write `NAME:KEY=VALUE`, or an object with `do` and `on`",
    )
}

fn unknown(name: &str) -> FaultProblem {
    let known: Vec<&str> = catalogue::all().iter().map(|card| card.name).collect();
    FaultProblem::new(
        Part::Name,
        format!("there is no fault `{name}`"),
        did_you_mean(name, &known, "the faults are"),
    )
}

/// The parts between commas that stand in no quotes.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (index, character) in text.char_indices() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => {
                parts.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::trigger::{Condition, Limit};

    fn problem(flag: &str) -> String {
        match Fault::parse_flag(flag) {
            Ok(fault) => panic!("{} was taken", fault.card().name),
            Err(problems) => problems
                .iter()
                .map(|problem| format!("{}: {} ({})", problem.part, problem.message, problem.help))
                .collect::<Vec<_>>()
                .join("; "),
        }
    }

    #[test]
    fn the_flag_form_knows_options_from_triggers() {
        let fault = Fault::parse_flag("cut-after-done:turn=2,after=3").expect("a fault");
        assert_eq!(fault.card().name, "cut-after-done");
        assert_eq!(fault.options.whole("after"), 3);
        assert_eq!(fault.trigger.conditions, [Condition::Turn(2)]);
        assert_eq!(fault.trigger.limit, Limit::Times(1));
        let fault = Fault::parse_flag("refuse:message=\"a, b\",header=x-test: 1").expect("a fault");
        assert_eq!(fault.options.text("message"), Some("a, b"));
        let header = Condition::Header("x-test".to_owned(), Some("1".to_owned()));
        assert_eq!(fault.trigger.conditions, [header]);
    }

    #[test]
    fn the_table_form_is_the_same_fault() {
        let options = [("after".to_owned(), json!(3))];
        let on = [("turn".to_owned(), json!(2))];
        let table = Fault::parse("cut-after-done", &options, &on).expect("a fault");
        let flag = Fault::parse_flag("cut-after-done:turn=2,after=3").expect("a fault");
        assert_eq!(table.options, flag.options);
        assert_eq!(table.trigger, flag.trigger);
    }

    #[test]
    fn the_json_form_is_the_same_fault() {
        let flag = Fault::parse_flag("cut-after-done:turn=2,after=3").expect("a fault");
        for value in [
            json!("cut-after-done:turn=2,after=3"),
            json!({"do": {"name": "cut-after-done", "after": 3}, "on": {"turn": 2}}),
        ] {
            let fault = Fault::parse_json(&value).expect("a fault");
            assert_eq!(fault.options, flag.options);
            assert_eq!(fault.trigger, flag.trigger);
        }
        for (value, said) in [
            (json!(3), "3 is no fault"),
            (json!({"on": {}}), "is no fault"),
            (json!({"do": "cut", "at": 3}), "a fault has no member `at`"),
            (json!({"do": {"name": "cot"}}), "there is no fault `cot`"),
            (json!({"do": "cut", "on": 3}), "takes an object"),
        ] {
            let problems = Fault::parse_json(&value).expect_err("refused");
            assert!(problems[0].message.contains(said), "{}", problems[0].message);
        }
    }

    #[test]
    fn a_wrong_fault_says_what_is_wrong_and_what_to_do() {
        for (flag, expected) in [
            (
                "cut-after-doen",
                "the name: there is no fault `cut-after-doen` (did you mean `cut-after-done`?)",
            ),
            (
                "cut-after-done:afetr=3",
                "`afetr`: `cut-after-done` has no option `afetr` (did you mean `after`?)",
            ),
            (
                "cut:evnt=response.completed",
                "`evnt`: `cut` has no option `evnt` (did you mean the condition `event`?)",
            ),
            (
                "refuse:status=200",
                "`status`: `status` takes a whole number from 400 to 599, not 200 (write a whole number from 400 to 599)",
            ),
            (
                "refuse:status",
                "`status`: `status` has no value (write `key=value`)",
            ),
            (
                "refuse:turn=0",
                "`on.turn`: `on.turn` takes a whole number from 1, not 0 (write a whole number from 1)",
            ),
            (
                "refuse:probability=2",
                "`on.probability`: `on.probability` takes a number above 0 and up to 1, not 2 (write a number above 0 and up to 1)",
            ),
        ] {
            assert_eq!(problem(flag), expected, "{flag}");
        }
    }

    #[test]
    fn a_trigger_that_cannot_come_true_is_refused() {
        for (flag, expected) in [
            (
                "refuse:event=response.created",
                "answers before any event leaves, so it cannot wait for `event`",
            ),
            ("event-dropped:byte=3", "happens at an event, not at a byte"),
            (
                "token-absent:index=3",
                "concerns whole items, so it has no `index`",
            ),
            (
                "cut:event=response.output_item.don",
                "(did you mean `response.output_item.done`?)",
            ),
            ("cut:item=reasonin", "(did you mean `reasoning`?)"),
            ("cut:byte=3,index=2", "a place is an event or a byte, not both"),
            (
                "cut:times=3,until=recovered",
                "`until` and `times` both say how often",
            ),
            ("cut:until=tomorrow", "`on.until` takes `recovered`"),
        ] {
            assert!(problem(flag).contains(expected), "{flag}: {}", problem(flag));
        }
    }
}
