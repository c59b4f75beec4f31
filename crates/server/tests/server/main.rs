//! The server over real sockets, with a client that shows every byte and every chunk.

mod accounts;
mod compressed;
mod faults;
mod flat;
mod frames;
mod hostile;
mod own_routes;
mod play;
mod recording;
mod replant;
mod routing;
mod socket;
mod socket_ends;
mod socket_refusals;
mod state;
mod support;
mod switches;
