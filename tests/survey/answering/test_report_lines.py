"""Lines of reports: each counts once by its id, and what is none of the plan's is refused by its line."""

import json

import pytest

from sordino import Plan, PlanReport, SordinoError, Survey, aggregate
from sordino.errors import DamagedError
from sordino.survey.answering.report_lines import LONGEST, tally_lines

YES_NO = {"categories": ["yes", "no"]}
ASKED = {
    "version": 1,
    "epsilon": "1",
    "attribute": {"a": YES_NO, "b": {"categories": 3}},
    "ask": [{"histogram": "a"}, {"histogram": "b"}],
}
PLAN = Plan.of(Survey.read(ASKED), 1000)
OTHER = Plan.of(Survey.read(ASKED | {"epsilon": "2"}), 1000)


def line(code, number, plan=PLAN):
    return PlanReport(plan, code, number.to_bytes(16)).line


def changed(**words):
    document = PlanReport(PLAN, 3, bytes(16)).document
    return json.dumps({name: word for name, word in {**document, **words}.items() if word is not None}) + "\n"


@pytest.fixture
def file(tmp_path):
    def write(*lines, name="a.jsonl"):
        (tmp_path / name).write_text("".join(lines))
        return tmp_path / name

    return write


def test_each_report_counts_once(file):
    notes = []
    first = file(line(0, 1), line(4, 2), "\n", line(4, 3), line(0, 1))
    second = file(line(4, 2), line(1, 4).rstrip(), name="b.jsonl")
    tally = tally_lines(PLAN, [first, second], note=notes.append)
    assert (tally.n, tally.counts.tolist()) == (4, [1, 1, 0, 0, 2])
    assert notes == ["2 reports stood there again, by their ids; each counts once"]
    assert aggregate(PLAN, first, note=notes.append).n == 3
    assert PlanReport.of_document(PLAN, json.loads(line(4, 2))).question == 1


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        (changed(code="5"), DamagedError, "a code that the plan can send"),
        (changed(code="03"), DamagedError, "a code that the plan can send"),
        (changed(code=3), DamagedError, "a code that the plan can send"),
        (changed(code="1"), DamagedError, "the question that its code answers"),
        (changed(question=True), DamagedError, "the question that its code answers"),
        (changed(id="00" * 15), DamagedError, "that Sordino wrote"),
        (changed(id=None), DamagedError, "that Sordino wrote"),
        (changed(more=1), DamagedError, "that Sordino wrote"),
        (changed(plan=OTHER.hash), SordinoError, "must belong to the plan; found a report of a different plan"),
        (changed(format="sordino plan"), SordinoError, "must be a report; found a different format"),
        (changed(version=2), SordinoError, "newer Sordino"),
        (changed(version=1.0), SordinoError, "of version 1"),
        (line(0, 7)[:-5], DamagedError, "incomplete line"),
        (line(0, 7).replace('{"', '{"code": "1", "', 1), DamagedError, "an unexpected or incomplete line"),
        ("[]\n", DamagedError, "an unexpected or incomplete line"),
        ("[" * LONGEST + "\n", DamagedError, "an unexpected or incomplete line"),
        ("{" + " " * LONGEST + "}\n", DamagedError, "an unexpected or incomplete line"),
        (line(1, 1), DamagedError, "an id must belong to one report"),
    ],
)
def test_what_is_no_report_of_the_plan_is_refused_by_its_line(file, text, kind, words):
    path = file(line(0, 1), text)
    with pytest.raises(kind, match=f"a.jsonl, line 2.*{words}"):
        tally_lines(PLAN, [path])


def test_no_reports_are_no_aggregate(file, tmp_path):
    with pytest.raises(SordinoError, match="needs reports"):
        aggregate(PLAN, file("\n"))
    with pytest.raises(SordinoError, match="must be possible to read"):
        aggregate(PLAN, tmp_path / "none.jsonl")


PUBLIC = Plan.of(Survey.read({**ASKED, "public": {"region": {"categories": ["north", "south"]}}}), 1000)


def in_clear(code, number, **words):
    document = PlanReport(PUBLIC, code, number.to_bytes(16), cell=1).document
    return json.dumps({name: word for name, word in {**document, **words}.items() if word is not None}) + "\n"


def test_public_values_count_by_cell(file):
    tally = tally_lines(PUBLIC, [file(in_clear(0, 1), in_clear(4, 2, public={"region": "north"}), in_clear(0, 1))])
    assert tally.n == 2
    assert {cell: counts.tolist() for cell, counts in tally.cells.items()} == {0: [0, 0, 0, 0, 1], 1: [1, 0, 0, 0, 0]}


@pytest.mark.parametrize("public", [None, {}, {"region": "west"}, {"region": "north", "arm": "a"}, "north"])
def test_lines_without_the_plan_s_public_values_are_refused(file, public):
    with pytest.raises((DamagedError, SordinoError)) as raised:
        tally_lines(PUBLIC, [file(in_clear(0, 1, public=public))])
    assert "line 1" in str(raised.value)
    assert "west" not in str(raised.value)


def test_one_id_has_one_public_value(file):
    with pytest.raises(DamagedError) as raised:
        tally_lines(PUBLIC, [file(in_clear(0, 1), in_clear(0, 1, public={"region": "north"}))])
    assert "an id must belong to one report" in str(raised.value)


def test_a_plan_without_public_columns_takes_no_values(file):
    with pytest.raises(DamagedError):
        tally_lines(PLAN, [file(changed(public={"region": "north"}))])
