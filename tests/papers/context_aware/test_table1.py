"""Table 1 on a small map against the exact expected distance, and the same at each call."""

import numpy as np
import pytest

from sordino import Grid, SordinoError
from sordino.demo.simulated_people import us_places
from sordino.papers.context_aware.table1 import BLOCKS, MAP, PAPER, blocks_of, estimates, simulated_people, table1
from sordino.papers.simulation import METHODS

pytestmark = pytest.mark.long

SMALL = Grid(25, 50, -130, -60, 25, 70)
"""1,750 cells: blocks of 5 x 10, 1 x 2 and 1 x 1 cells."""
REPEATS = 4


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(11)
    return rng.multinomial(300_000, rng.dirichlet(np.full(SMALL.k, 0.3)))


@pytest.fixture(scope="module")
def steps():
    return []


@pytest.fixture(scope="module")
def tv(people, steps):
    cells = table1(people, "1", REPEATS, steps.append, SMALL)
    found = {(cell.blocks, cell.mechanism, cell.estimator): cell.tv for cell in cells}
    assert len(found) == len(cells)
    return found


def expected(people, along, across):
    """Of the paper's mechanism without projection: n Var = C^2 f(block) - f_x, and a mean absolute normal error."""
    n = people.sum()
    shares = (people / n).reshape(25, 70)
    inside = shares.reshape(along, 25 // along, across, 70 // across).sum(axis=(1, 3), keepdims=True)
    block = np.broadcast_to(inside, (along, 25 // along, across, 70 // across)).reshape(25, 70)
    c = (np.e + 1) / (np.e - 1)
    return np.sqrt((c**2 * block - shares) / n).sum() / np.sqrt(2 * np.pi)


@pytest.mark.parametrize("blocks", ["LDP", "5x7", "25x35"])
def test_the_papers_mechanism_is_as_far_off_as_it_must_be(people, tv, blocks):
    right = expected(people, *BLOCKS[blocks])
    assert tv[blocks, "hadamard", "unbiased"] == pytest.approx(right, rel=0.04)


def test_the_best_mechanism_is_better_by_as_much_as_it_must_be(people, tv):
    # Roots of the ratios of variances of a rare value: at most projective geometry's, at least the optimum's.
    low, high = np.sqrt(np.array([3.683, 3.770]) / 4.683)
    for blocks in ("LDP", "5x7"):
        ratio = tv[blocks, "best", "unbiased"] / tv[blocks, "hadamard", "unbiased"]
        assert low - 0.04 < ratio < high + 0.04, blocks
    # Randomized response is best for two values: n Var = e / (e - 1)^2 f(block).
    pairs = (people / people.sum()).reshape(-1, 2).sum(axis=1)
    right = 2 * np.sqrt(np.e * pairs / people.sum()).sum() / (np.e - 1) / np.sqrt(2 * np.pi)
    assert tv["25x35", "best", "unbiased"] == pytest.approx(right, rel=0.04)


def test_a_block_of_one_cell_is_known(tv):
    for mechanism in ("hadamard", "best"):
        assert max(tv["25x70", mechanism, method] for method in METHODS) < 1e-12


def test_every_entry_is_there_and_post_processing_helps(tv, steps):
    assert {key[0] for key in tv} == set(BLOCKS) == set(PAPER)
    # Subsets are tallied by their values, so the best mechanism of a block has no likelihood.
    assert {key[1:] for key in tv if key[0] == "5x7"} - {("best", "likelihood")} == {
        (mechanism, method) for mechanism in ("hadamard", "best") for method in (*METHODS, "likelihood")
    } - {("best", "likelihood")}
    assert sum(steps) == estimates(REPEATS)
    for mechanism in ("hadamard", "best"):
        assert tv["LDP", mechanism, "unbiased"] > 1.4
        assert tv["LDP", mechanism, "simplex"] == pytest.approx(tv["LDP", mechanism, "block-simplex"])
        for method in ("simplex", "block-simplex"):
            assert tv["25x35", mechanism, method] < tv["5x7", mechanism, method] < tv["LDP", mechanism, method] < 1


def test_it_is_the_same_again(people, tv):
    again = {(cell.blocks, cell.mechanism, cell.estimator): cell.tv for cell in table1(people, "1", 4, grid=SMALL)}
    assert again == tv
    assert table1(people, "2", 1, grid=SMALL)[0].tv < 0.6 * tv["LDP", "hadamard", "unbiased"]


def test_nothing_can_be_learned_at_epsilon_zero(people):
    with pytest.raises(SordinoError, match="raise epsilon"):
        table1(people, "0", 1, grid=SMALL)


def test_the_simulated_people_are_a_million_on_the_map():
    people = simulated_people()
    assert (people.shape, people.sum(), people.min()) == ((MAP.k,), 1_000_000, 0)
    # New York's two cells.
    assert people.reshape(125, 350)[78, 279:281].sum() > 30_000


def test_the_best_mechanism_is_better_on_the_whole_map():
    tv = {(cell.blocks, cell.mechanism, cell.estimator): cell.tv for cell in table1(simulated_people(), "1", 10)}
    for method in METHODS:
        for blocks, most in {"LDP": 0.98, "5x7": 0.97, "25x35": 0.95, "25x70": 0.95}.items():
            assert tv[blocks, "best", method] < most * tv[blocks, "hadamard", method], (blocks, method)


def test_unequal_blocks_cover_the_map():
    states, people, equal = (blocks_of(name) for name in ("states", "people", "5x10"))
    assert (len(states.sizes), len(people.sizes), len(equal.sizes)) == (48, 50, 50)
    assert all(blocks.sizes.sum() == MAP.k and blocks.sizes.min() > 0 for blocks in (states, people, equal))
    assert states.sizes.max() > 10 * states.sizes.min()
    # Denver and Boston lie in their states.
    denver, boston, middle, other = MAP.locate(
        np.array([39.74, 42.36, 39.0, 42.2]), np.array([-104.99, -71.06, -105.5, -71.5])
    )
    assert states.block[denver] == states.block[middle]
    assert states.block[boston] == states.block[other]
    # By the census no block of the even ones has many times its part; of equal rectangles one has.
    places = us_places()
    cells = MAP.locate(places[:, 0], places[:, 1])
    inside = cells >= 0
    counts = [np.bincount(one.block[cells[inside]], places[inside, 2], minlength=50) for one in (people, equal)]
    assert counts[0].max() < 4 * counts[0].mean() < counts[1].max()
