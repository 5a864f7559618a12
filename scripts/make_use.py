"""The page of how often intervals hold over the table of use: writes docs/use.md, part of `make use-all`.

Takes the number of surveys of a row.

Ends with 1 where an interval holds too seldom or too often, or where a forecast does not come true.
"""

import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from asked import EPSILONS, KINDS, OPTIONS, REPORTS, ROWS
from coverage import CONFIDENCE, MEANS, Covered, counted_rows, cover, surveys_of
from scipy.stats import binom

PAGE = Path(__file__).parents[1] / "docs" / "use.md"

BEFORE = """# How often intervals hold in ordinary use

The table of use asks every kind of question at every scale: {kinds} kinds and promises, epsilon {epsilons},
{reports} reports, people who are spread evenly or falling, have one value or two, or all but a few the same, and the
options {options}. Every two of these settings stand together in one of its {rows} rows. Each row is planned once;
then {most:,} tallies of as many people are drawn from the plan's exact probabilities ({least:,} where an estimate takes
a second) and estimated. `make use-all` writes this page; `make use`, which every change passes, walks half of the rows
from survey to page on every linear-algebra kernel of the processor, and counts {counted} of them like this.

Per cent of the surveys in which the 95 % interval of a number holds what is true of the people: the number of a row
that it holds most seldom of, and the one of most often. Of many numbers the least is below 95 by chance alone: of
{most:,} surveys down to about {chance}. With `simultaneous`, all intervals of a question hold together. Few reports
make intervals that reach over much of what is possible hold nearly always. The last column is the standard error that a
plan forecasts of a public sample, over that found, where intervals are less than half of what is possible.

"""


def ends(found: list[float], form: str) -> str:
    """The least and the largest."""
    if not found:
        return "-"
    low, high = (form.format(end(found)) for end in (min, max))
    return low if low == high else f"{low} to {high}"


def page(covered: list[Covered]) -> str:
    """The page's text."""
    held: dict[tuple[str, int], list[float]] = defaultdict(list)
    ratios: dict[str, list[float]] = defaultdict(list)
    for one in covered:
        if one.row.reports in REPORTS:
            held[one.row.kind, one.row.reports] += one.shares
        ratios[one.row.kind] += one.forecasts.values()
    surveys = [one.surveys for one in covered]
    text = BEFORE.format(
        kinds=len(KINDS),
        epsilons=", ".join(EPSILONS),
        reports=", ".join(f"{reports:,}" for reports in REPORTS),
        options=", ".join(OPTIONS[1:]),
        rows=len(ROWS),
        most=max(surveys),
        least=min(surveys),
        chance=f"{binom.ppf(1e-3, max(surveys), CONFIDENCE) / max(surveys):.1%}".removesuffix("%"),
        counted=len(counted_rows()),
    )
    means = {(one.row.epsilon, one.row.reports): one for one in covered if one.row in MEANS}
    lines = ["| asked | " + " | ".join(f"{reports:,}" for reports in REPORTS) + " | forecast over found |"]
    lines.append("|---" * (len(REPORTS) + 2) + "|")
    for kind in KINDS:
        cells = [ends(held[kind, reports], "{:.1%}").replace("%", "") for reports in REPORTS]
        lines.append(" | ".join([f"| {kind}", *cells, ends(ratios[kind], "{:.2f}")]) + " |")
    lines += [
        "",
        "The mean of one number, of people who are spread falling:",
        "",
        "| epsilon | 300,000 | 3,000,000 |",
        "|---|---|---|",
    ]
    for epsilon in sorted({epsilon for epsilon, _ in means}, key=float):
        cells = [ends(means[epsilon, n].shares, "{:.1%}").replace("%", "") for n in (300_000, 3_000_000)]
        lines.append(" | ".join([f"| {epsilon}", *cells]) + " |")
    return text + "\n".join(lines) + "\n"


if __name__ == "__main__":
    rows = list(dict.fromkeys([*ROWS, *MEANS]))
    covered, mistakes = [], []
    surveys = [surveys_of(row, int(sys.argv[1])) for row in rows]
    with ProcessPoolExecutor() as pool:
        for place, one in enumerate(pool.map(cover, rows, surveys), start=1):
            if sys.stderr.isatty():
                print(f"\r{place} of {len(rows)} rows", end="", file=sys.stderr)
            if one is not None:
                covered.append(one)
                mistakes += [f"{one.row}: {mistake}" for mistake in one.mistakes]
    PAGE.write_text(page(covered), encoding="utf-8")
    print("\n".join(mistakes) or f"{len(covered)} rows hold; {PAGE} is written")
    sys.exit(bool(mistakes))
