//! `policy-used-as-content-switch`: under `omit` the reasoning itself is gone, not only its id.
//!
//! The wire shows a group whose followers came back without their reasoning; the audit record says why the client
//! thinks it is right. The finding is made when both are known (see the board).

use crate::rules::rule;

rule! {
    name: "policy-used-as-content-switch", class: Audit, severity: Error,
    summary: "under `omit` the reasoning item itself is gone from the wire, not only its id",
    what: "The audit record says `omit`. Followers came back as issued, the reasoning item they belong to is not in the input.",
    why: "The id policy strips ids; it is no switch for reasoning. The model loses its work, and the record says that only ids were touched.",
    fix: "leave reasoning items in the input and let the policy strip their ids; drop reasoning by a rule of its own, recorded as such",
    clients: {},
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::{Talk, fc, fo, msg, rs, user, without};

    fn tool_loop(talk: &mut Talk, carried: &[serde_json::Value]) {
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1")]);
        let mut input = vec![user("look")];
        input.extend_from_slice(carried);
        input.push(fo("call_1", "42"));
        talk.turn(&input, &[msg(2, "42")]);
    }

    #[test]
    fn reasoning_that_is_gone_under_omit_is_an_error_of_the_policy() {
        let mut talk = Talk::stateless();
        tool_loop(&mut talk, &[fc(1, "call_1")]);
        talk.audit(json!({"reasoning_item_id_policy": "omit", "ids_present": false}));
        assert_eq!(
            talk.found(),
            ["policy-used-as-content-switch:error+reasoning-dropped"]
        );
    }

    #[test]
    fn a_stripped_id_under_omit_is_what_the_policy_is_for() {
        let mut talk = Talk::stateless();
        tool_loop(&mut talk, &[without(&rs(1), "id"), fc(1, "call_1")]);
        talk.audit(json!({"reasoning_item_id_policy": "omit", "ids_present": false}));
        assert_eq!(talk.found(), ["half-stripped-group:note"]);
    }

    #[test]
    fn the_same_loss_under_preserve_is_the_loss_itself() {
        let mut talk = Talk::stateless();
        tool_loop(&mut talk, &[fc(1, "call_1")]);
        talk.audit(json!({"reasoning_item_id_policy": "preserve", "ids_present": true}));
        assert_eq!(talk.found(), ["reasoning-dropped:error"]);
    }
}
