//! The first place where two recordings part. Ids and tokens differ in every run, so what was issued is compared by its
//! name.

use serde_json::Value;

use crate::script::Script;

/// The first difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Exchange from 1.
    pub exchange: usize,
    /// Whether the request or the response differs.
    pub side: Side,
    /// JSON pointer into the request; empty for a response.
    pub pointer: String,
    /// What stands in the good one; `None` where nothing does.
    pub good: Option<Value>,
    /// What stands in the bad one; `None` where nothing does.
    pub bad: Option<Value>,
}

/// A half of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What the client sent.
    Request,
    /// What the server answered.
    Response,
    /// One of the recordings ends before it.
    End,
}

/// Where `bad` parts from `good`; `None` where it does not.
pub fn first(good: &Script, bad: &Script) -> Option<Difference> {
    let pairs = good.turns.iter().zip(&bad.turns).enumerate();
    for (at, (one, other)) in pairs {
        let exchange = at + 1;
        if let Some((pointer, good, bad)) = differs(&one.body, &other.body, String::new()) {
            return Some(Difference {
                exchange,
                side: Side::Request,
                pointer,
                good,
                bad,
            });
        }
        if one.reply != other.reply {
            return Some(Difference {
                exchange,
                side: Side::Response,
                pointer: String::new(),
                good: Some(format!("{:?}", one.reply).into()),
                bad: Some(format!("{:?}", other.reply).into()),
            });
        }
    }
    let (one, other) = (good.turns.len(), bad.turns.len());
    (one != other).then(|| Difference {
        exchange: one.min(other) + 1,
        side: Side::End,
        pointer: String::new(),
        good: good.turns.get(other).map(|turn| turn.body.clone()),
        bad: bad.turns.get(one).map(|turn| turn.body.clone()),
    })
}

type Place = (String, Option<Value>, Option<Value>);

fn differs(good: &Value, bad: &Value, pointer: String) -> Option<Place> {
    match (good, bad) {
        (Value::Object(one), Value::Object(other)) => {
            let names = one
                .keys()
                .chain(other.keys().filter(|name| !one.contains_key(*name)));
            names.into_iter().find_map(|name| {
                let pointer = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
                match (one.get(name), other.get(name)) {
                    (Some(one), Some(other)) => differs(one, other, pointer),
                    (one, other) => Some((pointer, one.cloned(), other.cloned())),
                }
            })
        }
        (Value::Array(one), Value::Array(other)) => {
            let longer = one.len().max(other.len());
            (0..longer).find_map(|at| {
                let pointer = format!("{pointer}/{at}");
                match (one.get(at), other.get(at)) {
                    (Some(one), Some(other)) => differs(one, other, pointer),
                    (one, other) => Some((pointer, one.cloned(), other.cloned())),
                }
            })
        }
        (good, bad) => (good != bad).then(|| (pointer, Some(good.clone()), Some(bad.clone()))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        let good = json!({"model": "m", "input": [1, {"id": "a", "text": "x"}]});
        let bad = json!({"model": "m", "input": [1, {"text": "x"}, 3]});
        let expected = ("/input/1/id".to_owned(), Some(json!("a")), None);
        assert_eq!(differs(&good, &bad, String::new()), Some(expected));
        assert_eq!(differs(&good, &good, String::new()), None);
    }
}
