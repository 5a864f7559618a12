"""The verbs: a plan and frames or files in, frames with labels out; a mechanism and arrays too; all else refused."""

import json
import subprocess
import sys

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sordino
from commands import PATIENCE
from sordino import (
    Aggregate,
    KeyedSource,
    Plan,
    RandomizedResponse,
    SordinoError,
    SordinoWarning,
    Survey,
    SystemSource,
    aggregate,
    certify,
    estimate,
    explain,
    plan,
    privatize,
)
from sordino.errors import UnavailableError
from sordino.tables.frame import Frame
from sordino.tables.release import TASK, Release
from sordino.tables.reports import privatize_table

TABLES = {
    "version": 1,
    "epsilon": "3",
    "attribute": {
        "smoker": {"categories": ["yes", "no"], "missing": "no"},
        "visits": {"categories": 5},
        "home": {"grid": {"south": 0, "north": 10, "west": 0, "east": 10, "rows": 2, "columns": 3}},
    },
    "ask": [{"histogram": "smoker"}, {"histogram": "visits"}, {"histogram": "home"}],
}
N = 3000
KEY = bytes(range(32))


def people(n=N):
    """Columns of some people, with texts, whole numbers and numbers; the same at every call."""
    draw = np.random.default_rng(7)
    return {
        "who": [f"p{i}" if i % 3 else str(i) for i in range(n)],
        "name": ["never read"] * n,
        "smoker": [None if u < 0.1 else "yes" if u < 0.4 else "no" for u in draw.random(n)],
        "visits": draw.integers(0, 5, n).tolist(),
        "latitude": draw.uniform(0, 10, n).tolist(),
        "longitude": draw.uniform(0, 10, n).tolist(),
    }


def pandas_frame(columns):
    """pandas takes a second to load: only its own tests wait for it."""
    import pandas as pd

    return pd.DataFrame(columns)


class Broken:
    """A frame whose library quotes a value."""

    def __arrow_c_stream__(self, requested_schema=None):
        raise TypeError("cannot convert 'a secret' to int64")


FRAMES = {
    "pandas": pandas_frame,
    "pandas categories": lambda columns: pandas_frame(columns).astype({"smoker": "category"}),
    "polars": pl.DataFrame,
    "polars in pieces": lambda columns: pl.concat(
        [pl.DataFrame(columns)[:1000], pl.DataFrame(columns)[1000:]], rechunk=False
    ),
    "polars, lazy": pl.LazyFrame,
    "lists by name": dict,
    "arrays by name": lambda columns: {name: np.array(own, object) for name, own in columns.items()},
    "pyarrow": pa.table,
    "pyarrow reader": lambda columns: pa.table(columns).to_reader(100),
    "duckdb": lambda columns: duckdb.from_arrow(pa.table(columns)),
}


@pytest.fixture(scope="module")
def frozen():
    """A plan of names, numbers and a map."""
    return plan(TABLES, 10**6)


@pytest.fixture(scope="module")
def files(tmp_path_factory, frozen):
    """The same people in a CSV and a Parquet file, and their reports by a key."""
    folder = tmp_path_factory.mktemp("files")
    pq.write_table(pa.table(people()), folder / "people.parquet")
    pl.DataFrame(people()).write_csv(folder / "people.csv")
    key = KeyedSource(KEY, TASK)
    privatize_table(frozen, folder / "people.csv", folder / "reports.parquet", release=Release("who", key))
    frozen.save(folder / "plan.json")
    return folder


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_frame_has_the_reports_of_its_rows_in_a_file(frozen, files, make):
    given = make(people())
    reports = privatize(frozen, given, KeyedSource(KEY, TASK), id_column="who")
    kinds = {pa.RecordBatchReader: pa.Table, duckdb.DuckDBPyRelation: pa.Table}
    assert type(reports) is kinds.get(type(given), type(given))
    held = Frame.of(reports, {"plan", "code"}).table
    expected = pq.read_table(files / "reports.parquet")
    assert held.cast(expected.schema).equals(expected)
    assert aggregate(frozen, reports).counts.tolist() == aggregate(frozen, held).counts.tolist()
    if isinstance(reports, pa.Table):
        assert reports.schema.metadata == {b"sordino plan": frozen.hash.encode()}


@pytest.mark.parametrize("name", ["people.csv", "people.parquet"])
def test_a_file_has_the_reports_that_the_command_writes(frozen, files, name):
    reports = privatize(frozen, files / name, KeyedSource(KEY, TASK), id_column="who")
    assert reports.equals(pq.read_table(files / "reports.parquet"))
    assert reports.schema.metadata == {b"sordino plan": frozen.hash.encode()}


def test_a_key_file_is_a_keyed_source_of_its_task(frozen, files, tmp_path):
    first = privatize(frozen, pa.table(people()), id_column="who", key=tmp_path / "key", task="spring")
    key = bytes.fromhex((tmp_path / "key").read_text().split("\n")[1])
    assert privatize(frozen, files / "people.csv", KeyedSource(key, "spring"), id_column="who").equals(first)
    assert not privatize(frozen, files / "people.csv", KeyedSource(key, "autumn"), id_column="who").equals(first)


def test_another_plan_draws_other_words_from_the_same_source(frozen):
    other = plan(TABLES, 10**6 + 1)
    source, table = KeyedSource(KEY, TASK), pa.table(people())
    mine, others = (privatize(each, table, source, id_column="who")["code"] for each in (frozen, other))
    # The plans ask the same in the same way: with the same words all codes would be equal.
    assert [q.mechanism for q in other.sampled.queries] == [q.mechanism for q in frozen.sampled.queries]
    assert np.mean(mine.to_numpy() == others.to_numpy()) < 0.5


def test_without_a_key_every_call_is_another_release(frozen):
    table = pa.table(people())
    for source in (None, SystemSource()):
        first, second = (privatize(frozen, table, source)["code"].to_numpy() for _ in range(2))
        assert np.mean(first == second) < 0.9


BAD = {
    "another name": ("smoker", ["yes", "No"]),
    "a missing value": ("visits", [1, None]),
    "a number that is none of them": ("visits", [4, 5]),
    "a number with a fraction": ("visits", [1.0, 1.5]),
    "a truth value": ("visits", [True, False]),
    "beyond the map": ("latitude", [3.0, 10.5]),
    "no number": ("latitude", [3.0, float("inf")]),
    "an id that stands twice": ("who", ["a", "a"]),
    "an id that is missing": ("who", ["a", None]),
}


@pytest.mark.parametrize(("column", "values"), BAD.values(), ids=BAD)
def test_a_frame_is_refused_in_the_words_of_a_file(frozen, tmp_path, column, values):
    columns = people(2) | {column: values}
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table(columns), path)
    messages = []
    for given in (path, pa.table(columns), pl.DataFrame(columns)):
        with pytest.raises(SordinoError) as caught:
            privatize(frozen, given, id_column="who")
        messages.append(str(caught.value).replace(str(path), "the frame"))
    assert messages[0] == messages[1] == messages[2]
    assert messages[0].startswith("the frame")


def test_columns_that_are_missing_or_stand_twice_are_refused(frozen):
    columns = people(2)
    with pytest.raises(SordinoError, match=r"the frame must have the columns .*but not visits.*did you mean 'Visits'"):
        privatize(frozen, pa.table({("Visits" if name == "visits" else name): own for name, own in columns.items()}))
    twice = pa.table([*pa.table(columns).columns, pa.array([0, 0])], names=[*columns, "visits"])
    with pytest.raises(SordinoError, match="the frame must have each column once; found visits"):
        privatize(frozen, twice)
    with pytest.raises(SordinoError, match=r"the frame must have the column nobody"):
        privatize(frozen, pa.table(columns), id_column="nobody")
    with pytest.raises(SordinoError, match="the frame must hold data; found no rows"):
        privatize(frozen, pa.table(columns)[:0])


def test_what_cannot_be_handed_over_is_said_without_its_values(frozen):
    with pytest.raises(SordinoError, match="give each column one type") as caught:
        privatize(frozen, Broken())
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_column_of_two_types_in_pandas_is_refused(frozen):
    mixed = pandas_frame(people(2)).astype({"visits": object})
    mixed.loc[1, "visits"] = "a secret"
    with pytest.raises(SordinoError, match="give each column one type") as caught:
        privatize(frozen, mixed)
    assert "secret" not in str(caught.value)


def test_only_the_columns_that_are_asked_are_kept_and_none_is_copied(frozen):
    from sordino.tables.values import people_table

    given = pa.table(people())
    kept = people_table(frozen, given, "who").table
    assert kept.column_names == ["who", "smoker", "visits", "latitude", "longitude"]
    for name in kept.column_names:
        assert kept[name].chunk(0).buffers()[-1].address == given[name].chunk(0).buffers()[-1].address


def test_the_whole_way_in_memory(frozen, files):
    reports = privatize(frozen, pl.DataFrame(people()))
    tally = aggregate(frozen, reports)
    assert tally.n == N
    assert isinstance(reports, pl.DataFrame)
    for same in (
        reports.to_arrow(),
        reports.to_arrow().to_reader(),
        reports.to_pandas(),
        reports.to_dict(as_series=False),
    ):
        assert np.array_equal(aggregate(frozen, same).counts, tally.counts)
    found = estimate(frozen, tally, confidence=0.9)
    table = found.to_arrow()
    assert table.column_names == ["attribute", "value", "estimate", "stderr", "low", "high", "fitted", "kind"]
    assert set(table["kind"].to_pylist()) == {"share"}
    assert table["value"].to_pylist()[:7] == ["yes", "no", "0", "1", "2", "3", "4"]
    assert table["attribute"].to_pylist() == ["smoker"] * 2 + ["visits"] * 5 + ["home"] * 6
    assert np.all((table["low"].to_numpy() <= 1) & (table["low"].to_numpy() <= table["high"].to_numpy()))
    # About a thousand people each: shares far beyond their errors.
    no = table["estimate"].to_pylist()[1]
    assert abs(no - 0.7) < 6 * table["stderr"].to_pylist()[1]
    assert found.n == N
    assert found.untold == {}
    assert estimate(files / "plan.json", reports).to_arrow().equals(estimate(frozen, tally).to_arrow())


def test_estimates_and_reports_are_frames_of_pandas_too(frozen, files):
    reports = pq.read_table(files / "reports.parquet").to_pandas()
    found = estimate(frozen, reports)
    assert found.to_pandas().equals(estimate(frozen, files / "reports.parquet").to_arrow().to_pandas())
    assert found.to_pandas()["value"].tolist()[:2] == ["yes", "no"]


@pytest.mark.usefixtures("undrawn")
def test_what_is_estimated_is_written_as_the_command_writes_it(frozen, files, tmp_path):
    found = estimate(frozen, files / "reports.parquet")
    found.save(tmp_path / "shares.parquet")
    assert pq.read_table(tmp_path / "shares.parquet").equals(found.to_tidy())
    found.page(tmp_path / "page.html")
    assert "smoker" in (tmp_path / "page.html").read_text()
    with pytest.raises(SordinoError, match="must not exist"):
        found.page(tmp_path / "page.html")
    found.page(tmp_path / "page.html", overwrite=True)


def test_frames_files_and_aggregates_add_up(frozen, files):
    from sordino.survey.results.aggregate_file import save_aggregate

    mine = privatize(frozen, pa.table(people()))
    alone = aggregate(frozen, mine)
    save_aggregate(frozen, alone, files / "tally.json", overwrite=True)
    more = privatize(frozen, pa.table(people()))
    together = aggregate(frozen, mine, str(files / "reports.parquet"), aggregate(frozen, more), files / "tally.json")
    parts = [alone, aggregate(frozen, files / "reports.parquet"), aggregate(frozen, more), alone]
    assert isinstance(together, Aggregate)
    assert together.n == 4 * N
    assert np.array_equal(together.counts, sum(part.counts for part in parts))
    with pytest.raises(SordinoError, match="found the same ones twice"):
        aggregate(frozen, mine, mine)
    with pytest.raises(SordinoError, match=r"frame 2 must hold other reports than frame 1.*a copy"):
        aggregate(frozen, mine, mine.slice(0))
    with pytest.warns(SordinoWarning, match="aggregate 2 holds the same counts as aggregate 1"):
        aggregate(frozen, alone, aggregate(frozen, mine))


def test_other_reports_are_refused(frozen):
    other = plan(TABLES | {"epsilon": "2"}, 10**6)
    reports = privatize(other, pa.table(people(5)))
    with pytest.raises(SordinoError, match="the frame, row 1: a report must belong to the plan"):
        aggregate(frozen, reports)
    with pytest.raises(SordinoError, match="the frame must have the columns plan, code"):
        aggregate(frozen, pa.table(people(5)))
    with pytest.raises(SordinoError, match=r"the frame, row 1: a code must be one of the plan's"):
        aggregate(frozen, pa.table({"plan": pa.array([frozen.tag], pa.uint64()), "code": [10**6]}))
    with pytest.raises(SordinoError, match="the frame must have whole numbers in plan and code"):
        aggregate(frozen, pa.table({"plan": [str(frozen.tag)], "code": ["1"]}))
    for tally in (aggregate(other, reports), RandomizedResponse(2, "1").tally([0])):
        with pytest.raises(SordinoError):
            aggregate(frozen, tally)
        with pytest.raises(SordinoError, match="a tally must be of these queries"):
            estimate(frozen, tally)


def test_a_survey_is_its_tables_or_its_file(frozen, tmp_path):
    path = tmp_path / "survey.toml"
    path.write_text('version = 1\nepsilon = "1"\n[attribute.x]\ncategories = 3\n[[ask]]\nhistogram = "x"\n')
    tables = {"version": 1, "epsilon": "1", "attribute": {"x": {"categories": 3}}, "ask": [{"histogram": "x"}]}
    made = [plan(given, 1000) for given in (path, str(path), tables, Survey.read(tables))]
    assert len({each.hash for each in made}) == 1
    assert made[0] == Plan.of(Survey.read(tables), 1000)


def test_a_plan_warns_of_what_cannot_be_answered():
    tables = {"version": 1, "epsilon": "0.1", "attribute": {"x": {"categories": 50}}, "ask": [{"histogram": "x"}]}
    with pytest.warns(SordinoWarning, match="x: NOTHING is learned with 10 people"):
        plan(tables, 10)
    with pytest.raises(SordinoError, match="must ask something that can be learned"):
        plan(tables | {"epsilon": "1/1000000000000"}, 10)


def test_a_plan_says_how_what_may_surprise_was_read():
    categories = {"categories": ["yes", "no"], "protect": "none"}
    tables = {"epsilon": "1", "attribute": {"x": categories}, "ask": [{"histogram": "x"}]}
    with pytest.warns(SordinoWarning, match="x.protect = 'none' leaves all its values protected alike"):
        plan(tables, 10_000)


def test_a_plan_is_its_file(frozen, files):
    verdict = certify(files / "plan.json")
    assert verdict.holds
    assert list(verdict.questions) == ["smoker", "visits", "home"]
    assert [found.holds for found in verdict.questions.values()] == [True] * 3
    assert explain(str(files / "plan.json")) == explain(frozen)
    assert all(line.startswith(("smoker: ", "visits: ", "home: ")) for line in explain(verdict))


def test_promises_of_numbers_have_their_verdict():
    tables = {
        "version": 1,
        "epsilon": "2",
        "attribute": {"age": {"number": {"low": 0, "high": 100, "clip": True}, "delta": "1"}, "ill": {"categories": 2}},
        "ask": [{"mean": ["age"]}, {"histogram": "ill"}],
    }
    made = plan(tables, 10**6)
    verdict = certify(made)
    assert verdict.holds
    assert verdict.promise.holds
    assert set(verdict.questions) == {"mean of age", "ill"}
    assert any("age" in line for line in explain(verdict))
    draw = np.random.default_rng(3)
    frame = pl.DataFrame({"age": draw.uniform(-5, 80, 4000), "ill": draw.integers(0, 2, 4000)})
    found = estimate(made, privatize(made, frame)).to_arrow().to_pylist()
    truth = np.clip(frame["age"].to_numpy(), 0, 100).mean()
    assert found[0]["attribute"] == "mean of age"
    assert abs(found[0]["estimate"] - truth) < 6 * found[0]["stderr"]
    assert found[0]["fitted"] is None
    assert found[1]["fitted"] is not None


def test_files_are_written_by_the_verb_as_by_the_command(frozen, files, tmp_path):
    assert privatize(frozen, pa.table(people()), output=tmp_path / "r.parquet") == N
    assert aggregate(frozen, tmp_path / "r.parquet").n == N
    with pytest.raises(SordinoError, match="second release"):
        privatize(frozen, pa.table(people()), output=str(tmp_path / "r.parquet"))


def test_pandas_and_polars_are_only_needed_for_their_frames(frozen, files, monkeypatch):
    found = estimate(frozen, files / "reports.parquet")
    for library in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(UnavailableError, match=rf"needs the extra 'frames'; found no {library}: pip install"):
            getattr(found, f"to_{library}")()
    assert found.to_arrow().num_rows == 13


def test_the_command_and_the_verb_say_the_same(files, run):
    code, out, _ = run("estimate", "plan.json", "reports.parquet", "--json", folder=files)
    assert code == 0
    told = estimate(files / "plan.json", files / "reports.parquet").to_arrow()
    assert json.loads(out)["rows"] == told.to_pylist()


def test_nothing_is_loaded_before_it_is_used():
    code = "import sys; before = set(sys.modules); import sordino; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE)
    loaded = set(done.stdout.split())
    assert {name for name in loaded if name.startswith("sordino")} == {"sordino"}
    assert {name.split(".")[0] for name in loaded} <= sys.stdlib_module_names | {"sordino"}
    assert len(loaded) < 60
    assert set(sordino.__all__) >= {"plan", "privatize", "aggregate", "estimate", "certify", "explain"}
