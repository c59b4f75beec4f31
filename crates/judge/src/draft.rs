//! A finding before it is placed: what a rule's check hands back.

use crate::client::Client;
use crate::finding::{Finding, Severity};
use crate::ledger::{GroupIx, NodeIx};
use crate::rules::Rule;

/// What an audit record that says `omit` makes of a finding.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UnderOmit {
    /// The same.
    Same,
    /// Nothing: it is what the policy is for.
    Silent,
    /// Another rule's finding.
    Becomes(&'static Rule),
}

/// How often a rule may say the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Once {
    /// Once for each group.
    Group(usize),
    /// Once for each conversation.
    Lineage,
    /// Once for each of this in a conversation.
    Thing(String),
    /// Whenever it fires.
    Exchange(u64),
}

/// What a rule's check hands back.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) rule: &'static Rule,
    pub(crate) severity: Severity,
    pub(crate) group: Option<GroupIx>,
    /// The response whose group is gone as a whole: what cut the rest of that response cut this group too.
    pub(crate) whole_group_of: Option<NodeIx>,
    /// The response that issued the group.
    pub(crate) response: Option<NodeIx>,
    pub(crate) item: Option<String>,
    pub(crate) pointer: Option<String>,
    pub(crate) message: String,
    /// The fix, where the rule's own does not fit.
    pub(crate) fix: Option<&'static str>,
    pub(crate) sent: Option<String>,
    pub(crate) expected: Option<String>,
    pub(crate) place: Option<String>,
    pub(crate) under_omit: UnderOmit,
    pub(crate) once: Option<Once>,
    /// The wording of a refusal that this finding is only the consequence of.
    pub(crate) follows: Option<String>,
    /// What else fired on the same loss, best first.
    pub(crate) also: Vec<Draft>,
}

impl Draft {
    /// A finding of this rule at its default severity.
    pub(crate) fn of(rule: &'static Rule, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity: rule.severity,
            group: None,
            whole_group_of: None,
            response: None,
            item: None,
            pointer: None,
            message: message.into(),
            fix: None,
            sent: None,
            expected: None,
            place: None,
            under_omit: UnderOmit::Same,
            once: None,
            follows: None,
            also: Vec::new(),
        }
    }

    pub(crate) fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    pub(crate) fn item(mut self, id: Option<&str>) -> Self {
        self.item = id.map(str::to_owned);
        self
    }

    pub(crate) fn fix(mut self, fix: &'static str) -> Self {
        self.fix = Some(fix);
        self
    }

    pub(crate) fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    pub(crate) fn sent(mut self, sent: impl Into<String>) -> Self {
        self.sent = Some(sent.into());
        self
    }

    pub(crate) fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    pub(crate) fn place(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }

    pub(crate) fn group(mut self, group: Option<GroupIx>) -> Self {
        self.group = group;
        self
    }

    pub(crate) fn response(mut self, response: NodeIx) -> Self {
        self.response = Some(response);
        self
    }

    /// The finding is about a group that is gone as a whole.
    pub(crate) fn whole_group(mut self) -> Self {
        self.whole_group_of = self.response;
        self
    }

    pub(crate) fn once(mut self, once: Once) -> Self {
        self.once = Some(once);
        self
    }

    pub(crate) fn follows(mut self, wording: &str) -> Self {
        self.follows = Some(wording.to_owned());
        self
    }

    pub(crate) fn under_omit(mut self, under_omit: UnderOmit) -> Self {
        self.under_omit = under_omit;
        self
    }

    /// The finding, placed.
    pub(crate) fn finding(&self, client: Client, exchange: Option<u64>, lineage: Option<u32>) -> Finding {
        Finding {
            rule: self.rule.name,
            severity: self.severity,
            class: self.rule.class,
            exchange,
            lineage,
            item: self.item.clone(),
            pointer: self.pointer.clone(),
            message: self.message.clone(),
            help: self.fix.unwrap_or_else(|| self.rule.fix_for(client)).to_owned(),
            also: self.also.iter().map(|draft| draft.rule.name.to_owned()).collect(),
            sent: self.sent.clone(),
            expected: self.expected.clone(),
            place: self.place.clone(),
            known: None,
        }
    }
}
