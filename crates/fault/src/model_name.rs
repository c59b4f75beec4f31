//! Faults in the name of a model: `gpt-5.6:fault=cut-after-done`. Whoever can change nothing but the model of a client
//! plants a fault with it.

use holdover_wire::{Call, CallBody};
use serde_json::Value;

const MARK: &str = ":fault=";

/// Takes the faults out of the name of the model, so that nobody else sees them; `None` where there are none. Several are
/// written one after the other, each in its flag form.
pub fn take(call: &mut Call) -> Option<String> {
    let CallBody::Json(Value::Object(body)) = &mut call.body else {
        return None;
    };
    let Some(Value::String(model)) = body.get_mut("model") else {
        return None;
    };
    let at = model.find(MARK)?;
    let faults = model[at + MARK.len()..].to_owned();
    model.truncate(at);
    Some(faults)
}

/// The faults of such a name, each in its flag form.
pub(crate) fn flags(faults: &str) -> impl Iterator<Item = &str> {
    faults.split(MARK)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_name_loses_its_faults() {
        let mut call = Call::post(
            "/v1/responses",
            json!({"model": "gpt-5.6:fault=cut-after-done:after=2:fault=pause", "input": "x"}),
        );
        let taken = take(&mut call).expect("faults");
        assert_eq!(
            flags(&taken).collect::<Vec<_>>(),
            ["cut-after-done:after=2", "pause"]
        );
        let expected = json!({"model": "gpt-5.6", "input": "x"});
        assert_eq!(call.body, CallBody::Json(expected));
        assert_eq!(take(&mut call), None);
    }

    #[test]
    fn a_fine_tuned_model_is_left_alone() {
        let body = json!({"model": "ft:gpt-5.6:org::id"});
        let mut call = Call::post("/v1/responses", body.clone());
        assert_eq!(take(&mut call), None);
        assert_eq!(call.body, CallBody::Json(body));
    }
}
