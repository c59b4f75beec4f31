//! `holdover explain --symptom`: the checks of a symptom in their order (P16 and M9 of `docs/mission.md`), answered from
//! a recording.

use std::path::Path;

use holdover_capture::{Captured, Text};
use holdover_judge::Verdict;
use holdover_runner::capture::{self, Redaction};
use holdover_runner::settings::Settings;

use crate::commands::judge::explained;
use crate::exit::{Exit, UserError};
use crate::terminal::{Stream, Terminal};

/// One question, with the rules that answer it.
struct Check {
    question: &'static str,
    rules: &'static [&'static str],
    /// What the recording alone cannot say.
    needs: Option<&'static str>,
}

struct Symptom {
    name: &'static str,
    says: &'static str,
    checks: &'static [Check],
}

const fn check(question: &'static str, rules: &'static [&'static str]) -> Check {
    Check {
        question,
        rules,
        needs: None,
    }
}

const fn beside(question: &'static str, rules: &'static [&'static str], needs: &'static str) -> Check {
    Check {
        question,
        rules,
        needs: Some(needs),
    }
}

const LOST: &[&str] = &[
    "text-only-rebuild",
    "reasoning-dropped",
    "late-part-dropped",
    "item-dropped",
    "encrypted-content-missing",
    "orphan-follower",
];

const SYMPTOMS: [Symptom; 6] = [
    Symptom {
        name: "resume-finds-nothing",
        says: "a resume finds no checkpoint (P16)",
        checks: &[
            beside(
                "is the policy omit, so that ids are stripped?",
                &["reasoning-id-lost", "resume-by-stripped-id"],
                "audit records (`judge --audit`)",
            ),
            beside(
                "is the resume key a reasoning id?",
                &["resume-by-stripped-id", "resume-key-forbidden"],
                "audit records (`judge --audit`)",
            ),
            check(
                "is what it looks for not in the storage?",
                &["stale-anchor", "retrieve-of-unstored"],
            ),
        ],
    },
    Symptom {
        name: "id-in-log",
        says: "a tenant-shaped id stands in a log (P16)",
        checks: &[
            beside(
                "is the policy preserve or none, so that ids travel?",
                &["policy-snapshot-wrong", "no-policy-snapshot"],
                "audit records (`judge --audit`)",
            ),
            beside(
                "is a channel not redacted?",
                &[
                    "id-in-export",
                    "protected-data-in-export",
                    "reasoning-text-in-export",
                ],
                "the exports (`judge --scan`)",
            ),
            check(
                "does a field of a request carry it to somebody else?",
                &["id-in-foreign-field", "protected-data-as-text"],
            ),
        ],
    },
    Symptom {
        name: "asks-again",
        says: "the model asks again for what it was told (M9)",
        checks: &[
            check("did a request go without the history?", &["history-absent"]),
            check("did reasoning not come back?", LOST),
            check(
                "did what came back not count?",
                &[
                    "encrypted-content-altered",
                    "foreign-token",
                    "half-stripped-group",
                    "orphan-reasoning",
                ],
            ),
            check(
                "did the anchor point elsewhere?",
                &["stale-anchor", "state-modes-mixed", "branch-overwritten"],
            ),
        ],
    },
    Symptom {
        name: "tool-never-ran",
        says: "the model thinks that a finished tool never ran (M9)",
        checks: &[
            check("has a call no output?", &["call-without-output"]),
            check(
                "does an output answer another call, or none?",
                &[
                    "output-without-call",
                    "call-id-altered",
                    "output-reassociated",
                    "call-fabricated",
                ],
            ),
            check("was the reasoning that made the call lost?", LOST),
            check("were the tools not sent again?", &["tools-not-resent"]),
        ],
    },
    Symptom {
        name: "style-reset",
        says: "a style or a constraint of turn 1 is gone in turn 2 (M9)",
        checks: &[
            check(
                "were the instructions not sent again?",
                &["instructions-not-resent"],
            ),
            check("did a request go without the history?", &["history-absent"]),
            check(
                "were two ways of keeping state mixed?",
                &["state-modes-mixed", "double-send"],
            ),
        ],
    },
    Symptom {
        name: "forgot-after-a-length",
        says: "early decisions vanish past a length (M9)",
        checks: &[
            check(
                "did a trim cut through a group or a pair?",
                &[
                    "orphan-follower",
                    "orphan-reasoning",
                    "output-without-call",
                    "call-without-output",
                    "item-dropped",
                ],
            ),
            check(
                "was a compaction altered, or sent beside what it replaces?",
                &[
                    "compaction-altered",
                    "history-beside-compaction",
                    "compaction-policy-changed",
                ],
            ),
            check("was a token cut at a length?", &["encrypted-content-altered"]),
        ],
    },
];

pub(crate) fn symptom(name: &str, file: Option<&str>, terminal: Terminal) -> anyhow::Result<Exit> {
    let Some(symptom) = SYMPTOMS.iter().find(|symptom| symptom.name == name) else {
        let known: Vec<&str> = SYMPTOMS.iter().map(|symptom| symptom.name).collect();
        return Err(UserError::usage(format!("`{name}` is no symptom"))
            .help(format!("the symptoms are {}", known.join(", ")))
            .into());
    };
    terminal.say(Stream::Out, &format!("{}: {}", symptom.name, symptom.says));
    let verdicts = match file {
        Some(file) => verdicts(Path::new(file))?,
        None => Vec::new(),
    };
    let mut found = false;
    for (number, check) in symptom.checks.iter().enumerate() {
        let answer = match file {
            Some(_) => answer(check, &verdicts),
            None => format!("rules: {}", check.rules.join(", ")),
        };
        found |= answer.starts_with("yes");
        terminal.say(
            Stream::Out,
            &format!("{}. {} {answer}", number + 1, check.question),
        );
    }
    Ok(if found { Exit::Findings } else { Exit::Expected })
}

fn verdicts(path: &Path) -> anyhow::Result<Vec<Verdict>> {
    let mut captured = Captured::default();
    capture::read(path, Redaction::Foreign(Text::Replaced), &mut captured)
        .map_err(|error| explained(&error))?;
    let judged = captured.sessions.iter().map(|session| {
        capture::verdict(
            &session.recording,
            !session.lossy.is_empty(),
            &Settings::default(),
        )
    });
    let judged: Result<Vec<Verdict>, _> = judged.collect();
    judged.map_err(|error| UserError::usage(error.to_string()).into())
}

fn answer(check: &Check, verdicts: &[Verdict]) -> String {
    let findings = verdicts.iter().flat_map(|verdict| &verdict.findings);
    let is_one = |rule: &str| check.rules.contains(&rule);
    let hit = findings
        .into_iter()
        .find(|finding| is_one(finding.rule) || finding.also.iter().any(|rule| is_one(rule)));
    if let Some(finding) = hit {
        let place = finding
            .exchange
            .map(|number| format!(", exchange {number}"))
            .unwrap_or_default();
        return format!("yes: `{}`{place}: {}", finding.rule, finding.message);
    }
    let open = verdicts
        .iter()
        .flat_map(|verdict| &verdict.inconclusive)
        .find(|open| check.rules.iter().any(|rule| open.what.contains(rule)));
    match (open, check.needs) {
        (Some(open), _) => format!("not known: it needs {}", open.missing),
        (None, Some(needs)) => format!("not in the recording: it needs {needs}"),
        (None, None) => "no".to_owned(),
    }
}
