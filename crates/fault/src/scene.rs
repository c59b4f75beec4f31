//! What an act may look at.

use holdover_wire::item::ItemView;
use holdover_wire::{CreateRequest, ItemKind, Step};

use crate::chance::Dice;
use crate::fault::Fault;
use crate::memory::{Mark, Memory};
use crate::place::{Place, Places, Spot};
use crate::session::Occasion;

/// The moment at which a fault that lasts began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Begun {
    /// The create call before which it began: what was issued up to here is from before.
    pub(crate) call: u64,
    /// The key that was in use until then.
    pub(crate) key: Option<Mark>,
    /// The exchange at which it began.
    pub(crate) exchange: u64,
}

/// What an act may look at: the fault, the call, chance and what the session remembers.
pub(crate) struct Scene<'a> {
    pub(crate) fault: &'a Fault,
    pub(crate) occasion: &'a Occasion<'a>,
    pub(crate) memory: &'a Memory,
    pub(crate) begun: Begun,
    pub(crate) dice: Dice,
}

impl<'a> Scene<'a> {
    pub(crate) fn whole(&self, option: &str) -> u64 {
        self.fault.options.whole(option)
    }

    pub(crate) fn size(&self, option: &str) -> usize {
        self.fault.options.size(option)
    }

    pub(crate) fn text(&self, option: &str) -> Option<&'a str> {
        self.fault.options.text(option)
    }

    pub(crate) fn word(&self, option: &str) -> &'a str {
        self.fault.options.word(option)
    }

    /// The request, where the call has a JSON object.
    pub(crate) fn request(&self) -> Option<CreateRequest<'a>> {
        self.occasion.request()
    }

    /// The model of the request as a message names it.
    pub(crate) fn model(&self) -> &'a str {
        self.occasion.model().unwrap_or("gpt-5.6")
    }

    /// The items that the request carries.
    pub(crate) fn carried(&self) -> Vec<ItemView<'a>> {
        let items = self.request().into_iter().flat_map(CreateRequest::items);
        items.map(|(_, item)| item).collect()
    }

    /// The items with a token that the request carries.
    pub(crate) fn protected(&self) -> Vec<ItemView<'a>> {
        let mut items = self.carried();
        items.retain(|item| item.kind().is_protected() && item.encrypted_content().is_some());
        items
    }

    /// What the request names by id alone, as the API looks it up: the response before, references, bare reasoning.
    pub(crate) fn named(&self) -> Vec<&'a str> {
        let previous = self.request().and_then(CreateRequest::previous_response_id);
        let items = self.carried().into_iter().filter(|item| match item.kind() {
            ItemKind::ItemReference => true,
            ItemKind::Reasoning => item.encrypted_content().is_none(),
            _ => false,
        });
        previous
            .into_iter()
            .chain(items.filter_map(ItemView::id))
            .collect()
    }

    /// Whether an id or a token was issued before this fault began.
    pub(crate) fn is_from_before(&self, text: &str) -> bool {
        self.memory
            .issued_at(text)
            .is_some_and(|call| call < self.begun.call)
    }

    fn place(&self) -> &'a Place {
        &self.fault.trigger.place
    }

    /// The step at which it happens.
    pub(crate) fn spot(&self, steps: &[Step]) -> Option<usize> {
        match self.fault.card.places {
            Places::OneEvent(spot) | Places::EventOrByte(spot) => self.place().one(steps, spot),
            Places::Whole | Places::Items | Places::EveryEvent => self.place().one(steps, Spot::Middle),
        }
    }

    /// All steps at which it happens.
    pub(crate) fn spots(&self, steps: &[Step]) -> Vec<usize> {
        self.place().all(steps)
    }

    /// The byte at which it happens, where the trigger names one.
    pub(crate) fn byte(&self) -> Option<usize> {
        let byte = self.place().byte?;
        Some(usize::try_from(byte).unwrap_or(usize::MAX))
    }

    /// Whether the trigger names an event.
    pub(crate) fn names_event(&self) -> bool {
        self.place().names_event()
    }

    /// Whether an item is of the type that the trigger names; `kind` where it names none.
    pub(crate) fn concerns(&self, item: ItemView<'_>, kind: Option<ItemKind>) -> bool {
        match (&self.place().item, kind) {
            (Some(wanted), _) => item.type_name() == Some(wanted),
            (None, Some(kind)) => item.kind() == kind,
            (None, None) => true,
        }
    }
}
