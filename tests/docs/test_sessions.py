"""The pages that show a session in Python: its examples run and print what they say."""

import doctest
import re
from pathlib import Path

from in_one import in_one

DOCS = Path(__file__).parents[2] / "docs"


@in_one(("page", "fewest"), [("bayesian-coordinate.md", 26), ("filters.md", 9), ("errata.md", 15)])
def test_every_example_of_the_page_prints_what_it_says(page, fewest):
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    # One reader's session: each block continues the one before it.
    session = doctest.DocTestParser().get_doctest("".join(blocks), {}, page, str(DOCS / page), 0)
    assert len(session.examples) >= fewest
    said = []
    doctest.DocTestRunner().run(session, out=said.append)
    assert not said, "".join(said)
