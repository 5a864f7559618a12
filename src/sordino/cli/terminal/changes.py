"""How the terminal shows a change between two collections; of many numbers, changes beyond noise come first."""

from sordino.cli.output import print_table
from sordino.cli.say import say
from sordino.survey.results.change import Changed
from sordino.survey.results.coverage import Coverage
from sordino.words.changes import COLUMNS, change_cells, order_in_words, sure_in_words


def print_change(changed: Changed, coverage: Coverage) -> None:
    """What both collections tell of a question, all of it or some, and how much of it changed beyond noise."""
    rows = changed.first()
    some = len(rows) < len(changed.readable)
    header = [f"{100 * coverage.confidence:.15g}% from" if name == "from" else name for name in COLUMNS]
    print_table("", (changed.name, *header), [change_cells(row, together=some) for row in rows])
    say(*filter(None, (sure_in_words(changed, coverage), order_in_words(changed))), "")
