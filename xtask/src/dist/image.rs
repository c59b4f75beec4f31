//! `cargo xtask image`: the image of the `Dockerfile`, built, started and asked. `buildah` does it, which reads the same
//! file as docker and needs no daemon.

use anyhow::bail;

use crate::packages;
use crate::workspace::Workspace;

/// Builds the image from the static binary that `cargo xtask dist` built, and lets the tests of it look.
pub(crate) fn check(workspace: &Workspace) -> anyhow::Result<()> {
    if !workspace.target("dist/image/holdover").is_file() {
        bail!("the image needs the static binary: `cargo xtask dist` builds it");
    }
    if !workspace
        .tool("buildah".as_ref())
        .arguments(&["--version"])
        .works()
    {
        bail!("nothing builds an image here: `apt-get install buildah` brings what does");
    }
    packages::try_image(workspace)
}
