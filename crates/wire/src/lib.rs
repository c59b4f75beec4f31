//! What crosses the wire of the Responses API, both ways, without losing an unknown member.
//!
//! Nothing here does I/O, reads a clock or draws a random number. An [`Item`], a [`CreateRequest`], a
//! [`Response`] and an [`Event`] are the JSON objects themselves behind typed accessors: what this version does
//! not know survives, in the order in which it came (law 2 of `docs/architecture.md`).
//!
//! | module | what is there |
//! |---|---|
//! | [`id`] | newtypes for what must not be confused, and the grammar of server ids |
//! | [`item`] | one element of `input` or `output` |
//! | [`request`] | the body of `POST /v1/responses`, and any call to the API |
//! | [`members`] | looking up a member of an object |
//! | [`response`] | the response object |
//! | [`outline`] | a response in short, beside its text |
//! | [`document`] | a JSON document, as its value or as its text |
//! | [`text`] | JSON text that is written member by member |
//! | [`event`] | one event of a stream |
//! | [`error`] | the error envelope, with the grade of its evidence |
//! | [`event_stream`] | framing of the event streams of AWS |
//! | [`sse`] | server-sent-event framing, both ways |
//! | [`plan`] | what a server is about to send: status, headers, a body or events and waits |
//! | [`reply`] | what a script wants the model to say |
//! | [`recording`] | exchanges of one session, and their file of JSON lines |
//! | [`audit`] | the line a client writes for each run |
//! | [`wires`] | which wire a path speaks |
//! | [`neutral`] | a history without the words of one provider |
//! | [`fragment`] | `frag_hash`: the hash of the reasoning that a request carries |

pub mod audit;
pub mod document;
pub mod error;
pub mod event;
pub mod event_stream;
pub mod fragment;
pub mod id;
pub mod item;
pub mod members;
pub mod neutral;
pub mod outline;
pub mod plan;
pub mod recording;
pub mod reply;
pub mod request;
pub mod response;
pub mod sse;
pub mod text;
pub mod wires;

pub use audit::AuditRecord;
pub use document::Document;
pub use error::{ApiError, Evidence};
pub use event::Event;
pub use id::{CallId, ConversationId, ItemId, ResponseId, ServerId, SessionName};
pub use item::{Item, ItemKind};
pub use members::Members;
pub use outline::Outline;
pub use plan::{Plan, PlanBody, Step};
pub use recording::{End, Exchange, Recording, Transport};
pub use reply::{Reply, ReplyEnd, ReplyPart};
pub use request::{Call, CallBody, CreateRequest, Method};
pub use response::Response;
pub use wires::Wire;

/// A JSON object with its members in wire order.
pub type Object = serde_json::Map<String, serde_json::Value>;
