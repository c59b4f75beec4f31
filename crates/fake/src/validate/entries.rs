//! The items of an input with what is known of each: its id taken apart, what it refers to, its token.

use std::collections::BTreeSet;

use holdover_profile::{CrossModel, IdRule, Model, NotFoundWords, Org, PartialToken, WithheldReasoning};
use holdover_provider::{Fate, Texts, said};
use holdover_wire::item::ItemView;
use holdover_wire::{ApiError, CreateRequest, ItemKind};
use serde_json::Value;

use crate::cache::{self, ContentHash};
use crate::fake::Job;
use crate::ids::{Issued, Place, Recall};
use crate::refusal::{self, Asker, TokenFault};
use crate::seal::{Payload, Stage};
use crate::store::{Listed, StoredResponse};

/// One item of the input.
pub(crate) struct Entry<'a> {
    /// Index in `input`.
    pub(crate) index: usize,
    /// The item; for a reference what it refers to.
    pub(crate) item: ItemView<'a>,
    /// What it is.
    pub(crate) kind: ItemKind,
    /// Its id, if this server made it.
    pub(crate) issued: Option<Issued>,
    /// The payload of its token, or of the stored item, with the family of the model that made it.
    pub(crate) verified: Option<Verified<'a>>,
    /// What it says.
    pub(crate) content: ContentHash,
    /// Why it was taken out, where a profile says so instead of refusing.
    pub(crate) withheld: Option<&'static str>,
    /// Virtual tick that its token carries, also where its id was stripped.
    pub(crate) sealed_tick: Option<u32>,
}

/// A payload that verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verified<'a> {
    /// Family of the model that reasoned.
    pub(crate) family: &'a str,
    /// Recall nonce; a compaction item may have none.
    pub(crate) recall: Option<Recall>,
}

/// What happens to an item that is named only and cannot be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// It is refused in the words for this asker.
    Strict(Asker),
    /// It stays as it is: a conversation takes what it is given.
    Lenient,
}

/// The items of an input; a reference or bare reasoning that cannot be found is refused (E06, E07).
pub(crate) fn of_input<'a>(job: &Job<'a>, request: CreateRequest<'a>) -> Result<Vec<Entry<'a>>, ApiError> {
    let lookup = Lookup::Strict(asker(job, request));
    of_items(job, request.items(), lookup)
}

/// The same for items that stand elsewhere.
pub(crate) fn of_items<'a>(
    job: &Job<'a>,
    items: impl Iterator<Item = (usize, ItemView<'a>)>,
    lookup: Lookup,
) -> Result<Vec<Entry<'a>>, ApiError> {
    items
        .map(|(index, item)| entry(job, index, item, lookup))
        .collect()
}

fn asker(job: &Job<'_>, request: CreateRequest<'_>) -> Asker {
    match (job.fake.config.org, request.store()) {
        (Org::Zdr, _) => Asker::Zdr,
        (Org::Default, true) => Asker::Stored,
        (Org::Default, false) => Asker::Unstored,
    }
}

fn entry<'a>(job: &Job<'a>, index: usize, item: ItemView<'a>, lookup: Lookup) -> Result<Entry<'a>, ApiError> {
    let issued = item.id().and_then(|id| job.fake.ids.read(id));
    let mut entry = Entry {
        index,
        item,
        kind: item.kind(),
        issued,
        verified: None,
        content: job.reading.contents.get(index).copied().unwrap_or_default(),
        withheld: None,
        sealed_tick: None,
    };
    let Some(id) = item.id() else { return Ok(entry) };
    let found = match entry.kind {
        ItemKind::ItemReference => entry.resolve_reference(job, id),
        // Its text says everything.
        ItemKind::Reasoning if job.look.texts == Texts::Read => return Ok(entry),
        ItemKind::Reasoning if item.encrypted_content().is_none() => entry.resolve_reasoning(job, id),
        _ => return Ok(entry),
    };
    match (found, lookup) {
        (Found::No, Lookup::Strict(asker)) => Err(not_found(job, id, entry.kind, asker)),
        _ => Ok(entry),
    }
}

/// Whether the store has an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Yes,
    No,
}

fn not_found(job: &Job<'_>, id: &str, kind: ItemKind, asker: Asker) -> ApiError {
    let switches = &job.fake.config.profile.switches;
    match (switches.item_not_found_words, kind) {
        (NotFoundWords::Referenced, ItemKind::Reasoning) => {
            refusal::reasoning_not_found(id, switches.item_not_found_status)
        }
        (NotFoundWords::Referenced | NotFoundWords::Item, _) => {
            refusal::item_not_found(id, asker, switches.item_not_found_status)
        }
    }
}

impl<'a> Entry<'a> {
    /// A listed item with the token that a client posted with it.
    pub(crate) fn of_listed(
        job: &Job<'_>,
        index: usize,
        listed: &'a Listed,
        token: Option<&'a Payload>,
    ) -> Self {
        let item = ItemView::new(&listed.object);
        let issued = item.id().and_then(|id| job.fake.ids.read(id));
        let recall = issued.as_ref().and_then(|issued| {
            let index = issued.output_index()?;
            Some(job.fake.ids.recall(issued.stem.nonce, index))
        });
        let by_store = listed
            .family
            .as_deref()
            .filter(|_| item.kind() == ItemKind::Reasoning);
        let verified = token
            .map(Verified::of)
            .or(by_store.map(|family| Verified { family, recall }));
        Self {
            index,
            item,
            kind: item.kind(),
            issued,
            verified,
            content: cache::item_hash(item, token.map(|token| token.item_id.as_str())),
            withheld: None,
            sealed_tick: None,
        }
    }

    /// The stored response that holds the item.
    fn stored(&self, job: &Job<'a>) -> Option<&'a StoredResponse> {
        let issued = self.issued.as_ref()?;
        let response = job.loaded.responses.get(&job.fake.ids.response_of(issued))?;
        Some(response)
    }

    fn resolve_reasoning(&mut self, job: &Job<'a>, id: &str) -> Found {
        self.verified = match (self.stored(job), in_conversation(job, id)) {
            (Some(stored), _) => self.verified_of(job, Some(&stored.family)),
            (None, Some(listed)) => self.verified_of(job, listed.family.as_deref()),
            (None, None) => return Found::No,
        };
        Found::Yes
    }

    fn resolve_reference(&mut self, job: &Job<'a>, id: &str) -> Found {
        let stored = self.stored(job);
        let found = stored.and_then(|stored| Some((self.found_in(stored)?, Some(stored.family.as_str()))));
        let listed = in_conversation(job, id);
        let found = found.or_else(|| {
            let listed = listed?;
            Some((ItemView::new(&listed.object), listed.family.as_deref()))
        });
        let Some((item, family)) = found else {
            return Found::No;
        };
        self.item = item;
        self.kind = item.kind();
        self.content = cache::item_hash(item, None);
        self.verified = self.verified_of(job, family);
        Found::Yes
    }

    fn found_in(&self, stored: &'a StoredResponse) -> Option<ItemView<'a>> {
        let object = match self.issued.as_ref()?.place {
            Place::Output { index, .. } => stored.output.get(usize::from(index)),
            Place::Input(index) => stored.input.get(usize::try_from(index).ok()?),
            Place::Response => None,
        };
        object.map(ItemView::new)
    }

    fn verified_of(&self, job: &Job<'a>, family: Option<&'a str>) -> Option<Verified<'a>> {
        let issued = self.issued.as_ref()?;
        let index = issued
            .output_index()
            .filter(|_| self.kind == ItemKind::Reasoning)?;
        Some(Verified {
            family: family?,
            recall: Some(job.fake.ids.recall(issued.stem.nonce, index)),
        })
    }

    /// The id that pairing goes by.
    pub(crate) fn id(&self) -> Option<&'a str> {
        self.item.id()
    }
}

/// The item of this id in the conversation that the request continues.
fn in_conversation<'a>(job: &Job<'a>, id: &str) -> Option<&'a Listed> {
    let conversation = job.loaded.conversation.as_ref()?;
    if !conversation.ids.contains(id) {
        return None;
    }
    let mut items = conversation.items.iter().rev();
    items.find(|listed| listed.id() == Some(id)).map(AsRef::as_ref)
}

/// E08: one id twice in the input, or again beside the conversation that has it.
pub(crate) fn refuse_duplicates(job: &Job<'_>, entries: &[Entry<'_>]) -> Result<(), ApiError> {
    let conversation = job.loaded.conversation.as_deref();
    let mut seen = BTreeSet::new();
    for id in entries.iter().filter_map(Entry::id) {
        let kept = conversation.is_some_and(|conversation| conversation.ids.contains(id));
        if kept || !seen.insert(id) {
            return Err(refusal::duplicate_item(id));
        }
    }
    Ok(())
}

/// E12 and E07d: every token must be one that this account was given for this item.
pub(crate) fn verify_tokens<'a>(
    job: &Job<'a>,
    model: &'a Model,
    entries: &mut [Entry<'a>],
) -> Result<(), ApiError> {
    for entry in entries {
        if job.look.texts == Texts::Read && entry.kind == ItemKind::Reasoning {
            entry.verified = told(model, entry.item);
        }
        let fate = job.look.fates.get(&entry.index);
        if fate == Some(&Fate::Unread) {
            continue;
        }
        let Some(token) = entry
            .item
            .encrypted_content()
            .filter(|_| entry.kind.is_protected())
        else {
            continue;
        };
        let id = entry.item.id();
        if id.is_none() && job.fake.config.profile.switches.reasoning_id == IdRule::Required {
            return Err(refusal::reasoning_id_required());
        }
        let Some(opened) = job.reading.tokens.get(&entry.index) else {
            continue;
        };
        let opened = opened.as_ref().map_err(|_| TokenFault::Unreadable);
        let payload = match opened.and_then(|payload| usable(job, model, payload, id, fate)) {
            Ok(payload) => payload,
            Err(fault) => {
                let reports =
                    job.fake.config.profile.switches.withheld_reasoning == WithheldReasoning::Report;
                entry.withheld = fault
                    .withheld()
                    .filter(|_| reports && entry.kind == ItemKind::Reasoning);
                if entry.withheld.is_some() {
                    continue;
                }
                let form = job.fake.config.profile.switches.token_refusal;
                return Err(refusal::token_refused(form, id, token, fault));
            }
        };
        entry.verified = Some(Verified::of(payload));
        entry.sealed_tick = job.fake.ids.read(&payload.item_id).map(|id| id.tick());
    }
    Ok(())
}

/// The same for items that no model reads now: what does not verify stays unverified.
pub(crate) fn verify_leniently<'a>(job: &Job<'a>, entries: &mut [Entry<'a>]) {
    for entry in entries.iter_mut().filter(|entry| entry.kind.is_protected()) {
        let Some(Ok(payload)) = job.reading.tokens.get(&entry.index) else {
            continue;
        };
        let is_own = payload.organisation == job.fake.config.account.organisation
            && entry.item.id().is_none_or(|id| id == payload.item_id);
        if is_own {
            entry.verified = Some(Verified::of(payload));
        }
    }
}

impl<'a> Verified<'a> {
    fn of(payload: &'a Payload) -> Self {
        Self {
            family: &payload.family,
            recall: payload.recall,
        }
    }
}

/// The recall nonce in the text of a reasoning item, where reasoning travels as text.
fn told<'a>(model: &'a Model, item: ItemView<'_>) -> Option<Verified<'a>> {
    let parts = item.object().get("content").and_then(Value::as_array)?;
    let mut texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
    let recall = texts.find_map(said::marked)?;
    Some(Verified {
        family: &model.family,
        recall: Some(Recall(recall)),
    })
}

fn usable<'a>(
    job: &Job<'a>,
    model: &Model,
    payload: &'a Payload,
    id: Option<&str>,
    fate: Option<&Fate>,
) -> Result<&'a Payload, TokenFault> {
    let config = &job.fake.config;
    if payload.organisation != config.account.organisation && fate != Some(&Fate::Read) {
        return Err(TokenFault::Organisation);
    }
    if id.is_some_and(|id| id != payload.item_id) {
        return Err(TokenFault::ItemId);
    }
    let switches = &config.profile.switches;
    let partial = payload.stage == Stage::Partial && switches.partial_token == PartialToken::Refuse;
    let foreign = payload.family != model.family && switches.cross_model_token == CrossModel::Refuse;
    if partial {
        return Err(TokenFault::Unreadable);
    }
    if foreign {
        return Err(TokenFault::Family);
    }
    Ok(payload)
}
