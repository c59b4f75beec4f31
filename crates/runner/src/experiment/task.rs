//! What user, tools and model do in each task.

use holdover_profile::provider::Mode;
use holdover_wire::{Reply, ReplyPart};

/// A task (R8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Two turns of writing, and a question about what was thought.
    MultiTurnEdit,
    /// Two calls, one after the other.
    SequentialCalls,
    /// Two calls at once.
    ParallelCalls,
    /// A call whose tool fails, and the same call again.
    RetryAfterFailure,
    /// A call, its answer, and a question after that.
    QuestionAfterTools,
    /// The first of two turns is replaced by a summary.
    AfterCompaction,
    /// The first turn was another provider's.
    ProviderSwitch,
}

/// One step of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The user says this.
    User(Line),
    /// A request leaves; the model thinks and says this, or, with nothing, its default answer.
    Model(&'static [Says]),
    /// The tools answer.
    Outputs(Outcome),
    /// Everything before the last turn becomes a summary.
    Compact,
    /// What comes next is asked of another provider.
    Elsewhere,
    /// What comes next is asked of the endpoint that is measured.
    Here,
}

/// What the model says after it has thought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// A text.
    Text,
    /// A call of this tool.
    Call(&'static str),
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It works.
    Works,
    /// It fails.
    Fails,
}

/// What the user says, in the words of [`crate::experiment::words`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Something is to be written.
    Write,
    /// It is to be edited.
    Edit,
    /// A tool is to be asked.
    LookUp,
    /// The model is to say what it thought, after the calls that the task wants.
    Probe,
}

const ASK: Step = Step::User(Line::Probe);
const TEXT: Step = Step::Model(&[Says::Text]);
const LOOKUP: Step = Step::Model(&[Says::Call("lookup")]);
const WORKS: Step = Step::Outputs(Outcome::Works);
const ANSWER: Step = Step::Model(&[]);

impl Task {
    /// All tasks.
    pub const ALL: [Self; 7] = [
        Self::MultiTurnEdit,
        Self::SequentialCalls,
        Self::ParallelCalls,
        Self::RetryAfterFailure,
        Self::QuestionAfterTools,
        Self::AfterCompaction,
        Self::ProviderSwitch,
    ];

    /// The word in the table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MultiTurnEdit => "multi_turn_edit",
            Self::SequentialCalls => "sequential_calls",
            Self::ParallelCalls => "parallel_calls",
            Self::RetryAfterFailure => "retry_after_failure",
            Self::QuestionAfterTools => "question_after_tools",
            Self::AfterCompaction => "after_compaction",
            Self::ProviderSwitch => "provider_switch",
        }
    }

    /// Where in a conversation it looks.
    pub fn mode(self) -> Mode {
        match self {
            Self::MultiTurnEdit | Self::AfterCompaction | Self::ProviderSwitch => Mode::Ordinary,
            Self::SequentialCalls | Self::ParallelCalls | Self::RetryAfterFailure => Mode::ToolLoop,
            Self::QuestionAfterTools => Mode::NewUserTurn,
        }
    }

    /// Whether it uses tools.
    pub fn has_tools(self) -> bool {
        self.mode() != Mode::Ordinary
    }

    /// Its steps. The last one is the probe: the model is asked for the nonce of what it thought.
    pub fn steps(self) -> &'static [Step] {
        match self {
            Self::MultiTurnEdit => &[
                Step::User(Line::Write),
                TEXT,
                Step::User(Line::Edit),
                TEXT,
                ASK,
                ANSWER,
            ],
            Self::SequentialCalls => &[
                ASK,
                LOOKUP,
                WORKS,
                Step::Model(&[Says::Call("fetch")]),
                WORKS,
                ANSWER,
            ],
            Self::ParallelCalls => {
                const BOTH: Step = Step::Model(&[Says::Call("lookup"), Says::Call("fetch")]);
                &[ASK, BOTH, WORKS, ANSWER]
            }
            Self::RetryAfterFailure => &[ASK, LOOKUP, Step::Outputs(Outcome::Fails), LOOKUP, WORKS, ANSWER],
            Self::QuestionAfterTools => &[Step::User(Line::LookUp), LOOKUP, WORKS, TEXT, ASK, ANSWER],
            Self::AfterCompaction => &[
                Step::User(Line::Write),
                TEXT,
                Step::User(Line::Edit),
                TEXT,
                Step::Compact,
                ASK,
                ANSWER,
            ],
            Self::ProviderSwitch => &[
                Step::Elsewhere,
                Step::User(Line::Write),
                TEXT,
                Step::Here,
                ASK,
                ANSWER,
            ],
        }
    }
}

/// What a script of the fake says: reasoning first, then these. Nothing asks for the default answer.
pub fn reply(says: &[Says]) -> Reply {
    if says.is_empty() {
        return Reply::default();
    }
    let said = says.iter().map(|says| match says {
        Says::Text => ReplyPart::Message {
            text: Some("Here it is.".to_owned()),
            phase: None,
        },
        Says::Call(name) => ReplyPart::Call {
            id: None,
            name: (*name).to_owned(),
            arguments: None,
        },
    });
    let thought = std::iter::once(ReplyPart::Reasoning { summary: None });
    Reply {
        parts: thought.chain(said).collect(),
    }
}
