//! How a fault describes itself: what `holdover list faults` prints, and what the trigger and the options may be.

use holdover_wire::{Plan, Reply};

use crate::options::OptionSpec;
use crate::place::Places;
use crate::scene::Scene;
use crate::session::Said;

/// What kind of thing goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// The request is refused.
    Refusals,
    /// The answer comes late, slowly, or never.
    Timing,
    /// The connection ends.
    Connection,
    /// The stream says something else.
    Stream,
    /// The reasoning items are not as they should be.
    Reasoning,
    /// What the server keeps, or who asks, has changed.
    State,
}

impl Group {
    /// The word in lists, and the folder under `src/faults`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refusals => "refusals",
            Self::Timing => "timing",
            Self::Connection => "connection",
            Self::Stream => "stream",
            Self::Reasoning => "reasoning",
            Self::State => "state",
        }
    }
}

/// What a fault decides. Two faults that decide the same thing of the same answers contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decides {
    /// That the request is refused, whatever it says.
    Refusal,
    /// How the answer ends.
    End,
    /// Where tokens are.
    Tokens,
    /// What summaries are.
    Summaries,
    /// What the model says.
    Reply,
    /// The bytes of an event.
    Framing,
    /// The content type.
    ContentType,
    /// Nothing that another fault could not also change.
    Nothing,
}

/// How long a fault lasts once its trigger holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasts {
    /// For this exchange.
    Moment,
    /// From this exchange on.
    FromThenOn,
}

/// In which framing of a stream a fault can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// In any: it moves, ends or delays what is there.
    Any,
    /// Only in lines of server-sent events: in the frames of an AWS event stream its bytes would be no frame.
    Lines,
}

/// One fault of the catalogue.
#[derive(Debug)]
pub struct FaultCard {
    /// Its name: kebab-case, never reused.
    pub name: &'static str,
    /// What kind of thing goes wrong.
    pub group: Group,
    /// What it does: a lowercase fragment.
    pub about: &'static str,
    /// The kind of real incident that it copies: a lowercase fragment, with the section of `tests/facts/` where one
    /// stands there.
    pub incident: &'static str,
    /// Its options.
    pub options: &'static [OptionSpec],
    /// Where in a stream it may be put.
    pub places: Places,
    /// What it decides.
    pub decides: Decides,
    /// How long it lasts.
    pub lasts: Lasts,
    /// In which framing it can be written.
    pub framing: Framing,
    /// What it does.
    pub(crate) act: Act,
}

/// Whether an act found something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Acted {
    /// It changed the plan.
    Yes,
    /// There was nothing of the kind that it changes.
    No,
}

impl Acted {
    pub(crate) fn when(changed: bool) -> Self {
        if changed { Self::Yes } else { Self::No }
    }
}

/// Whether and how a fault refuses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Refuse {
    /// Whatever the request says.
    Always(fn(&mut Scene<'_>) -> Plan),
    /// Requests of some kind.
    Some(fn(&mut Scene<'_>) -> Option<Plan>),
}

impl Refuse {
    /// The refusal of a call, if it is refused.
    pub(crate) fn of(self, scene: &mut Scene<'_>) -> Option<Plan> {
        match self {
            Self::Always(refuse) => Some(refuse(scene)),
            Self::Some(refuse) => refuse(scene),
        }
    }
}

pub(crate) type Say = fn(&mut Scene<'_>, Option<&Reply>) -> Said;
pub(crate) type Rewrite = fn(&mut Scene<'_>, &mut Plan) -> Acted;

/// What a fault does, in the order in which a shell asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Act {
    /// Refuses instead of the fake.
    pub(crate) refuse: Option<Refuse>,
    /// Changes what the model says.
    pub(crate) say: Option<Say>,
    /// Changes the plan.
    pub(crate) rewrite: Option<Rewrite>,
}

impl Act {
    pub(crate) const fn refuse_always(refuse: fn(&mut Scene<'_>) -> Plan) -> Self {
        Self {
            refuse: Some(Refuse::Always(refuse)),
            say: None,
            rewrite: None,
        }
    }

    pub(crate) const fn refuse(refuse: fn(&mut Scene<'_>) -> Option<Plan>) -> Self {
        Self {
            refuse: Some(Refuse::Some(refuse)),
            say: None,
            rewrite: None,
        }
    }

    pub(crate) const fn say(say: Say) -> Self {
        Self {
            refuse: None,
            say: Some(say),
            rewrite: None,
        }
    }

    pub(crate) const fn rewrite(rewrite: Rewrite) -> Self {
        Self {
            refuse: None,
            say: None,
            rewrite: Some(rewrite),
        }
    }

    pub(crate) const fn then_rewrite(self, rewrite: Rewrite) -> Self {
        Self {
            rewrite: Some(rewrite),
            ..self
        }
    }

    pub(crate) const fn and_refuse(self, refuse: fn(&mut Scene<'_>) -> Option<Plan>) -> Self {
        Self {
            refuse: Some(Refuse::Some(refuse)),
            ..self
        }
    }
}

/// A card with the parts that most cards share: no options, no place, one moment, nothing decided.
pub(crate) const fn card(
    group: Group,
    name: &'static str,
    about: &'static str,
    incident: &'static str,
    act: Act,
) -> FaultCard {
    FaultCard {
        name,
        group,
        about,
        incident,
        options: &[],
        places: Places::Whole,
        decides: Decides::Nothing,
        lasts: Lasts::Moment,
        framing: Framing::Any,
        act,
    }
}
