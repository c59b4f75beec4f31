//! `rate-limit`: 429 with the wait in seconds.

use holdover_wire::{ApiError, Evidence, Plan};

use crate::card::{Act, Decides, FaultCard, Group, card};
use crate::edit::refusal;
use crate::options::whole;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[whole(
        "seconds",
        (0, 86_400),
        1,
        "how long the client is told to wait",
    )],
    decides: Decides::Refusal,
    ..card(
        Group::Refusals,
        "rate-limit",
        "429 with `retry-after` in seconds",
        "too many tokens in a minute (errors.md E33)",
        Act::refuse_always(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Plan {
    let seconds = scene.whole("seconds").to_string();
    let error = error(scene, &format!("{seconds}s"));
    refusal::refuse_with(scene, &error, &[("retry-after", &seconds)])
}

/// The words of a limit, with the wait as its text says it.
pub(super) fn error(scene: &Scene<'_>, wait: &str) -> ApiError {
    let model = scene.model();
    let message = format!(
        "Rate limit reached for {model} in organization org-holdover on tokens per min (TPM): Limit 30000, Used 22999, Requested 12528. Please try again in {wait}. Visit https://platform.openai.com/account/rate-limits to learn more."
    );
    refusal::server_error((429, "E33", Evidence::Fixture), "tokens", &message).code("rate_limit_exceeded")
}

#[cfg(test)]
mod tests {
    use crate::testing::{self, stream};

    #[test]
    fn the_header_and_the_text_say_the_same_wait() {
        let plan = testing::play(&["rate-limit:seconds=3"], stream());
        assert_eq!(plan.status, 429);
        assert_eq!(plan.header("retry-after"), Some("3"));
        let body = &testing::sketch(&plan)[1];
        assert!(
            body.contains("Rate limit reached for gpt-5.6 in organization"),
            "{body}"
        );
        assert!(body.contains("Please try again in 3s."), "{body}");
        assert!(
            body.ends_with(r#""type":"tokens","param":null,"code":"rate_limit_exceeded"}}"#),
            "{body}"
        );
    }
}
