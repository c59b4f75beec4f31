//! One entry of an endpoint: what it wants of replayed reasoning, what happens otherwise, and how that is known.

use std::fmt;

use holdover_wire::neutral::{Carrier, Place};
use serde::{Deserialize, Serialize};

use crate::provider::condition::Condition;
use crate::provider::day::Day;

/// Where in a conversation (`tests/facts/replay_matrix.csv`, `mode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Turns without tools.
    Ordinary,
    /// Inside the turn that called a tool.
    ToolLoop,
    /// After that turn.
    NewUserTurn,
}

impl Mode {
    /// The word in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ordinary => "ordinary",
            Self::ToolLoop => "tool_loop",
            Self::NewUserTurn => "new_user_turn",
        }
    }
}

/// What the endpoint wants (`replay` of the matrix).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Replay {
    /// It must go back; breaking that is refused, or silent.
    Required,
    /// It may go back, and is read.
    Optional,
    /// It may go back, and is not read.
    Ignored,
    /// It must not go back.
    Forbidden,
    /// Reports disagree, or there are none.
    Unknown,
}

impl Replay {
    /// The word in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Optional => "optional",
            Self::Ignored => "ignored",
            Self::Forbidden => "forbidden",
            Self::Unknown => "unknown",
        }
    }
}

/// What breaks an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BreachKind {
    /// Nothing: it only says whether the model is shown what came back.
    #[default]
    None,
    /// A message in scope has no reasoning.
    Missing,
    /// A message in scope has reasoning.
    Present,
    /// Its signature is not the one that was issued, or is bound to something else, or its text is another one.
    Altered,
    /// Its signature is not the one that was issued.
    Forged,
    /// Its signature is the one that was issued, and its text is not.
    Edited,
    /// Reasoning of one answer stands in another order than it was issued in.
    Reordered,
    /// What stood before it when it was issued is not what stands before it now.
    Prefix,
    /// Reasoning that came before it is gone, or reasoning that was gone is there again.
    Gap,
    /// Another model made it, which the model that is asked may not read.
    Model,
    /// Another account made it.
    Account,
    /// It is named by an id that was made under another account or resource.
    Elsewhere,
    /// It stands in the stored answer that the request continues.
    Stored,
    /// The message begins with anything else.
    Head,
    /// The message ends with it.
    Tail,
    /// The message holds nothing else.
    Alone,
    /// Its member `value` is there, and not `null`.
    Has,
    /// Its member `value` is absent.
    Lacks,
    /// Its member `value` is `null`.
    Null,
    /// The visible text holds `value`.
    Text,
    /// It holds reasoning of two answers.
    Merged,
    /// Its reasoning is exactly `value`.
    Value,
    /// The request is as `when` says.
    Request,
    /// The content has a part of type `value`.
    Part,
    /// `reasoning_details` is no list of entries with a type.
    Shape,
}

/// Which messages of the assistant an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// All.
    All,
    /// Those of the open turn.
    Open,
    /// Those of the open turn that call a tool.
    OpenCalls,
    /// Those of closed turns.
    Closed,
    /// Those that call a tool, of any turn.
    Calls,
    /// Those of turns in which a tool was called.
    TurnCalls,
    /// Those of turns in which none was.
    NoTurnCalls,
    /// The last one.
    Last,
    /// The last one, where its turn is open.
    LastOpen,
    /// Those that follow another one of the assistant.
    AfterAssistant,
}

impl Scope {
    /// Whether a message stands in it.
    pub fn holds(self, place: Place) -> bool {
        match self {
            Self::All => HOLDS,
            Self::Open => place.open,
            Self::OpenCalls => place.open && place.calls,
            Self::Closed => !place.open,
            Self::Calls => place.calls,
            Self::TurnCalls => place.turn_calls,
            Self::NoTurnCalls => !place.turn_calls,
            Self::Last => place.last,
            Self::LastOpen => place.last && place.open,
            Self::AfterAssistant => place.after_assistant,
        }
    }
}

const HOLDS: bool = true;

/// How the server answers what breaks an entry.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Violation {
    /// HTTP status; 200 where it is silent.
    pub status: u16,
    /// Type of the error; that of the endpoint where it is absent.
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// Code of the error; that of the endpoint where it is absent.
    #[serde(default)]
    pub code: Option<String>,
    /// Its text. `{index}` is the place of the first message, `{call}` the name of its tool, `{position}` its place
    /// counted from 1, `{part}` the place of the block, `{found}` its type.
    #[serde(default)]
    pub message: String,
}

/// What a 200 says became of a block (`tests/facts/providers.md` section 1.4, `input_transformations`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Transformation {
    /// What became of it.
    #[serde(rename = "type")]
    pub kind: TransformationKind,
    /// Why.
    pub reason: String,
}

/// What became of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TransformationKind {
    /// The model was not shown it.
    ThinkingDropped,
    /// It was, although it does not fit.
    ThinkingMismatchAllowed,
}

impl TransformationKind {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ThinkingDropped => "thinking_dropped",
            Self::ThinkingMismatchAllowed => "thinking_mismatch_allowed",
        }
    }
}

/// What is known of an effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It was seen.
    Yes,
    /// It was seen that there is none.
    No,
    /// Nobody measured it, or measurements disagree.
    #[default]
    InconsistentOrUnverified,
}

impl Effect {
    /// The word in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::InconsistentOrUnverified => "inconsistent_or_unverified",
        }
    }
}

/// How sure it is (`tests/facts/providers.md`, head).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// Inferred, disputed or second-hand: it acts as `stop_and_probe`.
    Low,
    /// One good report, or documents that contradict each other.
    Medium,
    /// Documents, source text, or several reports that agree.
    High,
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        })
    }
}

/// How something is known (R3 of `docs/mission.md`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Evidence {
    /// Where it was said: an address, or a package with its version.
    pub source: String,
    /// The request that showed it.
    pub fixture: String,
    /// Shape of the response.
    pub response_shape: String,
    /// What later turns showed.
    pub later_turns: String,
    /// What usage showed.
    pub usage: String,
    /// How often it was repeated; 0 where nobody says.
    pub repetitions: u32,
    /// What it does not show.
    pub limitations: String,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Rule {
    /// Name within its endpoint.
    pub name: String,
    /// Where in a conversation.
    pub mode: Mode,
    /// The field, as people call it.
    pub field: String,
    /// What is wanted.
    pub replay: Replay,
    /// What breaks it.
    #[serde(default)]
    pub breach: BreachKind,
    /// Messages that it is about.
    #[serde(default)]
    pub scope: Option<Scope>,
    /// Carrier that it is about; any that the endpoint reads where it is absent.
    #[serde(default)]
    pub carrier: Option<Carrier>,
    /// Requests that it is about.
    #[serde(default)]
    pub when: Condition,
    /// The text, the type, or the member (its name, or a JSON pointer to it) that a breach names.
    #[serde(default)]
    pub value: String,
    /// How breaking it is answered; without one it is silent.
    #[serde(default)]
    pub violation: Option<Violation>,
    /// What a 200 says became of what breaks it.
    #[serde(default)]
    pub transformation: Option<Transformation>,
    /// Whether the server takes the request that obeys.
    #[serde(default)]
    pub accepted: Effect,
    /// Whether what was sent back had an effect.
    #[serde(default)]
    pub semantic_effect: Effect,
    /// Whether the next turns went on as if nothing were missing.
    #[serde(default)]
    pub continuity: Effect,
    /// How it is known.
    #[serde(default)]
    pub evidence: Evidence,
    /// When it was seen; absent where nobody says.
    #[serde(default)]
    pub observed_at: Option<Day>,
    /// How sure it is.
    pub confidence: Confidence,
}

/// The action of a replay policy (R1 of `docs/mission.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Everything goes back as it came.
    ReplayExact,
    /// The fields that are required go back, as they came.
    ReplayRequiredFields,
    /// Reasoning is left out.
    DropReasoning,
    /// The visible content is summarised.
    SummarizeVisibleContent,
    /// Nothing is sent before somebody has looked.
    StopAndProbe,
}

impl Action {
    /// The word in files and tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReplayExact => "replay_exact",
            Self::ReplayRequiredFields => "replay_required_fields",
            Self::DropReasoning => "drop_reasoning",
            Self::SummarizeVisibleContent => "summarize_visible_content",
            Self::StopAndProbe => "stop_and_probe",
        }
    }
}

impl Rule {
    /// Messages that it is about: where nothing else is said, those of its mode.
    pub fn scope(&self) -> Scope {
        self.scope.unwrap_or(match self.mode {
            Mode::Ordinary => Scope::NoTurnCalls,
            Mode::ToolLoop => Scope::Open,
            Mode::NewUserTurn => Scope::Closed,
        })
    }

    /// Whether nobody can be sure what happens.
    pub fn is_probe(&self) -> bool {
        self.replay == Replay::Unknown || self.confidence == Confidence::Low
    }

    /// What a policy does that knows no more than this entry.
    pub fn action(&self) -> Action {
        match self.replay {
            _ if self.is_probe() => Action::StopAndProbe,
            Replay::Required => Action::ReplayRequiredFields,
            Replay::Optional => Action::ReplayExact,
            Replay::Ignored | Replay::Forbidden => Action::DropReasoning,
            Replay::Unknown => Action::StopAndProbe,
        }
    }
}
