//! `holdover schema`: JSON Schemas of the files that Holdover reads and writes.

use crate::args::{Schema, SchemaOf};
use crate::exit::Exit;
use crate::terminal::{Stream, Terminal};

pub(crate) fn schema(arguments: &Schema, terminal: Terminal) -> Exit {
    let schema = match arguments.what {
        SchemaOf::Scenario => holdover_scenario::schema(),
        SchemaOf::Recording => holdover_report::schema::recording::schema(),
        SchemaOf::Findings => holdover_report::schema::findings::schema(),
    };
    terminal.say(Stream::Out, &format!("{schema:#}"));
    Exit::Expected
}
