"""docs/promises/*.svg: what a report can do to a suspicion of 10 %, of each promise, from the survey on its page.

Whom each picture is about, and how far it goes, comes from the plan's own promise: nothing is drawn by hand. Per cent,
rounded as `sordino explain` rounds them. Colours are those of Sordino's pages, on light and on dark screens.

.venv/bin/python scripts/make_promise_pictures.py
"""

import re
import tomllib
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from sordino import LDP, BayesianFilter, Categories, CoordinateDP, Nats, Odometer, Plan, RandomizedResponse, Survey
from sordino.words.odds import PRIOR, beliefs, chance_afterwards

FOLDER = Path(__file__).parents[1] / "docs" / "promises"

WIDTH = 420

STYLE = """<style>
text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; fill: #1c2430 }
.quiet { fill: #566273 } .on { fill: #ffffff } .cell, .bar { fill: #2b5f93 } .own { fill: #dde2e8 }
.rule { stroke: #b9c2cd; fill: none } .line { stroke: #2b5f93; stroke-width: 2.5; fill: none }
.sum { stroke: #566273; stroke-width: 2; stroke-dasharray: 5 4; fill: none }
.limit { stroke: #b3203f; stroke-width: 1.5 } .limited { fill: #b3203f }
@media (prefers-color-scheme: dark) {
text { fill: #e4e8ee } .quiet { fill: #9ba7b6 } .on { fill: #14181e }
.cell, .bar { fill: #85b4e4 } .own { fill: #2b323d }
.rule { stroke: #465161 } .line { stroke: #85b4e4 } .sum { stroke: #9ba7b6 } .limit { stroke: #ff8fa0 }
.limited { fill: #ff8fa0 }
}
</style>"""


def risen(bound: Nats | None, *, fine: bool) -> str:
    """What a suspicion of 10 % rises to at most, in per cent; 100 where nothing bounds it."""
    if bound is None:
        return "100"
    return beliefs(bound)[0] if fine else str(chance_afterwards(bound))


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    """Words at a place."""
    classed = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{classed}>{escape(words)}</text>'


def drawing(title: str, height: float, parts: Sequence[str]) -> str:
    """A whole file."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img">'
    return "\n".join([head, f"<title>{escape(title)}</title>", STYLE, *parts, "</svg>", ""])


def matrix(title: str, names: Sequence[str], bound: Callable[[int, int], Nats | None]) -> str:
    """A row for each answer that is suspected, a column for each other one: what 10 % rises to at most."""
    k = len(names)
    labelled = k <= 12
    left = 12 + 6.3 * max(map(len, names)) if labelled else 34
    cell = min((WIDTH - left - 24) / k, 46)
    slanted = labelled and 6.3 * max(map(len, names)) > cell
    top = 66 + (4 * max(map(len, names)) if slanted else 0)
    parts = [
        text(0, 14, "a suspicion of 10 % of the row's answer,"),
        text(0, 30, "against the column's, rises to at most … %"),
    ]
    middle = cell / 2
    if not labelled:
        parts += [text(left, top - 8, f"{names[0]} to {names[-1]}", "quiet")]
    for row, name in enumerate(names):
        y = top + row * cell
        if labelled:
            parts.append(text(left - 6, y + middle + 4, name, "quiet", "end"))
            x = left + row * cell + middle
            turned = f' transform="rotate(-40 {x:.1f} {top - 8})"' if slanted else ""
            parts.append(f"<g{turned}>{text(x, top - 8, name, 'quiet', 'start' if slanted else 'middle')}</g>")
        for column in range(k):
            x = left + column * cell
            box = f'x="{x:.1f}" y="{y:.1f}" width="{cell - 1:.1f}" height="{cell - 1:.1f}"'
            if row == column:
                parts.append(f'<rect {box} class="own"/>')
                continue
            share = risen(bound(row, column), fine=k <= 6)
            depth = 0.1 + 0.9 * (float(share) - PRIOR) / (100 - PRIOR)
            parts.append(f'<rect {box} class="cell" fill-opacity="{depth:.2f}"/>')
            if labelled:
                kind = "on" if depth > 0.55 else ""
                parts.append(text(x + middle - 0.5, y + middle + 4, share, kind, "middle"))
    return drawing(title, top + k * cell + 4, parts)


def bars(title: str, rows: Sequence[tuple[str, Nats]]) -> str:
    """A bar for each observer, from 10 % to what their suspicion rises to at most."""
    parts = [text(0, 14, "a suspicion of 10 % rises to at most")]
    y = 26.0
    for name, bound in rows:
        share = risen(bound, fine=True)
        parts.append(text(0, y + 14, name, "quiet"))
        width = (WIDTH - 60) * float(share) / 100
        parts.append(f'<rect x="0" y="{y + 20:.1f}" width="{WIDTH - 60}" height="14" class="own"/>')
        parts.append(f'<rect x="0" y="{y + 20:.1f}" width="{width:.1f}" height="14" class="bar"/>')
        parts.append(text(WIDTH - 54, y + 32, f"{share} %"))
        y += 44
    return drawing(title, y + 2, parts)


def steps(title: str, sums: Sequence[float], realized: Sequence[float], limit: float) -> str:
    """Nats after each answer: the sum of the epsilons, and what the answers have revealed together."""
    height, left, bottom = 230, 30, 200
    highest = max(*sums, limit) * 1.08
    across = (WIDTH - left - 10) / (len(sums) - 1)

    def line(values: Sequence[float], kind: str) -> str:
        places = " ".join(
            f"{left + n * across:.1f},{bottom - 170 * value / highest:.1f}" for n, value in enumerate(values)
        )
        return f'<polyline points="{places}" class="{kind}"/>'

    level = bottom - 170 * limit / highest
    parts = [
        text(0, 14, "nats revealed, answer by answer"),
        f'<line x1="{left}" y1="{level:.1f}" x2="{WIDTH - 10}" y2="{level:.1f}" class="limit"/>',
        text(left + 4, level - 5, "the limit", "limited"),
        line(sums, "sum"),
        line(realized, "line"),
        f'<line x1="{left}" y1="{bottom}" x2="{WIDTH - 10}" y2="{bottom}" class="rule"/>',
        text(left + (len(sums) - 2) * across - 8, bottom - 170 * sums[-2] / highest, "sum of epsilons", "quiet", "end"),
        text(WIDTH - 14, bottom - 4, "revealed together", "", "end"),
    ]
    parts += [text(left + n * across, bottom + 16, str(n), "quiet", "middle") for n in range(0, len(sums), 2)]
    parts += [text(left - 4, bottom - 170 * tick / highest + 4, f"{tick:g}", "quiet", "end") for tick in (0, 1, 2)]
    return drawing(title, height, parts)


def plan_of(page: str) -> Plan:
    """The plan of a page's own survey."""
    (survey,) = re.findall(r"```toml\n# survey.toml\n(.*?)```", (FOLDER / page).read_text(encoding="utf-8"), re.DOTALL)
    return Plan.of(Survey.read(tomllib.loads(survey)), 10_000)


def pairs(name: str) -> str:
    """The picture of a promise about pairs of values."""
    (question,) = plan_of(f"{name}.md").questions
    title = (
        "What a suspicion of 10 % of one answer, against another, rises to at most, in per cent, for each two answers"
    )
    names = [question.domain.label(value) for value in range(question.domain.k)]
    return matrix(title, names, question.definition.bound)


def deltas() -> str:
    """The picture of a promise about each attribute, to two observers."""
    promise = plan_of("deltas.md").promise
    rows = [
        (f"{name}: who believes no more than [dependence] says", delta)
        for name, delta in zip(promise.names, promise.deltas, strict=True)
    ]
    return bars(
        "What a suspicion of 10 % rises to at most, by attribute",
        [*rows, ("anything, whatever is known or believed", promise.epsilon)],
    )


def coordinate() -> str:
    """The picture of budgets: to somebody who knows all other attributes, and of the record as a whole."""
    promise = CoordinateDP(["ln 2", "ln 4"])
    rows = [
        (f"{name}, to somebody who knows the other attribute", budget)
        for name, budget in zip(("illness", "colour"), promise.budgets, strict=True)
    ]
    return bars(
        "What a suspicion of 10 % rises to at most, by attribute",
        [*rows, ("both together, to anybody", promise.ldp_level)],
    )


ANSWERS = [0, 1, 0, 2, 1, 0, 1, 2, 0, 1]
"""What a person answered, in their order, to the same question of 0.3 nats."""


def ledger() -> str:
    """The picture of many answers about one record."""
    colour = Categories(["red", "green", "blue"])
    query = RandomizedResponse(3, "0.3")
    odometer, budget = Odometer(colour, LDP("1")), BayesianFilter(colour, LDP("1"))
    sums, realized = [0.0], [0.0]
    for answer in ANSWERS:
        if not budget.accepts(query):
            break
        odometer, budget = odometer.after(query, answer), budget.after(query, answer)
        reading = odometer.readings[0]
        sums.append(reading.epsilons)
        realized.append(reading.realized)
    return steps(
        "The sum of the epsilons of answers, and what they have revealed together, in nats", sums, realized, 1.0
    )


def pictures() -> dict[str, str]:
    """Each picture by its file's name."""
    found = {f"{name}.svg": pairs(name) for name in ("ldp", "blocks", "sensitive", "metric", "matrix")}
    return {**found, "deltas.svg": deltas(), "coordinate.svg": coordinate(), "ledger.svg": ledger()}


if __name__ == "__main__":
    for file, picture in pictures().items():
        (FOLDER / file).write_text(picture, encoding="utf-8")
        print(f"wrote docs/promises/{file}")
