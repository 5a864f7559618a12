// What a published tally says, worked out again from a plan's integers: unbiased shares, means, covariances and coefficients with their
// standard errors, in doubles.

import { columnsOf, unitOf } from "./columns.js";
import { given, ofCompleteCases, ofThoseWhoHave } from "./given.js";
import { centred, momentsOf } from "./moments.js";
import { leastSquares } from "./regression.js";
import { quantilesOf, rangesGiven, rangesOf } from "./ranges.js";
import { countersOf, readingOf, sharesOf } from "./reading.js";
import { ofSeveral } from "./several.js";
import { joinNames } from "../plan/cells.js";

/** What is wrong with a tally, in words. */
export class TallyError extends Error {}

const STRING = /"(?:[^"\\]|\\.)*"/g;
const NUMBER = /-?\d[\d.eE+-]*/g;

/** Whether a number of JSON is a whole one in digits alone, which a double holds. */
const isWhole = (text) => /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text));

/**
 * A tally's document from its text, all of whose numbers are whole ones in digits alone, as the package takes them; throws TallyError.
 * @param {string} text
 */
export function readTally(text) {
  let document;
  try {
    document = JSON.parse(text);
  } catch {
    throw new TallyError("The tally must be JSON.");
  }
  if (![...text.replace(STRING, "").matchAll(NUMBER)].every(([number]) => isWhole(number))) throw new TallyError(WHOLE);
  return document;
}

const WHOLE = "The tally must hold whole numbers.";

/** The counts of a tally's document; throws TallyError. */
export function countsOf(plan, document) {
  const { format, version, plan: hash, counts } = document ?? {};
  if (format !== "sordino aggregate" || version !== 1) throw new TallyError("This page does not know the format of the tally.");
  if (hash !== plan.hash) throw new TallyError("The tally belongs to a different plan.");
  // Their sum too: a double holds no other whole number for certain.
  const whole = Array.isArray(counts) && [...counts, counts.reduce((a, b) => a + b, 0)].every((count) => Number.isSafeInteger(count) && count >= 0);
  if (!whole) throw new TallyError(WHOLE);
  return counts;
}

/**
 * Each question with its estimates, or why there are none: `{place, n, rows}` or `{place, why}`; beside the rows, `{label, estimate,
 * stderr}`, of a distribution `quantiles`, `{label, low, high}`, and what is `unsaid`, with why; throws TallyError.
 * @param {import("../plan/draw.js").Questions} questions
 * @param {any} document a tally, as a collector publishes it
 * @returns {{place: number, n?: number, rows?: {label: string, estimate: number, stderr: number}[], why?: string,
 *   quantiles?: {label: string, low: number, high: number}[], unsaid?: string[]}[]}
 */
export function estimates(questions, document) {
  const counts = countsOf(questions.plan, document);
  const sizes = questions.asked.map(countersOf);
  if (sizes.reduce((a, b) => a + b, 0) !== counts.length) throw new TallyError("The tally must have a count for each of the plan's counters.");
  let first = 0;
  return questions.asked.map((question, place) => {
    const own = counts.slice(first, first + sizes[place]);
    first += sizes[place];
    try {
      return { place, ...ofQuestion(questions.plan.queries[place], question, own) };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { place, why: error.message };
    }
  });
}

function ofQuestion(part, question, counts) {
  if (part.numbers) return ofNumbers(part, question, counts);
  const reading = readingOf(question.mechanism, part.distribution !== undefined);
  if (part.distribution !== undefined) return ofDistribution(part, question, reading, counts);
  if (part.several !== undefined) return ofSeveral(question, reading, counts, part.subtract_totals);
  const { n, value, stderr } = sharesOf(reading, counts, Boolean(part.subtract_totals));
  return { n, rows: value.map((estimate, x) => ({ label: question.label(x), estimate, stderr: stderr[x] })) };
}

/** The ranges that are asked, by the places of their edges. */
function placesOf({ ranges }, { edges }) {
  const places = ranges.map((ends) => ends.map((end) => edges.indexOf(end)));
  if (places.flat().includes(-1)) throw new RangeError("a range does not begin and end at edges of the bins");
  return places;
}

/** Between which edges, or values of a scale, each quantile that is asked lies: where between is read off a fitted curve, which is not worked out here. */
function quantilesOfPart({ quantiles }, question, reading, counts) {
  const bins = question.mayMiss ? question.bins : undefined;
  const found = quantilesOf(reading, counts, question.edges, quantiles.map(Number), bins);
  // On a scale, where each whole number has a bin of its own, between which of these.
  const isScale = question.edges.every((edge, i) => Number.isInteger(edge - 0.5) && edge === question.edges[0] + i);
  const ends = ({ low, high }) => (isScale ? { low: low + 0.5, high: Math.max(low + 0.5, high - 0.5) } : { low, high });
  return quantiles.map((text, i) => ({ label: `quantile ${text}`, ...ends(found[i]) }));
}

/** Bins and ranges; of a number that may be missing among those who have it, and the share of those who lack it. */
function ofDistribution(part, question, reading, counts) {
  const n = reading.total(counts);
  if (n === 0) throw new RangeError("nobody answered it");
  const bins = Array.from({ length: question.bins }, (_, bin) => [bin, bin + 1]);
  const ranges = [...bins, ...placesOf(part, question)];
  const { rows, missing } = question.mayMiss ? rangesGiven(reading, counts, ranges, question.bins) : { rows: rangesOf(reading, counts, ranges) };
  const labels = [...bins.map(([bin]) => question.label(bin)), ...part.ranges.map((range) => range.join(" to "))];
  const lacking = missing ? [{ label: "missing", ...missing }] : [];
  const unsaid = ["the mean and the standard deviation, which the collector makes of the bins"];
  return { n, rows: [...rows.map((row, i) => ({ label: labels[i], ...row })), ...lacking], quantiles: quantilesOfPart(part, question, reading, counts), unsaid };
}

function ofNumbers(part, question, counts) {
  const { found, share } = ofCompleteCases(momentsOf(question, counts));
  const cases = share ? [{ label: "complete cases", ...share }] : [];
  const units = part.base ? [] : question.ends.map(unitOf);
  const n = countedReports(question, counts);
  if (n < found.names.length) throw new RangeError("there are fewer reports than numbers to estimate");
  if (part.asked === "mean") return { n, ...ofMeans(part.numbers, found, units) };
  if (part.asked === "regression") {
    const columns = columnsOf(part, question.attributes, found);
    const labels = ["intercept", ...columns.labels];
    return { n, rows: [...leastSquares(columns.found, columns.units).map((row, i) => ({ label: labels[i], ...row })), ...cases] };
  }
  const rows = units.flatMap(([, half], i) => units.slice(i).map(([, other], offset) => {
    const told = centred(found, i, i + offset);
    if (!told) throw new RangeError("the tally does not have its moments together");
    const unit = half * other;
    const label = joinNames(offset ? [part.numbers[i], part.numbers[i + offset]] : [part.numbers[i]]);
    return { label, estimate: unit * told.value, stderr: unit * told.stderr };
  }));
  return { n, rows: [...rows, ...cases] };
}

/** Means, then the shares of those who lack a number that may be missing. */
function ofMeans(labels, found, units) {
  const [rows, shares, unsaid] = [[], [], []];
  units.forEach(([middle, half], i) => {
    const at = found.names.indexOf(String(i));
    const mayMiss = found.names.includes(given(i));
    const everybody = () => ({ mean: { estimate: found.means[at], stderr: Math.sqrt(found.covariance[at][at]) } });
    const { mean, missing } = mayMiss ? ofThoseWhoHave(found, i) : everybody();
    if (mean) rows.push({ label: labels[i], estimate: middle + half * mean.estimate, stderr: half * mean.stderr });
    else unsaid.push(`the mean of ${labels[i]}, for reports do not tell whether anybody has it`);
    if (missing) shares.push({ label: `${labels[i]} missing`, ...missing });
  });
  return { rows: [...rows, ...shares], unsaid };
}

/** How many reports a question has: of queries that are answered together each counts once. */
function countedReports(question, counts) {
  let first = 0;
  let all = 0;
  for (const query of question.queries) {
    query.forEach(({ mechanism }, part) => {
      const size = Number(mechanism.outputs);
      if (part === 0) all += counts.slice(first, first + size).reduce((a, b) => a + b, 0);
      first += size;
    });
  }
  return all;
}
