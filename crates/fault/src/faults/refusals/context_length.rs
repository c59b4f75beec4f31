//! `context-length`: the input does not fit.

use holdover_wire::{ApiError, Evidence, Plan};

use crate::card::{Act, Decides, FaultCard, Group, card};
use crate::edit::refusal;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    decides: Decides::Refusal,
    ..card(
        Group::Refusals,
        "context-length",
        "400 `context_length_exceeded`",
        "a long session; trimming is the cure and splits groups and pairs (errors.md E32)",
        Act::refuse_always(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Plan {
    let message =
        "Your input exceeds the context window of this model. Please adjust your input and try again.";
    let error = ApiError::invalid("E32", Evidence::Fixture, message).at("input");
    refusal::refuse(scene, &error.code("context_length_exceeded"))
}

#[cfg(test)]
mod tests {
    use crate::testing::{self, stream};

    #[test]
    fn it_is_a_400_with_its_code() {
        let sketch = testing::sketch(&testing::play(&["context-length"], stream()));
        assert_eq!(sketch[0], "400 content-type=application/json");
        let end = r#""type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}"#;
        assert!(sketch[1].ends_with(end), "{}", sketch[1]);
    }
}
