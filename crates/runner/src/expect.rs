//! What a scenario asked for, against what came.

use std::collections::BTreeSet;

use holdover_agent::TurnStatus;
use holdover_judge::{Severity, Verdict};
use holdover_report::CaseReport;
use holdover_scenario::{Expect, Located, Outcome, Span, Turn};
use holdover_wire::recording::ResponseRecord;
use holdover_wire::{Exchange, Recording};

use crate::lower::Case;
use crate::play::PlayedTurn;

/// An expectation that was not met, with the place in the scenario that asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet {
    /// What was expected and what came, one lowercase fragment.
    pub message: String,
    /// Where it happened, for the label.
    pub label: String,
    /// Bytes of the scenario file; `None` where nothing in the file asks for it (a twin must always be clean).
    pub span: Option<Span>,
}

/// Their messages alone, for reports.
pub fn messages(unmet: &[Unmet]) -> Vec<holdover_report::Unmet> {
    let message = |unmet: &Unmet| holdover_report::Unmet {
        message: unmet.message.clone(),
    };
    unmet.iter().map(message).collect()
}

/// Everything that the case's scenario asked for and did not get. A twin must be clean whatever its file says.
pub fn unmet(case: &Case, report: &CaseReport, turns: &[PlayedTurn]) -> Vec<Unmet> {
    let mut all = Vec::new();
    if case.twin {
        all.extend(twin_is_clean(case, &report.verdict));
        return all;
    }
    let expect = &case.scenario.expect;
    all.extend(findings(case, expect, &report.verdict));
    all.extend(notes(expect, &report.verdict));
    all.extend(verdict(expect, &report.verdict));
    all.extend(result(expect, report));
    all.extend(refusals(expect, &report.recording));
    for (turn, played) in case.scenario.turns.iter().zip(turns) {
        all.extend(turn_shows(turn, played, &report.recording));
        all.extend(turn_finds(turn, played, &report.verdict));
    }
    all
}

fn found(verdict: &Verdict) -> BTreeSet<&str> {
    let above = verdict
        .findings
        .iter()
        .filter(|finding| finding.severity > Severity::Note);
    above.map(|finding| finding.rule).collect()
}

/// What could not be judged is not clean: a twin whose requests are all refused would pass.
fn twin_is_clean(case: &Case, verdict: &Verdict) -> Option<Unmet> {
    let found = found(verdict);
    let shows = match verdict.inconclusive.first() {
        _ if !found.is_empty() => format!("it shows {}", listed(&found)),
        Some(gap) => format!("it cannot be judged ({}: needs {})", gap.what, gap.missing),
        None => return None,
    };
    Some(Unmet {
        message: format!("the twin of `{}` is not clean: {shows}", case.name),
        label: String::new(),
        span: Some(case.scenario.name.span.clone()),
    })
}

fn findings(case: &Case, expect: &Expect, verdict: &Verdict) -> Option<Unmet> {
    let found = found(verdict);
    let Some(asked) = &expect.findings else {
        let unasked = !case.scenario.is_planted() && !found.is_empty();
        return unasked.then(|| Unmet {
            message: format!(
                "a scenario that plants nothing is clean, but this one shows {}",
                listed(&found)
            ),
            label: String::new(),
            span: Some(case.scenario.name.span.clone()),
        });
    };
    let wanted: BTreeSet<&str> = asked.iter().map(|rule| rule.value.as_str()).collect();
    if wanted == found {
        return None;
    }
    let missing: BTreeSet<&str> = wanted.difference(&found).copied().collect();
    let extra: BTreeSet<&str> = found.difference(&wanted).copied().collect();
    let message = match (missing.is_empty(), extra.is_empty()) {
        (false, true) => format!("{} was expected and did not fire", listed(&missing)),
        (true, _) => format!("{} fired and was not expected", listed(&extra)),
        (false, false) => format!("{} was expected, but {} fired", listed(&missing), listed(&extra)),
    };
    let place = asked
        .iter()
        .find(|rule| missing.contains(rule.value.as_str()))
        .or(asked.first());
    let span = place
        .map(|rule| rule.span.clone())
        .or_else(|| expect.span.clone());
    Some(Unmet {
        message,
        label: extra_exchanges(verdict, &extra),
        span,
    })
}

/// Where the findings that nobody expected are: `exchange 3 of 5`.
fn extra_exchanges(verdict: &Verdict, extra: &BTreeSet<&str>) -> String {
    let places = verdict
        .findings
        .iter()
        .filter(|finding| extra.contains(finding.rule));
    let places: Vec<String> = places
        .filter_map(|finding| Some(format!("`{}` in exchange {}", finding.rule, finding.exchange?)))
        .collect();
    places.join(", ")
}

fn notes(expect: &Expect, verdict: &Verdict) -> Vec<Unmet> {
    let fired = |rule: &Located<String>| verdict.findings.iter().any(|finding| finding.rule == rule.value);
    let missing = expect.notes.iter().filter(|rule| !fired(rule));
    missing
        .map(|rule| Unmet {
            message: format!("the note `{}` was expected and did not come", rule.value),
            label: "asked for here".to_owned(),
            span: Some(rule.span.clone()),
        })
        .collect()
}

fn verdict(expect: &Expect, verdict: &Verdict) -> Option<Unmet> {
    let asked = expect.verdict.as_ref()?;
    differs(
        "verdict",
        asked.value.as_str(),
        verdict.outcome.as_str(),
        &asked.span,
    )
}

fn result(expect: &Expect, report: &CaseReport) -> Option<Unmet> {
    let asked = expect.result.as_ref()?;
    differs(
        "result",
        &asked.value,
        holdover_report::result_of(report),
        &asked.span,
    )
}

fn differs(what: &str, asked: &str, came: &str, span: &Span) -> Option<Unmet> {
    (asked != came).then(|| Unmet {
        message: format!("{what} `{asked}` was expected, but it is `{came}`"),
        label: "asked for here".to_owned(),
        span: Some(span.clone()),
    })
}

fn refusals(expect: &Expect, recording: &Recording) -> Option<Unmet> {
    let asked = expect.refusals.as_ref()?;
    let came: Vec<&str> = recording.exchanges.iter().filter_map(refusal).collect();
    let wanted: Vec<&str> = asked.iter().map(|refusal| refusal.value.as_str()).collect();
    (came != wanted).then(|| Unmet {
        message: format!(
            "refusals {} were expected, but they are {}",
            sequence(&wanted),
            sequence(&came)
        ),
        label: "asked for here".to_owned(),
        span: asked
            .first()
            .map(|refusal| refusal.span.clone())
            .or_else(|| expect.span.clone()),
    })
}

/// The entry of `tests/facts/errors.md` that an answer refuses with.
pub(crate) fn refusal(exchange: &Exchange) -> Option<&str> {
    exchange
        .response
        .as_ref()?
        .headers
        .get("x-holdover-refusal")?
        .as_str()
}

fn turn_shows(turn: &Turn, played: &PlayedTurn, recording: &Recording) -> Vec<Unmet> {
    let number = played.exchange.unwrap_or(0);
    let exchange = recording
        .exchanges
        .iter()
        .find(|exchange| exchange.exchange == number);
    let response = exchange.and_then(|exchange| exchange.response.as_ref());
    let label = format!("exchange {number} of {}", recording.exchanges.len());
    let check = |what: &str, asked: String, came: Option<String>, span: &Span| {
        let came = came.unwrap_or_else(|| "nothing".to_owned());
        (asked != came).then(|| Unmet {
            message: format!("turn {} expects {what} {asked}, but it is {came}", turn.number),
            label: label.clone(),
            span: Some(span.clone()),
        })
    };
    let expect = &turn.expect;
    let status = expect.status.as_ref().and_then(|asked| {
        check(
            "status",
            asked.value.to_string(),
            response.map(|response| response.status.to_string()),
            &asked.span,
        )
    });
    let refused = expect.refusal.as_ref().and_then(|asked| {
        check(
            "refusal",
            asked.value.clone(),
            exchange.and_then(refusal).map(str::to_owned),
            &asked.span,
        )
    });
    let protected = expect.prior_protected.as_ref().and_then(|asked| {
        check(
            "priorProtected",
            asked.value.to_string(),
            response.and_then(prior_protected),
            &asked.span,
        )
    });
    let ended = expect.outcome.as_ref().and_then(|asked| {
        check(
            "outcome",
            asked.value.as_str().to_owned(),
            Some(outcome(played.result.status).as_str().to_owned()),
            &asked.span,
        )
    });
    [status, refused, protected, ended]
        .into_iter()
        .flatten()
        .collect()
}

/// Findings that a turn asks for and that are not at its exchange.
fn turn_finds(turn: &Turn, played: &PlayedTurn, verdict: &Verdict) -> Vec<Unmet> {
    let at = |rule: &str| {
        let places = verdict.findings.iter().filter(|finding| finding.rule == rule);
        places.filter_map(|finding| finding.exchange).collect::<Vec<_>>()
    };
    let missing = turn.expect.findings.iter().filter_map(|asked| {
        let places = at(&asked.value);
        if played.exchange.is_some_and(|number| places.contains(&number)) {
            return None;
        }
        let came = match places.as_slice() {
            [] => "it did not fire".to_owned(),
            places => format!("it fired in exchange {places:?}"),
        };
        Some(Unmet {
            message: format!(
                "turn {} expects the finding `{}`, but {came}",
                turn.number, asked.value
            ),
            label: format!("exchange {}", played.exchange.unwrap_or(0)),
            span: Some(asked.span.clone()),
        })
    });
    missing.collect()
}

/// What the turns of a scenario ask for at their own exchanges: the rule, and the exchange.
pub fn reproduced(scenario: &holdover_scenario::Scenario, turns: &[PlayedTurn]) -> Vec<(String, u64)> {
    let asked = scenario.turns.iter().zip(turns).flat_map(|(turn, played)| {
        let rules = turn.expect.findings.iter();
        rules.filter_map(|rule| Some((rule.value.clone(), played.exchange?)))
    });
    asked.collect()
}

fn outcome(status: TurnStatus) -> Outcome {
    match status {
        TurnStatus::Completed => Outcome::Completed,
        TurnStatus::Incomplete => Outcome::Incomplete,
        TurnStatus::Failed => Outcome::Failed,
        TurnStatus::Refused => Outcome::Refused,
        TurnStatus::Broken => Outcome::Broken,
        TurnStatus::Skipped => Outcome::Skipped,
        TurnStatus::Stopped => Outcome::Stopped,
    }
}

fn prior_protected(response: &ResponseRecord) -> Option<String> {
    response
        .headers
        .get("x-holdover-prior-protected")?
        .as_str()
        .map(str::to_owned)
}

fn listed(rules: &BTreeSet<&str>) -> String {
    rules
        .iter()
        .map(|rule| format!("`{rule}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn sequence(names: &[&str]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}
