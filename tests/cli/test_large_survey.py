"""Of a survey of many questions the terminal shows one screen; --all shows each question as of a small one."""

import csv

import pytest

COUNT = 60
"""Questions, of more sizes than there are rows."""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A folder with a survey of many questions in words, and some people."""
    folder = tmp_path_factory.mktemp("large")
    sizes = [2 + place % 20 if place % 3 else 3 for place in range(COUNT)]
    lines = ["version = 1", 'epsilon = "2"', "[about]", 'languages = ["en"]']
    for start in range(0, COUNT, 2):
        lines += ["[[section]]", f'title = "Part {start}"', f'attributes = ["q{start}", "q{start + 1}"]']
    for place, size in enumerate(sizes):
        values = ", ".join(f'"v{value}"' for value in range(size))
        lines += [f"[attribute.q{place}]", f"categories = [{values}]", f'text = "What about {place}?"', 'delta = "1"']
    for place in range(COUNT):
        lines += ["[[ask]]", f'histogram = "q{place}"']
    (folder / "large.toml").write_text("\n".join([*lines, ""]))
    with (folder / "people.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(f"q{place}" for place in range(COUNT))
        rows.writerows([f"v{(person * 7 + place) % size}" for place, size in enumerate(sizes)] for person in range(900))
    return folder


@pytest.fixture
def here(large, tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    for name in ("large.toml", "people.csv"):
        (tmp_path / name).write_bytes((large / name).read_bytes())
    return run


def test_each_command_prints_one_screen(here):
    planned = here("plan", "large.toml", "--people", "900", "-o", "large.json")[1]
    here("privatize", "large.json", "people.csv", "-o", "reports.csv")
    estimated = here("estimate", "large.json", "reports.csv")[1]
    explained = here("explain", "large.json")[1]
    assert len(planned.splitlines()) <= 60
    assert len(estimated.splitlines()) <= 40
    assert len(explained.splitlines()) <= 40
    # What is alike is counted: a third of all have three values, and three more of the others.
    for shown in (planned, estimated):
        assert "22 x histogram of 3 values" in shown
        assert "other kinds, " in shown
        assert "--all" in shown
    assert planned.count("WARNING") == 1
    assert "So with 59 more questions" in planned
    assert "Worst forecast: “What about " in planned
    assert "60 as “What about 0?”" in planned
    assert "All 60 certificates hold" in planned
    assert "Part 0: 2 questions" in explained
    assert "... 10 more sections" in explained
    differ = here("estimate", "large.json", "reports.csv", "--difference", "q0", "v0", "v1")[1]
    assert "v0 minus v1" in differ


def test_all_shows_each_question(here):
    planned = here("plan", "large.toml", "--people", "900", "-o", "large.json", "--all")[1]
    here("privatize", "large.json", "people.csv", "-o", "reports.csv")
    estimated = here("estimate", "large.json", "reports.csv", "--all")[1]
    explained = here("explain", "large.json", "--all")[1]
    assert planned.count("people needed for the same squared error") == COUNT
    assert planned.count("WARNING") == COUNT
    assert all(f"“What about {place}?”" in estimated for place in range(COUNT))
    assert all(f"What about {place}?" in explained for place in range(COUNT))
