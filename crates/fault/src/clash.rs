//! Faults that contradict each other: the second could never decide anything.

use crate::card::Decides;
use crate::fault::Fault;

/// Two faults of a list of which the second can never do what it is there for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// Index of the one that decides.
    pub first: usize,
    /// Index of the one that never does.
    pub second: usize,
    /// One sentence: lowercase, no full stop.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// Every contradiction in a list of faults, in order. Faults that differ in their conditions, and those that stop after
/// some time or depend on chance, leave room for each other.
pub fn clashes(faults: &[Fault]) -> Vec<Clash> {
    let mut found = Vec::new();
    for (second, later) in faults.iter().enumerate() {
        let earlier = faults[..second].iter();
        if let Some(first) = earlier.enumerate().find(|(_, first)| contradict(first, later)) {
            found.push(clash(first, (second, later)));
        }
    }
    found
}

fn contradict(first: &Fault, second: &Fault) -> bool {
    first.card.decides != Decides::Nothing
        && first.card.decides == second.card.decides
        && first.trigger.covers(&second.trigger)
}

fn clash((first, decider): (usize, &Fault), (second, other): (usize, &Fault)) -> Clash {
    let what = match decider.card.decides {
        Decides::Refusal => "that the request is refused",
        Decides::End => "how the answer ends",
        Decides::Tokens => "where tokens are",
        Decides::Summaries => "what summaries are",
        Decides::Reply => "what the model says",
        Decides::Framing => "the bytes of an event",
        Decides::ContentType => "the content type",
        Decides::Nothing => "nothing",
    };
    Clash {
        first,
        second,
        message: format!(
            "`{}` can never happen: `{}` before it decides {what} each time",
            other.card.name, decider.card.name
        ),
        help: "give the first one a condition (`turn`, `times`, `probability`), or keep one of them"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(flags: &[&str]) -> Vec<(usize, usize)> {
        let faults: Vec<Fault> = flags
            .iter()
            .map(|flag| Fault::parse_flag(flag).expect("a fault"))
            .collect();
        let found = clashes(&faults);
        found.iter().map(|clash| (clash.first, clash.second)).collect()
    }

    #[test]
    fn the_second_of_two_that_decide_the_same_is_named() {
        assert_eq!(pairs(&["refuse", "rate-limit"]), [(0, 1)]);
        assert_eq!(pairs(&["cut", "pause", "reset:turn=2"]), [(0, 2)]);
        assert_eq!(pairs(&["token-absent", "token-null"]), [(0, 1)]);
        assert_eq!(pairs(&["refuse:call=3", "rate-limit:call=3"]), [(0, 1)]);
    }

    #[test]
    fn what_leaves_room_is_no_contradiction() {
        for flags in [
            ["refuse", "cut"],
            ["refuse:turn=2", "rate-limit:turn=2"],
            ["refuse:times=1", "rate-limit"],
            ["refuse:probability=0.5", "rate-limit"],
            ["refuse:model=a", "rate-limit:model=b"],
            ["cut:event=response.created", "reset"],
            ["pause", "pause"],
        ] {
            assert_eq!(pairs(&flags), [], "{flags:?}");
        }
    }

    #[test]
    fn the_message_names_both() {
        let faults = ["refuse", "rate-limit"].map(|flag| Fault::parse_flag(flag).expect("a fault"));
        assert_eq!(
            clashes(&faults)[0].message,
            "`rate-limit` can never happen: `refuse` before it decides that the request is refused each time"
        );
    }
}
