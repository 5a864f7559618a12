"""The gallery's notebooks are those of the files beside them, and its page draws from plans that are made today.

That they run, and show what is kept of them, is for `make gallery-check`.
"""

import importlib.util
import json
import re
from pathlib import Path

import pytest

from gallery_cells import FOLDER, SOURCES, cells, notebook
from in_one import in_one
from sordino import certify
from sordino.survey.planning.plan import Plan

ROOT = Path(__file__).parents[2]
PLANS = json.loads((FOLDER / "map" / "plans.json").read_text(encoding="utf-8"))


def without_outputs(cell):
    return {**cell, "source": "".join(cell["source"]), "outputs": [], "execution_count": None}


@in_one("path", SOURCES)
def test_a_notebook_has_the_cells_of_its_file(path):
    made = notebook(path)
    held = json.loads(path.with_suffix(".ipynb").read_text(encoding="utf-8"))
    assert [without_outputs(cell) for cell in held["cells"]] == [without_outputs(cell) for cell in made["cells"]]
    assert {name: own for name, own in held.items() if name != "cells"} == {
        name: own for name, own in made.items() if name != "cells"
    }


@in_one("path", SOURCES)
def test_a_notebook_has_run_from_its_first_cell_to_its_last(path):
    held = json.loads(path.with_suffix(".ipynb").read_text(encoding="utf-8"))
    code = [cell for cell in held["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert not [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert path.with_suffix(".ipynb").stat().st_size < 200_000


@in_one("path", SOURCES)
def test_a_notebook_says_what_is_protected_and_where_its_data_are_from(path):
    made = cells(path.read_text(encoding="utf-8"))
    assert 10 <= len(made) <= 15
    text = "\n".join(source for kind, source in made if kind == "markdown")
    for words in ("**What is protected:**", "**Data:**", "PyPI package", "What to take from it"):
        assert words in text, words
    assert re.search("uniform|even split", text)
    assert f"[{path.stem}.ipynb]({path.stem}.ipynb)" in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_a_file_begins_with_a_cell_and_its_texts_are_comments():
    assert cells("# %% [markdown]\n# # A\n#\n# b\n\n# %%\n1\n") == [("markdown", "# A\n\nb"), ("code", "1")]
    for text in ("x = 1\n# %%\n", "# %% [markdown]\nx = 1\n"):
        with pytest.raises(ValueError, match="must be"):
            cells(text)


def test_the_page_has_the_plans_and_people_that_its_script_makes():
    spec = importlib.util.spec_from_file_location("make_map_page", ROOT / "scripts" / "make_map_page.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.contents() == PLANS
    assert sum(PLANS["people"]) == 20_000


def test_every_position_of_the_sliders_has_a_plan_that_keeps_its_promise():
    texts = PLANS["plans"]
    assert set(texts["uniform"]) == set(PLANS["epsilons"])
    assert set(texts["blocks"]) == {f"{block} {epsilon}" for block in PLANS["blocks"] for epsilon in PLANS["epsilons"]}
    for place, text in [*texts["uniform"].items(), *texts["blocks"].items()]:
        plan = Plan.of_text(text, place)
        assert certify(plan).holds
        assert f'"epsilon":"{place.split()[-1]}"' in text
