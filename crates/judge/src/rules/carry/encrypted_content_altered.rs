//! `encrypted-content-altered`: a token that nobody issued.

use holdover_wire::Members as _;
use holdover_wire::item::ItemKind;

use crate::draft::{Draft, Once};
use crate::explain;
use crate::ledger::IssuedItem;
use crate::rules::rule;
use crate::sent::{Sent, TokenSeen};
use crate::sighting::Sighting;
use crate::turn::Turn;

rule! {
    name: "encrypted-content-altered", class: Carry, severity: Error,
    summary: "a reasoning item came back with a token that differs from every one that was issued",
    what: "The token of a carried reasoning item is none of those that its responses issued: cut, re-encoded, wrapped, or joined with another. Or an item that nobody issued here was refused, and what stands in its `encrypted_content` (nothing, or words) cannot be a token.",
    why: "The token is sealed: one changed byte and it is refused (E12, `invalid_encrypted_content`), or the reasoning is dropped without a word.",
    fix: "treat `encrypted_content` as opaque text: no trimming, no re-encoding, and a column that is long enough (tokens reach 42,000 characters)",
    clients: {
        Meai: "`ProtectedData` is opaque: store it as text of unlimited length",
    },
}

/// The carried token is unknown.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    let (head, sent) = seen.carried_head()?;
    if sent.token != TokenSeen::Unknown {
        return None;
    }
    let carried = sent.view.encrypted_content().unwrap_or("");
    let issued = closest(head, carried);
    let how = issued.map_or_else(
        || "no token was ever issued for it".to_owned(),
        |issued| alteration(issued, carried),
    );
    let message = format!(
        "the token of {} is none that was issued: {how}; the API refuses it (E12) or drops the reasoning",
        head.label()
    );
    let draft = seen.draft(&RULE, message).at(sent.member("encrypted_content"));
    let expected = issued.map_or_else(|| "no token".to_owned(), brief);
    Some(draft.sent(brief(carried)).expected(expected))
}

/// Reasoning items that no response here issued, refused for a token that is none.
pub(crate) fn strangers(turn: &Turn<'_>) -> Vec<Draft> {
    let is_refused = turn.refusal.as_ref().is_some_and(|refusal| {
        refusal.code.as_deref() == Some("invalid_encrypted_content")
            || explain::refusal(&refusal.message).is_some_and(|page| page.code == "E12")
    });
    let reasoning = turn.input.iter().filter(|sent| {
        let token = written(sent);
        sent.kind == ItemKind::Reasoning
            && sent.found.is_none()
            && token.is_some_and(|token| !is_like_one(token))
    });
    let drafts = reasoning.filter(|_| is_refused).map(|sent| {
        let carried = written(sent).unwrap_or("");
        let message = format!(
            "no response here issued the reasoning item at {}, and its `encrypted_content` is no token; the API refused it (E12)",
            sent.pointer()
        );
        let draft = Draft::of(&RULE, message)
            .item(sent.view.id())
            .at(sent.member("encrypted_content"));
        draft
            .sent(brief(carried))
            .expected("a reasoning item as issued, or none")
            .once(Once::Thing(carried.to_owned()))
    });
    drafts.collect()
}

/// What stands in the member, empty or not.
fn written<'a>(sent: &Sent<'a>) -> Option<&'a str> {
    sent.view.object().member("encrypted_content")?.as_str()
}

/// Whether a text has a head and a length that tokens have (`docs/architecture.md`, Encrypted content and ids): 73 bytes
/// of the smallest one are 100 characters.
fn is_like_one(token: &str) -> bool {
    (token.starts_with("gAAAA") && token.len() >= 100) || token.starts_with("enc_")
}

/// First and last characters and the length: enough to tell tokens apart, too little to be one.
pub(crate) fn brief(token: &str) -> String {
    let characters: Vec<char> = token.chars().collect();
    if characters.len() < 24 {
        return format!("{} characters", characters.len());
    }
    let head: String = characters[..4].iter().collect();
    let end: String = characters[characters.len() - 4..].iter().collect();
    format!("{head}…{end} ({} characters)", characters.len())
}

fn closest<'a>(head: &'a IssuedItem, carried: &str) -> Option<&'a str> {
    let tokens = head.tokens.iter().map(|token| &*token.text);
    tokens.max_by_key(|issued| common(issued, carried))
}

fn common(left: &str, right: &str) -> usize {
    left.bytes()
        .zip(right.bytes())
        .take_while(|(a, b)| a == b)
        .count()
}

fn alteration(issued: &str, carried: &str) -> String {
    let bare: String = carried.chars().filter(|c| !c.is_whitespace()).collect();
    let url_safe = carried.replace('+', "-").replace('/', "_");
    let unquoted = carried.replace("%3D", "=").replace("%3d", "=");
    if issued.starts_with(carried) {
        let removed_padding = issued.trim_end_matches('=') == carried;
        if removed_padding {
            return "its padding was removed".to_owned();
        }
        return format!(
            "it was cut after {} of {} characters",
            carried.len(),
            issued.len()
        );
    }
    if carried.starts_with(issued) {
        return format!("{} characters were added to it", carried.len() - issued.len());
    }
    if bare == issued {
        return "white space was added to it".to_owned();
    }
    if url_safe.trim_end_matches('=') == issued.trim_end_matches('=') {
        return "it was re-encoded in the standard base64 alphabet".to_owned();
    }
    if unquoted == issued {
        return "it was percent-encoded".to_owned();
    }
    if carried.eq_ignore_ascii_case(issued) {
        return "its case was changed".to_owned();
    }
    if carried.contains(issued) {
        return "it was wrapped in other text".to_owned();
    }
    let same = common(issued, carried);
    if same < 12 {
        return "it was re-encoded as a whole".to_owned();
    }
    format!("it differs from character {} on", same + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Talk, msg, rs, token, user, with};

    fn carried_as(token: &str) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        let altered = with(&rs(1), "encrypted_content", token);
        talk.turn(
            &[user("plan"), altered, msg(1, "a plan"), user("go on")],
            &[msg(2, "done")],
        );
        talk.found()
    }

    #[test]
    fn a_cut_token_is_an_error() {
        assert_eq!(
            carried_as(&token(1, "done")[..200]),
            ["encrypted-content-altered:error"]
        );
    }

    #[test]
    fn a_token_without_padding_or_in_another_alphabet_is_an_error() {
        let issued = token(1, "done");
        assert_eq!(
            carried_as(issued.trim_end_matches('=')),
            ["encrypted-content-altered:error"]
        );
        assert_eq!(
            carried_as(&issued.replace('-', "+").replace('_', "/")),
            ["encrypted-content-altered:error"]
        );
    }

    #[test]
    fn the_issued_token_is_clean() {
        assert_eq!(carried_as(&token(1, "done")), Vec::<String>::new());
    }

    #[test]
    fn every_sealing_of_the_item_is_clean() {
        let mut talk = Talk::stateless();
        talk.stream(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        let listed = serde_json::json!({"id": talk.response_id(1), "output": [with(&rs(1), "encrypted_content", token(1, "get"))]});
        let path = format!("/v1/responses/{}", talk.response_id(1));
        talk.exchange(
            serde_json::json!({"request": {"method": "GET", "path": path}, "response": {"body": listed}}),
        );
        let again = with(&rs(1), "encrypted_content", token(1, "get"));
        talk.turn(
            &[user("plan"), again, msg(1, "a plan"), user("go on")],
            &[msg(2, "done")],
        );
        assert!(
            !talk
                .found()
                .iter()
                .any(|found| found.starts_with("encrypted-content-altered"))
        );
    }

    #[test]
    fn the_message_says_what_was_done_to_it() {
        let issued = "gAAAAABq_YbE-abc_def==";
        assert_eq!(
            alteration(issued, &issued[..15]),
            "it was cut after 15 of 22 characters"
        );
        assert_eq!(
            alteration(issued, "gAAAAABq_YbE-abc_def"),
            "its padding was removed"
        );
        assert_eq!(
            alteration(issued, "gAAAAABq/YbE+abc/def=="),
            "it was re-encoded in the standard base64 alphabet"
        );
        assert_eq!(
            alteration(issued, "gAAAAABq_YbE-abc_def%3D%3D"),
            "it was percent-encoded"
        );
        assert_eq!(
            alteration(issued, "gAAAAABq_YbE-abX_def=="),
            "it differs from character 16 on"
        );
        assert_eq!(alteration(issued, "Z0FBQUFBQnE="), "it was re-encoded as a whole");
    }

    fn refused_stranger(token: &str) -> crate::Verdict {
        let stranger = with(&rs(7), "encrypted_content", token);
        let mut talk = Talk::stateless();
        let message = "The encrypted content  could not be verified.";
        let code = Some("invalid_encrypted_content");
        talk.refused(&[user("a"), stranger, user("b")], 400, message, code);
        talk.verdict()
    }

    #[test]
    fn a_made_up_item_that_is_refused_for_what_cannot_be_a_token_is_an_error() {
        for made_up in ["", "the user wants a plan"] {
            let found = refused_stranger(made_up).findings;
            assert_eq!(found.len(), 1, "{made_up}");
            assert_eq!(found[0].rule, "encrypted-content-altered");
            assert_eq!(found[0].pointer.as_deref(), Some("/input/1/encrypted_content"));
        }
    }

    #[test]
    fn a_refused_item_that_may_come_from_elsewhere_is_inconclusive() {
        let verdict = refused_stranger(&token(7, "done"));
        assert_eq!(verdict.findings, []);
        assert_eq!(verdict.outcome, crate::Outcome::Inconclusive);
    }
}
