//! Builds again when a scenario file is added or removed: the suites are part of the program.

#[expect(clippy::print_stdout, reason = "this is how a build script speaks to Cargo")]
fn main() {
    println!("cargo::rerun-if-changed=../../scenarios");
}
