"""The page of a change: two estimates side by side, and what changed, with its interval."""

from collections.abc import Mapping, Sequence

from sordino.show.changes import change_blocks
from sordino.show.html.block_sections import sections_of
from sordino.show.html.page import Section, Sentences, render
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.results.change import Changed
from sordino.words.changes import INDEPENDENT
from sordino.words.coverage import POPULATION


def change_page(
    changed: Sequence[Changed],
    not_comparable: Mapping[str, str],
    n: tuple[int, int],
    coverage: Coverage,
    title: str = "",
    *,
    over_time: Sequence[str] = (),
) -> str:
    """A self-contained HTML page.

    Args:
        changed: what both collections tell of each question.
        not_comparable: why others are not compared, by name.
        n: the reports of both.
        coverage: what intervals hold against.
        title: of the later survey; none if empty.
        over_time: which days are compared as one, in words.
    """
    sections = [section for one in changed for section in sections_of(change_blocks(one, coverage))]
    if over_time:
        sections.append(Section("Over time", (Sentences(tuple(over_time)),)))
    if not_comparable:
        sections.append(Section("Not compared", (Sentences(tuple(not_comparable.values())),)))
    lead = f"{n[0]:,} reports, then {n[1]:,}. {INDEPENDENT} {' '.join(POPULATION)}"
    return render(f"{title}: what changed" if title else "What changed", lead, sections)
