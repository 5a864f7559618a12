"""The page about attributes that are not equally sensitive: its examples run and print what they say."""

import doctest
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "bayesian-coordinate.md"


def test_every_example_of_the_page_prints_what_it_says():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 5
    # One reader's session: each block continues the one before it.
    session = doctest.DocTestParser().get_doctest("".join(blocks), {}, PAGE.name, str(PAGE), 0)
    assert len(session.examples) > 25
    said = []
    doctest.DocTestRunner().run(session, out=said.append)
    assert not said, "".join(said)
