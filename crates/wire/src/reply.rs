//! What a script wants the model to say in one response, part by part.

use crate::item::Item;

/// The parts of one scripted response, in output order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// Parts in output order.
    pub parts: Vec<ReplyPart>,
}

/// One part of a scripted response.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyPart {
    /// A reasoning item; `summary` holds its parts, `None` for the default summary where one was asked for.
    Reasoning {
        /// Summary parts; `None` for the default.
        summary: Option<Vec<String>>,
    },
    /// An assistant message; `text` `None` for the default answer (`Offline (…): answered "…".`).
    Message {
        /// Text; `None` for the default answer.
        text: Option<String>,
        /// `commentary` or `final_answer`; `None` for the model's default.
        phase: Option<String>,
    },
    /// A function call.
    Call {
        /// `call_id`; `None` for a derived one.
        id: Option<String>,
        /// Name of the function.
        name: String,
        /// Arguments as JSON text; `None` for arguments made from the tool's schema.
        arguments: Option<String>,
    },
    /// A call of a custom tool.
    CustomCall {
        /// `call_id`; `None` for a derived one.
        id: Option<String>,
        /// Name of the tool.
        name: String,
        /// Its free text; `None` for the user's message.
        input: Option<String>,
    },
    /// A refusal in a message.
    Refusal(String),
    /// Any item as pasted; `id` and `status` are filled in where they are absent.
    Item(Item),
    /// How the response ends; what stands after it is not said.
    End(ReplyEnd),
}

/// An end of a response other than `completed`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyEnd {
    /// `incomplete`: the last item that can be cut is.
    Incomplete {
        /// `incomplete_details.reason`: `max_output_tokens`, `content_filter`, ….
        reason: String,
    },
    /// `failed`: an `error` event, then `response.failed`; a JSON answer is an HTTP error.
    Failed {
        /// `error.code`: `server_error`, `rate_limit_exceeded`, `insufficient_quota`, ….
        code: String,
        /// `error.message`; `None` for the sentence that the API says with this code.
        message: Option<String>,
    },
}
