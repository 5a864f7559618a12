"""Whatever a survey asks, each of its rows is in JSON, frames and files, and what people read is on the page too."""

import json
import re
import warnings
from html import unescape

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import sordino
from kinds_of_survey import KINDS
from sordino import KeyedSource, SordinoError
from sordino.blocks.block import Heading, Plot, blocks_of
from sordino.blocks.tables import QuantityTable, readable_rows
from sordino.show.estimate_rows import result_json, result_rows, tables_of
from sordino.show.html.block_sections import sections_of
from sordino.show.html.page import PageTable
from sordino.show.terminal import MOST_ROWS, PrintedLines, PrintedTable, terminal_parts
from sordino.tables.results.tidy import COLUMNS

PEOPLE = 2000

NUMBERS = {
    own: name for name, own in COLUMNS.items() if own in {"estimate", "stderr", "low", "high", "fitted", "moved"}
}
"""Of each number of a row the column of files."""


@pytest.fixture(scope="module", params=KINDS)
def found(request):
    """What reports of a small survey of each kind say."""
    asked = KINDS[request.param]
    # Of all pairs of attributes there are as many tables as of one of many values there are rows.
    size = 20 if asked.most > 30 else 6
    people = asked.people(size, PEOPLE, np.random.default_rng(1)) | {"id": list(range(PEOPLE))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plan = sordino.plan(asked.survey(size), people=PEOPLE)
    source = KeyedSource(bytes(32), "outputs")
    reports = sordino.privatize(plan, pa.table(people), source=source, id_column="id")
    return sordino.estimate(plan, sordino.aggregate(plan, reports))


def test_every_row_is_in_every_output(found, tmp_path):
    rows = [row for blocks in found.blocks for row in result_rows(blocks)]
    assert [row["kind"] for row in rows] == [kind for kind in found.to_arrow()["kind"].to_pylist() if kind != "pooled"]
    frame = found.to_arrow().to_pylist()
    found.save(tmp_path / "rows.parquet")
    file = parquet.read_table(tmp_path / "rows.parquet").to_pylist()
    for row, of_frame, of_file in zip(rows, frame[: len(rows)], file[: len(rows)], strict=True):
        for name in NUMBERS.keys() & row.keys():
            assert row[name] == of_frame[name] == of_file[NUMBERS[name]]
    derived = found.to_arrow(derived=True)
    assert [row["kind"] for row in derived.to_pylist()] == [row["kind"] for row in file]
    assert pl.DataFrame(found).to_dicts() == frame
    json.dumps([*rows, *map(result_json, found.blocks)], allow_nan=False)


def test_people_read_the_same_rows_in_a_terminal_and_on_the_page(found):
    for blocks in found.blocks:
        shown = [part for part in terminal_parts(blocks) if isinstance(part, PrintedTable)]
        pages = [part for one in sections_of(blocks) for part in one.parts if isinstance(part, PageTable)]
        assert [part.rows for part in shown] == [part.rows[:MOST_ROWS] for part in pages]
        tables = [table for table in blocks_of(QuantityTable, blocks) if table.readable]
        assert [part.rows for part in pages] == [readable_rows(table) for table in tables]
        # What the terminal says below a table, the page says too.
        notes = " ".join(part.note for part in pages)
        said = [text for part in terminal_parts(blocks) if isinstance(part, PrintedLines) for text in part.texts]
        assert all(
            text in notes
            for text in said
            if text and "not estimated from" not in text and not text.startswith("The first")
        )


def test_rows_stand_in_the_order_of_the_survey(found):
    for result, blocks in zip(found.results, found.blocks, strict=True):
        own = [row for table in tables_of(blocks) for row in table.rows() if row["kind"] != "part"]
        plain = [{name: part for name, part in row.items() if name != "kind"} for row in own]
        assert plain == list(result.rows())


def test_charts_are_of_the_class_that_they_say(found):
    for blocks in found.blocks:
        for plot in blocks_of(Plot, blocks):
            assert isinstance(plot.chart(), plot.of)


def test_a_prompt_and_a_notebook_show_a_few_rows_and_what_is_missing(found):
    lines = repr(found).split("\n")
    assert len(lines) <= 20
    assert lines[0].startswith("PlanEstimate of ")
    told = [heading.name for blocks in found.blocks for heading in blocks_of(Heading, blocks) if heading.is_estimated]
    assert len(told) == len(found.results) - len(found.untold)
    assert all(f"{name}: not estimated" in repr(found) for name in list(found.untold)[:5])
    for result in found.results:
        assert len(repr(result).split("\n")) <= 13
        assert repr(result).startswith(type(result).__name__)
    html = found._repr_html_()
    assert html.lstrip().startswith('<div class="sordino"')
    assert "<script" not in html
    assert not re.search(r'(src|href)="(?!data:|#)', html)
    assert html.count("<section") == html.count("</section>") <= 12
    table = next(table for blocks in found.blocks for table in blocks_of(QuantityTable, blocks) if table.readable)
    assert f'role="rowheader">{table.label(table.readable[0])}</th>' in unescape(html)
    assert unescape(html).partition('<p class="note">')[2].startswith(lines[0])
    assert found._repr_html_() == html
    shown = [sordino.certify(found.plan), sordino.forecast(found.plan), found.plan]
    for noun in shown:
        assert noun.to_arrow().num_rows >= len(repr(noun).split("\n")) - 3 - len(getattr(noun, "warnings", ()))
        assert noun._repr_html_().count("<section") <= 12


def test_figures_are_counted(found):
    drawn = [plot for blocks in found.blocks for plot in blocks_of(Plot, blocks)]
    if not drawn:
        with pytest.raises(SordinoError, match="must be of a result that is drawn"):
            found.figure()
        return
    assert found.figure().words
    name = next(one.question.name for one in found.results if any(blocks_of(Plot, one.blocks())))
    assert found.figure(name).words
    with pytest.raises(SordinoError, match=r"figures are numbered from 1 to \d+; found 999"):
        found.figure(name, 999)
