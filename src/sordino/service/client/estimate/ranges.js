// The share of the people between two edges of a number's bins: a linear function of the codes, and so are its errors.
// Of a number that may be missing among those who have it: with y the share of people in the range and s of those who
// have the number, y / s, and its first-order error; and the share of those who lack it.

import { REACH } from "./given.js";

const added = (list) => list.reduce((all, one) => all + one, 0);

/** The mean of what reports add, and its standard error by a tally that may be known better. */
function meanOf(counts, code, known = counts) {
  const n = added(counts);
  const mean = (tally) => added(tally.map((count, y) => (count / n) * code[y]));
  const middle = mean(known);
  const variance = added(known.map((count, y) => (count / n) * (code[y] - middle) ** 2));
  return { estimate: mean(counts), stderr: Math.sqrt(variance / n) };
}

/** What each code adds to the share of the people between two bins. */
function addsOf({ axes }, [first, last]) {
  if (axes?.length !== 1) throw new RangeError("its ranges are of a channel without a window");
  const rows = axes[0].adds.slice(first, last);
  return axes[0].adds[0].map((_, y) => added(rows.map((row) => row[y])));
}

/**
 * Of bits about thresholds, codes t and t + k - 1 for each of the k - 1, the same tally with each threshold drawn as often as it is
 * expected to be, and no bit rarer than the lie: how often it was drawn tells nothing of the people, and of one that nobody drew that
 * there is no error.
 */
function expected(counts, { k, truth }) {
  if (truth === undefined) return counts;
  const each = counts.reduce((a, b) => a + b, 0) / (k - 1);
  return counts.map((count, code) => {
    const drawn = count + counts[(code + k - 1) % counts.length];
    return each * (drawn ? Math.min(Math.max(count / drawn, 1 - truth), truth) : 0.5);
  });
}

/** The unbiased share from each first bin to before each last one, and its standard error: `[first, last]` to `{estimate, stderr}`. */
export function rangesOf(reading, counts, ranges) {
  const known = expected(counts, reading);
  return ranges.map((range) => {
    const code = addsOf(reading, range);
    const { estimate, stderr } = meanOf(counts, code, known);
    return { estimate, stderr: Math.max(stderr, leastError(reading, range, code, known)) };
  });
}

/** What the share's error is at least, whoever the people are: reports show less where all say the same. */
function leastError({ axes: [{ rows }] }, [first, last], code, known) {
  if (last - first === rows.length) return 0;
  const n = added(known);
  const squares = rows.map((row) => added(row.map((chance, y) => chance * code[y] ** 2)));
  const least = (inside) => Math.min(...squares.filter((_, x) => (x >= first && x < last) === inside));
  const mean = added(known.map((count, y) => (count / n) * code[y]));
  const p = Math.min(Math.max(mean, 1 / (n + 1)), n / (n + 1));
  return Math.sqrt(Math.max(p * least(true) + (1 - p) * least(false) - p * p, 0) / n);
}

/** A mean and its error, which is at least what the value alone causes whose reports vary the least: few need not show it. */
function meanOfSome({ axes: [{ rows }] }, counts, code, known) {
  const { estimate, stderr } = meanOf(counts, code, known);
  const spread = rows.map((row) => added(row.map((chance, y) => chance * code[y] ** 2)) - added(row.map((chance, y) => chance * code[y])) ** 2);
  return { estimate, stderr: Math.max(stderr, Math.sqrt(Math.max(Math.min(...spread), 0) / added(counts))) };
}

/** The tally with one report more, of somebody of whom nothing is known: few that all say the same would show no noise. */
function oneMore({ axes: [{ rows }] }, counts) {
  const n = added(counts);
  const one = counts.map((_, y) => added(rows.map((row) => row[y])) / rows.length);
  return counts.map((count, y) => (n * (count + one[y])) / (n + 1));
}

/** The same among those who have one of so many bins, as `rows`, and who has none, as `missing`. */
export function rangesGiven(reading, counts, ranges, bins) {
  const given = addsOf(reading, [0, bins]);
  const known = oneMore(reading, counts);
  const { estimate: share, stderr } = meanOfSome(reading, counts, given, known);
  if (!(share > REACH * stderr)) throw new RangeError("the reports do not show that anybody has the number");
  const rows = ranges.map((range) => {
    const code = addsOf(reading, range);
    const ratio = meanOf(counts, code).estimate / share;
    return meanOfSome(reading, counts, code.map((own, y) => ratio + (own - ratio * given[y]) / share), known);
  });
  return { rows, missing: { estimate: 1 - share, stderr } };
}

/** Standard errors of an interval of 95 %, less what the order of additions may change. */
const SURE = REACH - 1e-6;

/**
 * Between which edges the numbers lie that parts of the people do not exceed, at least: from the last edge that surely lies below one to
 * the first that surely does not, each edge looked at by itself. `bins` of a number that may be missing: among those who have it.
 */
export function quantilesOf(reading, counts, edges, parts, bins) {
  const inner = edges.slice(1, -1);
  const told = bins === undefined ? belowEdges(reading, counts, inner.length) : belowEdgesGiven(reading, counts, inner.length, bins);
  return parts.map((part) => {
    const away = inner.map((_, i) => SURE * told.stderr(i, part));
    const below = inner.filter((_, i) => told.share[i] + away[i] < part);
    const above = inner.filter((_, i) => told.share[i] - away[i] >= part);
    const ends = [below.at(-1) ?? edges[0], above[0] ?? edges.at(-1)];
    return { low: Math.min(...ends), high: Math.max(...ends) };
  });
}

/** The unbiased share of the people below each edge between two bins, and its standard error, whatever the part. */
function belowEdges(reading, counts, edges) {
  const found = rangesOf(reading, counts, Array.from({ length: edges }, (_, i) => [0, i + 1]));
  return { share: found.map(({ estimate }) => estimate), stderr: (i) => found[i].stderr };
}

/** The same among those who have the number, and the error by which each is told from a part of them. */
function belowEdgesGiven(reading, counts, edges, bins) {
  const given = addsOf(reading, [0, bins]);
  const known = oneMore(reading, counts);
  const share = meanOf(counts, given).estimate;
  const codes = Array.from({ length: edges }, (_, i) => addsOf(reading, [0, i + 1]));
  const away = (i, part) => codes[i].map((own, y) => own - part * given[y]);
  return { share: codes.map((code) => meanOf(counts, code).estimate / share), stderr: (i, part) => meanOfSome(reading, counts, away(i, part), known).stderr / share };
}
