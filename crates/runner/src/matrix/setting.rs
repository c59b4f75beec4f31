//! The setting of a cell: a client in which its slips can exist, and everything that makes them show.

use holdover_agent::{
    AgentConfig, ExportKind, Moves, Preset, Recovery, SessionStore, Slip, StateMode, Streaming, TurnInput,
};
use holdover_fake::FakeConfig;
use holdover_fault::Fault;
use holdover_judge::{Clock, JudgeConfig};
use holdover_profile::Profile;
use holdover_wire::audit::{Handover, IdPolicy};

use super::Cell;
use super::program::{Program, tools, unknown_item};
use crate::lower::{Setup, Way, session_name};

/// Whether all slips of the cell can exist in it together.
pub(super) fn exists(cell: &Cell) -> bool {
    let (agent, _) = configs(cell);
    let fits = |slip: &Slip| match slip {
        Slip::TrimSplitsPair => cell.program.has_calls(),
        // What another slip would show is cut off, stands behind the compaction item, or in the other branch.
        Slip::CompactionItemParsed
        | Slip::CompactEveryTurn
        | Slip::LatestOverwritten
        | Slip::ForeignReasoningSent => cell.slips.len() == 1,
        // What this client keeps of a streamed message has no id: behind a cut it is plain text.
        Slip::BlindTrim => {
            cell.slips.len() == 1
                && (agent.preset != Preset::Meai
                    || agent.stream == Streaming::Json
                    || cell.program == Program::ParallelCalls)
        }
        // The real client keeps an unknown item while the object is in memory and loses it in its JSON
        // (`tests/facts/clients/dotnet_meai.md`): its right form drops it too.
        Slip::UnknownItemDropped => {
            agent.preset != Preset::Meai || agent.session_store == SessionStore::Memory
        }
        // Its right form ends the turn, and the model's next call answers another question.
        Slip::RefusalRetried => cell.program != Program::ToolLoop,
        _ => true,
    };
    let can = |slip: &Slip| slip.exists_in(&agent) && fits(slip) && agrees(*slip, &agent);
    cell.slips.iter().all(can)
}

/// Whether the setting that the slip asked for survived those of the other slips.
fn agrees(slip: Slip, agent: &AgentConfig) -> bool {
    let (mut wanted, mut profile) = (agent.clone(), Profile::openai());
    apply(slip, &mut wanted, &mut profile);
    wanted == *agent
}

fn configs(cell: &Cell) -> (AgentConfig, Profile) {
    let mut agent = AgentConfig {
        session: session_name(&name(cell)),
        preset: cell.preset,
        stream: cell.transport,
        store: Some(false),
        effort: Some("medium".to_owned()),
        summary: Some("auto".to_owned()),
        tools: if cell.program.has_calls() {
            tools()
        } else {
            Vec::new()
        },
        recovery: if faults(cell).is_empty() {
            Recovery::Stops
        } else {
            Recovery::Recovers
        },
        ..AgentConfig::default()
    };
    let mut profile = Profile::openai();
    for slip in &cell.slips {
        apply(*slip, &mut agent, &mut profile);
    }
    (agent, profile)
}

/// What the slip needs to exist and to show. Applying it twice changes nothing.
fn apply(slip: Slip, agent: &mut AgentConfig, profile: &mut Profile) {
    let export = |agent: &mut AgentConfig, kind| {
        if !agent.exports.contains(&kind) {
            agent.exports.push(kind);
        }
    };
    match slip {
        Slip::RoleAndTextRecord | Slip::TokenTruncated | Slip::TokenReEncoded => {
            agent.session_store = SessionStore::Json;
        }
        Slip::IdTypeChanged => {
            agent.session_store = SessionStore::Json;
            // Under the default profile a lost id is a note: this endpoint needs it.
            if let Ok(strict) = Profile::builtin("foundry-project") {
                *profile = strict;
            }
        }
        Slip::LogWholeResponse | Slip::LogInputFragment => export(agent, ExportKind::Log),
        Slip::ExportUnderOtherPolicy => export(agent, ExportKind::Dump),
        Slip::ResumeByReasoningId => {
            agent.reasoning_item_id_policy = IdPolicy::Omit;
            agent.resume_before = Some(2);
            agent.session_store = SessionStore::Json;
        }
        Slip::DedupeById | Slip::PolicyAsContentSwitch => agent.reasoning_item_id_policy = IdPolicy::Omit,
        Slip::InstructionsOnce => agent.instructions = Some("Answer in one word.".to_owned()),
        Slip::MixedModes | Slip::HalfStrip => agent.store = Some(true),
        Slip::PolicyChangedAfterCompaction | Slip::CompactionItemParsed | Slip::CompactEveryTurn => {
            agent.compact_before = Some(2);
        }
        Slip::IncludeForgotten => agent.store = Some(false),
        Slip::AnchorKept | Slip::LatestOverwritten => {
            agent.state = StateMode::ServerChain;
            agent.store = Some(true);
        }
        Slip::ForeignReasoningSent => {
            agent.moves = Moves::Moves;
            agent.handover = Some(Handover {
                peer_needs_id: Some(false.into()),
                resume_key: Some("order-7".into()),
                export_public: Some(false.into()),
            });
        }
        Slip::TextOnlyAppend
        | Slip::FirstOutputOnly
        | Slip::UnknownItemDropped
        | Slip::StreamTextOnly
        | Slip::StreamLastUpdateLost
        | Slip::PolicyNotRecorded
        | Slip::TrimSplitsPair
        | Slip::RetrieveAfterStoreFalse
        | Slip::BlindTrim
        | Slip::RefusalRetried
        | Slip::RetryAtOnce
        | Slip::RefusalNotRepaired
        | Slip::RepairMisses
        | Slip::CutAnswerKept
        | Slip::BrokenReasoningKept
        | Slip::EventAppendedTwice
        | Slip::IdOfAdded
        | Slip::IdAsCacheKey => {}
    }
}

/// The fault without which a slip never shows, in the form of the command line.
pub(super) fn fault(slip: Slip) -> Option<&'static str> {
    Some(match slip {
        Slip::RefusalRetried => "context-length:turn=2",
        // A turn takes a second of virtual time, so the wait is longer.
        Slip::RetryAtOnce => "rate-limit:seconds=20,turn=2",
        Slip::RefusalNotRepaired => "key-changed:turn=2",
        // The second turn with reasoning in its history has two to choose from.
        Slip::RepairMisses => "key-changed:turn=3",
        Slip::AnchorKept => "chain-expired:turn=2",
        Slip::CutAnswerKept => "cut:event=response.output_text.delta,once=true",
        Slip::BrokenReasoningKept => "reasoning-interrupted:turn=2",
        Slip::EventAppendedTwice => "event-duplicated:turn=1",
        Slip::IdOfAdded => "ids-differ:turn=1",
        _ => return None,
    })
}

/// The cell as a session that can be played.
pub(super) fn setup(cell: &Cell) -> Setup {
    let (agent, profile) = configs(cell);
    let extra = cell
        .slips
        .contains(&Slip::UnknownItemDropped)
        .then(unknown_item)
        .flatten();
    Setup {
        pasted: Vec::new(),
        fake: FakeConfig {
            world: "matrix".to_owned(),
            profile: profile.clone(),
            ..FakeConfig::default()
        },
        script: cell.program.script(extra.as_ref()),
        script_after: Vec::new(),
        faults: faults(cell),
        way: Way::Http,
        turns: turns(cell),
        judge: JudgeConfig {
            profile,
            clock: Clock::Wall,
            session: agent.session.clone(),
            ..JudgeConfig::default()
        },
        agent: AgentConfig {
            slips: cell.slips.clone(),
            ..agent
        },
    }
}

/// What is said; where the slip is one of a handover, the last turn asks another provider.
fn turns(cell: &Cell) -> Vec<TurnInput> {
    let mut turns = cell.program.turns();
    if cell.slips.contains(&Slip::ForeignReasoningSent)
        && let Some(last) = turns.last_mut()
    {
        last.profile = Some("claude-5".to_owned());
    }
    turns
}

fn faults(cell: &Cell) -> Vec<Fault> {
    let flags = cell.slips.iter().filter_map(|slip| fault(*slip));
    flags.filter_map(|flag| Fault::parse_flag(flag).ok()).collect()
}

/// The same without its slips.
pub(super) fn twin(cell: &Cell) -> Setup {
    let setup = setup(cell);
    Setup {
        pasted: Vec::new(),
        agent: AgentConfig {
            slips: Vec::new(),
            ..setup.agent
        },
        ..setup
    }
}

fn name(cell: &Cell) -> String {
    let slips: Vec<_> = cell.slips.iter().map(|slip| slip.name()).collect();
    [
        slips.join("+").as_str(),
        cell.preset.as_str(),
        cell.transport.as_str(),
        cell.program.as_str(),
    ]
    .join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slip_has_a_cell_in_every_program_that_it_can_exist_in() {
        for slip in Slip::all() {
            let cells = crate::matrix::singles()
                .into_iter()
                .filter(|cell| cell.slips == [*slip])
                .count();
            assert!(cells >= 2, "{} has {cells} cells", slip.name());
        }
    }

    #[test]
    fn every_fault_of_a_slip_can_be_planted() {
        for flag in Slip::all().iter().filter_map(|slip| fault(*slip)) {
            assert!(Fault::parse_flag(flag).is_ok(), "{flag}");
        }
    }

    #[test]
    fn a_pair_that_contradicts_itself_has_no_cell() {
        // One needs stored responses, the other unstored ones.
        let pair = [Slip::HalfStrip, Slip::IncludeForgotten];
        assert!(
            crate::matrix::pairs()
                .iter()
                .all(|cell| !pair.iter().all(|slip| cell.slips.contains(slip)))
        );
    }
}
