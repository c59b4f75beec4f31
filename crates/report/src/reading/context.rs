//! What the model of an exchange was given: its own input, and what state of the server put before it.

use holdover_wire::item::ItemView;
use holdover_wire::recording::{Exchange, Recording};
use holdover_wire::request::CreateRequest;
use holdover_wire::response::ResponseView;

use super::exchange::{create, creates, settled};

/// Which state a request names (M1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StateKey<'a> {
    /// `previous_response_id`
    Previous(&'a str),
    /// `conversation`
    Conversation(&'a str),
}

/// The state that a request names; the API refuses both at once, so that one is enough here.
pub(crate) fn state_key(request: CreateRequest<'_>) -> Option<StateKey<'_>> {
    let previous = request.previous_response_id().map(StateKey::Previous);
    previous.or_else(|| request.conversation().map(StateKey::Conversation))
}

/// The items before the model of the last create, as far as the recording shows them.
#[derive(Debug, Default)]
pub(crate) struct Context<'a> {
    /// Items, newest exchange first; within an exchange, input before output.
    pub(crate) items: Vec<ItemView<'a>>,
    /// Inputs that were a plain string.
    pub(crate) texts: Vec<&'a str>,
}

impl<'a> Context<'a> {
    /// Whether any user text of it holds these letters.
    pub(crate) fn says(&self, words: &str) -> bool {
        let in_items = self
            .items
            .iter()
            .any(|item| item.is_user_message() && item.text().to_lowercase().contains(&words.to_lowercase()));
        in_items
            || self
                .texts
                .iter()
                .any(|text| text.to_lowercase().contains(&words.to_lowercase()))
    }

    fn add_input(&mut self, request: CreateRequest<'a>) {
        self.items.extend(request.items().map(|(_, item)| item));
        self.texts.extend(request.input_text());
    }

    fn add_output(&mut self, recording: &'a Recording, exchange: &'a Exchange) {
        let output = settled(recording, exchange)
            .into_iter()
            .flat_map(ResponseView::output);
        self.items.extend(output.map(|(_, item)| item));
    }
}

/// The context of the last create. State is followed through the exchanges of this recording only.
pub(crate) fn of_last(recording: &Recording) -> Context<'_> {
    let all: Vec<_> = creates(recording).collect();
    let mut context = Context::default();
    let Some((last, before)) = all.split_last() else {
        return context;
    };
    context.add_input(last.1);
    let mut wanted = state_key(last.1);
    for &(exchange, request) in before.iter().rev() {
        if wanted.is_some_and(|key| provides(recording, exchange, key)) {
            context.add_output(recording, exchange);
            context.add_input(request);
            wanted =
                state_key(request).or_else(|| wanted.filter(|key| matches!(key, StateKey::Conversation(_))));
        }
    }
    context
}

/// Whether an exchange left the state that a later request names.
fn provides(recording: &Recording, exchange: &Exchange, key: StateKey<'_>) -> bool {
    match key {
        StateKey::Previous(id) => settled(recording, exchange).and_then(ResponseView::id) == Some(id),
        StateKey::Conversation(id) => create(exchange).and_then(CreateRequest::conversation) == Some(id),
    }
}
