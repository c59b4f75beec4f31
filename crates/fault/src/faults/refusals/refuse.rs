//! `refuse`: any status with the API's body.

use holdover_wire::{ApiError, Evidence, Plan};

use crate::card::{Act, Decides, FaultCard, Group, card};
use crate::edit::refusal;
use crate::options::{OptionDefault, text, whole};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[
        whole("status", (400, 599), 500, "HTTP status"),
        text(
            "message",
            OptionDefault::Text("The request was refused by a planted fault."),
            "`error.message`",
        ),
        text(
            "type",
            OptionDefault::Absent,
            "`error.type`; by the status where it is absent",
        ),
        text(
            "code",
            OptionDefault::Absent,
            "`error.code`; null where it is absent",
        ),
        text(
            "param",
            OptionDefault::Absent,
            "`error.param`; null where it is absent",
        ),
    ],
    decides: Decides::Refusal,
    ..card(
        Group::Refusals,
        "refuse",
        "any refusal: status, message, type, code and param as you like",
        "a refusal that has no fault of its own, as pasted from a log",
        Act::refuse_always(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Plan {
    let status = scene.fault.options.status();
    let by_status = if status < 500 {
        "invalid_request_error"
    } else {
        "server_error"
    };
    let error = ApiError {
        status,
        message: scene.word("message").to_owned(),
        kind: scene.text("type").unwrap_or(by_status).to_owned(),
        param: scene.text("param").map(str::to_owned),
        code: scene.text("code").map(str::to_owned),
        source: "ours",
        evidence: Evidence::Ours,
    };
    refusal::refuse(scene, &error)
}

#[cfg(test)]
mod tests {
    use crate::testing::{self, stream};

    #[test]
    fn the_body_has_all_four_members() {
        let plan = testing::play(&["refuse:status=409,message=No.,code=x,param=input"], stream());
        assert_eq!(
            testing::sketch(&plan),
            [
                "409 content-type=application/json",
                r#"{"error":{"message":"No.","type":"invalid_request_error","param":"input","code":"x"}}"#,
                "complete",
            ]
        );
        assert_eq!(plan.header("x-holdover-fault"), Some("refuse"));
        assert_eq!(plan.header("x-request-id").map(str::len), Some(36));
    }

    #[test]
    fn by_default_it_is_a_server_error() {
        let plan = testing::play(&["refuse"], stream());
        assert_eq!(plan.status, 500);
        assert!(testing::sketch(&plan)[1].contains(r#""type":"server_error","param":null,"code":null"#));
    }
}
