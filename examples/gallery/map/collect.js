// A whole collection on this page: each simulated person's device draws a report by the browser client's interpreter, the reports
// are counted as a collector counts them, and the client's estimator reads the tally. Only the fit is this page's own.

import { FreshWords, estimates, open } from "../../../src/sordino/service/client/index.js";
import { summary } from "../../../src/sordino/service/client/explain.js";
import { Masks } from "../../../src/sordino/service/client/channel/sets.js";

/** Draws between two words about how far they are. */
const STEP = 500;

/** The parts of a channel over blocks; of another one the channel itself. */
function partsOf(mechanism) {
  const values = Array.from({ length: mechanism.k }, (_, value) => value);
  return mechanism.parts ?? [{ inner: mechanism, first: 0n, values }];
}

/** The counters of a question of shares: of subsets one for each value and one for all, else one for each code. */
class Tally {
  constructor(mechanism) {
    let size = 0;
    this.parts = partsOf(mechanism).map((part) => {
      const counters = part.inner.set instanceof Masks ? part.inner.k + 1 : Number(part.inner.outputs);
      size += counters;
      return { ...part, start: size - counters, reports: 0 };
    });
    this.counts = new Array(size).fill(0);
  }

  add(code) {
    const part = this.parts.findLast(({ first }) => first <= code);
    const own = code - part.first;
    part.reports += 1;
    if (!(part.inner.set instanceof Masks)) {
      this.counts[part.start + Number(own)] += 1;
      return;
    }
    for (let value = 0; value < part.inner.k; value += 1) this.counts[part.start + value] += Number((own >> BigInt(value)) & 1n);
    this.counts[part.start + part.inner.k] += 1;
  }
}

/** The nearest numbers that are not negative and add up to a total (projection onto a simplex, by one sort). */
export function nearest(values, total) {
  const descending = [...values].sort((a, b) => b - a);
  let [sum, level] = [0, 0];
  descending.forEach((value, place) => {
    sum += value;
    const own = (sum - total) / (place + 1);
    if (value > own) level = own;
  });
  return values.map((value) => (total > 0 ? Math.max(value - level, 0) : 0));
}

/** Half the sum of all differences: the share of people who would have to move for one map to be the other. */
export const totalVariation = (one, other) => one.reduce((sum, share, cell) => sum + Math.abs(share - other[cell]), 0) / 2;

/** As the package fits by default: within each block the nearest distribution, with the block's share of the reports. */
function fitted(parts, shares, n) {
  const found = new Array(shares.length);
  for (const { values, reports } of parts) {
    nearest(values.map((value) => shares[value]), reports / n).forEach((share, place) => (found[values[place]] = share));
  }
  return found;
}

/**
 * What comes of asking `people`, a count of each cell: the `counts` of the tally, unbiased `shares` and the `fitted` ones,
 * and what a report `reveals`, in the sentences that a form shows.
 * Throws PlanError where the plan's integers do not keep its promise. `progress` hears of the share of reports that are drawn.
 */
export async function collect(text, people, progress = () => {}) {
  const found = await open(text);
  const { plan, questions } = found;
  const [attribute] = Object.keys(plan.attributes);
  const [words, tally] = [new FreshWords(), new Tally(questions.asked[0].mechanism)];
  const n = people.reduce((a, b) => a + b, 0);
  let drawn = 0;
  people.forEach((count, cell) => {
    for (let person = 0; person < count; person += 1) {
      tally.add(questions.draw({ [attribute]: cell }, words).code);
      drawn += 1;
      if (drawn % STEP === 0 || drawn === n) progress(drawn / n);
    }
  });
  const [{ rows, why }] = estimates(questions, { format: "sordino aggregate", version: 1, plan: plan.hash, counts: tally.counts });
  if (!rows) throw new RangeError(why);
  const shares = rows.map(({ estimate }) => estimate);
  return { counts: tally.counts, shares, fitted: fitted(tally.parts, shares, n), reveals: summary(found).sentences };
}
