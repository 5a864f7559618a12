"""What `sordino reproduce` draws of attributes that are not equally sensitive, and what the lines are called.

Drawing libraries take a second to load: they are imported where they are used, so that other commands do not wait.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sordino.papers.bayesian_coordinate import corollary1 as corollary
from sordino.papers.bayesian_coordinate import fig3 as figure
from sordino.papers.bayesian_coordinate import least_squares as regression

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from sordino.show.html.figures.curves import Curve

ERRORS = {
    "paper_exact": "the paper's, corrected",
    "paper_printed": "the paper's, as printed",
    "zeta_exact": "with the best zeta",
    "tight_exact": "with the best budgets",
    "sampled_exact": "one number each",
    "best_exact": "best",
    "baseline_duchi": "LDP, Mechanism 2",
    "baseline_sampled": "LDP, one number each",
}
"""Of exact errors."""

BOUNDS = {"corollary": "(18), (19) without constant", "theorem": "(17) without constant"}

SIMULATED = {
    "paper": ERRORS["paper_exact"],
    "best": ERRORS["best_exact"],
    "baseline_duchi": ERRORS["baseline_duchi"],
    figure.ASKING_NOBODY: "nobody asked, 0 said",
}

DRAWN = ("paper_exact", "tight_exact", "sampled_exact", "best_exact", "baseline_duchi", "baseline_sampled")


def draw_fig3(rows: Sequence[figure.Figure3Row], spreads: Sequence[figure.Spread]) -> "Drawing":
    """The exact errors, and the projected medians of each distribution with a band between the quartiles."""
    from sordino.show.html.figures.curves import Curve, curves

    panels = [("exact, before projection", _exact_curves(rows, DRAWN))]
    for mean in figure.MEANS if spreads else ():
        own = []
        for name in figure.SIMULATED:
            kept = [s for s in spreads if (s.mean, s.mechanism, s.projected) == (float(mean), name, True)]
            band = [s.lower for s in kept], [s.upper for s in kept]
            own.append(Curve(SIMULATED[name], "", [s.median for s in kept], band))
        panels.append((f"median and quartiles, projected, means of {float(mean):g}", own))
    return curves([row.q for row in rows], panels, along="dependence q", upward="squared error", linear=True)


def draw_corollary1(rows: Sequence[corollary.Corollary1Row]) -> "Drawing":
    """The bounds and the exact errors."""
    from sordino.show.html.figures.curves import curves

    panels = [("", _exact_curves(rows, (*BOUNDS, *DRAWN)))]
    return curves([row.q for row in rows], panels, along="dependence q", upward="squared error", linear=True)


def draw_least_squares(rows: Sequence[regression.LeastSquaresRow]) -> "Drawing":
    """The excess losses over ever more people, a panel for each promise."""
    from sordino.show.html.figures.curves import Curve, curves

    panels = []
    for setting in regression.SETTINGS:
        own = [
            Curve(method, "", [row.excess for row in rows if (row.setting, row.method) == (setting.name, method)])
            for method in regression.METHODS
        ]
        panels.append((setting.name, own))
    return curves(sorted({row.people for row in rows}), panels, along="people", upward="mean excess loss")


def _exact_curves(rows: Sequence[figure.Figure3Row | corollary.Corollary1Row], names: Sequence[str]) -> "list[Curve]":
    from sordino.show.html.figures.curves import Curve

    labels = BOUNDS | ERRORS
    return [Curve(labels[name], "", [getattr(row, name) for row in rows]) for name in names]
