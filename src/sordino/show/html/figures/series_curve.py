"""A number over the periods of a series: estimates with intervals, and a curve with its band. Lengths are points."""

import numpy as np

from sordino.blocks.charts import SeriesChart
from sordino.domain.calendar import iso_date
from sordino.errors import SordinoError
from sordino.show.html.figures.axes import LETTER, LETTERS, WIDE
from sordino.show.html.figures.bars import WHISKER
from sordino.show.html.figures.colours import BAR, INK, MARK, RULE
from sordino.show.html.figures.lettering import fit, percent
from sordino.show.html.figures.scenes.legend import Mark, Sign, Stroke, legend, legend_height
from sordino.show.html.figures.scenes.plane import Plane, plain_number, ticks, with_room
from sordino.show.html.figures.scenes.scene import Outline, Scene

LEFT, RIGHT, HIGH, BELOW = 150, 84, 460, 84
THICK, FAINT = 3.6, 0.6
"""The thickness of the curve; how strong an estimate's interval is."""
POINT = Mark("dot", 11, MARK)


def series_curve(chart: SeriesChart) -> Scene:
    """One scene, as wide as the page.

    Raises:
        SordinoError: no estimate, or columns of another length than the periods.
    """
    columns = [*chart.estimates, *(() if chart.curve is None else (chart.curve,)), *(chart.band or ())]
    count = len(chart.periods)
    if any(len(column) != count for column in columns) or not np.isfinite(chart.estimates[0]).any():
        found = f"{count} periods, columns of {', '.join(str(len(column)) for column in columns)}"
        raise SordinoError("a series must have an estimate, and a place for each period", found=found)
    signs = [Sign(f"estimate of one {chart.every}, with its interval", Stroke(MARK, WHISKER, FAINT), POINT)]
    if chart.curve is not None:
        signs += [Sign("smoothed", Stroke(INK, THICK)), Sign("its band", Stroke(BAR, 10, opacity=0.35))]
    if chart.since is not None:
        signs.append(Sign(f"clearest change: {chart.periods[chart.since]}", Stroke(INK, 2, dash=(6, 6))))
    size = LETTERS * WIDE
    top = legend_height(size, len(signs))
    scene = Scene(WIDE, top + HIGH + BELOW)
    legend(scene, size, signs)
    ends = (-0.5, count - 0.5) if count > 1 else (-1.0, 1.0)
    plane = Plane(scene, LEFT, top, WIDE - LEFT - RIGHT, HIGH, ends, with_room(columns, 0.05))
    upward = ticks(plane.upward, 5)
    plane.guides_level(upward)
    places = np.arange(count, dtype=np.float64)
    if chart.since is not None:
        (across,) = plane.x([chart.since - 0.5]).tolist()
        scene.add(Outline([[(across, plane.top), (across, plane.bottom)]], INK, 2, dash=(6, 6)))
    if chart.band is not None:
        _add_band(plane, places, *chart.band)
    _add_estimates(plane, places, *chart.estimates)
    if chart.curve is not None:
        drawn = np.isfinite(chart.curve)
        line = np.stack((plane.x(places[drawn]), plane.y(chart.curve[drawn])), axis=1)
        scene.add(Outline([line], INK, THICK))
    written = percent if chart.is_share else iso_date if chart.is_date else plain_number(6)
    plane.axis_left(upward, list(map(written, upward)), size)
    shown = _dates(chart, plane, size)
    what = f"{fit(chart.name, 46)}, by {chart.every}"
    plane.axis_below(shown, [chart.periods[int(place)] for place in shown], size, [what])
    return scene


def _dates(chart: SeriesChart, plane: Plane, size: float) -> list[float]:
    count, letters = len(chart.periods), len(chart.periods[0]) + 1
    most = max(1, int(plane.width / (letters * LETTER * size)))
    return [float(place) for place in range(0, count, max(1, -(-count // most)))]


def _add_band(plane: Plane, places: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    known = np.isfinite(low) & np.isfinite(high)
    across = plane.x(places[known])
    edges = (np.stack((across, plane.y(column[known])), axis=1) for column in (low, high))
    first, last = edges
    plane.scene.add(Outline([np.concatenate([first, last[::-1]])], fill=BAR, opacity=0.35, closed=True))


def _add_estimates(plane: Plane, places: np.ndarray, estimate: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    known = np.isfinite(estimate)
    across, middle = plane.x(places[known]), plane.y(estimate[known])
    ends = zip(across.tolist(), plane.y(low[known]).tolist(), plane.y(high[known]).tolist(), strict=True)
    lines = [[(x, first), (x, last)] for x, first, last in ends if np.isfinite(first + last)]
    if lines:
        plane.scene.add(Outline(lines, MARK, WHISKER, opacity=FAINT))
    POINT.draw(plane.scene, across, middle)
    if not known.all():
        gaps = [[(x, plane.bottom - 6), (x, plane.bottom)] for x in plane.x(places[~known]).tolist()]
        plane.scene.add(Outline(gaps, RULE, 3))
