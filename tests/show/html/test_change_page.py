"""The page of a change: each figure has the room that its letters need."""

import numpy as np
import pyarrow as pa

import sordino
from sordino.show.html.block_sections import sections_of
from sordino.show.html.page import Figure, PageTable, Sentences
from sordino.survey.kinds.coverage import Coverage
from sordino.views.collection_changes import SCALES, change_blocks


def test_shares_and_means_of_one_question_have_a_figure_each_beside_words():
    numbers = {"age": {"number": {"low": 0, "high": 90}}, "pay": {"number": {"low": 0, "high": 9}, "missing": "0.2"}}
    plan = sordino.plan({"version": 1, "epsilon": "4", "attribute": numbers, "ask": [{"mean": ["age", "pay"]}]}, 3000)
    people = pa.table(
        {"age": np.arange(3000) % 90, "pay": pa.array([None if i % 5 == 0 else i % 9 for i in range(3000)])}
    )
    reports = sordino.privatize(plan, people)
    (changed,) = sordino.change(plan, reports, plan, reports).changed
    (section,) = sections_of(change_blocks(changed, Coverage(0.95)))
    parts = section.parts
    assert [type(part) for part in parts] == [Sentences, Figure, Sentences, Figure, PageTable]
    assert parts[2].lines == (SCALES,)
    assert parts[4].note == "Limits hold for each change by itself with 95 % confidence."
