"""Colours of the page and its figures by what they mean, each for light and for dark screens.

A figure is drawn in the light colours, which no two roles share; on the page each becomes a variable of its style
sheet, so that figures turn dark with the page. What has to be seen differs from its ground by 3:1 at least (WCAG 2.2,
1.4.11), texts by 4.5:1 (1.4.3), on either screen.
"""

import numpy as np
from numpy.typing import NDArray

ROLES = {
    "ground": ("#ffffff", "#14181e"),
    "ink": ("#1c2430", "#e4e8ee"),
    "quiet": ("#566273", "#9ba7b6"),
    "rule": ("#dde2e8", "#2b323d"),
    "strong": ("#b9c2cd", "#465161"),
    "accent": ("#2b5f93", "#85b4e4"),
    "sea": ("#eef1f4", "#1e242d"),
    "land": ("#fbfaf7", "#272e39"),
    "bar": ("#4f8bc9", "#4a7fb8"),
    "mark": ("#12335a", "#dcebfa"),
    "truth": ("#b3203f", "#ff8fa0"),
}
"""For each role its colour on light and on dark screens."""

GROUND, INK, QUIET, RULE, SEA, LAND, BAR, MARK, TRUTH = (
    ROLES[role][0] for role in ("ground", "ink", "quiet", "rule", "sea", "land", "bar", "mark", "truth")
)
"""Of the page, text, what is not to stand out, guide lines, the sea and land where nobody lives, bars, estimates
with their intervals, and a truth."""

LIGHT, DARK = "light", "dark"
"""Names of what is drawn for one of the two screens only."""

STEEPS = {LIGHT: (0.5, 0.0), DARK: (0.45, 1.0)}
"""Where each scale begins and ends on viridis: from what is 3:1 off the sea to what is farthest from it."""


def scale(count: int, screen: str) -> NDArray[np.uint8]:
    """Colours of so many classes, shape (count, 4): the higher the class, the farther from the sea's colour."""
    from matplotlib import colormaps

    colours: NDArray[np.uint8] = colormaps["viridis"](np.linspace(*STEEPS[screen], count), bytes=True)
    return colours


def variables(*, dark: bool) -> str:
    """The style sheet's variables, one for each role."""
    return " ".join(f"--{role}: {pair[dark]};" for role, pair in ROLES.items())
