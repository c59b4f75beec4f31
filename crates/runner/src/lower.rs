//! A checked scenario to a case that can be played: configurations of the fake, the agent and the judge.

use std::sync::Arc;

use holdover_agent::{
    AgentConfig, Callback, ExportKind, Include, Moves, Peer, Preset, Recovery, SessionStore, Slip, StateMode,
    Streaming, TurnInput,
};
use holdover_fake::{Account, AutoTools, FakeConfig, IdShape, ItemOrder, OtherAccount, TokenShape};
use holdover_fault::Fault;
use holdover_judge::{AllowEntry, Clock, JudgeConfig};
use holdover_profile::policy::Policy;
use holdover_profile::provider::Book;
use holdover_profile::{Encrypted, ModelKind, Org, PartialToken, UnknownName};
use holdover_scenario as spec;
use holdover_wire::{Reply, SessionName};

use crate::asked::{own_profile, peer, served};
use crate::settings::Settings;
use crate::{faults, policies, switches};

/// One session to play: a case, or its twin.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name of the case, without the twin's suffix.
    pub name: String,
    /// Whether this is the twin.
    pub twin: bool,
    /// The checked scenario that it comes from: its expectations and their places in the file.
    pub scenario: spec::Scenario,
    /// What is played.
    pub setup: Setup,
}

/// Everything that one session needs: who talks to whom, and what is said.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The server.
    pub fake: FakeConfig,
    /// What the model says, answer after answer; an empty reply is the default one.
    pub script: Vec<Reply>,
    /// Replies that are left after each turn: what was meant for a turn that went wrong is not said in a later one.
    pub script_after: Vec<usize>,
    /// What goes wrong on the way, in order.
    pub faults: Vec<Fault>,
    /// The client.
    pub agent: AgentConfig,
    /// How its create calls travel.
    pub way: Way,
    /// What user and tools say.
    pub turns: Vec<TurnInput>,
    /// Pasted requests, one a turn; where there are any, they are sent and no client is played.
    pub pasted: Vec<spec::PastedRequest>,
    /// The judge.
    pub judge: JudgeConfig,
}

/// How the create calls of a session travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// Each in a request of its own.
    #[default]
    Http,
    /// As frames of one WebSocket, which remembers its responses.
    Socket,
}

/// Why a scenario cannot be played; whoever checked it before knows the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    /// A name that no data file has.
    #[error(transparent)]
    Name(#[from] UnknownName),
    /// A replay policy that is none.
    #[error("the replay policy of `{case}` is none: {reason}")]
    Policy {
        /// The case, or its twin.
        case: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// The case of a scenario and, where it has one, its twin.
pub fn lower(case: &spec::Case, settings: &Settings) -> Result<Vec<Case>, LowerError> {
    let scenario = &case.scenario;
    let world = scenario.world();
    let one = |scenario: &spec::Scenario, session: &str, twin| {
        setup(scenario, session, world, settings).map(|setup| Case {
            name: case.name.clone(),
            twin,
            scenario: scenario.clone(),
            setup,
        })
    };
    let mut all = vec![one(scenario, &session_name(&case.name), false)?];
    if let Some(twin) = &scenario.twin {
        all.push(one(twin, &session_name(&format!("{}.twin", case.name)), true)?);
    }
    Ok(all)
}

fn setup(
    scenario: &spec::Scenario,
    session: &str,
    world: &str,
    settings: &Settings,
) -> Result<Setup, LowerError> {
    let fake = fake(scenario, world, settings)?;
    let judge = JudgeConfig {
        profile: fake.profile.clone(),
        // The played client says how long it waits.
        clock: Clock::Wall,
        models: fake.models.clone(),
        session: session.to_owned(),
        export_patterns: scenario
            .export
            .patterns
            .iter()
            .map(|pattern| pattern.value.clone())
            .collect(),
        allowlist: scenario.export.allowlist.iter().map(allow).collect(),
        tenant_fragments: scenario
            .export
            .tenant_table
            .iter()
            .map(|entry| entry.value.clone())
            .collect(),
        ..JudgeConfig::default()
    };
    let faults: Vec<Fault> = faults::lower(scenario)
        .into_iter()
        .chain(settings.faults.iter().cloned())
        .collect();
    let recovery = recovery(scenario, &faults);
    Ok(Setup {
        script: scenario
            .script()
            .into_iter()
            .map(Option::unwrap_or_default)
            .collect(),
        script_after: script_after(scenario),
        faults,
        agent: AgentConfig {
            recovery,
            peer: peer(scenario, settings),
            replay_policy: replay_policy(scenario)?,
            ..agent(scenario, session)
        },
        way: way(scenario),
        turns: scenario.turns.iter().map(turn).collect(),
        pasted: scenario
            .turns
            .iter()
            .filter_map(|turn| turn.request.clone())
            .collect(),
        fake,
        judge,
    })
}

fn script_after(scenario: &spec::Scenario) -> Vec<usize> {
    let answered = |turns: &[spec::Turn]| turns.iter().filter(|turn| !turn.expect.is_refusal()).count();
    let turns = &scenario.turns;
    (1..=turns.len()).map(|done| answered(&turns[done..])).collect()
}

/// A name of the session grammar: characters outside it become `-`, and a long name keeps its two ends.
pub fn session_name(case: &str) -> String {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let text: String = case.chars().map(|c| if legal(c) { c } else { '-' }).collect();
    if text.len() > 64 {
        return format!("{}..{}", &text[..31], &text[text.len() - 31..]);
    }
    SessionName::parse(&text).map_or_else(|| "default".to_owned(), |name| name.as_str().to_owned())
}

/// The fake of a scenario under the settings of the command line.
pub fn fake(scenario: &spec::Scenario, world: &str, settings: &Settings) -> Result<FakeConfig, UnknownName> {
    let server = &scenario.server;
    let mut profile = settings.profile(served(scenario, settings))?;
    switches::apply(scenario, &mut profile);
    settings
        .switches
        .iter()
        .for_each(|switch| switch.apply(&mut profile));
    if let Some(encrypted) = server.encrypted {
        profile.switches.encrypted = match encrypted {
            spec::Encrypted::OnInclude => Encrypted::OnInclude,
            spec::Encrypted::Stateless => Encrypted::Stateless,
            spec::Encrypted::Always => Encrypted::Always,
        };
    }
    if let Some(partial) = server.partial_token {
        profile.switches.partial_token = match partial {
            spec::PartialToken::Refuse => PartialToken::Refuse,
            spec::PartialToken::Accept => PartialToken::Accept,
        };
    }
    let mut models = settings.models();
    for (name, kind) in &server.models {
        let kind = match kind {
            spec::ModelKind::Reasoning => ModelKind::Reasoning,
            spec::ModelKind::Plain => ModelKind::Plain,
        };
        models.set(name, kind);
    }
    let defaults = FakeConfig::default();
    Ok(FakeConfig {
        seed: server.seed.unwrap_or(settings.seed),
        world: world.to_owned(),
        profile,
        book: Book::builtin().clone(),
        models,
        org: settings.org.or(server.org.map(org)).unwrap_or_default(),
        account: server.accounts.first().map_or(defaults.account, account),
        others: server.accounts.iter().skip(1).map(other).collect(),
        auto_tools: settings
            .auto_tools
            .clone()
            .or(server.auto_tools.as_ref().map(auto_tools))
            .unwrap_or_default(),
        token_size: server.token_size.unwrap_or(defaults.token_size),
        id_shape: server.id_shape.map_or(defaults.id_shape, id_shape),
        token_shape: server.token_shape.map_or(defaults.token_shape, token_shape),
        order: server.order.map_or(defaults.order, order),
    })
}

fn org(org: spec::Org) -> Org {
    match org {
        spec::Org::Default => Org::Default,
        spec::Org::Zdr => Org::Zdr,
    }
}

fn auto_tools(when: &spec::AutoTools) -> AutoTools {
    match when {
        spec::AutoTools::Off => AutoTools::Off,
        spec::AutoTools::Named => AutoTools::Named,
        spec::AutoTools::Any => AutoTools::Any,
        spec::AutoTools::List(names) => AutoTools::List(names.clone()),
    }
}

fn id_shape(shape: spec::IdShape) -> IdShape {
    match shape {
        spec::IdShape::Standard => IdShape::Standard,
        spec::IdShape::Tenant => IdShape::Tenant,
    }
}

fn token_shape(shape: spec::TokenShape) -> TokenShape {
    match shape {
        spec::TokenShape::Fernet => TokenShape::Fernet,
        spec::TokenShape::Enc => TokenShape::Enc,
    }
}

fn order(order: spec::ItemOrder) -> ItemOrder {
    match order {
        spec::ItemOrder::Standard => ItemOrder::Standard,
        spec::ItemOrder::ReasoningDoneLast => ItemOrder::ReasoningDoneLast,
    }
}

fn account(account: &spec::AccountSpec) -> Account {
    let default = Account::default();
    Account {
        name: account.name.value.clone(),
        organisation: account
            .organisation
            .clone()
            .unwrap_or_else(|| format!("org-{}", account.name.value)),
        project: account
            .project
            .clone()
            .unwrap_or_else(|| format!("proj_{}", account.name.value)),
        region: account.region.clone().unwrap_or(default.region),
    }
}

fn other(spec: &spec::AccountSpec) -> OtherAccount {
    OtherAccount {
        account: account(spec),
        keys: spec.keys.iter().map(|key| key.value.clone()).collect(),
    }
}

fn allow(entry: &spec::AllowSpec) -> AllowEntry {
    AllowEntry {
        file: entry.file.value.clone(),
        pattern: entry.pattern.value.clone(),
    }
}

fn turn(turn: &spec::Turn) -> TurnInput {
    let outputs = turn
        .tool_outputs
        .iter()
        .map(|output| (output.key.value.clone(), output.output.clone()));
    TurnInput {
        user: turn.user.clone(),
        tool_outputs: outputs.collect(),
        effort: turn.effort.clone(),
        profile: turn.profile.as_ref().map(|name| name.value.clone()),
    }
}

fn way(scenario: &spec::Scenario) -> Way {
    let transport = scenario.agent.as_ref().map(|agent| agent.stream);
    match transport {
        Some(spec::Streaming::Ws) => Way::Socket,
        Some(spec::Streaming::Json | spec::Streaming::Sse) | None => Way::Http,
    }
}

/// The client of a scenario, in this session; its replay policy, which may stand in a file of its own, is read apart.
pub fn agent(scenario: &spec::Scenario, session: &str) -> AgentConfig {
    let given = scenario.agent.clone().unwrap_or_default();
    let defaults = AgentConfig::default();
    let preset = given.preset.as_ref().and_then(|name| Preset::parse(&name.value));
    let model = scenario.server.model.as_ref().map(|model| model.value.clone());
    AgentConfig {
        session: session.to_owned(),
        preset: preset.unwrap_or(defaults.preset),
        model: model.unwrap_or(defaults.model),
        effort: given.effort.or_else(|| scenario.server.effort.clone()),
        summary: given.summary,
        instructions: given.instructions,
        state: state(given.state),
        store: given.store,
        stream: match given.stream {
            spec::Streaming::Json => Streaming::Json,
            // The client of a WebSocket reads the same events, one a frame.
            spec::Streaming::Sse | spec::Streaming::Ws => Streaming::Sse,
        },
        include_encrypted: given.include.map_or(defaults.include_encrypted, include),
        session_store: session_store(given.session_store),
        reasoning_item_id_policy: given.reasoning_item_id_policy,
        tools: given.tools,
        slips: given
            .slips
            .iter()
            .filter_map(|slip| Slip::parse(&slip.value))
            .collect(),
        resume_before: given.resume_before.map(|turn| u64::from(turn.value)),
        resume_policy: given.resume_policy,
        compact_before: given.compact_before.map(|turn| u64::from(turn.value)),
        exports: exports(&given.exports),
        history_limit: given.history_limit.map(|limit| limit as usize),
        recovery: defaults.recovery,
        callback: given.callback.map_or(defaults.callback, callback),
        handover: given.handover,
        peer: Peer::named(own_profile(scenario)),
        moves: if scenario.moves() {
            Moves::Moves
        } else {
            Moves::Stays
        },
        replay_policy: None,
    }
}

/// What rules over replayed reasoning.
fn replay_policy(scenario: &spec::Scenario) -> Result<Option<Arc<Policy>>, LowerError> {
    let given = scenario
        .agent
        .as_ref()
        .and_then(|agent| agent.replay_policy.as_ref());
    let read = given.map(|spec| policies::read(spec, &scenario.file));
    let policy = read.transpose().map_err(|reason| LowerError::Policy {
        case: scenario.name.value.clone(),
        reason,
    })?;
    Ok(policy.map(Arc::new))
}

/// A client that meets a fault is played to its end; elsewhere a refusal is what a scenario shows.
fn recovery(scenario: &spec::Scenario, faults: &[Fault]) -> Recovery {
    let asked = scenario.agent.as_ref().and_then(|agent| agent.recover);
    if asked.unwrap_or(!faults.is_empty()) {
        Recovery::Recovers
    } else {
        Recovery::Stops
    }
}

fn state(state: spec::StateMode) -> StateMode {
    match state {
        spec::StateMode::ClientReplay => StateMode::ClientReplay,
        spec::StateMode::ServerChain => StateMode::ServerChain,
        spec::StateMode::Conversation => StateMode::Conversation,
    }
}

fn include(include: spec::Include) -> Include {
    match include {
        spec::Include::Encrypted => Include::Encrypted,
        spec::Include::Nothing => Include::Nothing,
    }
}

fn session_store(store: spec::SessionStore) -> SessionStore {
    match store {
        spec::SessionStore::Memory => SessionStore::Memory,
        spec::SessionStore::Sqlite => SessionStore::Sqlite,
        spec::SessionStore::Json => SessionStore::Json,
        spec::SessionStore::Conversations => SessionStore::Conversations,
    }
}

fn callback(callback: spec::Callback) -> Callback {
    match callback {
        spec::Callback::Unset => Callback::Unset,
        spec::Callback::DedupeByContent => Callback::DedupeByContent,
    }
}

fn exports(channels: &[spec::Channel]) -> Vec<ExportKind> {
    let mut kinds: Vec<ExportKind> = Vec::new();
    for channel in channels {
        let kind = match channel {
            spec::Channel::Log => ExportKind::Log,
            spec::Channel::Dump => ExportKind::Dump,
        };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_handed_to_the_fake_with_their_keys() {
        let text = "name = 'a'\n\
                    [[account]]\nname = 'one'\norganisation = 'org-1'\n\
                    [[account]]\nname = 'two'\nregion = 'eu'\nkeys = ['sk-1', 'sk-2']\n";
        let settings = Settings::default();
        let vocabulary = crate::vocabulary::vocabulary(&settings);
        let scenario = holdover_scenario::parse("a.toml", text, &vocabulary).expect("a scenario");
        let fake = fake(&scenario, "w", &settings).expect("known names");
        assert_eq!(fake.account.organisation, "org-1");
        let [two] = fake.others.as_slice() else {
            panic!("{:?}", fake.others)
        };
        assert_eq!(
            (two.account.name.as_str(), two.account.region.as_str()),
            ("two", "eu")
        );
        assert_eq!(two.account.organisation, "org-two");
        assert_eq!(two.keys, ["sk-1", "sk-2"]);
    }

    #[test]
    fn session_names_keep_the_grammar() {
        assert_eq!(session_name("F1_preserve_leak"), "F1_preserve_leak");
        assert_eq!(
            session_name("a[store=true,x=\"é\"]"),
            "a-store-true-x--é--".replace('é', "-")
        );
        let long = session_name(&"x".repeat(200));
        assert!(SessionName::parse(&long).is_some(), "{long}");
    }
}
