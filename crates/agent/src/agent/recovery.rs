//! Second attempts: what the client does about a call that brought no answer.

use holdover_wire::{Call, Item, ItemKind};

use super::Agent;
use crate::config::{Recovery, StateMode};
use crate::flight::Step;
use crate::history::{Entry, entries};
use crate::input;
use crate::slip::Slip;
use crate::slips;
use crate::stages::receive::Answer;
use crate::stages::recover::{self, Attempts, Named, Remedy};
use crate::state::Anchors;
use crate::turn::{Next, Received};

/// Counts the automatic resends of one request, as the official SDKs do.
const RETRY_COUNT: &str = "x-stainless-retry-count";

impl Agent {
    /// Remembers a step and its call, to send it again if it comes to nothing.
    pub(super) fn begin(&mut self, step: Step, call: Call) -> Call {
        self.flight.current = Some(step);
        self.flight.call = Some(call.clone());
        self.flight.tried.retries = 0;
        call
    }

    /// The next attempt of the call that was just answered; `None` where it brought an answer or nothing helps.
    pub(super) fn try_again(&mut self, received: &Received) -> Option<Next> {
        let step = self.flight.current.clone()?;
        if self.config.recovery == Recovery::Stops {
            return None;
        }
        let is_create = step == Step::Create;
        let trouble = if is_create {
            recover::of_create(received, &self.config)
        } else {
            recover::of_other(received)
        }?;
        if is_create && trouble.status == 0 && self.cut_answer(received).is_some() {
            return None;
        }
        let remedy = recover::remedy(&trouble, self.flight.tried, &self.config, &self.state);
        if let Remedy::Again { wait_ms } = remedy {
            let call = self.again(received)?;
            return Some(Next::SendAfter { wait_ms, call });
        }
        if !is_create || self.repair(remedy) == Repaired::No {
            return None;
        }
        let repairs = self.flight.tried.repairs + 1;
        self.flight.tried = Attempts {
            repairs,
            ..Attempts::default()
        };
        let call = self.call_of(&Step::Create)?;
        Some(Next::Send(self.begin(step, call)))
    }

    /// The same call, whole, and how often it was sent before. Nothing of the broken answer is in it.
    fn again(&mut self, received: &Received) -> Option<Call> {
        if self.config.has(Slip::BrokenReasoningKept) && self.flight.current == Some(Step::Create) {
            let partial = slips::broken_reasoning_kept::apply(received);
            self.extend_history(entries(partial));
            self.flight.call = self.call_of(&Step::Create);
        }
        self.flight.tried.retries += 1;
        let mut call = self.flight.call.clone()?;
        call.headers.retain(|(name, _)| name != RETRY_COUNT);
        let count = self.flight.tried.retries.to_string();
        call.headers.push((RETRY_COUNT.to_owned(), count));
        Some(call)
    }

    /// What passes for an answer under a slip.
    pub(super) fn cut_answer(&self, received: &Received) -> Option<Answer> {
        let is_kept = self.config.has(Slip::CutAnswerKept);
        is_kept.then(|| slips::cut_answer_kept::apply(received)).flatten()
    }

    fn repair(&mut self, remedy: Remedy) -> Repaired {
        match remedy {
            Remedy::Unchanged => Repaired::Yes,
            Remedy::Forget(named) => self.forget(&named),
            Remedy::Replay => self.replay(),
            Remedy::ReplayAlways => {
                self.state.anchors = Anchors::Refused;
                self.replay()
            }
            Remedy::Uncompact => self.uncompact(),
            Remedy::Again { .. } | Remedy::Stop => Repaired::No,
        }
    }

    /// Takes the reasoning that is meant out of everything that the client sends: session and run.
    fn forget(&mut self, named: &Named) -> Repaired {
        if self.config.state != StateMode::ClientReplay && self.state.anchors == Anchors::Taken {
            return Repaired::No;
        }
        let is_meant = |item: &Item| {
            item.kind() == ItemKind::Reasoning && named.means(item.id(), item.encrypted_content())
        };
        let run = &mut self.state.run;
        let before = run.caller.len() + run.generated.len();
        run.caller.retain(|item| !is_meant(item));
        run.generated.retain(|item| !is_meant(item));
        let in_run = before != run.caller.len() + run.generated.len();
        let in_session = forget_in(&mut self.state.session, named);
        Repaired::when(in_run || in_session)
    }

    /// The whole history goes out once, and the answer to it is the next anchor.
    fn replay(&mut self) -> Repaired {
        if self.config.state != StateMode::ServerChain {
            return Repaired::No;
        }
        self.state.response = None;
        self.state.delivered = 0;
        Repaired::Yes
    }

    /// The history that the compaction replaced comes back, with what was said since (M8).
    fn uncompact(&mut self) -> Repaired {
        let Some(snapshot) = &self.state.compaction else {
            return Repaired::No;
        };
        let replaced = input::converted(&snapshot.replaced, &self.config);
        let in_run = uncompacted(&mut self.state.run.caller, &replaced, is_compaction);
        let is_snapshot = |entry: &Entry| matches!(entry, Entry::Item(item) if is_compaction(item));
        let in_session = uncompacted(&mut self.state.session, &snapshot.replaced, is_snapshot);
        Repaired::when(in_run || in_session)
    }
}

fn is_compaction(item: &Item) -> bool {
    item.kind() == ItemKind::Compaction
}

/// Puts `replaced` in the place of everything up to the newest compaction; whether there was one.
fn uncompacted<T: Clone>(all: &mut Vec<T>, replaced: &[T], is_compaction: impl Fn(&T) -> bool) -> bool {
    let Some(place) = all.iter().rposition(is_compaction) else {
        return false;
    };
    all.splice(..=place, replaced.iter().cloned());
    true
}

/// Whether the next request differs from the one that was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repaired {
    Yes,
    No,
}

impl Repaired {
    fn when(changed: bool) -> Self {
        if changed { Self::Yes } else { Self::No }
    }
}

/// Whether something was taken out.
fn forget_in(session: &mut Vec<Entry>, named: &Named) -> bool {
    let mut changed = false;
    session.retain_mut(|entry| match entry {
        Entry::Item(item) => {
            let is_meant =
                item.kind() == ItemKind::Reasoning && named.means(item.id(), item.encrypted_content());
            changed |= is_meant;
            !is_meant
        }
        Entry::Message(message) => {
            let before = message.contents.len();
            message
                .contents
                .retain(|content| !content.reasoning_is(|id, token| named.means(id, token)));
            changed |= before != message.contents.len();
            !message.contents.is_empty()
        }
    });
    changed
}
