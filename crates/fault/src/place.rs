//! Where in a stream a fault happens: an event by name, by the type of its item, by index; or a byte.

use std::collections::BTreeMap;

use holdover_wire::{Event, Step};

/// Where a fault may be put, and where it is when nobody says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// Nowhere in particular: it concerns the whole answer.
    Whole,
    /// The items of one type; without one, those that the fault is about.
    Items,
    /// One event.
    OneEvent(Spot),
    /// One event, or a byte of the body.
    EventOrByte(Spot),
    /// Every event that fits.
    EveryEvent,
}

/// One event of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// The one in the middle.
    Middle,
    /// The first with this name.
    First(&'static str),
    /// The last with this name.
    Last(&'static str),
}

/// The place that a trigger names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Place {
    pub(crate) event: Option<String>,
    pub(crate) item: Option<String>,
    /// From 1, among the events that fit.
    pub(crate) index: Option<u64>,
    /// From 0: so many bytes of the body leave.
    pub(crate) byte: Option<u64>,
}

impl Place {
    /// Whether it names an event.
    pub(crate) fn names_event(&self) -> bool {
        self.event.is_some() || self.item.is_some() || self.index.is_some()
    }

    /// Steps of all events that fit.
    pub(crate) fn all(&self, steps: &[Step]) -> Vec<usize> {
        let fitting = self.fitting(steps, None);
        match self.index.and_then(|index| fitting.get(nth(index)).copied()) {
            Some(step) => vec![step],
            None if self.index.is_some() => Vec::new(),
            None => fitting,
        }
    }

    /// The step of the one event that is meant; `spot` where the trigger names none.
    pub(crate) fn one(&self, steps: &[Step], spot: Spot) -> Option<usize> {
        if !self.names_event() {
            return spot.of(steps);
        }
        let fitting = self.fitting(steps, self.default_event(spot));
        match self.index {
            Some(index) => fitting.get(nth(index)).copied(),
            None => fitting.first().copied(),
        }
    }

    /// `item` and `index` alone narrow the event that the fault is about.
    fn default_event(&self, spot: Spot) -> Option<&'static str> {
        match spot {
            Spot::First(name) | Spot::Last(name) if self.event.is_none() => Some(name),
            _ => None,
        }
    }

    fn fitting(&self, steps: &[Step], name: Option<&str>) -> Vec<usize> {
        let types = item_types(steps);
        let name = self.event.as_deref().or(name);
        let fits = |event: &Event| {
            let item = event.output_index().and_then(|index| types.get(&index));
            name.is_none_or(|name| name == event.name())
                && self.item.as_ref().is_none_or(|wanted| item == Some(wanted))
        };
        let events = steps.iter().enumerate();
        events
            .filter(|(_, step)| step.event().is_some_and(fits))
            .map(|(index, _)| index)
            .collect()
    }
}

/// An index from 1 as one from 0.
fn nth(index: u64) -> usize {
    usize::try_from(index.saturating_sub(1)).unwrap_or(usize::MAX)
}

impl Spot {
    fn of(self, steps: &[Step]) -> Option<usize> {
        let events: Vec<usize> = (0..steps.len())
            .filter(|index| steps[*index].event().is_some())
            .collect();
        let named = |index: &&usize, name| steps[**index].event().map(Event::name) == Some(name);
        match self {
            Self::Middle => events.get(events.len() / 2),
            Self::First(name) => events.iter().find(|index| named(index, name)),
            Self::Last(name) => events.iter().rfind(|index| named(index, name)),
        }
        .copied()
    }
}

/// Type of the item at each output index.
fn item_types(steps: &[Step]) -> BTreeMap<u64, String> {
    let events = steps.iter().filter_map(Step::event);
    let typed = events.filter_map(|event| {
        let item = event.item()?;
        Some((event.output_index()?, item.type_name()?.to_owned()))
    });
    typed.collect()
}

#[cfg(test)]
mod tests {
    use holdover_wire::PlanBody;

    use super::*;
    use crate::testing;

    fn steps() -> Vec<Step> {
        match testing::stream().body {
            PlanBody::Stream(steps) => steps,
            PlanBody::Json(_) | PlanBody::Nothing => Vec::new(),
        }
    }

    fn place(event: Option<&str>, item: Option<&str>, index: Option<u64>) -> Place {
        Place {
            event: event.map(str::to_owned),
            item: item.map(str::to_owned),
            index,
            byte: None,
        }
    }

    #[test]
    fn an_event_is_found_by_name_type_and_index() {
        // See `testing::stream`: item 0 is reasoning (steps 2 to 7), item 1 a message (8 to 14).
        let done = Spot::First("response.output_item.done");
        for (place, expected) in [
            (place(None, None, None), Some(7)),
            (place(None, None, Some(2)), Some(14)),
            (place(None, Some("message"), None), Some(14)),
            (place(Some("response.output_text.delta"), None, Some(2)), Some(11)),
            (
                place(Some("response.output_text.delta"), Some("reasoning"), None),
                None,
            ),
            (place(Some("response.created"), None, Some(2)), None),
        ] {
            assert_eq!(place.one(&steps(), done), expected, "{place:?}");
        }
        assert_eq!(place(None, None, None).one(&steps(), Spot::Middle), Some(8));
        assert_eq!(
            place(None, None, None).one(&steps(), Spot::Last("response.output_text.delta")),
            Some(11)
        );
    }

    #[test]
    fn every_event_that_fits_is_found() {
        assert_eq!(place(None, None, None).all(&steps()).len(), 16);
        assert_eq!(
            place(None, Some("reasoning"), None).all(&steps()),
            [2, 3, 4, 5, 6, 7]
        );
        assert_eq!(place(None, Some("reasoning"), Some(3)).all(&steps()), [4]);
        assert_eq!(place(None, None, Some(99)).all(&steps()), Vec::<usize>::new());
    }
}
