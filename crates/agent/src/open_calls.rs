//! Calls of the model that wait for their outputs.

use holdover_wire::Item;

use crate::turn::OpenCall;

/// The open call that an output item of the model makes.
pub(crate) fn of_item(item: &Item) -> Option<OpenCall> {
    if !item.kind().is_client_call() {
        return None;
    }
    Some(OpenCall {
        call_id: item.call_id()?.to_owned(),
        name: item.view().name().unwrap_or_default().to_owned(),
        output_type: format!("{}_output", item.view().type_name()?),
    })
}

/// Takes the open call with this id, else the only one of this name.
pub(crate) fn take(open: &mut Vec<OpenCall>, key: &str) -> Option<OpenCall> {
    let by_id = open.iter().position(|call| call.call_id == key);
    let mut named = open.iter().enumerate().filter(|(_, call)| call.name == key);
    let by_name = match (named.next(), named.next()) {
        (Some((index, _)), None) => Some(index),
        _ => None,
    };
    by_id.or(by_name).map(|index| open.remove(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(call_id: &str, name: &str) -> OpenCall {
        let call = crate::testing::call("fc_1", call_id);
        let call = of_item(&Item::from_value(&call).expect("item")).expect("call");
        OpenCall {
            name: name.to_owned(),
            ..call
        }
    }

    #[test]
    fn an_id_comes_before_a_name_and_a_name_must_be_the_only_one() {
        let mut calls = vec![open("a", "x"), open("x", "y"), open("c", "z"), open("d", "z")];
        assert_eq!(take(&mut calls, "x"), Some(open("x", "y")));
        assert_eq!(take(&mut calls, "x"), Some(open("a", "x")));
        assert_eq!((take(&mut calls, "z"), calls.len()), (None, 2));
        assert_eq!(take(&mut calls, "c"), Some(open("c", "z")));
        assert_eq!(take(&mut calls, "z"), Some(open("d", "z")));
    }
}
