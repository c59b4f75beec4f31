//! `holdover completions` and `holdover man`: what packages put beside the binary.

use clap::CommandFactory as _;

use crate::args::{Cli, Completions};
use crate::exit::Exit;
use crate::terminal::{Stream, Terminal};

pub(crate) fn completions(arguments: &Completions, terminal: Terminal) -> anyhow::Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "holdover", &mut text);
    terminal.say(Stream::Out, &String::from_utf8(text)?);
    Ok(Exit::Expected)
}

pub(crate) fn manual(terminal: Terminal) -> anyhow::Result<Exit> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    terminal.say(Stream::Out, &String::from_utf8(page)?);
    Ok(Exit::Expected)
}
