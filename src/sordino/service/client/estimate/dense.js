// Channels of few values and codes as matrices of doubles: chances, and the linear unbiased estimates of least total
// variance at uniform values: with q the distribution of codes, (P D^-1 P')^-1 P D^-1, D = diag(q).

import { listed } from "../channel/law.js";
import { WORD } from "../channel/words.js";

/** Weights of one channel that are worked with at most. */
const MOST = 1 << 20;

/** What a pivot is at least of the largest one; below it, values answer as mixtures of others. */
const LEAST = 1e-9;

const share = (weight, whole) => Number((weight << 80n) / whole) / 2 ** 80;

/** The chance of each code, of each value. */
export function chances(mechanism) {
  if (BigInt(mechanism.k) * mechanism.outputs > MOST) throw new RangeError("the channel is too large for this page");
  if (mechanism.levelled) {
    const inner = mechanism.levelled.map(chances);
    const row = (value) => inner.flatMap((rows, level) => rows[Math.floor(value / mechanism.fan ** level)]);
    return Array.from({ length: mechanism.k }, (_, value) => row(value).map((chance) => chance / inner.length));
  }
  if (!mechanism.set) {
    const { rows, total } = listed(mechanism);
    return rows.map((row) => row.map((weight) => share(weight, total)));
  }
  const { k, levels: [[first, codes], [second, others]], set } = mechanism;
  const [inside, outside] = [[first, codes], [second, others]].map(([weight, n]) => (n === 0n ? 0 : share(weight, WORD * n)));
  const row = (value) => Array.from({ length: Number(mechanism.outputs) }, (_, code) => (set.holds(value, code) ? inside : outside));
  return Array.from({ length: k }, (_, value) => row(value));
}

/** What each code counts as in the share of each value. */
export function contributions(rows) {
  const k = rows.length;
  const codes = rows[0].map((_, code) => rows.reduce((all, row) => all + row[code], 0) / k);
  const scaled = rows.map((row) => row.map((chance, code) => (codes[code] > 0 ? chance / codes[code] : 0)));
  const inner = rows.map((row) => scaled.map((other) => row.reduce((all, chance, code) => all + chance * other[code], 0)));
  return solved(inner, scaled);
}

/** Sums with the signs of each row of a Hadamard matrix: of bits that row and place share, odd ones count against. */
export function transform(amounts) {
  const found = [...amounts];
  for (let half = 1; half < found.length; half *= 2) {
    for (let i = 0; i < found.length; i += 1) {
      if (i & half) continue;
      [found[i], found[i | half]] = [found[i] + found[i | half], found[i] - found[i | half]];
    }
  }
  return found;
}

/** A symmetric matrix' inverse times another matrix. */
function solved(matrix, right) {
  const left = matrix.map((row) => [...row]);
  const found = right.map((row) => [...row]);
  const k = left.length;
  let most = 0;
  for (let at = 0; at < k; at += 1) {
    const pivot = left[at][at];
    most = Math.max(most, pivot);
    // Semi-definite, so that no other row has to be looked for.
    if (!(pivot > LEAST * most)) throw new RangeError("some values have the same codes as others, or as mixtures of others");
    for (let row = 0; row < k; row += 1) {
      const factor = left[row][at] / pivot;
      if (row === at || factor === 0) continue;
      for (let i = at; i < k; i += 1) left[row][i] -= factor * left[at][i];
      for (let i = 0; i < found[row].length; i += 1) found[row][i] -= factor * found[at][i];
    }
  }
  return found.map((row, at) => row.map((entry) => entry / left[at][at]));
}
