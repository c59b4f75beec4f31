//! What a request carries, each item with the issued one it is.

use holdover_wire::Members as _;
use holdover_wire::id::tail;
use holdover_wire::item::{ItemKind, ItemView};
use holdover_wire::request::CreateRequest;

use crate::hash::{Hash, Hasher};
use crate::ledger::{ItemIx, Ledger, Stage};

/// How a carried item was known again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum How {
    /// By its id.
    Id,
    /// By the 24 hex digits its id ends in; the head is another one.
    Tail,
    /// By its token.
    Token,
    /// By its call id.
    CallId,
    /// By its visible text.
    Text,
    /// By its other content: summary, or name and arguments.
    Content,
    /// By where it stands.
    Position,
}

impl How {
    /// Whether this is more than equal words.
    pub(crate) fn is_strong(self) -> bool {
        matches!(self, Self::Id | Self::Tail | Self::Token | Self::CallId)
    }
}

/// The issued item that a carried one is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) item: ItemIx,
    pub(crate) how: How,
}

/// The token of a carried item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenSeen {
    /// It has none.
    Absent,
    /// It was issued, for this item.
    Issued(ItemIx, Stage),
    /// No response of this recording issued it.
    Unknown,
}

/// One element of `input`.
#[derive(Clone, Debug)]
pub(crate) struct Sent<'a> {
    pub(crate) index: usize,
    pub(crate) view: ItemView<'a>,
    pub(crate) kind: ItemKind,
    pub(crate) found: Option<Found>,
    /// For an output: the issued call it answers.
    pub(crate) answers: Option<ItemIx>,
    pub(crate) token: TokenSeen,
    /// Hash of what it says, in whatever form.
    pub(crate) content: Hash,
}

impl Sent<'_> {
    /// JSON pointer of the item in the body.
    pub(crate) fn pointer(&self) -> String {
        format!("/input/{}", self.index)
    }

    /// JSON pointer of one of its members.
    pub(crate) fn member(&self, name: &str) -> String {
        format!("/input/{}/{name}", self.index)
    }

    /// The issued item it is.
    pub(crate) fn item(&self) -> Option<ItemIx> {
        self.found.map(|found| found.item)
    }

    /// Whether it is the issued item, and not a reference to it.
    pub(crate) fn is_reference(&self) -> bool {
        self.kind == ItemKind::ItemReference
    }
}

/// All items of `input`, each with what it is known by at once.
pub(crate) fn read<'a>(body: CreateRequest<'a>, ledger: &Ledger) -> Vec<Sent<'a>> {
    body.items()
        .map(|(index, view)| read_item(index, view, ledger))
        .collect()
}

fn read_item<'a>(index: usize, view: ItemView<'a>, ledger: &Ledger) -> Sent<'a> {
    let kind = view.kind();
    let token = match view.encrypted_content() {
        None => TokenSeen::Absent,
        Some(token) => match ledger.by_token(token) {
            Some((item, stage)) => TokenSeen::Issued(item, stage),
            None => TokenSeen::Unknown,
        },
    };
    let is_output = kind.is_client_output() || kind == ItemKind::OtherOutput;
    let answers = view
        .call_id()
        .filter(|_| is_output)
        .and_then(|call_id| ledger.by_call_id(call_id));
    Sent {
        index,
        view,
        kind,
        found: known(view, kind, token, ledger),
        answers,
        token,
        content: content(view),
    }
}

fn known(view: ItemView<'_>, kind: ItemKind, token: TokenSeen, ledger: &Ledger) -> Option<Found> {
    let found = |how: How| move |item: ItemIx| Found { item, how };
    if let Some(item) = view.id().and_then(|id| ledger.by_id(id)) {
        return Some(Found { item, how: How::Id });
    }
    if let TokenSeen::Issued(item, _) = token {
        return Some(Found {
            item,
            how: How::Token,
        });
    }
    if let Some(item) = view.id().and_then(tail).and_then(|tail| ledger.by_tail(tail)) {
        return Some(Found { item, how: How::Tail });
    }
    let is_call = kind.is_client_call() || kind == ItemKind::OtherCall;
    let call_id = view.call_id().filter(|_| is_call)?;
    ledger.by_call_id(call_id).map(found(How::CallId))
}

/// The hash of what an item says: equal for the easy and the full form of a message.
pub(crate) fn content(view: ItemView<'_>) -> Hash {
    let object = view.object();
    let hasher = match view.kind() {
        ItemKind::Message => return message(view.role().unwrap_or(""), &view.text()),
        ItemKind::FunctionCall | ItemKind::CustomToolCall => {
            let mut hasher = Hasher::new("call");
            hasher.optional_text(view.name());
            hasher.optional(object.member("arguments").or_else(|| object.member("input")));
            hasher
        }
        ItemKind::FunctionCallOutput | ItemKind::CustomToolCallOutput => {
            let mut hasher = Hasher::new("output");
            hasher.optional_text(view.call_id());
            hasher.optional(object.member("output"));
            hasher
        }
        ItemKind::Reasoning => {
            let mut hasher = Hasher::new("reasoning");
            view.summary_texts().for_each(|text| hasher.text(text));
            hasher
        }
        _ => {
            let mut hasher = Hasher::new("item");
            hasher.object(object);
            hasher
        }
    };
    hasher.finish()
}

/// The content hash of a message.
pub(crate) fn message(role: &str, text: &str) -> Hash {
    let mut hasher = Hasher::new("message");
    hasher.text(role);
    hasher.text(text);
    hasher.finish()
}

/// Chain hashes of every prefix of the input without its reasoning items, shortest first; the first is that of the
/// empty input.
pub(crate) fn chain(body: CreateRequest<'_>, input: &[Sent<'_>]) -> Vec<(usize, Hash)> {
    let mut links = vec![(0, Hash::default())];
    let mut last = Hash::default();
    if let Some(text) = body.input_text() {
        links.push((1, last.then(message("user", text))));
        return links;
    }
    for sent in input.iter().filter(|sent| sent.kind != ItemKind::Reasoning) {
        last = last.then(sent.content);
        links.push((sent.index + 1, last));
    }
    links
}
