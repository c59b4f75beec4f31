//! The judge itself: exchange after exchange in, findings out.

use holdover_wire::Wire;
use holdover_wire::audit::AuditRecord;
use holdover_wire::recording::Exchange;

use crate::audit::{Fragments, HistoryFrom};
use crate::board::{Board, Moment, Omit};
use crate::closing;
use crate::config::{Export, JudgeConfig, PatternError, Patterns};
use crate::finding::Finding;
use crate::known::Known;
use crate::ledger::learn_listed;
use crate::lineage::Endpoint;
use crate::provider::Track;
use crate::refused::Refused;
use crate::route::Route;
use crate::rules::state::{concurrent_turn, retrieve_of_unstored};
use crate::tally::Tally;
use crate::turn::{Copied, CopiedBy, Turn};
use crate::verdict::{Inconclusive, Verdict};
use crate::world::World;
use crate::{Client, late, survey};

/// Judges one session. Work per call is in proportion to what is handed in.
#[derive(Debug)]
pub struct Judge {
    pub(crate) session: String,
    pub(crate) patterns: Patterns,
    pub(crate) tenant_fragments: Vec<String>,
    pub(crate) world: World,
    pub(crate) board: Board,
    pub(crate) tally: Tally,
    pub(crate) inconclusive: Vec<Inconclusive>,
    pub(crate) exports: Vec<Export>,
    pub(crate) audit: Vec<AuditRecord>,
    pub(crate) fragments: Fragments,
    pub(crate) client: Client,
    pub(crate) refused: Refused,
    pub(crate) waiting: concurrent_turn::Waiting,
    /// The wires of other providers.
    pub(crate) foreign: Track,
    /// Where the client reads its history from.
    pub(crate) history: HistoryFrom,
    known: Known,
    exchanges: u64,
}

impl Judge {
    /// A judge that has seen nothing.
    pub fn new(config: JudgeConfig) -> Result<Self, PatternError> {
        Ok(Self {
            patterns: Patterns::compile(&config)?,
            session: config.session,
            tenant_fragments: config.tenant_fragments,
            world: World::new(config.profile, config.models, config.clock, config.source),
            board: Board::default(),
            tally: Tally::default(),
            inconclusive: Vec::new(),
            exports: Vec::new(),
            audit: Vec::new(),
            known: config.known,
            fragments: Fragments::default(),
            client: Client::Unknown,
            refused: Refused::default(),
            waiting: concurrent_turn::Waiting::default(),
            foreign: Track::default(),
            history: HistoryFrom::default(),
            exchanges: 0,
        })
    }

    /// Takes the next exchange of the session.
    pub fn observe(&mut self, exchange: &Exchange) {
        self.exchanges += 1;
        let number = match exchange.exchange {
            0 => self.exchanges,
            number => number,
        };
        match Route::of(exchange) {
            Route::Turn(endpoint) => self.observe_turn(exchange, number, endpoint),
            Route::Read(id) => {
                self.observe_access(exchange, number, id);
                late::learn_read(&mut self.world, &mut self.tally, id, exchange);
            }
            Route::Delete(id) => {
                self.observe_access(exchange, number, id);
                self.world.lineages.delete(id);
            }
            Route::Items => {
                if exchange.request.method == "GET" {
                    self.history = HistoryFrom::Conversation;
                }
                let response = exchange.response.as_ref();
                if let Some(body) = response.and_then(|response| response.body.as_ref()) {
                    learn_listed(&mut self.world.ledger, body);
                }
            }
            Route::Foreign(wire) => self.observe_foreign(wire, exchange, number),
            Route::Other => {}
        }
    }

    /// A turn on the wire of another provider.
    fn observe_foreign(&mut self, wire: Wire, exchange: &Exchange, number: u64) {
        let client = Client::of(&exchange.request);
        let shown = self.foreign.observe(wire, exchange, number, &mut self.world);
        self.inconclusive.extend(shown.inconclusive);
        for draft in shown.drafts {
            self.board.put_alone(draft, client, number);
        }
    }

    fn observe_turn(&mut self, exchange: &Exchange, number: u64, endpoint: Endpoint) {
        let Some(turn) = Turn::read(exchange, number, endpoint, &self.world) else {
            self.inconclusive.push(Inconclusive {
                what: "what the client sent".to_owned(),
                missing: "a request body that is a JSON object".to_owned(),
                exchange: Some(number),
            });
            return;
        };
        if let Some(first) = turn.copy_of() {
            self.note_copy(&first, number);
            return;
        }
        self.client = turn.client;
        if endpoint == Endpoint::Create {
            self.fragments.take(&turn);
        }
        let survey = survey::take(&turn);
        self.inconclusive.extend(survey.inconclusive.iter().cloned());
        self.refused.take(&turn, survey.explained);
        self.waiting.take(&turn);
        let provider = self.world.responses_provider();
        let moved_from = self
            .world
            .elsewhere
            .moved_from(&turn.input, &self.world.ledger, provider);
        survey.enter(exchange, &mut self.world, &mut self.board, &mut self.tally);
        if let Some(from) = moved_from {
            let provider = self.world.responses_provider().to_owned();
            self.world.elsewhere.note(number, &from, &provider);
        }
    }

    /// An exchange and its copy are one; that the recording holds both is said once.
    fn note_copy(&mut self, first: &Copied, number: u64) {
        const WHAT: &str = "the recording holds an exchange twice";
        let said = self.inconclusive.iter().any(|gap| gap.what == WHAT);
        if said || first.by == CopiedBy::Retry {
            return;
        }
        self.inconclusive.push(Inconclusive {
            what: WHAT.to_owned(),
            missing: format!(
                "a recording of one run: request and response id of this exchange are those of exchange {}, and it is judged once",
                first.exchange
            ),
            exchange: Some(number),
        });
    }

    fn observe_access(&mut self, exchange: &Exchange, number: u64, response_id: &str) {
        if let Some(draft) = retrieve_of_unstored::check(&self.world, exchange, response_id) {
            self.board.put_alone(draft, Client::of(&exchange.request), number);
        }
    }

    /// From here on the source leaves things out: absence proves nothing ([`crate::Source::Lossy`]).
    pub fn observe_loss(&mut self) {
        self.world.source = crate::Source::Lossy;
    }

    /// Takes a text that the client let out; before, between or after exchanges.
    pub fn observe_export(&mut self, export: &Export) {
        self.exports.push(export.clone());
    }

    /// Takes an audit record of the client; those of other sessions are left alone.
    pub fn observe_audit(&mut self, record: &AuditRecord) {
        if record
            .session
            .as_ref()
            .is_none_or(|session| *session == self.session)
        {
            self.audit.push(record.clone());
        }
    }

    /// Findings of exchanges that are settled so far; exports and audit records are judged at the end.
    pub fn findings(&self) -> Vec<Finding> {
        self.board.standing(self.omit(), Moment::Live)
    }

    /// Settles what is pending, scans the exports and says the verdict.
    pub fn finish(self) -> Verdict {
        let (known, session) = (self.known.clone(), self.session.clone());
        let mut verdict = closing::close(self);
        known.apply(&session, &mut verdict);
        verdict
    }

    /// Whether an audit record of the session has the policy `omit`.
    pub(crate) fn omit(&self) -> Omit {
        if self.audit.iter().any(crate::audit::strips_ids) {
            Omit::Recorded
        } else {
            Omit::NotRecorded
        }
    }
}
