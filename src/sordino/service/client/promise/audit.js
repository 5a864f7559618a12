// What a report can reveal at most, from the draws of a plan's mechanisms, and whether that keeps what the plan promises:
// comparisons of BigInts with e^epsilon, exactly. What an operation does is known (a set has so many codes, digits are drawn
// one by one, blocks never meet); all else is listed, value by value and code by code, and where that takes too long nothing is
// said. A ratio is [numerator, denominator], and null has no limit.

import { UncheckedError, listed } from "../channel/law.js";
import { axes, blocks, sensitive, size } from "../channel/promised.js";
import { amount, compare, times, within } from "../channel/fraction.js";
import { hasHidden, protectedPairs, stepBound } from "../plan/pairs.js";

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
  if (mechanism.set || mechanism.levelled || mechanism.table) return worst(mechanism);
  if (mechanism.parts) {
    const [[part, place], [second, there]] = [mechanism.place[value], mechanism.place[other]];
    return part === second ? favour(part.inner, place, there) : null;
  }
  if (mechanism.axes) {
    const [from, to] = [mechanism.digits(value), mechanism.digits(other)];
    return mechanism.axes.reduce((all, axis, i) => product(all, favour(axis, from[i], to[i])), ONE);
  }
  if (mechanism.inner) return overHidden(mechanism, mechanism.place.has(value), mechanism.place.has(other));
  const { rows } = listed(mechanism);
  return ofRows(rows[value], rows[other]);
}

const product = (one, other) => (one === null || other === null ? null : times(one, other));

/** Of a value over another, where values that are not sensitive hide among the codes of those that are. */
function overHidden({ inner, hidden }, own, others) {
  if (!own) return null;
  if (others) return ofLevels(inner.levels);
  const codes = inner.levels[0][1] + inner.levels[1][1];
  return inner.levels.reduce((worst, [weight, n]) => larger(worst, quotient(weight * codes, n * hidden)), ONE);
}

const TOO_MANY = "more pairs of values than a page can go through";

/** The most that any code favours any value over any other. */
export function worst(mechanism) {
  if (mechanism.k === 1) return ONE;
  if (mechanism.levels) return ofLevels(mechanism.levels);
  if (mechanism.axes) return mechanism.axes.reduce((all, axis) => product(all, worst(axis)), ONE);
  // Which level was drawn tells nothing of the value.
  if (mechanism.levelled) return mechanism.levelled.map(worst).reduce(larger, ONE);
  if (mechanism.parts) return mechanism.parts.length > 1 ? null : worst(mechanism.parts[0].inner);
  if (mechanism.inner) return null;
  // Each code has each weight of the table on some pattern.
  if (mechanism.table) return ofWeights(mechanism.table);
  const { rows } = listed(mechanism);
  return rows[0].reduce((all, _, code) => larger(all, ofColumn(rows, code)), ONE);
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
    if (mechanism.parts && protect.blocks) return isWithinParts(mechanism, blocks(attribute)) && differentParts(mechanism).every((inner) => kept(worst(inner)));
    if (mechanism.inner && protect.sensitive) {
      const hidden = sensitive(attribute).every((value) => mechanism.place.has(value));
      return hidden && kept(overHidden(mechanism, true, true)) && kept(overHidden(mechanism, true, false));
    }
  }
  const k = size(attribute);
  if (isAlong(mechanism, attribute)) return keepsAlong(mechanism, attribute);
  const each = isListed(mechanism) ? Number(mechanism.outputs) : 1;
  if (k * (protect.metric && !hasHidden(attribute) ? 4 : k) * each > MOST) throw new UncheckedError(TOO_MANY);
  const known = new Map();
  for (const [value, other, bound] of protectedPairs(attribute)) {
    if (!isKept(favour(mechanism, value, other), bound, known)) return false;
  }
  return true;
}

/** The mechanisms of blocks: those of one size have one. */
export const differentParts = ({ parts }) => [...new Set(parts.map(({ inner }) => inner))];

/** Whether values of one block are asked by one part. */
function isWithinParts({ place }, of) {
  const parts = new Map();
  return of.every((block, value) => (parts.has(block) ? parts.get(block) === place[value][0] : parts.set(block, place[value][0])));
}

const isListed = ({ set, levelled, table, parts, axes: own, inner }) => !(set || levelled || table || parts || own || inner);

/** Whether digits are those of the lines that values stand on. */
function isAlong(mechanism, attribute) {
  if (!mechanism.axes || !attribute.protect.metric || hasHidden(attribute)) return false;
  const lines = axes(attribute);
  return lines.length === mechanism.axes.length && lines.every(({ k }, i) => k === mechanism.axes[i].k);
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

/** What is wrong with the draw itself, or null; throws UncheckedError where that takes too long. */
export function broken(mechanism, attribute) {
  if (attribute && mechanism.k !== size(attribute)) return "another number of values";
  try {
    if (isListed(mechanism)) listed(mechanism);
  } catch (error) {
    // What divides by 0, or looks beyond a list, says so.
    if (error instanceof RangeError) return error.message;
    throw error;
  }
  const inner = [mechanism.inner, ...(mechanism.parts ? differentParts(mechanism) : []), ...(mechanism.axes ?? []), ...(mechanism.levelled ?? [])];
  return inner.filter(Boolean).map((one) => broken(one, null)).find(Boolean) ?? null;
}
