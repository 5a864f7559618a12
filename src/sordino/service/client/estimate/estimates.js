// What a published tally says, worked out again from a plan's integers: unbiased shares, means and covariances with their
// standard errors, in doubles.

import { centred, momentsOf } from "./moments.js";
import { rangesOf } from "./ranges.js";
import { countersOf, readingOf, sharesOf } from "./reading.js";

/** What is wrong with a tally, in words. */
export class TallyError extends Error {}

/** The counts of a tally's document; throws TallyError. */
export function countsOf(plan, document) {
  const { format, version, plan: hash, counts } = document ?? {};
  if (format !== "sordino aggregate" || version !== 1) throw new TallyError("The tally is none that this page knows.");
  if (hash !== plan.hash) throw new TallyError("The tally is another plan's.");
  const whole = Array.isArray(counts) && counts.every((count) => Number.isSafeInteger(count) && count >= 0);
  if (!whole) throw new TallyError("The tally must hold whole numbers.");
  return counts;
}

/**
 * Each question with its estimates, or why there are none: `{place, n, rows}` or `{place, why}`, and of
 * distributions the quantiles that are `left`, which are read off a fitted curve; throws TallyError.
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
  const reading = readingOf(question.mechanism);
  const { n, value, stderr } = sharesOf(reading, counts, Boolean(part.subtract_totals));
  const rows = value.map((estimate, x) => ({ label: question.label(x), estimate, stderr: stderr[x] }));
  if (part.distribution === undefined) return { n, rows };
  const places = part.ranges.map((ends) => ends.map((end) => question.edges.indexOf(end)));
  if (places.flat().includes(-1)) throw new RangeError("a range that does not begin and end at edges of the bins");
  const ranges = rangesOf(reading, counts, places).map((found, i) => ({ label: part.ranges[i].join(" to "), ...found }));
  return { n, rows: [...rows, ...ranges], left: part.quantiles };
}

function ofNumbers(part, question, counts) {
  const found = momentsOf(question, counts);
  const units = question.ends.map(({ low, high }) => [(low + high) / 2, (high - low) / 2]);
  const n = countedReports(question, counts);
  if (n < found.names.length) throw new RangeError("fewer reports than numbers that are estimated");
  if (part.asked === "mean") {
    const row = ([middle, half], i) => {
      const at = found.names.indexOf(String(i));
      return { label: part.numbers[i], estimate: middle + half * found.means[at], stderr: half * Math.sqrt(found.covariance[at][at]) };
    };
    return { n, rows: units.map(row) };
  }
  if (part.asked !== "covariance") throw new RangeError("a regression, which this page does not work out");
  const rows = units.flatMap(([, half], i) => units.slice(i).map(([, other], offset) => {
    const told = centred(found, i, i + offset);
    if (!told) throw new RangeError("a tally that does not tell its moments together");
    const unit = half * other;
    return { label: `${part.numbers[i]}, ${part.numbers[i + offset]}`, estimate: unit * told.value, stderr: unit * told.stderr };
  }));
  return { n, rows };
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
