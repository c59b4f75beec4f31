//! What goes wrong in a session: its faults, around its fake.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use holdover_fake::{Prepared, Script, Writes};
use holdover_fault::{Before, Chance, Delivery, Fault, Faults, Occasion, Said, Ticket};
use holdover_wire::Plan;

use crate::answer::Asked;
use crate::session::Session;

/// The faults of one session.
#[derive(Debug)]
pub(crate) struct Faulty {
    /// Whether anything is planted for the whole session.
    is_planted: AtomicBool,
    chance: Chance,
    planted: Mutex<Planted>,
}

/// The faults of a session as they were planted together. An answer that began under them ends under them, whatever is
/// planted meanwhile.
type Planted = Arc<Mutex<Faults>>;

/// One call that faults may have to do with.
pub(crate) struct Attempt<'a> {
    planted: Planted,
    asked: Asked<'a>,
    number: u64,
    ticket: Ticket,
    decided: Decided,
}

/// What was decided before the fake is asked.
enum Decided {
    /// A fault refuses: the fake is not asked.
    Refused(Plan),
    /// The fake answers.
    Asked(Box<Prepared>),
}

/// An answer that is ready to be played.
pub(crate) struct Made {
    pub(crate) plan: Plan,
    pub(crate) writes: Writes,
    pub(crate) keep: Keep,
}

/// When the writes of an answer are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Before its last byte leaves.
    WithTheLastByte,
    /// At once: the client does not get a whole answer.
    AtOnce,
}

impl Faulty {
    pub(crate) fn new(faults: Vec<Fault>, chance: Chance) -> Self {
        Self {
            is_planted: AtomicBool::new(!faults.is_empty()),
            planted: Mutex::new(planted(faults, chance.clone())),
            chance,
        }
    }

    /// Puts other faults in the place of all that were planted before. Turns and calls are counted anew from here.
    pub(crate) fn replant(&self, faults: Vec<Fault>) {
        let mut current = guard(&self.planted);
        self.is_planted.store(!faults.is_empty(), Ordering::Release);
        *current = planted(faults, self.chance.clone());
    }

    /// Whether a call may be answered without a look at them. `named` are the faults in the name of its model.
    pub(crate) fn leave_alone(&self, named: Option<&str>) -> bool {
        named.is_none() && !self.is_planted.load(Ordering::Acquire)
    }

    fn current(&self) -> Planted {
        Arc::clone(&guard(&self.planted))
    }
}

fn planted(faults: Vec<Fault>, chance: Chance) -> Planted {
    Arc::new(Mutex::new(Faults::new(faults, chance)))
}

fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Attempt<'a> {
    /// Numbers a call, decides what must be known before the fake is asked, and collects what its answer needs: all in
    /// one step, so that numbers have the order of what faults and fake saw.
    pub(crate) fn begin(session: &'a Session, asked: Asked<'a>) -> Self {
        let planted = session.faults().current();
        let mut faults = guard(&planted);
        let number = session.number();
        let occasion = occasion(number, asked);
        let Before { refusal, mut ticket } = faults.before(&occasion);
        let decided = if let Some(plan) = refusal {
            Decided::Refused(plan)
        } else {
            let mut prepared = session.prepare(asked.call, asked.via);
            match faults.reply(&occasion, &mut ticket, prepared.reply()) {
                Said::Scripted => {}
                Said::Changed(reply) => prepared.say(reply, Script::GoesOn),
                Said::Instead(reply) => prepared.say(reply, Script::Waits),
            }
            Decided::Asked(Box::new(prepared))
        };
        drop(faults);
        Self {
            planted,
            asked,
            number,
            ticket,
            decided,
        }
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The answer, after all faults.
    pub(crate) fn answer(self) -> Made {
        let occasion = occasion(self.number, self.asked);
        let rewrite = |plan| guard(&self.planted).rewrite(&occasion, self.ticket, plan);
        match self.decided {
            Decided::Refused(plan) => Made {
                plan: rewrite(plan).plan,
                writes: Writes::default(),
                keep: Keep::AtOnce,
            },
            Decided::Asked(prepared) => {
                let answer = prepared.answer(self.asked.call);
                let played = rewrite(answer.plan);
                let (writes, keep) = match played.delivery {
                    Delivery::Whole => (answer.writes, Keep::WithTheLastByte),
                    Delivery::Lost => (prepared.lost(), Keep::AtOnce),
                };
                Made {
                    plan: played.plan,
                    writes,
                    keep,
                }
            }
        }
    }
}

fn occasion(number: u64, asked: Asked<'_>) -> Occasion<'_> {
    Occasion {
        named: asked.named,
        transport: asked.via.transport(),
        ..Occasion::new(number, asked.call)
    }
}
