//! The answer to one call, of the fake and of the faults where there are any.

use std::sync::Arc;

use holdover_wire::Call;

use crate::app::App;
use crate::exchange::Open;
use crate::faulty::{Attempt, Keep, Made};
use crate::session::Session;
use crate::via::Via;

/// One call as it came.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The call.
    pub(crate) call: &'a Call,
    /// Faults that stood in the name of its model.
    pub(crate) named: Option<&'a str>,
    /// Size of its body.
    pub(crate) bytes: usize,
    /// How it came.
    pub(crate) via: &'a Via,
}

/// Numbers a call and answers it. The exchange has its writes, and not yet its request.
pub(crate) fn answer(app: &App, session: &Arc<Session>, asked: Asked<'_>) -> (Open, Made) {
    if session.faults().leave_alone(asked.named) {
        let (number, prepared) = session.begin(asked.call, asked.via);
        let open = open(app, session, number, asked);
        let answer = prepared.answer(asked.call);
        let made = Made {
            plan: answer.plan,
            writes: answer.writes,
            keep: Keep::WithTheLastByte,
        };
        return (open, made);
    }
    let attempt = Attempt::begin(session, asked);
    let open = open(app, session, attempt.number(), asked);
    (open, attempt.answer())
}

fn open(app: &App, session: &Arc<Session>, number: u64, asked: Asked<'_>) -> Open {
    let mut open = Open::new(
        Arc::clone(session),
        Arc::clone(&app.shared),
        number,
        app.arrived_ms(),
        asked.bytes,
    );
    open.via(asked.via.clone());
    open
}
