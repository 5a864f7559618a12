// The fields of a plan's document, each by itself: nothing is converted, and no others are taken. What they must be
// together is in consistent.js.

import { marksOf } from "./choices.js";
import { fraction, isAmount, isEpsilon, isRational } from "../channel/fraction.js";
import { QUESTIONNAIRE } from "./questionnaire.js";
import { SERIES } from "../series/series.js";
import { LARGEST_NUMBER, anyOf, both, exactlyOne, fields, isTable, listOf, named, real, tableOf, text, truth, unlike, whole } from "./shapes.js";

const isBound = (found) => found === "inf" || isEpsilon(found);

/** Values of an attribute, or cells of a table, at most. */
export const LARGEST_DOMAIN = 2 ** 22;

/** Values of a matrix of bounds at most. */
export const LARGEST_MATRIX = 256;

/** Of one with logarithms, whose sums are compared one by one. */
const LARGEST_LOGARITHMIC = 64;

/** Whether rows of bounds are square, with a diagonal of zeros. */
function isMatrix(rows) {
  const k = rows.length;
  const most = rows.flat().some((bound) => bound.includes("ln")) ? LARGEST_LOGARITHMIC : LARGEST_MATRIX;
  return k <= most && rows.every((row, value) => row.length === k && row[value] === "0");
}

const PROTECT = both(
  fields({
    "epsilon?": isEpsilon,
    "bounds?": both(listOf(listOf(isBound, 1), 1), isMatrix),
    "blocks?": both(
      fields({ "of?": listOf(whole(0)), "run?": whole(1), "tiles?": both(listOf(whole(1)), (t) => t.length === 2) }),
      exactlyOne(["of", "run", "tiles"]),
    ),
    "sensitive?": listOf(whole(0), 1),
    "metric?": both(
      fields({
        "per?": isRational,
        "positions?": listOf(isRational, 1),
        "tree?": tableOf(listOf(text)),
        "lengths?": tableOf(isRational),
        "map?": fields({ per: isRational, unit: text, row_step: isEpsilon, column_step: isEpsilon }),
      }),
      exactlyOne(["per", "positions", "tree", "map"]),
      ({ tree, lengths }) => tree !== undefined || lengths === undefined,
    ),
  }),
  exactlyOne(["epsilon", "bounds"]),
  (found) => ["blocks", "sensitive", "metric", "bounds"].filter((name) => Object.hasOwn(found, name)).length <= 1,
);

/** A part of the people, as a decimal text. */
const PART = /^0\.\d{0,11}[1-9]$/;

/** An end of a number's range: far enough from the largest double that nothing overflows. */
const END = (found) => real(found) && Math.abs(found) <= 1e60;

/** Whether categories of which several apply can stand in a text, and are few enough; a promise is about all alike. */
function isSeveral(found) {
  const { labels, several, protect } = found;
  if (several === undefined) return true;
  const marks = marksOf(found);
  const plain = (mark) => !mark.startsWith(" ") && !mark.endsWith(" ") && !mark.includes(";");
  return labels.length >= 2 && labels.length <= 60 && several <= labels.length && unlike(marks) && marks.every(plain) && isWhole(protect);
}

const isWhole = (protect) => protect === undefined || (protect.epsilon !== undefined && Object.keys(protect).length === 1);

/** Whether who is not asked has a value, and what protects it is the same for all values. */
function isConditional({ only_if: conditions, not_asked: unasked, number, missing, labels, several, protect }) {
  if (conditions === undefined || number) return unasked === undefined && (conditions === undefined || missing !== undefined);
  return unasked !== undefined && labels !== undefined && (several !== undefined || labels.at(-1) === unasked) && isWhole(protect);
}

const ATTRIBUTE = both(
  fields({
    "labels?": both(listOf(named, 1), unlike),
    "numbers?": whole(1, LARGEST_DOMAIN),
    "grid?": both(
      fields({ south: real, north: real, west: real, east: real, rows: whole(1, LARGEST_DOMAIN), columns: whole(1, LARGEST_DOMAIN) }),
      ({ south, north }) => -90 <= south && south < north && north <= 90,
      ({ west, east }) => -180 <= west && west < east && east <= 180,
      ({ rows, columns }) => rows * columns <= LARGEST_DOMAIN,
    ),
    "number?": both(fields({ low: END, high: END, clip: truth }), (found) => found.low < found.high),
    columns: both(listOf(named, 1), ({ length }) => length <= 2),
    "missing?": text,
    "protect?": PROTECT,
    "delta?": isAmount,
    "several?": whole(1),
    "none?": named,
    "only_if?": both(tableOf(listOf(named, 1)), (found) => Object.keys(found).length > 0),
    "not_asked?": named,
  }),
  exactlyOne(["labels", "numbers", "grid", "number"]),
  ({ labels, missing, number, several, none }) =>
    missing === undefined || (number ? PART.test(missing) : several === undefined ? labels?.includes(missing) : missing === none),
  ({ labels, several, none }) => (several === undefined) === (none === undefined) && (several === undefined || labels !== undefined),
  isSeveral,
  isConditional,
  (found) => !(found.number && found.protect),
  ({ columns, grid }) => columns.length === 1 || grid !== undefined,
);

/** How many people a report stands for, as a decimal text in its shortest form. */
const AMOUNT = /^(?:0|[1-9]\d{0,11})(?:\.\d{0,11}[1-9])?$/;

/** A column that every report says in clear. */
const PUBLIC = both(
  fields({
    name: named,
    labels: both(listOf(named, 1), ({ length }) => length <= 2 ** 16, unlike),
    columns: both(listOf(named, 1), ({ length }) => length === 1),
    "missing?": text,
    "totals?": both(listOf(whole(0)), (found) => found.some(Boolean) && found.reduce((sum, one) => sum + one, 0) <= LARGEST_NUMBER),
    "weights?": listOf((found) => text(found) && AMOUNT.test(found) && found !== "0"),
  }),
  ({ labels, missing }) => missing === undefined || labels.includes(missing),
  ({ totals, weights }) => totals === undefined || weights === undefined,
  ({ labels, totals = labels, weights = labels }) => totals.length === labels.length && weights.length === labels.length,
);

const ascends = (found) => found.every((number, i) => i === 0 || found[i - 1] < number);
const WEIGHT = whole(1, 2 ** 20);
const isShort = ({ length }) => length <= 4096;
const addsUp = (sum, whole) => (whole ? sum === 1e9 : sum <= 1e9);
/** What the people of a question are expected to be like: parts of 10^9, of all values or of those that are listed. */
const EXPECTED = both(
  fields({ parts: both(listOf(whole(0, 1e9), 1), isShort), "values?": both(listOf(whole(0)), ascends) }),
  ({ parts, values }) => values === undefined || values.length === parts.length,
  ({ parts, values }) => addsUp(parts.reduce((sum, part) => sum + part, 0), values === undefined),
);
const QUESTION = anyOf(
  fields({ histogram: text, weight: WEIGHT, subtract_totals: truth, mechanism: isTable, "expected?": EXPECTED }),
  both(
    fields({
      table: listOf(text, 2),
      weight: WEIGHT,
      subtract_totals: truth,
      mechanism: isTable,
      "epsilon?": isEpsilon,
      "expected?": EXPECTED,
    }),
    ({ table }) => table.length <= 8 && unlike(table),
  ),
  fields({
    several: text,
    way: (found) => ["combination", "category"].includes(found),
    weight: WEIGHT,
    subtract_totals: truth,
    mechanism: isTable,
    "expected?": EXPECTED,
  }),
  fields({
    above: text,
    threshold: real,
    weight: WEIGHT,
    epsilon: isEpsilon,
    subtract_totals: truth,
    mechanism: isTable,
    "expected?": EXPECTED,
  }),
  both(
    fields({
      distribution: text,
      weight: WEIGHT,
      epsilon: isEpsilon,
      "bins?": whole(2, 512),
      "edges?": both(listOf(real, 3), ascends),
      mechanism: isTable,
      "spikes?": (found) => found === true,
      quantiles: listOf((found) => text(found) && PART.test(found)),
      ranges: listOf(both(listOf(real, 2), (pair) => pair.length === 2, ascends)),
      "expected?": EXPECTED,
    }),
    exactlyOne(["bins", "edges"]),
  ),
  fields({
    // What is told of a number by one answer and by another one adds up, whatever is known of other attributes.
    numbers: both(listOf(text, 1), unlike),
    asked: (found) => ["mean", "covariance", "regression"].includes(found),
    "base?": tableOf(text),
    "expected?": listOf(EXPECTED),
    weight: WEIGHT,
    queries: fields({
      statistics: listOf(Array.isArray, 1),
      mechanisms: listOf(isTable, 1),
      through: listOf(anyOf(whole(0), listOf(whole(0), 1)), 1),
      weights: listOf(whole(1), 1),
    }),
  }),
);

const TOGETHER = both(listOf(text, 2), unlike, (table) => table.length <= 8);

/** A bound on total variation. */
function isVariation(found) {
  if (!isRational(found)) return false;
  const [a, b] = fraction(found);
  return a >= 0n && a <= b;
}

/** All fields of a plan's document, each by itself. */
export const PLAN = fields({
  format: (found) => found === "sordino plan",
  version: (found) => found === 3,
  hash: text,
  people: whole(1),
  "epsilon?": isEpsilon,
  "dependence?": fields({
    rest: tableOf(isVariation),
    statistics: listOf(fields({ attribute: text, statistic: both(listOf(text, 1), (found) => found.length <= 2), bound: isVariation })),
    "tables?": listOf(fields({ attribute: text, table: TOGETHER, bound: isVariation })),
    "category_signs?": listOf(fields({ attribute: text, category: text, number: text, bound: isVariation })),
    "thresholds?": listOf(fields({ attribute: text, number: text, bound: isVariation })),
    "bins?": tableOf(whole(1)),
    ground: listOf(text),
  }),
  attributes: tableOf(ATTRIBUTE),
  "public?": both(listOf(PUBLIC, 1), ({ length }) => length <= 8),
  queries: listOf(QUESTION, 1),
  "words?": QUESTIONNAIRE,
  "series?": SERIES,
});
