//! The effects that are in force for a target, united over sets, languages and members of a usage.
//!
//! Used by the runtime on programs and by [`super::weigh`] on cold records. It does not know where
//! an effect comes from.

use super::Effect;
use crate::Decision;

/// A set of effects. One refusal suffices; a permission needs that nothing is refused or unread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects(u8);

const REFUSED: u8 = 1;
const UNREAD: u8 = 2;
const CONDITIONAL: u8 = 4;
const PERMITTED: u8 = 8;

impl Effects {
    /// No statement is in force.
    pub const NONE: Effects = Effects(0);

    /// True if no statement is in force.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Both sets.
    #[inline]
    #[must_use]
    pub const fn and(self, other: Effects) -> Effects {
        Effects(self.0 | other.0)
    }

    /// These effects of a usage with those of its parts. Parts never permit the whole, but their
    /// conditions hold for it.
    #[inline]
    #[must_use]
    pub const fn with_parts(self, parts: Effects) -> Effects {
        let permits = self.0 & (CONDITIONAL | PERMITTED) != 0;
        let counts = if permits { REFUSED | UNREAD | CONDITIONAL } else { REFUSED | UNREAD };
        Effects(self.0 | parts.0 & counts)
    }

    /// True if something could not be read and nothing is refused: what is missing might change the
    /// decision.
    #[inline]
    pub const fn is_incomplete(self) -> bool {
        self.0 & (UNREAD | REFUSED) == UNREAD
    }

    /// The decision.
    #[inline]
    pub const fn decision(self) -> Decision {
        match self.0 {
            effects if effects & REFUSED != 0 => Decision::Disallowed,
            effects if effects & UNREAD != 0 => Decision::Unknown,
            effects if effects & CONDITIONAL != 0 => Decision::Conditional,
            effects if effects & PERMITTED != 0 => Decision::Allowed,
            _ => Decision::Unknown,
        }
    }

    /// True if this part of all effects decides, and the others do not.
    #[inline]
    pub const fn decides_alone(self, others: Effects) -> bool {
        let all = self.0 | others.0;
        let decisive = all & all.wrapping_neg();
        self.0 & decisive != 0 && others.0 & decisive == 0
    }

    /// True if an effect contributes to the decision.
    pub fn decides(self, effect: Effect) -> bool {
        let decisive = self.0 & self.0.wrapping_neg();
        Effects::from(effect).0 & decisive != 0
    }
}

impl From<Effect> for Effects {
    #[inline]
    fn from(effect: Effect) -> Effects {
        Effects(match effect {
            Effect::Refused | Effect::Closed => REFUSED,
            Effect::Unread => UNREAD,
            Effect::Conditional => CONDITIONAL,
            Effect::Permitted => PERMITTED,
            Effect::Unstated | Effect::Supersedes | Effect::Dated => 0,
        })
    }
}

impl From<Decision> for Effects {
    #[inline]
    fn from(decision: Decision) -> Effects {
        Effects(match decision {
            Decision::Disallowed => REFUSED,
            Decision::Conditional => CONDITIONAL,
            Decision::Allowed => PERMITTED,
            Decision::Unknown => 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_refusal_suffices_and_a_permission_needs_that_all_was_read() {
        let effects =
            |list: &[Effect]| list.iter().fold(Effects::NONE, |all, &effect| all.and(effect.into()));
        let decision = |list: &[Effect]| (effects(list).decision(), effects(list).is_incomplete());
        use Effect::{Conditional, Permitted, Refused, Unread, Unstated};
        assert_eq!(decision(&[]), (Decision::Unknown, false));
        assert_eq!(decision(&[Unstated]), (Decision::Unknown, false));
        assert_eq!(decision(&[Permitted, Unstated]), (Decision::Allowed, false));
        assert_eq!(decision(&[Permitted, Conditional]), (Decision::Conditional, false));
        assert_eq!(decision(&[Permitted, Unread]), (Decision::Unknown, true));
        assert_eq!(decision(&[Permitted, Unread, Refused]), (Decision::Disallowed, false));
        assert!(effects(&[Permitted, Conditional]).decides(Conditional));
        assert!(!effects(&[Permitted, Conditional]).decides(Permitted));
        assert_eq!(effects(&[]).with_parts(effects(&[Permitted, Conditional])), Effects::NONE);
        assert_eq!(
            effects(&[Permitted]).with_parts(effects(&[Conditional])).decision(),
            Decision::Conditional
        );
        assert_eq!(effects(&[]).with_parts(effects(&[Refused])).decision(), Decision::Disallowed);
    }
}
