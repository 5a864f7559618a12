"""Each way to protect each kind of values, from the survey's text through files to shares near the truth."""

import tomllib

import numpy as np
import pytest

from sordino import Plan, Survey
from sordino.survey.results.aggregate_file import load_aggregate, save_aggregate
from sordino.survey.results.result import results
from sordino.tables.reports import privatize_table, tally_table

PEOPLE = 40_000
SHARES = np.array([0.35, 0.05, 0.2, 0.03, 0.27, 0.1])
TOLERANCE = 0.05

DOMAINS = {
    "named": 'categories = ["a", "b", "c", "d", "e", "f"]',
    "numbered": "categories = 6",
    "grid": "grid = { south = 0, north = 2, west = 0, east = 3, rows = 2, columns = 3 }",
}
POSITIONS = [0, 1, 2, 4, 5, 7]
DISTANCES = [[abs(x - y) for y in POSITIONS] for x in POSITIONS]
# The second and the fourth value are sensitive, the others are not protected from the first.
MATRIX = [["0" if x == y else "inf" if x == 0 else "2" if x in {1, 3} else "3.5" for y in range(6)] for x in range(6)]
WAYS = {
    "default": dict.fromkeys(DOMAINS, ""),
    "epsilon": dict.fromkeys(DOMAINS, 'protect = { epsilon = "ln 9" }'),
    "blocks": {
        "named": 'protect = { blocks = [["a", "f"], ["b", "c", "d", "e"]] }',
        "numbered": "protect = { blocks = 4 }",
        "grid": "protect = { blocks = [2, 2] }",
    },
    "one sensitive": {
        "named": 'protect = { sensitive = ["e"] }',
        "numbered": "protect = { sensitive = [4] }",
        "grid": "protect = { sensitive = [[1, 1]] }",
    },
    "sensitive": {
        "named": 'protect = { sensitive = ["b", "d", "e", "a"] }',
        "numbered": "protect = { sensitive = [1, 3, 4, 0] }",
        "grid": "protect = { sensitive = [[0, 1], [1, 0], [1, 1], [0, 0]] }",
    },
    "positions": dict.fromkeys(DOMAINS, f"protect = {{ metric = {POSITIONS} }}"),
    "distances": dict.fromkeys(DOMAINS, f'protect = {{ metric = {DISTANCES}, epsilon = "3/2" }}'),
    "matrix": dict.fromkeys(DOMAINS, f"protect = {{ matrix = {MATRIX} }}"),
}
ENDINGS = {"named": ".csv", "numbered": ".parquet", "grid": ".csv.gz"}


def columns_of(domain, values):
    if domain == "named":
        return {"x": ["abcdef"[value] for value in values]}
    if domain == "numbered":
        return {"x": values}
    return {"latitude": [value // 3 + 0.5 for value in values], "longitude": [value % 3 + 0.5 for value in values]}


@pytest.mark.first_cases(4)
@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("way", WAYS)
def test_shares_are_found_whatever_protects_them(tmp_path, write_rows, way, domain):
    survey = (
        f'version = 1\nepsilon = "2"\n[attribute.x]\n{DOMAINS[domain]}\n{WAYS[way][domain]}\n[[ask]]\nhistogram = "x"'
    )
    Plan.of(Survey.read(tomllib.loads(survey)), PEOPLE).save(tmp_path / "plan.json")
    plan = Plan.load(tmp_path / "plan.json")
    assert plan.certificate.holds
    values = np.random.default_rng(1).choice(6, size=PEOPLE, p=SHARES)
    data = write_rows(tmp_path / f"people{ENDINGS[domain]}", columns_of(domain, values.tolist()))
    privatize_table(plan, data, tmp_path / f"r{ENDINGS[domain]}")
    save_aggregate(plan, tally_table(plan, [tmp_path / f"r{ENDINGS[domain]}"]), tmp_path / "a.json")
    aggregate = load_aggregate(plan, tmp_path / "a.json")
    truth = np.bincount(values, minlength=6) / PEOPLE
    (result,) = results(plan, aggregate, "unbiased")
    # A miss by six standard errors has probability 1e-9; two values that were mixed up would be seen.
    assert 6.2 * result.estimate.stderr.max() < TOLERANCE
    assert np.abs(result.estimate.value - truth).max() < TOLERANCE
    assert np.abs(result.estimate.value - truth[[1, 0, 2, 3, 4, 5]]).max() > TOLERANCE
    # The expected errors are those at equal shares: near those that are found.
    assert result.estimate.stderr.mean() == pytest.approx(plan.questions[0].accuracy.stderr, rel=0.5)
    (nearest,) = results(plan, aggregate, "simplex")
    assert nearest.fitted.min() >= 0
    assert nearest.fitted.sum() == pytest.approx(1)
    assert np.abs(nearest.fitted - truth).max() < 2 * TOLERANCE
    rows = [result.row(value) for value in range(6)]
    assert [row["attribute"] for row in rows] == ["x"] * 6
    assert len({row["value"] for row in rows}) == 6
