//! A history without the words of one provider: what judge, policies and rules of providers look at.
//!
//! Every wire maps to it without loss: each part keeps the JSON that it was, and [`AssistantTurn::value`] gives back the
//! message that was read.
//!
//! | module | what is there |
//! |---|---|
//! | [`part`] | text, reasoning, calls: one element of a message |
//! | [`turn`] | one message of the assistant |
//! | [`history`] | a whole request: messages, tools, where a message stands |
//! | [`answer`] | the message in an answer, whole or in pieces |
//! | [`bedrock`] | how Converse of Amazon Bedrock is read |
//! | `responses` | how the input of the Responses API is read |
//! | [`chat`] | how chat completions are read |
//! | [`anthropic`] | how Anthropic Messages are read |
//! | [`gemini`] | how `generateContent` is read |
//! | [`interactions`] | how Interactions of Gemini are read |

pub mod answer;
pub mod anthropic;
pub mod bedrock;
mod blocks;
pub mod chat;
pub mod gemini;
pub mod history;
pub mod interactions;
pub mod part;
mod responses;
pub mod turn;

pub use answer::answered;
pub use history::{Choice, Delivery, History, Message, Place, Role, Tool};
pub use part::{Carrier, Part, PartKind, ToolCall};
pub use turn::AssistantTurn;
