//! A turn on the wire of another provider: `holdover-provider` reads, checks and writes it; what is said is said here.

use std::sync::Arc;

use holdover_profile::provider::condition::Mind;
use holdover_profile::provider::engine::ends_of;
use holdover_profile::provider::{Breach, BreachKind, Endpoint, Misfit, Seal, Sealed, Spot};
use holdover_provider::notes::Wants;
use holdover_provider::{
    self as provider, Ask, Desk, Finish, Look, Pen, Said, SaidPart, answer as write, refusal,
};
use holdover_wire::id::EPOCH;
use holdover_wire::neutral::{Choice, Tool};
use holdover_wire::{ApiError, Call, Plan, PlanBody, Reply, ReplyEnd, ReplyPart, Wire};
use serde_json::Value;

use crate::auto_tools;
use crate::config::AutoTools;
use crate::derive::Purpose;
use crate::fake::{Answer, Carried, Fake, Job};
use crate::ids::Recall;
use crate::reading::Reading;
use crate::refusal::failure::{self, Told};
use crate::render::headers;
use crate::speech::title_case;
use crate::store::{ReplyUse, Writes};
use crate::tokens;

/// Characters of a user message that a default answer quotes.
const QUOTE_CHARS_MAX: usize = 120;

/// Answers a turn.
pub(crate) fn answer(job: &Job<'_>, wire: Wire) -> Result<Answer, ApiError> {
    let desk = Desk {
        book: &job.fake.config.book,
        profile: &job.fake.config.profile,
        signer: &job.fake.signer,
        seed: &job.fake.seed,
    };
    let ask = match desk.read(wire, job.call) {
        provider::Reading::Asks(ask) => ask,
        provider::Reading::Refused(plan) => return Ok(silent(named(job, wire, *plan))),
        provider::Reading::Unknown => {
            return Err(crate::refusal::unknown_path(job.call.method, &job.call.path));
        }
    };
    let (failure, reply) = match ask.notes.wants {
        Wants::Answer => (failure_of(job, &ask), ReplyUse::Used),
        // The script's reply, and a failure that it wants, is still to be said.
        Wants::Summary => (None, ReplyUse::None),
    };
    let plan = failure.unwrap_or_else(|| spoken(job, &ask));
    Ok(Answer {
        plan: named(job, wire, plan),
        writes: Writes {
            reply,
            ..Writes::default()
        },
        carried: Carried {
            prior_protected: ask.carried,
            rendered: ask.shown,
        },
    })
}

/// What a Responses endpoint of another provider makes of a call, before the API itself looks.
pub(crate) fn look(fake: &Fake, call: &Call, reading: &Reading) -> Look {
    let profile = &fake.config.profile;
    let speaks = |endpoint: &&Arc<Endpoint>| endpoint.wire == Wire::Responses;
    let Some(endpoint) = profile.endpoint.as_ref().filter(speaks) else {
        return Look::default();
    };
    let desk = Desk {
        book: &fake.config.book,
        profile,
        signer: &fake.signer,
        seed: &fake.seed,
    };
    desk.look(endpoint, call, &|index| seal(fake, reading, index))
}

/// What became of the token of an item of the input.
fn seal(fake: &Fake, reading: &Reading, index: usize) -> Seal {
    match reading.tokens.get(&index) {
        None => Seal::UNSIGNED,
        Some(Err(_)) => Seal {
            sealed: Sealed::Altered,
            ..Seal::UNSIGNED
        },
        Some(Ok(payload)) => {
            let own = payload.organisation == fake.config.account.organisation;
            Seal {
                sealed: Sealed::Right,
                misfit: if own { Misfit::None } else { Misfit::Account },
                ..Seal::UNSIGNED
            }
        }
    }
}

/// What the API refuses, in the words of the endpoint where it has some: a token (E12), an item of another account.
pub(crate) fn reworded(job: &Job<'_>, error: &ApiError) -> Option<Plan> {
    match error.source {
        "E12" => token_refused(job),
        "E06" | "E07" => item_refused(job),
        _ => None,
    }
}

/// An item that is named by an id of another account.
fn item_refused(job: &Job<'_>) -> Option<Plan> {
    let endpoint = job.fake.config.profile.endpoint.as_ref()?;
    let mut rules = endpoint.rule.iter();
    let rule = rules.find(|rule| rule.breach == BreachKind::Elsewhere)?;
    let violation = rule.violation.as_ref()?;
    let input = job.call.body.object()?.get("input")?.as_array()?;
    let elsewhere = |item: &Value| {
        let issued = item
            .get("id")
            .and_then(Value::as_str)
            .and_then(|id| job.fake.ids.read(id));
        issued.is_some_and(|issued| issued.account != job.reading.account)
    };
    let spot = Spot {
        message: Some(input.iter().position(elsewhere)?),
        ..Spot::default()
    };
    let breach = Breach {
        rule,
        spots: vec![spot],
    };
    Some(refusal::breach(endpoint, &breach, violation))
}

/// A token that the API refuses (E12), in the words of the endpoint where it has some.
fn token_refused(job: &Job<'_>) -> Option<Plan> {
    let endpoint = job.fake.config.profile.endpoint.as_ref()?;
    let rule = endpoint
        .rule
        .iter()
        .find(|rule| rule.breach == BreachKind::Altered)?;
    let violation = rule.violation.as_ref()?;
    let broken = job.reading.tokens.iter().find(|(_, opened)| opened.is_err());
    let (index, _) = broken?;
    let item = job.call.body.object()?.get("input")?.get(index)?;
    let token = item.get("encrypted_content")?.as_str()?;
    let spot = Spot {
        message: Some(*index),
        text: ends_of(token),
        ..Spot::default()
    };
    let breach = Breach {
        rule,
        spots: vec![spot],
    };
    Some(refusal::breach(endpoint, &breach, violation))
}

/// An answer that keeps nothing.
pub(crate) fn silent(plan: Plan) -> Answer {
    Answer {
        plan,
        writes: Writes::default(),
        carried: Carried::default(),
    }
}

fn spoken(job: &Job<'_>, ask: &Ask) -> Plan {
    let said = match job.reply {
        Some(reply) if !reply.parts.is_empty() => scripted(job, ask, reply),
        Some(_) | None => unscripted(job, ask),
    };
    let label = format!("{} {}", job.reading.fingerprint.hex(), job.moment.occurrence);
    let turns = u32::try_from(ask.history.assistant().len()).unwrap_or(u32::MAX);
    let turns = turns.saturating_add(ask.past.turns);
    let tick = job.moment.time.tick(turns.checked_sub(1));
    let pen = Pen {
        key: &job.fake.world.purpose("provider", &label),
        second: EPOCH + u64::from(tick),
        signer: &job.fake.signer,
        count: &|text| u64::from(tokens::count(text)),
    };
    write(ask, &said, &pen)
}

/// The plan with the id of the request: in a header, and in a refusal whose envelope has it.
fn named(job: &Job<'_>, wire: Wire, mut plan: Plan) -> Plan {
    let id = headers::request_id(job);
    let name = match wire {
        Wire::AnthropicMessages => "request-id",
        Wire::BedrockConverse => "x-amzn-requestid",
        _ => "x-request-id",
    };
    if let PlanBody::Json(body) = &mut plan.body
        && let Some(place) = body.get_mut("request_id")
    {
        *place = id.clone().into();
    }
    plan.headers.push((name.to_owned(), id));
    plan
}

/// The failure that a script wants.
fn failure_of(job: &Job<'_>, ask: &Ask) -> Option<Plan> {
    let mut ends = job.reply?.parts.iter();
    let (code, message) = ends.find_map(|part| match part {
        ReplyPart::End(ReplyEnd::Failed { code, message }) => Some((code, message)),
        _ => None,
    })?;
    let told = Told {
        model: &ask.history.model,
        organisation: &job.fake.config.account.organisation,
        request_id: &headers::request_id(job),
    };
    let error = failure::of_code(code, &told);
    let message = message.clone().unwrap_or(error.message);
    Some(refusal::failure(&ask.endpoint, &ApiError { message, ..error }))
}

fn scripted(job: &Job<'_>, ask: &Ask, reply: &Reply) -> Said {
    let mut said = Said::default();
    for (index, part) in (0_u16..).zip(&reply.parts) {
        match part {
            ReplyPart::Reasoning { summary } => {
                let text = summary.as_ref().map(|summary| summary.join("\n"));
                said.parts.extend(reasoning(job, ask, index, text));
            }
            ReplyPart::Message { text, .. } => {
                let text = text.clone().unwrap_or_else(|| default_text(ask));
                said.parts.push(SaidPart::Text(text));
            }
            ReplyPart::Refusal(text) => said.parts.push(SaidPart::Text(text.clone())),
            ReplyPart::Call { id, name, arguments } => said.parts.push(SaidPart::Call {
                id: id.clone(),
                name: name.clone(),
                arguments: arguments.clone().unwrap_or_else(|| arguments_for(ask, name)),
            }),
            ReplyPart::CustomCall { id, name, input } => {
                let input = input.as_deref().unwrap_or_else(|| ask.history.asked());
                said.parts.push(SaidPart::Call {
                    id: id.clone(),
                    name: name.clone(),
                    arguments: serde_json::json!({"input": input}).to_string(),
                });
            }
            ReplyPart::End(ReplyEnd::Incomplete { .. }) => said.finish = Finish::Length,
            // An item of the Responses API has no place on another wire.
            ReplyPart::Item(_) | ReplyPart::End(ReplyEnd::Failed { .. }) => {}
        }
    }
    if said.parts.is_empty() {
        let finish = said.finish;
        return Said {
            finish,
            ..unscripted(job, ask)
        };
    }
    said
}

fn unscripted(job: &Job<'_>, ask: &Ask) -> Said {
    let mut parts: Vec<SaidPart> = reasoning(job, ask, 0, None).into_iter().collect();
    parts.push(match tool(job, ask) {
        Some(tool) => SaidPart::Call {
            id: None,
            name: tool.name.clone(),
            arguments: auto_tools::arguments_for(tool.parameters.as_ref()),
        },
        None => SaidPart::Text(default_text(ask)),
    });
    Said {
        parts,
        finish: Finish::Done,
    }
}

/// Reasoning, unless the model was told not to think.
fn reasoning(job: &Job<'_>, ask: &Ask, index: u16, text: Option<String>) -> Option<SaidPart> {
    if ask.mind == Mind::Rests {
        return None;
    }
    let nonce = job.fake.ids.nonce(job.draw.number(Purpose::Nonce));
    let text = text.unwrap_or_else(|| {
        format!(
            "The user asks \"{}\". I am shown {} pieces of my earlier reasoning.",
            asked(ask),
            ask.shown
        )
    });
    Some(SaidPart::Reasoning {
        text,
        recall: job.fake.ids.recall(nonce, index).0,
    })
}

/// The tool that has to be called, or that the setting chooses; once for each message of the user.
fn tool<'a>(job: &Job<'_>, ask: &'a Ask) -> Option<&'a Tool> {
    let history = &ask.history;
    if history.is_answered() {
        return None;
    }
    let mut tools = history.tools.iter();
    match (&history.choice, &job.fake.config.auto_tools) {
        (Choice::Named(name), _) => tools.find(|tool| tool.name == *name),
        (Choice::Required, _) | (Choice::Auto, AutoTools::Any) => tools.next(),
        (Choice::None, _) | (Choice::Auto, AutoTools::Off) => None,
        (Choice::Auto, AutoTools::Named) => {
            tools.find(|tool| auto_tools::is_named(history.asked(), &tool.name))
        }
        (Choice::Auto, AutoTools::List(names)) => tools.find(|tool| names.contains(&tool.name)),
    }
}

fn arguments_for(ask: &Ask, name: &str) -> String {
    let tool = ask.history.tools.iter().find(|tool| tool.name == name);
    tool.map_or_else(
        || "{}".to_owned(),
        |tool| auto_tools::arguments_for(tool.parameters.as_ref()),
    )
}

fn asked(ask: &Ask) -> String {
    ask.history.asked().chars().take(QUOTE_CHARS_MAX).collect()
}

fn default_text(ask: &Ask) -> String {
    if ask.history.asked().contains("holdover:recall") {
        let recall = ask.recall.map(Recall);
        return recall.map_or_else(|| "unknown".to_owned(), |recall| recall.to_string());
    }
    let effort = match ask.mind {
        Mind::Rests => "none",
        Mind::Thinks => ask.effort.as_deref().unwrap_or("medium"),
    };
    format!(
        "Offline ({}, stateless, priorProtected={}): answered \"{}\".",
        title_case(effort),
        ask.carried,
        asked(ask)
    )
}
