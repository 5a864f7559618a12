"""Several questions through files: drawn without looking, told apart by their codes, estimated each from its own."""

import json

import numpy as np
import pytest
from scipy.stats import binomtest

from sordino import SordinoError
from sordino.survey.results.result import Untold, results
from sordino.tables.release import Release
from sordino.tables.reports import privatize_table, tally_people, tally_table
from sordino.tables.values import read_values, require_people

JOBS = ["baker", "clerk", "judge"]
FRAME = {"south": 0, "north": 4, "west": 0, "east": 6, "rows": 2, "columns": 3}
ATTRIBUTES = {
    "job": {"categories": JOBS, "missing": "judge", "protect": {"sensitive": ["judge"]}},
    "home": {"grid": FRAME, "protect": {"blocks": [2, 2], "release_single_values": True}},
    "visits": {"categories": 4, "column": "how often", "protect": {"metric": [0, 1, 2, 3]}},
}
WEIGHTS = {"job": 3, "home": 1, "visits": 2}
SHARES = {"job": 1 / 2, "home": 1 / 6, "visits": 1 / 3}


@pytest.fixture(scope="module")
def plan(make_plan_of):
    return make_plan_of(ATTRIBUTES, "2", 60_000, **WEIGHTS)


def people_of(n):
    """Rows in which every attribute follows from the first one, and what their values are."""
    job = np.random.default_rng(1).choice(3, size=n, p=[0.5, 0.3, 0.2])
    cell, visits = job * 2, 3 - job
    columns = {
        "id": list(range(n)),
        "job": [[*JOBS[:2], None][value] for value in job.tolist()],
        "latitude": (cell // 3 * 2 + 1).tolist(),
        "longitude": (cell % 3 * 2 + 1).tolist(),
        "how often": visits.tolist(),
    }
    return columns, {"job": job, "home": cell, "visits": visits}


def starts(plan):
    """Each question's first code, from how many numbers the documented codes of its frozen mechanism take."""
    first, total = [], 0
    for query in json.loads(plan.bytes)["queries"]:
        first.append(total)
        total += codes_of(query["mechanism"])
    return first, total


def codes_of(part):
    match part["name"]:
        case "randomized":
            return part["k"]
        case "subset":
            return 1 << part["k"]
        case "table":
            return len(part["weights"][0])
        case "tree":  # a code for each of four values on a line
            return ATTRIBUTES["visits"]["categories"]
        case "high-low":  # one sensitive value, and two others
            return codes_of(part["inner"]) + 2
        case "blockwise":  # tiles of 2 x 2 and 2 x 1 cells
            return sum(codes_of(inner) for inner in part["inner"])


def asked(plan, codes):
    first, total = starts(plan)
    assert codes.max() < total
    return np.searchsorted(first, codes, side="right") - 1


def test_each_persons_values_are_read_for_all_questions(tmp_path, plan, write_rows, ending):
    columns, values = people_of(1000)
    path = write_rows(tmp_path / f"people{ending}", columns)
    require_people(plan, path)
    ((job, home, visits),) = read_values(plan, path)
    assert (job.tolist(), home.tolist()) == (values["job"].tolist(), values["home"].tolist())
    assert visits.tolist() == values["visits"].tolist()


def test_every_question_is_estimated_from_its_own_reports(tmp_path, plan, write_rows, read_codes, ending):
    # Each attribute tells all others: a draw that looked at one would bend the others' shares.
    n = 60_000
    columns, values = people_of(n)
    data = write_rows(tmp_path / f"people{ending}", columns)
    assert privatize_table(plan, data, tmp_path / f"r{ending}").n == n
    which = asked(plan, read_codes(tmp_path / f"r{ending}")[1].astype(np.int64))
    for j, (name, share) in enumerate(SHARES.items()):
        assert binomtest(int((which == j).sum()), n, share).pvalue > 1e-9
        for value in np.unique(values[name]):
            own = which[values[name] == value] == j
            assert binomtest(int(own.sum()), len(own), share).pvalue > 1e-9
    aggregate = tally_table(plan, [tmp_path / f"r{ending}"])
    assert aggregate.n == n
    for j, result in enumerate(results(plan, aggregate, "unbiased")):
        truth = np.bincount(values[result.question.name], minlength=result.question.domain.k) / n
        assert result.question.name == list(ATTRIBUTES)[j]
        assert result.estimate.n == int((which == j).sum())
        # 10,000 reports of 2 nats at least: a miss by six standard errors has probability 1e-9.
        assert 6.2 * result.estimate.stderr.max() < 0.05
        assert np.abs(result.estimate.value - truth).max() < 0.05


def test_a_report_belongs_to_the_question_and_block_it_tells(tmp_path, plan, write_rows, read_codes):
    columns, values = people_of(5000)
    privatize_table(plan, write_rows(tmp_path / "p.csv", columns), tmp_path / "r.parquet")
    codes = read_codes(tmp_path / "r.parquet")[1].astype(np.int64)
    which, (first, _) = asked(plan, codes), starts(plan)
    at_home = codes[which == 1] - first[1]
    # Jobs 0 and 1 live in cells 0 and 2, the third in cell 4: two in the western tile of 2 x 2, one in the eastern.
    parts = {part["k"]: codes_of(part) for part in json.loads(plan.bytes)["queries"][1]["mechanism"]["inner"]}
    west = values["home"][which == 1] % 3 < 2
    np.testing.assert_array_equal(at_home < parts[4], west)
    (table,) = read_codes(tmp_path / "r.parquet")[2].column_names[1:]
    assert table == "code"


def test_the_same_key_gives_the_same_reports_in_any_order(tmp_path, plan, write_rows, read_codes):
    n = 3000
    columns, _ = people_of(n)
    order = np.random.default_rng(2).permutation(n).tolist()
    mixed = {name: [column[row] for row in order] for name, column in columns.items()}
    runs = []
    for i, (rows, ending) in enumerate(((columns, ".csv"), (columns, ".csv"), (mixed, ".parquet"))):
        data = write_rows(tmp_path / f"p{i}{ending}", rows)
        privatize_table(plan, data, tmp_path / f"r{i}{ending}", release=Release("id", tmp_path / "key"))
        runs.append(read_codes(tmp_path / f"r{i}{ending}")[1].astype(np.int64))
    assert (tmp_path / "r0.csv").read_bytes() == (tmp_path / "r1.csv").read_bytes()
    np.testing.assert_array_equal(runs[2], runs[0][order])
    assert len(set(asked(plan, runs[0]).tolist())) == 3


def test_with_a_key_the_question_stays_whatever_the_values(tmp_path, plan, write_rows, read_codes):
    n = 3000
    columns, _ = people_of(n)
    others = columns | {"job": ["baker"] * n, "latitude": [3] * n, "longitude": [5] * n, "how often": [0] * n}
    draws, codes = [], []
    for i, rows in enumerate((columns, others)):
        data = write_rows(tmp_path / f"p{i}.csv", rows)
        privatize_table(plan, data, tmp_path / f"r{i}.csv", release=Release("id", tmp_path / "key"))
        codes.append(read_codes(tmp_path / f"r{i}.csv")[1].astype(np.int64))
        draws.append(asked(plan, codes[-1]).tolist())
    assert draws[0] == draws[1]
    # A value that is not asked for changes nothing.
    assert (codes[0] == codes[1]).mean() < 0.9
    only_visits = write_rows(tmp_path / "p2.csv", columns | {"how often": [0] * n})
    privatize_table(plan, only_visits, tmp_path / "r2.csv", release=Release("id", tmp_path / "key"))
    again = read_codes(tmp_path / "r2.csv")[1].astype(np.int64)
    np.testing.assert_array_equal(again[np.array(draws[0]) != 2], codes[0][np.array(draws[0]) != 2])


def test_a_column_of_ids_may_be_an_attribute_too(tmp_path, make_plan_of, write_rows, ending):
    plan = make_plan_of({"id": {"categories": 5}, "x": {"categories": 2}})
    data = write_rows(tmp_path / f"p{ending}", {"x": [1, 0, 1], "id": [4, 0, 2]})
    assert privatize_table(plan, data, tmp_path / "r.csv", release=Release("id")).n == 3


def test_eleven_questions_are_not_mixed_up(tmp_path, make_plan_of, write_rows, ending):
    names = [f"q{i}" for i in range(11)]
    plan = make_plan_of({name: {"categories": 20 + i} for i, name in enumerate(names)})
    rows = {name: [i, 19 - i] for i, name in reversed(list(enumerate(names)))}
    (values,) = read_values(plan, write_rows(tmp_path / f"p{ending}", rows))
    assert [column.tolist() for column in values] == [[i, 19 - i] for i in range(11)]


BAD = {
    "job": ("job", "Zebra7731", "row 2, job: a value must be one"),
    "home": ("latitude", 7731, "row 2, latitude and longitude: a value must be one"),
    "home missing": ("longitude", None, "row 2, latitude and longitude: a value must be given"),
    "visits": ("how often", 7731, "row 2, how often: a value must be one"),
    "visits missing": ("how often", None, "row 2, how often: a value must be given"),
}


@pytest.mark.each_value
@pytest.mark.parametrize(("column", "value", "words"), BAD.values(), ids=BAD)
def test_a_bad_value_of_any_question_is_refused(tmp_path, plan, write_rows, listing, ending, column, value, words):
    columns, _ = people_of(200)
    columns[column][1] = value
    data = write_rows(tmp_path / f"people{ending}", columns)
    before = listing()
    with pytest.raises(SordinoError) as caught:
        privatize_table(plan, data, tmp_path / "r.csv")
    assert words in str(caught.value)
    assert "7731" not in str(caught.value)
    assert listing() == before


def test_all_columns_must_be_there(tmp_path, plan, write_rows):
    columns, _ = people_of(10)
    del columns["longitude"]
    with pytest.raises(SordinoError, match="but not longitude"):
        privatize_table(plan, write_rows(tmp_path / "p.csv", columns), tmp_path / "r.csv")


def write_codes(path, plan, codes, digits):
    tag = int(plan.hash[7:23], 16)
    path.write_text("plan,code\n" + "".join(f"{tag:020},{code:0{digits}}\n" for code in codes))
    return path


def test_a_question_without_answers_is_named(tmp_path, plan):
    first, total = starts(plan)
    path = write_codes(tmp_path / "r.csv", plan, [0, 0, first[2]], len(str(total - 1)))
    aggregate = tally_table(plan, [path])
    assert aggregate.n == 3
    untold = [result for result in results(plan, aggregate) if isinstance(result, Untold)]
    (why,) = [str(result.why) for result in untold]
    assert why == "home must have been answered; found no reports about it: collect more."


def test_codes_between_the_questions_are_refused(tmp_path, make_plan_of):
    plan = make_plan_of({"few": {"categories": 3}, "many": {"categories": 20}})
    size = json.loads(plan.bytes)["queries"][1]["mechanism"]["size"]
    full = (1 << size) - 1
    right = [0, 2, 3 + full, 3 + (full << 20 - size)]
    assert tally_table(plan, [write_codes(tmp_path / "right.csv", plan, right, 7)]).n == 4
    # No set, too small and too large ones, and what is beyond the last set of 20.
    for code in (3, 4, 3 + full // 2, 3 + 2 * full + 1, 3 + (1 << 20) - 1, 3 + (1 << 20)):
        path = write_codes(tmp_path / f"{code}.csv", plan, [*right, code], 7)
        with pytest.raises(SordinoError, match="row 5: a code must be one"):
            tally_table(plan, [path])


@pytest.mark.each_value
@pytest.mark.parametrize("change", ["order", "weight", "one question less"])
def test_reports_of_another_plan_of_the_same_attributes_are_refused(
    tmp_path, plan, make_plan_of, write_rows, ending, change
):
    attributes = dict(reversed(ATTRIBUTES.items())) if change == "order" else dict(ATTRIBUTES)
    weights = WEIGHTS | ({"job": 4} if change == "weight" else {})
    if change == "one question less":
        del attributes["visits"]
    other = make_plan_of(attributes, "2", 60_000, **weights)
    columns, _ = people_of(50)
    data = write_rows(tmp_path / "p.csv", columns)
    for made, name in ((plan, f"own{ending}"), (other, f"other{ending}")):
        privatize_table(made, data, tmp_path / name)
    assert tally_table(plan, [tmp_path / f"own{ending}"]).n == 50
    for paths in ([f"other{ending}"], [f"own{ending}", f"other{ending}"]):
        with pytest.raises(SordinoError, match=f"other{ending}, row 1: a report must belong to the plan"):
            tally_table(plan, [tmp_path / name for name in paths])


def test_people_are_tallied_without_files_too(tmp_path, plan, write_rows):
    columns, _ = people_of(6000)
    steps = []
    aggregate = tally_people(plan, write_rows(tmp_path / "p.parquet", columns), steps.append)
    assert aggregate.n == sum(steps) == 6000
    for part, share in zip(plan.sampled.split(aggregate), SHARES.values(), strict=True):
        assert binomtest(part.n, 6000, share).pvalue > 1e-9
