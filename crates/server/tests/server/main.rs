//! The server over real sockets, with a client that shows every byte and every chunk.

mod compressed;
mod accounts;
mod faults;
mod frames;
mod hostile;
mod own_routes;
mod play;
mod recording;
mod routing;
mod socket;
mod socket_ends;
mod support;
mod switches;
