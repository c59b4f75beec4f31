//! Nothing: the tests are the client.
