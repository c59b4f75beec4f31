//! Who may use what: things issued before a change are foreign after it (`tests/facts/cases/classes.md` N5, N22).

use holdover_wire::ApiError;
use holdover_wire::item::ItemView;

use super::refusal;
use crate::scene::Scene;

/// The refusal of a request that brings or names something from before: a token with this reason, or an id that is not
/// there.
pub(crate) fn foreign(scene: &Scene<'_>, reason: &str) -> Option<ApiError> {
    let token = foreign_token(scene, reason);
    token.or_else(|| {
        let named = scene.named();
        let id = named.into_iter().find(|id| scene.is_from_before(id))?;
        Some(refusal::not_found(id))
    })
}

/// The refusal of a request that brings a token from before.
pub(crate) fn foreign_token(scene: &Scene<'_>, reason: &str) -> Option<ApiError> {
    let items = scene.protected();
    let is_foreign = |item: &&ItemView<'_>| {
        item.encrypted_content()
            .is_some_and(|token| scene.is_from_before(token))
    };
    let item = items.iter().find(is_foreign)?;
    Some(refusal::not_verified(*item, reason))
}
