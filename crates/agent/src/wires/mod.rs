//! The edge of the client: its items as requests of other wires, and the answers of those wires as items.
//!
//! Inside, the client knows items only, so every stage and every slip works on each wire. An item that came over
//! another wire keeps what it was ([`part`]), and the wire that it came from gets that back byte for byte.
//!
//! | module | what is there |
//! |---|---|
//! | [`part`] | an item that was a part of a message, and the message again |
//! | [`talk`] | items as who said what: messages of the user, of the model, outputs of tools |
//! | [`request`] | a whole request: path, members, history, replay policy |
//! | [`answer`] | an answer, whole or streamed, as items and an ending |
//! | [`chat`] | chat completions |
//! | [`messages`] | Anthropic Messages |
//! | [`gemini`] | `generateContent` of Gemini |
//! | [`responses`] | the Responses API, where a session came from another wire |

pub(crate) mod answer;
pub(crate) mod chat;
pub(crate) mod gemini;
pub(crate) mod messages;
pub(crate) mod part;
pub(crate) mod request;
pub(crate) mod responses;
pub(crate) mod talk;
