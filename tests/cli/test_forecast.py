"""`plan` forecasts by a public sample if there is one, and warns where nobody overlooks it."""

import json

import pytest

PAIR = """\
version = 1
epsilon = "1"
[attribute.smoker]
categories = ["yes", "no"]
[attribute.age]
number = { low = 20, high = 80 }
[attribute.weight]
number = { low = 40, high = 140 }
[[ask]]
histogram = "smoker"
[[ask]]
regression = { target = "weight", features = ["age"] }
"""


@pytest.fixture
def survey(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pair.toml").write_text(PAIR)
    rows = [f"{'yes' if i % 10 == 0 else 'no'},{20 + i % 61},{60 + i % 61 / 2 + i % 7}" for i in range(2000)]
    (tmp_path / "sample.csv").write_text("smoker,age,weight\n" + "\n".join(rows) + "\n")
    return tmp_path


def test_a_sample_changes_forecasts_and_nothing_else(survey, run):
    words = ["plan", "pair.toml", "--people", "100000", "--json", "-o"]
    alone, known = (
        json.loads(run(*words, name, *more)[1])
        for name, more in (("a.json", []), ("b.json", ["--expect", "sample.csv"]))
    )
    assert (alone["expected_from"], known["expected_from"]) == (None, "sample.csv")
    plain, expecting = (json.loads((survey / name).read_text()) for name in ("a.json", "b.json"))
    assert plain.pop("hash") != expecting.pop("hash")
    assert all(part.pop("expected") for part in expecting["queries"])
    assert plain == expecting
    # Ages of 20 to 80 alike spread by more than a fifth of their range.
    slopes = [told["questions"][1]["expected"]["age"] for told in (alone, known)]
    assert slopes[1] < 0.6 * slopes[0]
    shares = [told["questions"][0]["expected"]["stderr"] for told in (alone, known)]
    assert shares[1] < shares[0]
    # Always the same.
    assert json.loads(run(*words, "b.json", "--expect", "sample.csv")[1]) == known


def test_a_sample_with_another_value_is_refused_by_its_row(survey, run):
    (survey / "sample.csv").write_text("smoker,age,weight\nyes,30,70\nmaybe,30,70\n")
    code, out, err = run("plan", "pair.toml", "--people", "100000", "-o", "p.json", "--expect", "sample.csv")
    assert (code, out) == (2, "")
    assert "row 2, smoker" in err
    assert not (survey / "p.json").exists()


def test_what_cannot_be_expected_to_be_answered_is_warned_of(survey, run):
    code, out, _ = run("plan", "pair.toml", "--people", "600", "-o", "p.json")
    assert code == 0
    assert "\nWARNING: regression of weight on age: expect NO ANSWER in about " in out
    told = json.loads(run("plan", "pair.toml", "--people", "600", "-o", "p.json", "--json")[1])
    assert [bool(question["warning"]) for question in told["questions"]] == [False, True]
    assert told["warnings"] == [told["questions"][1]["warning"]]
    assert told["questions"][1]["refused"] > 0.05
    assert told["questions"][1]["people_needed"] > told["questions"][1]["people"]


def test_a_survey_from_which_nobody_could_learn_is_refused(survey, run):
    (survey / "pair.toml").write_text(PAIR.replace('"1"', '"1e-9"'))
    code, _, err = run("plan", "pair.toml", "--people", "1000", "-o", "p.json")
    assert code == 2
    assert "must ask something that can be learned" in err
    assert not (survey / "p.json").exists()


def test_explain_folds_all_but_five_sentences(survey, run):
    run("plan", "pair.toml", "--people", "100000", "-o", "p.json")
    folded, unfolded = (run("explain", "p.json", *more)[1] for more in ((), ("--all",)))
    told = json.loads(run("explain", "p.json", "--json")[1])
    said = [line[2:] for line in folded.splitlines() if line.startswith("- ")]
    assert said == told["summary"]
    assert len(said) <= 5
    assert "sordino explain p.json --all" in folded
    everything = told["summary"] + [line for lines in told["details"].values() for line in lines]
    assert [line[2:] for line in unfolded.splitlines() if line.startswith("- ")] == everything
    assert [heading for heading in told["details"] if f"\n{heading}\n" not in unfolded] == []


@pytest.mark.parametrize(
    ("ask", "domain", "about_bins"),
    [
        ('histogram = "age"', "categories = 8", False),
        ('distribution = "age"', "number = { low = 20, high = 80, bins = 8 }", True),
    ],
)
def test_which_intervals_of_a_distribution_an_accuracy_is_about_is_said(survey, run, ask, domain, about_bins):
    (survey / "one.toml").write_text(f'version = 1\nepsilon = "1"\n[attribute.age]\n{domain}\n[[ask]]\n{ask}\n')
    said = " ".join(run("plan", "one.toml", "--accuracy", "0.05", "-o", "one.json")[1].split())
    assert "has an expected half-width of at most 0.05" in said
    assert ("below each edge; those of its bins may be up to twice as wide" in said) is about_bins


@pytest.mark.parametrize(
    ("ask", "sentences"),
    [
        (
            'mean = "age"',
            [
                "2,539 people:",
                "This holds whatever people are like; if they are as assumed below, about 530 are enough.",
            ],
        ),
        (
            'distribution = "age"\nranges = [[20, 35], [35, 50]]',
            [
                "if they are as assumed below, about 2,300 are enough.",
                "Of age these intervals are for the requested ranges.",
                "The whole distribution function of age takes about 13,000 people.",
            ],
        ),
        (
            'distribution = "age"\nquantiles = [0.5]',
            ["Of age these intervals are for the requested quantile, in the share of people below."],
        ),
        (
            'covariance = ["age", "weight"]',
            ["The covariance of age, weight is for people as assumed below; whatever people are like, about 63,000"],
        ),
        (
            'regression = { target = "weight", features = ["age"] }',
            ["The regression of weight on age is for people as assumed below; where its features vary less, more are"],
        ),
    ],
    ids=["mean", "ranges", "quantile", "covariance", "regression"],
)
def test_for_whom_an_accuracy_holds_is_said(survey, run, ask, sentences):
    numbers = [f"[attribute.{name}]\nnumber = {{ low = 20, high = 80, bins = 40 }}" for name in ("age", "weight")]
    asked = "\n".join(number for number, name in zip(numbers, ("age", "weight"), strict=True) if f'"{name}"' in ask)
    (survey / "one.toml").write_text(f'version = 1\nepsilon = "5"\n{asked}\n[[ask]]\n{ask}\n')
    said = " ".join(run("plan", "one.toml", "--accuracy", "0.02", "-o", "one.json")[1].split())
    for sentence in sentences:
        assert sentence in said
    found = json.loads(run("plan", "one.toml", "--accuracy", "0.02", "-o", "two.json", "--json")[1])["accuracy"]
    assert (found["people_as_assumed"] is not None) is ("This holds" in said)
    assert (found["people_at_worst"] != {}) is ("people as assumed below" in said and "This holds" not in said)
