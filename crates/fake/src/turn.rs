//! What a request asks of the model, with all defaults filled in.

use holdover_profile::{Context, Encrypted, Model, Org};
use holdover_wire::CreateRequest;
use holdover_wire::Members as _;
use holdover_wire::id::Persistence;

use crate::cache::{self, Cached, Hit, Position};
use crate::chain::{ChainState, Rendered};
use crate::derive::Purpose;
use crate::fake::{Carried, Job};
use crate::ids::Stem;
use crate::validate::entries::Entry;
use crate::validate::{Checked, InputTokens};

/// Whether the model reasons in this response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reasons {
    /// It does.
    Yes,
    /// The model does not reason, or its effort is explicitly `none`.
    No,
}

/// Whether the client waits for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Background {
    /// It polls.
    Yes,
    /// It waits.
    No,
}

/// Whether items carry their tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tokens {
    /// `encrypted_content` is there.
    Shown,
    /// The key is absent.
    Hidden,
}

/// A request with all defaults filled in.
pub(crate) struct Turn<'a> {
    /// The request.
    pub(crate) request: CreateRequest<'a>,
    /// The model.
    pub(crate) model: &'a Model,
    /// Effort as it is echoed.
    pub(crate) effort: Option<&'a str>,
    /// Whether the model reasons.
    pub(crate) reasons: Reasons,
    /// Summary as it is echoed: `auto` is resolved.
    pub(crate) summary: Option<&'a str>,
    /// Effective `reasoning.context`.
    pub(crate) context: Context,
    /// Effective `store`.
    pub(crate) persistence: Persistence,
    /// Whether items carry their tokens.
    pub(crate) tokens: Tokens,
    /// What the ids share.
    pub(crate) stem: Stem,
    /// The context with the input, without the output.
    pub(crate) chain: ChainState,
    /// What the model is shown of past reasoning.
    pub(crate) rendered: Rendered,
    /// The items of the input.
    pub(crate) entries: Vec<Entry<'a>>,
    /// Tokens of the input.
    pub(crate) input_tokens: InputTokens,
    /// What it reads from the prompt cache and writes to it.
    pub(crate) cached: Cached,
    /// Prefixes that the cache keeps of it.
    pub(crate) kept: Vec<Position>,
}

impl<'a> Turn<'a> {
    /// Fills in the defaults.
    pub(crate) fn new(job: &Job<'a>, checked: Checked<'a>) -> Self {
        let Checked {
            request,
            model,
            chain,
            entries,
            positions,
            continued,
            input_tokens,
        } = checked;
        let kept = cache::kept(request, model.cache, &positions);
        let known = known_tokens(job, &positions, continued).map(|tokens| tokens + input_tokens.header);
        let newest = kept.last().map(|position| position.tokens + input_tokens.header);
        let persistence = persistence(job, request);
        let context = context(request, model);
        Self {
            request,
            model,
            effort: effort(job, request, model),
            reasons: reasons(request, model),
            summary: summary(request, model),
            context,
            persistence,
            tokens: tokens(job, request, persistence),
            stem: stem(job, &chain, persistence),
            rendered: chain.rendered(context, &model.family),
            chain,
            entries,
            cached: cache::account(model.cache, known, newest),
            kept,
            input_tokens,
        }
    }

    /// `generate: false`: nothing is said (`tests/facts/streaming.md` section 11, Warm-up).
    pub(crate) fn is_warm_up(&self) -> bool {
        let generate = self.request.member("generate");
        let prewarm = self
            .request
            .member("prompt_cache_options")
            .and_then(|options| options.member("prewarm"));
        generate == Some(&serde_json::Value::Bool(false)) || prewarm == Some(&serde_json::Value::Bool(true))
    }

    /// Whether the run is a background one.
    pub(crate) fn background(&self) -> Background {
        match self.request.member("background") {
            Some(serde_json::Value::Bool(true)) => Background::Yes,
            _ => Background::No,
        }
    }

    /// Whether a token of another model family was taken, which profiles differ about.
    pub(crate) fn takes_foreign_family(&self) -> bool {
        let mut verified = self.entries.iter().filter_map(|entry| entry.verified);
        verified.any(|seen| seen.family != self.model.family)
    }

    /// The two numbers of what was carried over.
    pub(crate) fn carried(&self) -> Carried {
        Carried {
            prior_protected: self.chain.protected,
            rendered: self.rendered.count,
        }
    }
}

/// Tokens of the longest prefix that the cache has.
fn known_tokens(job: &Job<'_>, positions: &[Position], continued: Option<Position>) -> Option<u64> {
    let position = match job.loaded.cached? {
        Hit::Continued => continued,
        Hit::Items(items) => positions.get(items.checked_sub(1)?).copied(),
    };
    position.map(|position| position.tokens)
}

fn persistence(job: &Job<'_>, request: CreateRequest<'_>) -> Persistence {
    match job.fake.config.org {
        Org::Default if request.store() => Persistence::Persisted,
        Org::Default | Org::Zdr => Persistence::NotPersisted,
    }
}

fn effort<'a>(job: &Job<'a>, request: CreateRequest<'a>, model: &'a Model) -> Option<&'a str> {
    if !model.reasoning {
        return None;
    }
    let switches = &job.fake.config.profile.switches;
    request
        .effort()
        .or(model.default_effort.as_deref())
        .or(switches.default_effort.as_deref())
}

/// A default of `none` does not count: the model data say what is echoed, the request says what is wanted.
fn reasons(request: CreateRequest<'_>, model: &Model) -> Reasons {
    if model.reasoning && request.effort() != Some("none") {
        Reasons::Yes
    } else {
        Reasons::No
    }
}

fn summary<'a>(request: CreateRequest<'a>, model: &Model) -> Option<&'a str> {
    let asked = request.summary().filter(|_| model.reasoning)?;
    Some(if asked == "auto" { "detailed" } else { asked })
}

fn context(request: CreateRequest<'_>, model: &Model) -> Context {
    match request.context() {
        Some("current_turn") => Context::CurrentTurn,
        Some("all_turns") => Context::AllTurns,
        _ => model.context,
    }
}

fn tokens(job: &Job<'_>, request: CreateRequest<'_>, persistence: Persistence) -> Tokens {
    let included = request.includes("reasoning.encrypted_content");
    let shown = match job.fake.config.profile.switches.encrypted {
        Encrypted::OnInclude => included,
        Encrypted::Stateless => included || persistence == Persistence::NotPersisted,
        Encrypted::Always => true,
    };
    if shown { Tokens::Shown } else { Tokens::Hidden }
}

/// Tick: one more than the highest that the request carries, or zero (law 1).
fn stem(job: &Job<'_>, chain: &ChainState, persistence: Persistence) -> Stem {
    let fresh = || job.draw.number(Purpose::Partition);
    Stem {
        partition: chain.partition.unwrap_or_else(fresh),
        persistence,
        tick: job.moment.time.tick(chain.tick),
        nonce: job.fake.ids.nonce(job.draw.number(Purpose::Nonce)),
    }
}
