//! The names that the tests know: those of `docs/architecture.md`, written down by hand.

use holdover_scenario::{Impossible, Names, Vocabulary};

const RULES: &str = "history-absent reasoning-dropped text-only-rebuild late-part-dropped encrypted-content-missing \
    encrypted-content-altered foreign-token half-stripped-group orphan-reasoning orphan-follower \
    partial-reasoning-kept reasoning-id-lost item-dropped replay-duplicate merged-reasoning summary-altered \
    phase-lost order-broken compaction-altered id-in-export protected-data-in-export reasoning-text-in-export \
    credential-in-export reasoning-as-visible-text protected-data-as-text id-in-foreign-field call-without-output \
    output-without-call output-reassociated call-id-altered call-fabricated state-modes-mixed double-send \
    retrieve-of-unstored stale-anchor instructions-not-resent tools-not-resent concurrent-turn branch-overwritten \
    compaction-every-turn no-policy-snapshot policy-snapshot-wrong resume-by-stripped-id dedupe-by-stripped-id resume-key-forbidden \
    compaction-policy-changed export-policy-differs policy-used-as-content-switch handover-unchecked \
    unknown-field-sent required-field-missing id-grammar null-id terminal-misread poisoned-history-resent \
    retry-after-ignored not-retryable-retried recovery-blind signature-altered required-reasoning-missing \
    forbidden-reasoning-sent adjacency-broken prefix-not-byte-stable reasoning-of-another-provider";

const SLIPS: &str = "text-only-append first-output-only unknown-item-dropped stream-text-only \
    stream-last-update-lost role-and-text-record id-type-changed token-truncated token-re-encoded \
    log-whole-response log-input-fragment resume-by-reasoning-id policy-not-recorded dedupe-by-id \
    instructions-once include-forgotten mixed-modes trim-splits-pair half-strip policy-changed-after-compaction \
    export-under-other-policy policy-as-content-switch refusal-retried retry-at-once refusal-not-repaired \
    repair-misses anchor-kept cut-answer-kept broken-reasoning-kept event-appended-twice id-of-added \
    id-as-cache-key retrieve-after-store-false blind-trim compaction-item-parsed compact-every-turn \
    latest-overwritten foreign-reasoning-sent";

const RESULTS: &str = "id_present id_stripped no_leak kept leak resume_miss dedupe_miss unauditable lost id_lost \
    export_frozen compaction_unbound policy_misused handover_unchecked altered split unpaired mixed \
    instructions_lost retrieve_miss compacted_often overwritten foreign";

/// Profiles of the suite `wires` that are asked over another wire than the Responses API.
const OTHER_WIRES: &str = "deepseek-r1 deepseek-v3.2 deepseek-v4 kimi-k2 kimi-k2.6 kimi-k3 glm-4.7 glm-4.7-preserved qwen \
    mistral openrouter-claude openai-chat vllm-chat claude-opus-4.5 claude-5 gemini-2.5 gemini-3 vertex-gemini-3";

fn words(text: &str) -> Names {
    Names::only(text.split_whitespace())
}

fn wire(profile: &str) -> &'static str {
    match profile.split('-').next() {
        Some("claude") => "anthropic-messages",
        Some("gemini" | "vertex") => "gemini-generate",
        _ => "chat-completions",
    }
}

/// A vocabulary as a program would hand it in.
pub(crate) fn known() -> Vocabulary {
    Vocabulary {
        rules: words(RULES),
        slips: words(SLIPS),
        faults: Names::Only(Vec::new()),
        models: words("gpt-5.6 gpt-5.6-luna gpt-4.1"),
        profiles: words(&format!(
            "openai openai-strict azure foundry-project bedrock-claude {OTHER_WIRES}"
        )),
        unspoken: vec!["bedrock-claude".to_owned()],
        other_wires: OTHER_WIRES
            .split_whitespace()
            .map(|name| (name.to_owned(), wire(name).to_owned()))
            .collect(),
        by_name: ["openai-strict", "azure", "foundry-project", "vllm-chat"]
            .map(str::to_owned)
            .to_vec(),
        policies: words("replay-all drop-all tool-loop-only as-known"),
        presets: words("plain agents-sdk meai"),
        refusals: Names::only((1..=36).map(|number| format!("E{number:02}"))),
        results: words(RESULTS),
        impossible: vec![Impossible {
            slip: "stream-text-only".to_owned(),
            key: "stream".to_owned(),
            value: "false".to_owned(),
            reason: "a client that does not stream has no pieces to collect: set `stream = true`".to_owned(),
        }],
    }
}
