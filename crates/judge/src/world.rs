//! What the judge knows when a request arrives.

use holdover_profile::{Context, FollowerLineage, IdRule, Models, Profile};

use crate::config::{Clock, Source};
use crate::hash::Hashes;
use crate::ledger::Ledger;
use crate::lineage::Lineages;
use crate::provider::Elsewhere;

/// What the judge knows when a request arrives.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) ledger: Ledger,
    pub(crate) lineages: Lineages,
    pub(crate) profile: Profile,
    pub(crate) models: Models,
    pub(crate) clock: Clock,
    pub(crate) source: Source,
    /// What other wires issued.
    pub(crate) elsewhere: Elsewhere,
    /// Texts of requests that were scanned before.
    pub(crate) seen_texts: Hashes,
}

impl World {
    /// A world in which nothing has happened yet.
    pub(crate) fn new(profile: Profile, models: Models, clock: Clock, source: Source) -> Self {
        Self {
            ledger: Ledger::default(),
            lineages: Lineages::default(),
            profile,
            models,
            clock,
            source,
            elsewhere: Elsewhere::default(),
            seen_texts: Hashes::default(),
        }
    }

    /// Who serves the Responses API of this session.
    pub(crate) fn responses_provider(&self) -> &str {
        self.profile.responses_provider()
    }

    /// Whether a replayed reasoning item needs its id on this endpoint.
    pub(crate) fn requires_ids(&self) -> bool {
        self.profile.switches.reasoning_id == IdRule::Required
    }

    /// Whether the endpoint checks followers by id even where it keeps nothing.
    pub(crate) fn enforces_every_id(&self) -> bool {
        self.profile.switches.follower_lineage == FollowerLineage::Always
    }

    /// What a model is shown of past reasoning when the request does not say.
    pub(crate) fn default_context(&self, model: Option<&str>) -> Option<Context> {
        Some(self.models.find(model?)?.context)
    }

    /// Whether two model names are of one family; names that the data does not know are compared as they are.
    pub(crate) fn same_family(&self, left: Option<&str>, right: Option<&str>) -> bool {
        let family = |name: Option<&str>| {
            let known = name.and_then(|name| self.models.find(name));
            known
                .map(|model| model.family.clone())
                .or_else(|| name.map(str::to_owned))
        };
        family(left) == family(right)
    }
}
