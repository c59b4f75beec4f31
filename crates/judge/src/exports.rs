//! Exports: what of the issued items stands in text that the client let out.
//!
//! The secrets are known only when all exchanges were seen, so exports are kept and read once, at the end.

use crate::board::fold;
use crate::config::Export;
use crate::draft::Draft;
use crate::ids;
use crate::judge::Judge;
use crate::ledger::{IssuedItem, ItemIx, SUMMARY_SHOWN_MAX, Secret};
use crate::provider::Track;
use crate::provider::issued::IssuedIx;
use crate::rules;
use crate::world::World;

/// What was found in an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Secret(Secret),
    Id,
    /// A configured id shape, or a fragment of a tenant table.
    Shape,
}

/// Whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// An item of the Responses API.
    Item(ItemIx),
    /// An answer on the wire of another provider.
    Answer(IssuedIx),
}

/// One find in an export.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spill {
    pub(crate) kind: Kind,
    pub(crate) owner: Option<Owner>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// One export with everything that was found in it.
pub(crate) struct Spilt<'a> {
    pub(crate) export: &'a Export,
    world: &'a World,
    foreign: &'a Track,
    spills: Vec<Spill>,
    line_starts: Vec<usize>,
}

impl<'a> Spilt<'a> {
    /// Finds of this kind, the first of each item, with how many there are of it.
    pub(crate) fn firsts(&self, kind: Kind) -> Vec<(Spill, usize)> {
        let mut firsts: Vec<(Spill, usize)> = Vec::new();
        for spill in self.spills.iter().filter(|spill| spill.kind == kind) {
            match firsts
                .iter_mut()
                .find(|(first, _)| first.owner == spill.owner && spill.owner.is_some())
            {
                Some((_, count)) => *count += 1,
                None => firsts.push((*spill, 1)),
            }
        }
        firsts
    }

    /// Line of a find, from 1.
    pub(crate) fn line(&self, spill: Spill) -> usize {
        self.line_starts.partition_point(|start| *start <= spill.start)
    }

    /// Text of the line of a find.
    pub(crate) fn line_text(&self, spill: Spill) -> &'a str {
        let line = self.line(spill);
        let start = self.line_starts[line - 1];
        let end = self
            .line_starts
            .get(line)
            .map_or(self.export.text.len(), |next| next - 1);
        self.export.text.get(start..end).unwrap_or("")
    }

    /// The found text itself.
    pub(crate) fn text(&self, spill: Spill) -> &'a str {
        self.export.text.get(spill.start..spill.end).unwrap_or("")
    }

    /// The item whose a find is.
    pub(crate) fn item(&self, spill: Spill) -> Option<&'a IssuedItem> {
        match spill.owner {
            Some(Owner::Item(item)) => Some(self.world.ledger.item(item)),
            Some(Owner::Answer(_)) | None => None,
        }
    }

    /// Whose a find is, in words.
    pub(crate) fn owner(&self, spill: Spill) -> String {
        match spill.owner {
            Some(Owner::Item(item)) => self.world.ledger.item(item).label(),
            Some(Owner::Answer(answer)) => {
                format!("the answer of exchange {}", self.foreign.exchange(answer))
            }
            None => String::new(),
        }
    }

    /// A finding of this rule at this find.
    pub(crate) fn draft(&self, rule: &'static crate::Rule, spill: Spill, message: String) -> Draft {
        let issued = self.item(spill);
        let draft = Draft::of(rule, message).item(issued.and_then(|item| item.id.as_deref()));
        let group = issued.and_then(|item| item.group);
        draft
            .group(group)
            .place(format!("{}:{}", self.export.file, self.line(spill)))
    }

    /// "3 times, first" or nothing.
    pub(crate) fn times(count: usize) -> String {
        if count > 1 {
            format!("{count} times, first ")
        } else {
            String::new()
        }
    }
}

/// Findings of all exports: for each file one for each group, the worst leak first.
pub(crate) fn scan(judge: &Judge) -> Vec<Draft> {
    let found = judge.exports.iter().flat_map(|export| {
        let spilt = Spilt {
            export,
            world: &judge.world,
            foreign: &judge.foreign,
            spills: spills(export, judge),
            line_starts: line_starts(&export.text),
        };
        fold(
            rules::EXPORT_CHECKS
                .iter()
                .flat_map(|check| check(&spilt))
                .collect(),
        )
    });
    found.collect()
}

fn line_starts(text: &str) -> Vec<usize> {
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0)
        .chain(breaks.map(|(index, _)| index + 1))
        .collect()
}

fn spills(export: &Export, judge: &Judge) -> Vec<Spill> {
    let (world, patterns, fragments) = (&judge.world, &judge.patterns, &judge.tenant_fragments);
    let text = export.text.as_str();
    let mut spills: Vec<Spill> = world
        .ledger
        .pieces
        .scan(text, SUMMARY_SHOWN_MAX)
        .into_iter()
        .map(|hit| Spill {
            kind: Kind::Secret(hit.secret),
            owner: Some(Owner::Item(hit.item)),
            start: hit.start,
            end: hit.end,
        })
        .collect();
    let foreign = judge.foreign.pieces.scan(text, SUMMARY_SHOWN_MAX);
    spills.extend(foreign.into_iter().map(|hit| Spill {
        kind: Kind::Secret(hit.secret),
        owner: Some(Owner::Answer(hit.item)),
        start: hit.start,
        end: hit.end,
    }));
    let known: Vec<Spill> = ids::find(text, &world.ledger)
        .into_iter()
        .map(|hit| Spill {
            kind: Kind::Id,
            owner: Some(Owner::Item(hit.item)),
            start: hit.start,
            end: hit.end,
        })
        .collect();
    let shapes = patterns
        .shapes
        .iter()
        .flat_map(|shape| shape.find_iter(text).map(|found| found.range()));
    let tenants = fragments
        .iter()
        .filter(|fragment| !fragment.is_empty())
        .flat_map(|fragment| {
            text.match_indices(fragment.as_str())
                .map(|(start, found)| start..start + found.len())
        });
    // Ids come from left to right and do not overlap.
    let ids: Vec<(usize, usize)> = known.iter().map(|spill| (spill.start, spill.end)).collect();
    let is_known = |start: usize, end: usize| {
        let before = ids.partition_point(|(first, _)| *first < end);
        before > 0 && ids[before - 1].1 > start
    };
    let unknown = shapes
        .chain(tenants)
        .filter(|range| !is_known(range.start, range.end));
    let unknown = unknown.map(|range| Spill {
        kind: Kind::Shape,
        owner: None,
        start: range.start,
        end: range.end,
    });
    spills.extend(unknown);
    spills.extend(known);
    spills.retain(|spill| !patterns.allows(&export.file, text.get(spill.start..spill.end).unwrap_or("")));
    spills
}
