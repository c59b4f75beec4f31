//! JSON Schemas of what other programs read. The copies under `schema/` are held equal by a test.
