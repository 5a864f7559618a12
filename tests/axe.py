"""What axe-core says of a page."""

from importlib.resources import files


def violations(page):
    """Nothing: a page that breaks a rule fails, as does one of which axe has hardly anything to check."""
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")
    assert len(found["passes"]) > 10
    assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in found["violations"]] == []
