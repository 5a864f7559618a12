// What must hold of each table of a plan's document beside its fields, which are in tables.js: nothing is converted, and no
// others are taken. What tables must be together is in consistent.js.

import { marksOf } from "./choices.js";
import { fraction, isAmount, isEpsilon, isRational } from "../channel/fraction.js";
import { WORDS_OF_PLAN } from "./questionnaire.js";
import { isSeries } from "../series/series.js";
import { LARGEST_NUMBER, anyOf, both, exactlyOne, fields, isTable, listOf, real, settings, tableOf, unlike, whole } from "./shapes.js";
import { planFields } from "./tables.js";

const isSome = ({ length }) => length > 0;
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

/** How many people a report stands for, as a decimal text in its shortest form. */
const AMOUNT = /^(?:0|[1-9]\d{0,11})(?:\.\d{0,11}[1-9])?$/;

const ascends = (found) => found.every((number, i) => i === 0 || found[i - 1] < number);
const addsUp = (sum, whole) => (whole ? sum === 1e9 : sum <= 1e9);

/** A bound on total variation. */
function isVariation(found) {
  if (!isRational(found)) return false;
  const [a, b] = fraction(found);
  return a >= 0n && a <= b;
}

const BOUND = [settings({ bound: isVariation })];

// What is told of a number by one answer and by another one adds up, whatever is known of other attributes.
const NUMBERS = [
  settings({
    numbers: unlike,
    queries: fields({
      statistics: listOf(Array.isArray, 1),
      mechanisms: listOf(isTable, 1),
      through: listOf(anyOf(whole(0), listOf(whole(0), 1)), 1),
      weights: listOf(whole(1), 1),
    }),
  }),
];

/** By what the kinds of questions are known that a page can ask; the package may know more. */
const KINDS = ["histogram", "table", "several", "above", "distribution", "numbers"];

/** All fields of a plan's document, each by itself. */
export const PLAN = planFields({
  ...WORDS_OF_PLAN,
  SeriesPart: [isSeries],
  GridPart: [
    settings({ rows: whole(1, LARGEST_DOMAIN), columns: whole(1, LARGEST_DOMAIN) }),
    ({ south, north }) => -90 <= south && south < north && north <= 90,
    ({ west, east }) => -180 <= west && west < east && east <= 180,
    ({ rows, columns }) => rows * columns <= LARGEST_DOMAIN,
  ],
  NumberPart: [settings({ low: END, high: END, edges: both(({ length }) => 3 <= length && length <= 513, ascends) }), ({ low, high }) => low < high],
  BlocksPart: [exactlyOne(["of", "run", "tiles"])],
  MapMetricPart: [settings({ per: isRational, row_step: isEpsilon, column_step: isEpsilon })],
  MetricPart: [
    settings({ per: isRational, positions: listOf(isRational, 1), lengths: tableOf(isRational) }),
    exactlyOne(["per", "positions", "tree", "map"]),
    ({ tree, lengths }) => tree !== undefined || lengths === undefined,
  ],
  ProtectPart: [
    settings({ epsilon: isEpsilon, bounds: both(listOf(listOf(isBound, 1), 1), isMatrix), sensitive: isSome }),
    exactlyOne(["epsilon", "bounds"]),
    (found) => ["blocks", "sensitive", "metric", "bounds"].filter((name) => Object.hasOwn(found, name)).length <= 1,
  ],
  AttributePart: [
    settings({ labels: both(isSome, unlike), numbers: whole(1, LARGEST_DOMAIN), delta: isAmount }),
    exactlyOne(["labels", "numbers", "grid", "number"]),
    ({ labels, missing, number, several, none }) =>
      missing === undefined || (number ? PART.test(missing) : several === undefined ? labels?.includes(missing) : missing === none),
    ({ labels, several, none }) => (several === undefined) === (none === undefined) && (several === undefined || labels !== undefined),
    isSeveral,
    isConditional,
    ({ number, protect }) => number === undefined || isWhole(protect),
    ({ columns, grid }) => columns.length === 1 || grid !== undefined,
  ],
  PublicPart: [
    settings({
      labels: unlike,
      totals: (found) => found.some(Boolean) && found.reduce((sum, one) => sum + one, 0) <= LARGEST_NUMBER,
      weights: (found) => found.every((weight) => AMOUNT.test(weight) && weight !== "0"),
    }),
    ({ labels, missing }) => missing === undefined || labels.includes(missing),
    ({ totals, weights }) => totals === undefined || weights === undefined,
    ({ labels, totals = labels, weights = labels }) => totals.length === labels.length && weights.length === labels.length,
  ],
  // What the people of a question are expected to be like: parts of 10^9, of all values or of those that are listed.
  ExpectedPart: [
    settings({ values: ascends }),
    ({ parts, values }) => values === undefined || values.length === parts.length,
    ({ parts, values }) => addsUp(parts.reduce((sum, part) => sum + part, 0), values === undefined),
  ],
  TablePart: [settings({ epsilon: isEpsilon, table: unlike, together: (found) => found }), ({ epsilon, together }) => epsilon === undefined || !together],
  AbovePart: [settings({ epsilon: isEpsilon })],
  DistributionPart: [
    settings({
      epsilon: isEpsilon,
      bins: whole(2, 512),
      edges: both(({ length }) => length >= 3, ascends),
      ranges: (found) => found.every(ascends),
    }),
    exactlyOne(["bins", "edges"]),
  ],
  MeanPart: NUMBERS,
  CovariancePart: NUMBERS,
  RegressionPart: NUMBERS,
  DependencePart: [settings({ rest: tableOf(isVariation) })],
  StatisticPart: BOUND,
  TableBoundPart: [...BOUND, settings({ table: unlike })],
  CategorySignBoundPart: BOUND,
  ThresholdBoundPart: BOUND,
  PlanDocument: [settings({ epsilon: isEpsilon }), ({ queries }) => queries.every((own) => KINDS.some((name) => Object.hasOwn(own, name)))],
});
