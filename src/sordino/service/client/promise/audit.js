// What a report can reveal at most, from the integers of a plan's channels, and whether that keeps what the plan
// promises: comparisons of BigInts with e^epsilon, exactly. A ratio is [numerator, denominator], and null has no limit.

import { axes, size } from "../channel/combined.js";
import { amount, compare, times, within } from "../channel/fraction.js";
import { hasHidden, protectedPairs, stepBound } from "../plan/pairs.js";
import { WORD } from "../channel/words.js";

const ONE = [1n, 1n];

/** Products of values, values and codes that are gone through at most. */
const MOST = 3e7;

/** The larger of two ratios. */
export const larger = (one, other) => (one === null || other === null ? null : compare(one, other) < 0 ? other : one);

const quotient = (a, b) => (b === 0n ? (a === 0n ? ONE : null) : [a, b]);

/** The most that any code favours one value over another, where all weights are of two sizes. */
function ofLevels([[first, codes], [second, others]]) {
  if (codes === 0n || others === 0n) return ONE;
  return larger(quotient(first * others, second * codes), quotient(second * codes, first * others));
}

/** The same of one value over another, by their rows. */
function ofRows(one, other) {
  return one.reduce((worst, weight, code) => larger(worst, quotient(weight, other[code])), ONE);
}

/** The most that any code favours one value over another. */
export function favour(mechanism, value, other) {
  if (value === other) return ONE;
  if (mechanism.levels) return ofLevels(mechanism.levels);
  if (mechanism.rows) return ofRows(mechanism.rows[value], mechanism.rows[other]);
  if (mechanism.beside) return worst(mechanism);
  if (mechanism.parts) {
    const [[part, place], [second, there]] = [mechanism.place[value], mechanism.place[other]];
    return part === second ? favour(part.inner, place, there) : null;
  }
  if (mechanism.axes) {
    const [from, to] = [mechanism.digits(value), mechanism.digits(other)];
    return mechanism.axes.reduce((all, axis, i) => product(all, favour(axis, from[i], to[i])), ONE);
  }
  return overHidden(mechanism, mechanism.place.has(value), mechanism.place.has(other));
}

const product = (one, other) => (one === null || other === null ? null : times(one, other));

/** Of a value over another, where values that are not sensitive hide among the codes of those that are. */
function overHidden({ inner, hidden }, own, others) {
  if (!own) return null;
  if (others) return ofLevels(inner.levels);
  const codes = inner.levels[0][1] + inner.levels[1][1];
  return inner.levels.reduce((worst, [weight, n]) => larger(worst, quotient(weight * codes, n * hidden)), ONE);
}

/** What would take a page too long to go through: neither kept nor broken. */
export class UncheckedError extends Error {}

const TOO_MANY = "more pairs of values than a page can go through";

/** The most that any code favours any value over any other. */
export function worst(mechanism) {
  if (mechanism.k === 1) return ONE;
  if (mechanism.levels) return ofLevels(mechanism.levels);
  if (mechanism.beside) return mechanism.beside.map(ofWeights).reduce(larger);
  if (mechanism.axes) return mechanism.axes.reduce((all, axis) => product(all, worst(axis)), ONE);
  // Which level was drawn tells nothing of the value.
  if (mechanism.levelled) return mechanism.levelled.map(worst).reduce(larger, ONE);
  // Each code has each weight of the table on some pattern.
  if (mechanism.table) return ofWeights(mechanism.table);
  const { rows } = mechanism;
  return rows ? rows[0].reduce((all, _, code) => larger(all, ofColumn(rows, code)), ONE) : null;
}

function ofColumn(rows, code) {
  return ofWeights(rows.map((row) => row[code]));
}

/** The most of some weights over the least. */
function ofWeights(column) {
  const least = column.reduce((a, b) => (a < b ? a : b));
  return quotient(column.reduce((a, b) => (a > b ? a : b)), least);
}

/** Whether a mechanism keeps what is promised about its attribute; throws UncheckedError where that takes too long. */
export function keeps(mechanism, attribute) {
  const { protect } = attribute;
  if (protect.epsilon && !protect.metric) {
    const bound = amount(protect.epsilon);
    const kept = (found) => found !== null && within(found, bound);
    if (!protect.blocks && !protect.sensitive) return kept(worst(mechanism));
    if (mechanism.levels) return kept(worst(mechanism));
    if (mechanism.parts) return mechanism.parts.every((part) => kept(worst(part.inner)));
    if (mechanism.hidden !== undefined) return kept(overHidden(mechanism, true, true)) && kept(overHidden(mechanism, true, false));
  }
  const k = size(attribute);
  const each = mechanism.rows ? Number(mechanism.outputs) : 1;
  if (k * (protect.metric && !hasHidden(attribute) ? 4 : k) * each > MOST) throw new UncheckedError(TOO_MANY);
  if (mechanism.axes) return keepsAlong(mechanism, attribute);
  const known = new Map();
  for (const [value, other, bound] of protectedPairs(attribute)) {
    if (!isKept(favour(mechanism, value, other), bound, known)) return false;
  }
  return true;
}

/** Whether a ratio is at most e^bound: many are alike. */
function isKept(found, bound, known) {
  if (found === null) return false;
  const key = `${found}|${bound.rational}|${bound.ratio}`;
  if (!known.has(key)) known.set(key, within(found, bound));
  return known.get(key);
}

/** The same of a channel along each axis: what two values next to each other differ in is one of its digits. */
function keepsAlong(mechanism, attribute) {
  const known = new Map();
  return axes(attribute).every((axis, i) => axis.steps.every(([one, other, length]) => {
    const bound = stepBound(axis, attribute.protect.epsilon, length);
    return [[one, other], [other, one]].every(([value, its]) => isKept(favour(mechanism.axes[i], value, its), bound, known));
  }));
}

/** What is wrong with the integers themselves, or null; throws UncheckedError where that takes too long. */
export function broken(mechanism, attribute) {
  // Of a tree each code has a weight on each value, which is worked out once it is asked for.
  if (mechanism.near && mechanism.k ** 2 > MOST / 4) throw new UncheckedError(TOO_MANY);
  const wrong = ofUnlikeParts(mechanism, attribute) ?? ofNoChances(mechanism);
  if (wrong) return wrong;
  const inner = [mechanism.inner, ...(mechanism.parts ?? []).map((part) => part.inner), ...(mechanism.axes ?? []), ...(mechanism.levelled ?? [])];
  return inner.filter((one) => one && !Array.isArray(one)).map((one) => broken(one, null)).find(Boolean) ?? null;
}

/** What of a mechanism is not about the values that it is for: the comparisons go through the latter. */
function ofUnlikeParts(mechanism, attribute) {
  const { k, axes: own, inner, hidden, outputs, place, rows, sizes, table, window } = mechanism;
  if (attribute && k !== size(attribute)) return "another number of values";
  if (own?.some((axis, i) => axis.k !== sizes[i])) return "an axis of another number of values";
  if (hidden !== undefined && inner.k !== place.size) return "another number of sensitive values";
  if (window !== undefined && (window < 1n || window > BigInt(k))) return "a window that is not from 1 to the number of values";
  if (table && !Number.isInteger(Math.log2(table.length))) return "flips of no whole number of bits";
  return rows?.some((row) => BigInt(row.length) !== outputs) ? "rows of unlike lengths" : null;
}

function ofNoChances(mechanism) {
  if (mechanism.levels) {
    const [[first, codes], [second, others]] = mechanism.levels;
    if (codes < 0n || others < 0n || codes + others === 0n) return "codes that are fewer than none";
    if (first < 0n || second < 0n) return "a threshold beyond 64 bits";
    if ((codes === 0n && first > 0n && mechanism.k > 1) || (others === 0n && second > 0n && mechanism.k > 1)) {
      return "chances of codes that are none";
    }
  }
  const { rows, total = WORD } = mechanism;
  if (rows?.some((row) => row.reduce((a, b) => a + b, 0n) !== total) || total <= 0n || total > WORD) return "rows of unlike sums";
  if (rows?.some((row) => row.some((weight) => weight < 0n))) return "a weight below 0";
  if (mechanism.table && mechanism.table.reduce((a, b) => a + b, 0n) !== WORD) return "chances that are not 1 together";
  const { absent, hidden, present } = mechanism;
  if (present !== undefined && !(present > 0n && present <= absent && absent < WORD)) return "a chance of none that is none";
  return hidden !== undefined && (hidden < 0n || hidden > WORD) ? "a chance that is none" : null;
}
