//! The next input: what the client remembers, as items.

use holdover_wire::Item;
use holdover_wire::audit::IdPolicy;

use crate::chat::ChatMessage;
use crate::config::{AgentConfig, Preset, StateMode};
use crate::history::Entry;
use crate::presets::{agents_sdk, dump, meai};
use crate::stages::send::Anchor;
use crate::stages::{policy, trim};
use crate::state::State;
use crate::turn::OpenCall;

/// Whether the client keeps a run besides its session: the Agents SDK, as long as it holds the history itself.
pub(crate) fn keeps_run(config: &AgentConfig) -> bool {
    config.preset == Preset::AgentsSdk && config.state == StateMode::ClientReplay
}

/// The policy that the client is configured with; only the Agents SDK has one.
pub(crate) fn configured_policy(config: &AgentConfig) -> IdPolicy {
    match config.preset {
        Preset::AgentsSdk => config.reasoning_item_id_policy,
        Preset::Plain | Preset::Meai => IdPolicy::None,
    }
}

/// The input of a request with this anchor.
pub(crate) fn items(config: &AgentConfig, state: &State, anchor: &Anchor) -> Vec<Item> {
    match anchor {
        Anchor::Replay | Anchor::DoubleSend(_) => whole(config, state),
        Anchor::Chain(_) | Anchor::Conversation(_) => {
            let new = state.session.get(state.delivered..).unwrap_or_default();
            policy::applied(converted(new, config), state.policy, config)
        }
    }
}

/// The whole history as input.
pub(crate) fn whole(config: &AgentConfig, state: &State) -> Vec<Item> {
    if keeps_run(config) {
        return trim::slipped(agents_sdk::turn_input(&state.run, state.policy, config), config);
    }
    let items = trim::whole_turns(converted(&state.session, config), config);
    policy::applied(trim::slipped(items, config), state.policy, config)
}

/// Entries as items, nothing left out.
pub(crate) fn converted(entries: &[Entry], config: &AgentConfig) -> Vec<Item> {
    let items = entries.iter().flat_map(|entry| match entry {
        Entry::Item(item) => vec![item.clone()],
        Entry::Message(message) => meai::items(message, config),
    });
    items.collect()
}

/// A message of the user in the client's own shape.
pub(crate) fn user(config: &AgentConfig, text: &str) -> Entry {
    match config.preset {
        Preset::Plain => Entry::Item(Item::user(text)),
        Preset::AgentsSdk => Entry::Item(dump::user(text)),
        Preset::Meai => Entry::Message(ChatMessage::user(text)),
    }
}

/// A tool's output in the client's own shape.
pub(crate) fn tool_output(config: &AgentConfig, call: &OpenCall, output: &str) -> Entry {
    match config.preset {
        Preset::Plain => {
            let mut item = Item::function_call_output(&call.call_id, output);
            item.object_mut()
                .insert("type".to_owned(), call.output_type.clone().into());
            Entry::Item(item)
        }
        Preset::AgentsSdk => Entry::Item(dump::tool_output(&call.output_type, &call.call_id, output)),
        Preset::Meai => Entry::Message(ChatMessage::tool(&call.call_id, output)),
    }
}
