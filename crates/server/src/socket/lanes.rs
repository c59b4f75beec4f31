//! Which request of a connection is next: one at a time on each lane in the order in which they came, and so many at
//! once on all lanes together (`tests/facts/streaming.md` section 11, Limits).

use std::collections::{BTreeSet, VecDeque};

/// Responses under way at once; further ones wait.
pub(super) const IN_FLIGHT_MAX: usize = 16;
/// Named lanes of one connection; the default one does not count.
pub(super) const NAMED_MAX: usize = 32;
/// Requests that wait before the connection reads no further.
const WAITING_MAX: usize = 256;
/// Characters of a lane's name.
const NAME_CHARS_MAX: usize = 256;

/// A lane of a connection. Responses of one lane come one after the other, those of different lanes between each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Lane(String);

impl Lane {
    /// The lane of a `stream_id`.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        let fits = (1..=NAME_CHARS_MAX).contains(&name.len());
        (fits && name.bytes().all(is_legal)).then(|| Self(name.to_owned()))
    }

    /// Its name; empty for the default lane.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Its name; `None` for the default lane.
    pub(super) fn named(&self) -> Option<&str> {
        Some(self.as_str()).filter(|name| !name.is_empty())
    }
}

/// There are as many lanes as there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManyLanes;

/// The requests of one connection.
#[derive(Debug)]
pub(super) struct Lanes<T> {
    waiting: VecDeque<(Lane, T)>,
    busy: BTreeSet<Lane>,
    named: BTreeSet<Lane>,
}

impl<T> Default for Lanes<T> {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            busy: BTreeSet::new(),
            named: BTreeSet::new(),
        }
    }
}

impl<T> Lanes<T> {
    /// Opens a lane, unless it is open.
    pub(super) fn open(&mut self, lane: &Lane) -> Result<(), TooManyLanes> {
        if lane.named().is_none() || self.named.contains(lane) {
            return Ok(());
        }
        if self.named.len() >= NAMED_MAX {
            return Err(TooManyLanes);
        }
        self.named.insert(lane.clone());
        Ok(())
    }

    /// A request comes.
    pub(super) fn push(&mut self, lane: Lane, request: T) {
        self.waiting.push_back((lane, request));
    }

    /// The next request that may be answered; its lane is busy from now on.
    pub(super) fn next(&mut self) -> Option<T> {
        if self.busy.len() >= IN_FLIGHT_MAX {
            return None;
        }
        let mut waiting = self.waiting.iter();
        let at = waiting.position(|(lane, _)| !self.busy.contains(lane))?;
        let (lane, request) = self.waiting.remove(at)?;
        self.busy.insert(lane);
        Some(request)
    }

    /// The answer on a lane is over.
    pub(super) fn done(&mut self, lane: &Lane) {
        self.busy.remove(lane);
    }

    /// Whether one more request may come.
    pub(super) fn has_room(&self) -> bool {
        self.waiting.len() < WAITING_MAX
    }

    /// Whether nothing waits and nothing is under way.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.busy.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(name: &str) -> Lane {
        Lane::parse(name).unwrap_or_default()
    }

    fn push(lanes: &mut Lanes<String>, name: &str, request: &str) {
        lanes.open(&lane(name)).expect("a free lane");
        lanes.push(lane(name), request.to_owned());
    }

    fn next(lanes: &mut Lanes<String>) -> Vec<String> {
        std::iter::from_fn(|| lanes.next()).collect()
    }

    #[test]
    fn names_have_the_grammar_of_the_facts() {
        for name in ["a", "side.1", "A_b-C.9", &"x".repeat(256)] {
            assert_eq!(Lane::parse(name).as_ref().map(Lane::as_str), Some(name));
        }
        for name in ["", "bad id!", "ä", &"x".repeat(257)] {
            assert_eq!(Lane::parse(name), None, "{name}");
        }
    }

    #[test]
    fn a_lane_answers_in_order_and_lanes_do_not_wait_for_each_other() {
        let mut lanes = Lanes::default();
        for (name, request) in [("", "1"), ("", "2"), ("a", "a1"), ("a", "a2"), ("", "3")] {
            push(&mut lanes, name, request);
        }
        assert_eq!(next(&mut lanes), ["1", "a1"]);
        lanes.done(&lane("a"));
        assert_eq!(next(&mut lanes), ["a2"]);
        lanes.done(&lane(""));
        assert_eq!(next(&mut lanes), ["2"]);
        assert!(!lanes.is_idle());
        lanes.done(&lane("a"));
        lanes.done(&lane(""));
        assert_eq!(next(&mut lanes), ["3"]);
        lanes.done(&lane(""));
        assert!(lanes.is_idle());
    }

    #[test]
    fn sixteen_are_under_way_at_once() {
        let mut lanes = Lanes::default();
        for index in 0..20 {
            push(&mut lanes, &format!("l{index}"), &index.to_string());
        }
        assert_eq!(next(&mut lanes).len(), 16);
        lanes.done(&lane("l3"));
        assert_eq!(next(&mut lanes), ["16"]);
    }

    #[test]
    fn the_thirty_third_name_is_refused_and_the_default_lane_never_counts() {
        let mut lanes: Lanes<String> = Lanes::default();
        assert_eq!(lanes.open(&lane("")), Ok(()));
        for index in 0..32 {
            assert_eq!(lanes.open(&lane(&format!("l{index}"))), Ok(()));
        }
        assert_eq!(lanes.open(&lane("one-more")), Err(TooManyLanes));
        assert_eq!(lanes.open(&lane("l31")), Ok(()));
        assert_eq!(lanes.open(&lane("")), Ok(()));
    }
}
