//! Whole terminal sessions: what a user types, sees and gets as exit code.
//!
//! The files under `tests/e2e/cmd/` guard appearance; `cargo xtask bless` writes them anew.

#[test]
fn what_a_user_sees() {
    trycmd::TestCases::new()
        .register_bin(
            "holdover",
            std::path::PathBuf::from(env!("CARGO_BIN_EXE_holdover")),
        )
        .case("../../tests/e2e/cmd/*.trycmd")
        // What the README shows in `console` blocks is what comes out.
        .case("../../README.md");
}
