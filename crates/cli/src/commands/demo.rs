//! `holdover demo`: the leaks of the .NET sample, before and after, in the three lines that a team needs to see (D1-D6).

use holdover_agent::{AgentConfig, SessionStore, Slip, Streaming, TurnInput, TurnResult};
use holdover_fake::{FakeConfig, ItemOrder};

use crate::args::Demo;
use crate::exit::{Exit, UserError};
use crate::settings::settings;
use crate::teaching::Chat;
use crate::terminal::{Stream, Terminal};

/// One way to lose reasoning, and the way to keep it.
struct Scene {
    title: &'static str,
    slip: Slip,
    wrong: &'static str,
    right: &'static str,
    stream: Streaming,
    store: SessionStore,
}

const SCENES: [Scene; 3] = [
    Scene {
        title: "Leak 1: the assistant message is rebuilt from text",
        slip: Slip::TextOnlyAppend,
        wrong: "history.add(assistant, response.text)",
        right: "history.add_all(response.messages)",
        stream: Streaming::Json,
        store: SessionStore::Memory,
    },
    Scene {
        title: "Leak 2: a stream of which only the text is kept",
        slip: Slip::StreamTextOnly,
        wrong: "text += update.text",
        right: "updates.push(update); history.add_all(coalesce(updates))",
        stream: Streaming::Sse,
        store: SessionStore::Memory,
    },
    Scene {
        title: "Leak 3: a session store that keeps role and text",
        slip: Slip::RoleAndTextRecord,
        wrong: "store(role, text)",
        right: "store(the whole content list)",
        stream: Streaming::Json,
        store: SessionStore::Json,
    },
];

pub(crate) fn demo(arguments: &Demo, terminal: Terminal) -> anyhow::Result<Exit> {
    let settings = settings(&arguments.common)?;
    let fake = settings
        .fake()
        .map_err(|error| UserError::usage(error.to_string()))?;
    let fake = FakeConfig {
        world: "demo".to_owned(),
        order: ItemOrder::ReasoningDoneLast,
        ..fake
    };
    for scene in &SCENES {
        terminal.say(Stream::Out, scene.title);
        terminal.say(Stream::Out, &format!("  before: {}", scene.wrong));
        terminal.say(
            Stream::Out,
            &shown(&play(scene, &fake, vec![scene.slip]), scene.stream),
        );
        terminal.say(Stream::Out, &format!("  after: {}", scene.right));
        terminal.say(Stream::Out, &shown(&play(scene, &fake, Vec::new()), scene.stream));
        terminal.say(Stream::Out, "");
    }
    terminal.say(
        Stream::Out,
        "This is Holdover's own client against its own fake, which is not the real API.\n\
         Your client: holdover test -- CMD",
    );
    Ok(Exit::Expected)
}

/// Two turns, the first with low effort and the second with high effort (D6).
fn play(scene: &Scene, fake: &FakeConfig, slips: Vec<Slip>) -> [TurnResult; 2] {
    let agent = AgentConfig {
        slips,
        stream: scene.stream,
        session_store: scene.store,
        resume_before: (scene.store != SessionStore::Memory).then_some(2),
        ..Chat::config()
    };
    let mut chat = Chat::with(fake.clone(), agent);
    let first = chat.turn(TurnInput::user("First question").with_effort("low")).0;
    let second = chat.turn(TurnInput::user("Follow-up").with_effort("high")).0;
    [first, second]
}

fn shown([first, second]: &[TurnResult; 2], stream: Streaming) -> String {
    let history = match stream {
        Streaming::Json => format!("history has protected data: {}", first.has_protected_in_history),
        Streaming::Sse => format!(
            "after the stream, reasoning parts in history: {}, protected: {}",
            first.reasoning_parts, first.has_protected_in_history
        ),
    };
    format!(
        "    response had protected data: {}\n    {history}\n    follow-up: {}",
        first.has_protected_in_response, second.text
    )
}
