"""A device with the base alone: it loads what its plan names and nothing beside, and reads plans of all kinds."""

import json
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import sordino
from commands import PATIENCE
from sordino.document.codec import MECHANISMS
from sordino.document.queries import STATISTICS
from sordino.extras import LIBRARIES
from sordino.survey.kinds import KINDS

VECTORS = Path(__file__).parent / "vectors"

MOST_MODULES = 116
"""Of ours, that one report loads, folders among them."""

PRELOADED = {"_distutils_hack", "_virtualenv", "pkg_resources", "setuptools"}
"""What an environment may load when Python starts."""

REPORT = """
import sys
from sordino.verbs.report import report
report("plan.json", {"version": 1, "record": {"smoker": "yes"}})
print(*sys.modules)
"""

BASE = """
import json, sys
libraries, folder = set(json.loads(sys.argv[1])), sys.argv[2]
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in libraries:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
from pathlib import Path
from sordino import Plan, SordinoError, certify, explain, report
for path in sorted(Path(folder).glob("*.json")):
    vector = json.loads(path.read_text())
    if "plan" in vector:
        Path("plan.json").write_text(vector["plan"])
        plan, said = Plan.load("plan.json"), "explained"
        assert certify(plan).holds
        for asked in vector["reports"][:2]:
            report(plan, {"version": 1, "record": asked["record"]})
        try:
            str(explain(plan))
        except SordinoError as error:
            said = str(error)
        print(path.stem, said, sep=": ")
"""


def done(program, *words, cwd):
    command = [sys.executable, "-c", program, *words]
    ended = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_a_report_loads_the_kinds_mechanisms_and_statistics_of_its_plan_alone(tmp_path):
    survey = {"version": 1, "epsilon": "1", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
    sordino.plan({**survey, "ask": [{"histogram": "smoker"}]}, people=1000).save(tmp_path / "plan.json")
    loaded = set(done(REPORT, cwd=tmp_path).split())
    places = {*KINDS.places.values(), *MECHANISMS.places.values(), *STATISTICS.places.values()}
    here = {module for place in places if (module := place.partition(":")[0]) and f"sordino.{module}" in loaded}
    # What reads numbers stands with the statistics of one and of two.
    assert here == {"survey.kinds.shares.histogram_kind", "mechanism.randomized", "query.number"}
    rooms = ("accounting", "design", "estimation", "once", "show", "survey.reading", "tables", "words")
    assert not {name for name in loaded if name.startswith(tuple(f"sordino.{room}." for room in rooms))}


def test_a_report_loads_numpy_alone_and_few_modules_of_ours(tmp_path):
    """Each module, and each dataclass in one, takes a part of a millisecond: a report is the work of a moment."""
    survey = {"version": 1, "epsilon": "1", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
    survey["attribute"]["age"] = {"number": {"low": 0, "high": 100}}
    asked = {**survey, "ask": [{"histogram": "smoker"}, {"mean": "age"}]}
    sordino.plan(asked, people=1000).save(tmp_path / "plan.json")
    loaded = set(done(REPORT.replace('"yes"}', '"yes", "age": 40}'), cwd=tmp_path).split())
    installed = {name.partition(".")[0] for name in packages_distributions()}
    assert {name for name in loaded if "." not in name} & installed <= {"numpy", "sordino", *PRELOADED}
    assert len({name for name in loaded if name.startswith("sordino.")}) <= MOST_MODULES
    # What few documents need, for which others do not wait.
    assert not loaded & {"difflib", "importlib.metadata", "sqlite3", "ssl", "urllib.request"}
    assert not {name for name in loaded if name.startswith(("sordino.estimation", "sordino.audit.levels"))}


def test_the_base_answers_plans_of_all_kinds_and_names_the_extra_that_explains_some(tmp_path):
    libraries = sorted(set().union(*LIBRARIES.values()))
    lines = done(BASE, json.dumps(libraries), str(VECTORS), cwd=tmp_path).splitlines()
    said = dict(line.split(": ", 1) for line in lines)
    assert len(said) == sum("plan" in json.loads(path.read_text()) for path in VECTORS.glob("*.json"))
    assert said["randomized"] == said["number_window"] == "explained"
    step = "this needs the extra 'plan'; found no scipy: pip install 'sordino[plan]'."
    assert set(said.values()) == {"explained", step}
