"""`format` leaves what stands as in the docs, and keeps the comments of what it writes anew near their places."""

from pathlib import Path

import pytest

from sordino.errors import SordinoError
from sordino.forms.survey_format import format_survey

ROOT = Path(__file__).parents[2]
DOCUMENTED = sorted((ROOT / "examples").glob("*/survey.toml"))

SPELLED = '''\
#:schema survey-1.json
# Customers of the shop
title = "Us"  # the title
epsilon = "ln(3)"   # a promise

# All people.
[attribute.x]
# why
question = "Which?"   # as read
options = ["a", # first
  'b "c" # no comment']  # two of them
optional = true  # may skip

# Where.
[attribute.region]  # clear
public = true  # sent
options = ["n", "s"]

[attribute.rec]
type = "nps"  # how likely
hint = """
On
two lines  # no comment"""

[attribute.age]
min = 0  # least
max = 120  # most
only_if = "x = a"

[attribute.m]
choices = [ 1, # one
  2, # two
]
[attribute.m.protect]  # a table
sensitive = ["1"]  # of it

# Questions.
[[questions]]  # the first
histogram = ["x", # both
  "m"]

[[questions]]
shares = "rec"
ranges = [[0, 6], 9]
by = "region"  # by place
[[questions]]
mean = "age"  # last
# The end.
'''

WRITTEN = '''\
#:schema survey-1.json
# Customers of the shop
version = 1
epsilon = "ln 3"   # a promise

[about]
title = "Us"  # the title

# All people.
[attribute.x]
# why
text = "Which?"   # as read
categories = ["a", # first
  'b "c" # no comment', "no answer"]  # two of them
missing = "no answer"  # may skip

# Where.
[public.region]  # clear
# sent
categories = ["n", "s"]

[attribute.rec]
scale = [0, 10]  # how likely
help = """
On
two lines  # no comment"""

[attribute.age]
# least
# most
number = { low = 0, high = 120 }
only_if = { x = "a" }
missing = "0.667"

[attribute.m]
categories = [ "1", # one
  "2", # two
]
[attribute.m.protect]  # a table
sensitive = ["1"]  # of it

# Questions.
[[ask]]  # the first
# both
histogram = "x"

[[ask]]
histogram = "m"

[[ask]]
# by place
distribution = "rec"
ranges = [[0, 6], [9, 9]]
[[ask]]
mean = "age"  # last
# The end.
'''


def test_comments_order_and_blank_lines_stay():
    assert format_survey(SPELLED, "survey.toml") == WRITTEN
    assert format_survey(SPELLED.replace("\n", "\r\n"), "survey.toml") == WRITTEN.replace("\n", "\r\n")


@pytest.mark.parametrize("text", [WRITTEN, *(path.read_text(encoding="utf-8") for path in DOCUMENTED)])
def test_what_is_as_in_the_docs_stays_as_it_is_byte_for_byte(text):
    assert format_survey(text, "survey.toml") == text
    spaced = (
        text.replace("version = 1", "version   =   1 ")
        .replace("[about]", "  [ about ]\t# here")
        .replace("\n\n", "\n \n")
    )
    assert format_survey(spaced, "survey.toml") == spaced


def test_examples_are_looked_at():
    assert len(DOCUMENTED) >= 3


LAYOUTS = {
    "nothing but a table": (
        """\
[attribute.x]
yes_no = true
[[ask]]
histogram = "x"
""",
        """\
version = 1

[attribute.x]
categories = ["yes", "no"]
[[ask]]
histogram = "x"
""",
    ),
    "what a first comment is about": (
        """\
# Us

# Who?
[attribute.x]
bool = true
[[ask]]
histogram = "x"
""",
        """\
# Us

version = 1

# Who?
[attribute.x]
categories = ["yes", "no"]
[[ask]]
histogram = "x"
""",
    ),
    "all in one": (
        """\
ask = [ # zero
 { share = "x" }, # one
  # two
  { mean = "y", by = [ # three
 "z"] } # four
]  # five
attribute = { x = { yes_no = true }, y = { between = [0, 9] }, z = { public = true, values = [1, 2] } }
""",
        """\
version = 1

# five
# zero
[[ask]]  # one
histogram = "x"

# two
[[ask]]  # four
# three
mean = "y"

[attribute.x]
categories = ["yes", "no"]

[attribute.y]
number = { low = 0, high = 9 }

[public.z]
categories = ["1", "2"]
""",
    ),
    "dotted keys": (
        """\
attribute.x.options.file = "x.txt"  # a file
attribute.x.protect.epsilon = "ln(2)"
[[ask]]
histogram = "x"
""",
        """\
version = 1

[attribute.x]
categories.file = "x.txt"  # a file
protect = { epsilon = "ln 2" }
[[ask]]
histogram = "x"
""",
    ),
    "a table that is begun late": (
        """\
[attribute.x.labels]
a = "A"
# of x
[attribute.x]  # again
levels = ["a", "b"]
[[ask]]
histogram = "x"
""",
        """\
version = 1

# of x
[attribute.x]  # again
categories = ["a", "b"]
[attribute.x.labels]
a = "A"
[[ask]]
histogram = "x"
""",
    ),
    "public columns by name, and in an order of their own": (
        """\
public = "x"  # by name
[attribute.x]
yes_no = true
[attribute.y]
yes_no = true
""",
        """\
version = 1

# by name
[public.x]
categories = ["yes", "no"]
[attribute.y]
categories = ["yes", "no"]

[[ask]]
histogram = "y"
""",
    ),
    "a table around it": (
        """\
[survey] # around
name = "Us"
epsilon = 1
[survey.question.x]
bool = true
""",
        """\
version = 1
epsilon = 1

[about]
# around
title = "Us"
[attribute.x]
categories = ["yes", "no"]

[[ask]]
histogram = "x"
""",
    ),
    "what stands twice in a form": (
        """\
title = "A"

[attribute.x]
bool = true
[about] # here
by = "B"
[attribute.y]
yes_no = true
public = true
[public.z]
categories = ["1", "2"]
""",
        """\
version = 1

[attribute.x]
categories = ["yes", "no"]
[about] # here
title = "A"
by = "B"
[public.z]
categories = ["1", "2"]
[public.y]
categories = ["yes", "no"]

[[ask]]
histogram = "x"
""",
    ),
}


@pytest.mark.parametrize(("spelled", "written"), LAYOUTS.values(), ids=LAYOUTS)
def test_any_layout_becomes_tables(spelled, written):
    assert format_survey(spelled, "survey.toml") == written
    assert format_survey(written, "survey.toml") == written


MISTAKES = {
    "no TOML": ("a = \u201cx\u201d", "found curly quotes at line 1, column 5"),
    "said twice": ('[attribute.x]\ntext = "A"\nquestion = "B"\n', "text must be said once: question means the same"),
    "no survey": ("a = 1\n", "attribute must be given"),
    "no tables": ('attribute = "x"\n', "attribute must be"),
    "no list of tables": ('ask = ["x"]\n[attribute.x]\nyes_no = true\n', "ask"),
    "left to be chosen": ('epsilon = "CHOOSE"\n[attribute.x]\nyes_no = true\n', "epsilon must be chosen"),
    "no columns": ("public = 5\n[attribute.x]\nyes_no = true\n", "public must be"),
}


@pytest.mark.parametrize(("text", "words"), MISTAKES.values(), ids=MISTAKES)
def test_what_is_no_survey_is_refused_as_everywhere(text, words):
    with pytest.raises(SordinoError, match=words):
        format_survey(text, "survey.toml")


def test_what_changes_nothing_stays_as_a_comment():
    text = 'epsilon = "1"\npeople = 500  # so many\n[attribute.x]\ncategories = ["a", "b", "c"]\nordered = true\n'
    written = format_survey(text + '[[ask]]\nhistogram = "x"\naccuracy = 0.05\n', "survey.toml")
    assert [line for line in written.split("\n") if line.startswith("#")] == [
        "# so many",
        "# people = 500",
        "# ordered = true",
        "# accuracy = 0.05",
    ]
