import pytest

from in_one import in_one
from sordino.show.html.figures.lettering import MISSING, drawable, families, fit, for_markup, percent


def test_the_first_family_comes_with_matplotlib():
    assert families()[0] == "DejaVu Sans"


@in_one("text", ["", "short", "words " * 40, "x" * 200, "日本語" * 40, "\0\n\t"])
@in_one("lines", [1, 2])
def test_lines_are_few_and_short(text, lines):
    fitted = fit(text, 30, lines).split("\n")
    assert len(fitted) <= lines
    assert all(len(line) <= 30 for line in fitted)


def test_names_end_a_line_at_an_underscore_and_keep_their_beginning():
    assert fit("waist_circumference", 14, 2) == "waist_\ncircumference"
    assert fit("waist_circumference", 14) == "waist_circumf\N{HORIZONTAL ELLIPSIS}"
    assert fit("a_name_of_many_words_and_more", 10, 2) == "a_name_of_\nmany_wor\N{HORIZONTAL ELLIPSIS}".replace(
        "wor", ""
    )
    assert fit("__init__", 30, 2) == "__init__"


def test_short_texts_stay():
    assert fit("Straße\N{NO-BREAK SPACE}5", 30) == "Straße 5"


def test_what_no_font_draws_becomes_a_square_in_files_of_pixels_only():
    assert fit("a\U0010fffd\ud800\0b", 30) == "a\U0010fffd\\ud800\\x00b"
    assert drawable("a\U0010fffd\ud800\0b") == f"a{MISSING}\\ud800\\x00b"


@in_one("code", [0, 7, 27, 127, 0x85, 0x9B, 0x202E, 0x2066, 0xD800])
def test_what_hides_is_spelled_out(code):
    assert for_markup(f"a{chr(code)}b") == "a" + chr(code).encode("unicode_escape").decode() + "b"


@pytest.mark.parametrize("code", [0xFFFE, 0xFFFF, 0x10FFFF])
def test_what_no_document_can_hold_becomes_a_square(code):
    assert for_markup(f"a{chr(code)}b") == f"a{MISSING}b"


@pytest.mark.parametrize(
    "text", ["日本語", "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{ROCKET}", "العربية", "a\N{NO-BREAK SPACE}b"]
)
def test_letters_of_all_scripts_stay(text):
    assert for_markup(text) == text


@in_one(
    ("share", "decimals", "text"),
    [
        (0.07, None, "7 %"),
        (1e-7, None, "0.00001 %"),
        (-0.5, None, "\N{MINUS SIGN}50 %"),
        (-1e-9, 1, "0.0 %"),
        (-1e-15, None, "0 %"),
        (1, None, "100 %"),
        (0.12345, 2, "12.35 %"),
    ],
)
def test_percentages(share, decimals, text):
    assert percent(share, decimals) == text.replace(" ", "\N{NO-BREAK SPACE}")
