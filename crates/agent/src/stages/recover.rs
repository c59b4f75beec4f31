//! Stage `recover`: what a client does about a call that brought no answer. It sends the same request again, or a
//! repaired history, or it stops with the error; what a broken answer left never reaches the history (N15, N16, N17 and
//! N20 of `tests/facts/cases/classes.md`).

use holdover_wire::Object;

use crate::config::AgentConfig;
use crate::slip::Slip;
use crate::slips;
use crate::state::State;
use crate::turn::Received;

use super::receive::{self, Failure, Outcome};

/// How often the same request is sent again: the default of the official SDKs.
const RETRIES_MAX: u32 = 2;
/// How often a turn repairs its history.
const REPAIRS_MAX: u32 = 4;
/// Wait before the first retry where the answer names none; it doubles (`tests/facts/endpoints.md`, Errors).
const BACKOFF_MS: u64 = 500;
/// Longest wait that a client takes: above it an SDK gives the turn back (`tests/facts/endpoints.md`, Errors).
const WAIT_MS_MAX: u64 = 120_000;
/// Statuses of trouble that passes; so does every one from 500 on.
const PASSING: [u16; 4] = [408, 409, 425, 429];

/// Why a call brought no answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// HTTP status; 0 where no refusal arrived.
    pub(crate) status: u16,
    /// `error.code`
    pub(crate) code: Option<String>,
    /// `error.message`, or why the answer could not be read.
    pub(crate) message: String,
    /// How long the answer asks to wait.
    pub(crate) wait_ms: Option<u64>,
    /// `x-should-retry`
    pub(crate) advice: Option<Advice>,
}

/// What `x-should-retry` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advice {
    Retry,
    Stop,
}

/// How many attempts of a turn went wrong so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attempts {
    /// Resends of the same request.
    pub(crate) retries: u32,
    /// Repairs of the history.
    pub(crate) repairs: u32,
}

/// What to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// The same request again, whole, after a wait.
    Again {
        /// Milliseconds.
        wait_ms: u64,
    },
    /// The same history again as if nothing had been said: no right client does it.
    Unchanged,
    /// The history without the reasoning that the refusal names, once.
    Forget(Named),
    /// The whole history instead of the anchor; the next turn is anchored again.
    Replay,
    /// The whole history instead of the anchor, from now on.
    ReplayAlways,
    /// The history that a compaction replaced.
    Uncompact,
    /// Nothing helps: the turn ends with the error.
    Stop,
}

/// The reasoning that a refusal names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// By its id.
    Id(String),
    /// By the first and the last characters of its token.
    Token(String, String),
    /// Not at all.
    Any,
}

impl Named {
    /// What the message of a refusal names.
    pub(crate) fn of(message: &str) -> Self {
        if let Some(start) = message.find("rs_") {
            let id: String = message[start..]
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
                .collect();
            return Self::Id(id);
        }
        let elided = message
            .split_whitespace()
            .find_map(|word| word.split_once("..."))
            .filter(|(head, tail)| !head.is_empty() && !tail.is_empty());
        elided.map_or(Self::Any, |(head, tail)| {
            Self::Token(head.to_owned(), tail.to_owned())
        })
    }

    /// Whether it means the reasoning item with this id and this token.
    pub(crate) fn means(&self, id: Option<&str>, token: Option<&str>) -> bool {
        match self {
            Self::Id(named) => id == Some(named),
            Self::Token(head, tail) => {
                token.is_some_and(|token| token.starts_with(head.as_str()) && token.ends_with(tail.as_str()))
            }
            Self::Any => true,
        }
    }
}

/// Why the answer to a create request is none; `None` for an answer.
pub(crate) fn of_create(received: &Received, config: &AgentConfig) -> Option<Trouble> {
    match receive::answer(received, config) {
        Outcome::Answered(_) => None,
        Outcome::Refused(_) => Some(of_refusal(received)),
        Outcome::Failed(Failure { code, message }) => Some(Trouble {
            wait_ms: wait_in_text(&message),
            code,
            message,
            ..Trouble::default()
        }),
        Outcome::Broken(message) => Some(Trouble {
            message,
            ..Trouble::default()
        }),
    }
}

/// Why the answer to another call is none.
pub(crate) fn of_other(received: &Received) -> Option<Trouble> {
    let refusal = receive::object(received).err()?;
    if refusal.status >= 400 {
        return Some(of_refusal(received));
    }
    Some(Trouble {
        message: refusal.message,
        ..Trouble::default()
    })
}

fn of_refusal(received: &Received) -> Trouble {
    let body: Option<Object> = serde_json::from_slice(&received.body).ok();
    let error = body.as_ref().and_then(|body| body.get("error")?.as_object());
    let text = |name: &str| error.and_then(|error| error.get(name)?.as_str());
    let message = text("message").unwrap_or_default().to_owned();
    Trouble {
        status: received.status,
        code: text("code").map(str::to_owned),
        wait_ms: wait_in_headers(received).or_else(|| wait_in_text(&message)),
        advice: match received.header("x-should-retry") {
            Some("true") => Some(Advice::Retry),
            Some("false") => Some(Advice::Stop),
            _ => None,
        },
        message,
    }
}

/// The right remedy, or that of a slip.
pub(crate) fn remedy(trouble: &Trouble, tried: Attempts, config: &AgentConfig, state: &State) -> Remedy {
    let mut remedy = right(trouble, tried);
    if config.has(Slip::RefusalRetried) {
        remedy = slips::refusal_retried::apply(remedy, tried);
    }
    if config.has(Slip::RetryAtOnce) {
        remedy = slips::retry_at_once::apply(remedy);
    }
    if config.has(Slip::RefusalNotRepaired) {
        remedy = slips::refusal_not_repaired::apply(remedy, tried);
    }
    if config.has(Slip::RepairMisses) {
        remedy = slips::repair_misses::apply(remedy, tried, state);
    }
    if config.has(Slip::AnchorKept) {
        remedy = slips::anchor_kept::apply(remedy);
    }
    remedy
}

fn right(trouble: &Trouble, tried: Attempts) -> Remedy {
    if trouble.passes() {
        let wait_ms = trouble
            .wait_ms
            .unwrap_or(BACKOFF_MS << tried.retries.min(RETRIES_MAX));
        return if tried.retries < RETRIES_MAX && wait_ms <= WAIT_MS_MAX {
            Remedy::Again { wait_ms }
        } else {
            Remedy::Stop
        };
    }
    if tried.repairs >= REPAIRS_MAX {
        return Remedy::Stop;
    }
    trouble.repair()
}

impl Trouble {
    /// Whether the same request may pass later. What the answer says of it comes before its status; a used-up credit
    /// does not come back by waiting (`tests/facts/endpoints.md`, Errors).
    fn passes(&self) -> bool {
        match (self.advice, self.code.as_deref()) {
            (Some(advice), _) => advice == Advice::Retry,
            (None, Some("conversation_locked")) => true,
            (None, Some("insufficient_quota")) => false,
            // A response that failed inside a 200, or an answer that broke off.
            (None, code) if self.status == 0 => matches!(
                code,
                None | Some("server_error" | "rate_limit_exceeded" | "server_is_overloaded" | "slow_down")
            ),
            (None, _) if self.is_lost_for_now() => true,
            (None, _) => self.status >= 500 || PASSING.contains(&self.status),
        }
    }

    /// E07a: a stored item that another backend does not see; a retry may pass.
    fn is_lost_for_now(&self) -> bool {
        self.message.starts_with("Item with id") && self.message.ends_with("not found.")
    }

    fn repair(&self) -> Remedy {
        let says = |wordings: &[&str]| wordings.iter().any(|wording| self.message.contains(wording));
        if self.code.as_deref() == Some("previous_response_not_found") || says(&["Previous response with id"])
        {
            return Remedy::Replay;
        }
        if says(&["Zero Data Retention"]) && says(&["Previous response"]) {
            return Remedy::ReplayAlways;
        }
        if says(&["compaction", "cmp_"]) {
            return Remedy::Uncompact;
        }
        let is_about_reasoning = self.code.as_deref() == Some("invalid_encrypted_content")
            || says(&[
                "could not be verified",
                "decrypt",
                "encrypted_content",
                "Item with id 'rs_",
                "without its required following item",
            ]);
        if is_about_reasoning {
            return Remedy::Forget(Named::of(&self.message));
        }
        Remedy::Stop
    }
}

fn wait_in_headers(received: &Received) -> Option<u64> {
    let number = |name: &str| received.header(name)?.trim().parse::<u64>().ok();
    number("retry-after-ms").or_else(|| Some(number("retry-after")?.saturating_mul(1_000)))
}

/// `try again in 11.054s`, or `…ms` (E33).
fn wait_in_text(message: &str) -> Option<u64> {
    let rest = message.split_once("try again in ")?.1;
    let digits: String = rest
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    let unit = &rest[digits.len()..];
    let (whole, part) = digits
        .trim_end_matches('.')
        .split_once('.')
        .unwrap_or((digits.trim_end_matches('.'), ""));
    let whole: u64 = whole.parse().ok()?;
    if unit.starts_with("ms") {
        return Some(whole);
    }
    let thousandths: u64 = format!("{part:0<3}").get(..3)?.parse().ok()?;
    unit.starts_with('s')
        .then(|| whole.saturating_mul(1_000).saturating_add(thousandths))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing;

    use super::*;

    fn refused(status: u16, headers: &[(&str, &str)], code: Option<&str>, message: &str) -> Remedy {
        let mut received = testing::refusal(status, code, message);
        let headers = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        received.headers.extend(headers);
        let config = AgentConfig::default();
        let trouble = of_create(&received, &config).expect("trouble");
        right(&trouble, Attempts::default())
    }

    fn again(wait_ms: u64) -> Remedy {
        Remedy::Again { wait_ms }
    }

    #[test]
    fn trouble_that_passes_is_met_by_the_same_request() {
        for status in [408, 409, 429, 500, 502, 503, 529] {
            assert_eq!(refused(status, &[], None, "no"), again(500), "{status}");
        }
        assert_eq!(refused(400, &[], Some("conversation_locked"), "busy"), again(500));
        assert_eq!(
            refused(404, &[], None, "Item with id 'rs_1' not found."),
            again(500)
        );
    }

    #[test]
    fn what_cannot_pass_stops() {
        for status in [400, 401, 403, 404, 413, 422] {
            assert_eq!(refused(status, &[], None, "no"), Remedy::Stop, "{status}");
        }
        assert_eq!(refused(429, &[], Some("insufficient_quota"), "no"), Remedy::Stop);
    }

    #[test]
    fn x_should_retry_comes_before_the_status() {
        assert_eq!(
            refused(500, &[("x-should-retry", "false")], None, "no"),
            Remedy::Stop
        );
        assert_eq!(
            refused(400, &[("x-should-retry", "true")], None, "no"),
            again(500)
        );
    }

    #[test]
    fn the_wait_is_what_the_answer_names() {
        let seconds = ("retry-after", "7");
        assert_eq!(refused(429, &[seconds], None, "no"), again(7_000));
        assert_eq!(
            refused(429, &[seconds, ("retry-after-ms", "1250")], None, "no"),
            again(1_250)
        );
        let text = |text: &str| refused(429, &[], None, text);
        assert_eq!(text("Please try again in 11.054s. Visit"), again(11_054));
        assert_eq!(text("Please try again in 20s."), again(20_000));
        assert_eq!(text("Please try again in 250ms."), again(250));
    }

    #[test]
    fn a_third_failure_in_a_row_ends_the_turn() {
        let trouble = Trouble {
            message: "cut".to_owned(),
            ..Trouble::default()
        };
        let after = |retries| {
            let tried = Attempts {
                retries,
                ..Attempts::default()
            };
            right(&trouble, tried)
        };
        assert_eq!(
            [after(0), after(1), after(2)],
            [again(500), again(1_000), Remedy::Stop]
        );
    }

    #[test]
    fn a_refusal_is_repaired_where_it_points() {
        let id = |id: &str| Remedy::Forget(Named::Id(id.to_owned()));
        let code = Some("invalid_encrypted_content");
        assert_eq!(
            refused(
                400,
                &[],
                code,
                "The encrypted content for item rs_1a could not be verified. Reason: x"
            ),
            id("rs_1a")
        );
        assert_eq!(
            refused(
                400,
                &[],
                code,
                "The encrypted content gAAA...xyz= could not be verified."
            ),
            Remedy::Forget(Named::Token("gAAA".to_owned(), "xyz=".to_owned()))
        );
        assert_eq!(
            refused(
                400,
                &[],
                None,
                "reasoning `encrypted_content` was not issued to this caller"
            ),
            Remedy::Forget(Named::Any)
        );
        assert_eq!(
            refused(
                400,
                &[],
                None,
                "Item 'rs_1' of type 'reasoning' was provided without its required following item."
            ),
            id("rs_1")
        );
        assert_eq!(
            refused(
                404,
                &[],
                None,
                "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."
            ),
            id("rs_1")
        );
        let gone = "Previous response with id 'resp_1' not found.";
        assert_eq!(
            refused(400, &[], Some("previous_response_not_found"), gone),
            Remedy::Replay
        );
        assert_eq!(
            refused(400, &[], None, "Could not decode the compaction blob."),
            Remedy::Uncompact
        );
    }

    #[test]
    fn a_failure_inside_an_answer_is_read_by_its_code() {
        let failed = |code: &str| {
            let body = json!({"id": "resp_1", "status": "failed", "output": [], "error": {"code": code, "message": "no"}});
            let config = AgentConfig::default();
            let trouble = of_create(&testing::json(&body), &config).expect("trouble");
            right(&trouble, Attempts::default())
        };
        assert_eq!(failed("server_error"), again(500));
        assert_eq!(failed("invalid_prompt"), Remedy::Stop);
    }
}
