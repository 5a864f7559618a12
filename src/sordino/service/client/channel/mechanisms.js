// The mechanisms of histograms and numbers that stand alone, as docs/plan-format.md has them; see subsets.js for codes that
// are sets, and combined.js for those that are made of others. Each has `outputs`, how many codes there are, and
// `code(value, words)`; where all its weights are of two sizes, `levels` has both, as [weight, codes of that weight]: the
// chance of one code is weight / (2^64 codes). The codes of the first size support a value; `both` is how many support two
// given values. Values are numbers, codes are BigInts.

import { integer, listOf, requires, whole } from "./entries.js";
import { Field } from "./field.js";
import { OneCoin, chance } from "./one_coin.js";
import { WORD, below, either, pick } from "./words.js";

const count = (bits) => {
  let left = bits;
  let odd = 0n;
  while (left) {
    odd ^= left & 1n;
    left >>= 1n;
  }
  return odd === 1n;
};

export class Randomized extends OneCoin {
  constructor(own) {
    super(own);
    this.outputs = BigInt(this.k);
    this.others = BigInt(Math.max(this.k - 1, 1));
    // One value alone has one code, whatever the coin says.
    if (this.k === 1) this.levels = [[WORD, 1n], [0n, 0n]];
    else this.sides(1n, BigInt(this.k - 1));
  }

  code(value, words) {
    const lie = words.next() >= this.threshold;
    const other = below(this.others, words);
    const own = BigInt(value);
    if (!lie || this.k === 1) return own;
    return other >= own ? other + 1n : other;
  }

  uniform(words) {
    return below(this.outputs, words);
  }

  both = 0n;

  supports(value, code) {
    return value === code;
  }
}

export class Hadamard extends OneCoin {
  constructor(own) {
    super(own);
    this.bits = BigInt(this.k.toString(2).length);
    this.outputs = 1n << this.bits;
    this.sides(this.outputs / 2n, this.outputs / 2n);
  }

  code(value, words) {
    const against = words.next() >= this.threshold;
    const row = BigInt(value + 1);
    const code = this.uniform(words);
    return count(row & code) !== against ? code ^ (row & -row) : code;
  }

  uniform(words) {
    return words.next() >> (64n - this.bits);
  }

  get both() {
    return this.outputs / 4n;
  }

  supports(value, code) {
    return !count(BigInt(value + 1) & BigInt(code));
  }
}

/** Vectors of a space at most. */
const LARGEST_SPACE = 1n << 24n;

export class Projective extends OneCoin {
  constructor(own) {
    super(own);
    this.field = new Field(own.field);
    const q = BigInt(own.field);
    const points = (t) => (q ** t - 1n) / (q - 1n);
    let t = 2n;
    while (points(t) < BigInt(this.k)) t += 1n;
    requires(q ** t <= LARGEST_SPACE, `a space must have at most ${LARGEST_SPACE} vectors`, "more");
    this.q = q;
    this.powers = Array.from({ length: Number(t) + 1 }, (_, i) => q ** BigInt(i));
    this.outputs = points(t);
    this.on = points(t - 1n);
    this.off = q ** (t - 1n);
    this.both = t > 2n ? points(t - 2n) : 0n;
    this.listed = BigInt(this.k) * this.outputs <= 1n << 18n;
    this.lists = new Map();
    this.sides(this.on, this.off);
  }

  digits(number) {
    const found = [];
    for (let i = 0, left = number; i < this.powers.length - 1; i += 1, left /= this.q) found.push(Number(left % this.q));
    return found;
  }

  /** The coordinates of a point, the lowest first; the highest that is not 0 is 1. */
  vector(point) {
    let left = point;
    let i = 0;
    while (left >= this.powers[i]) left -= this.powers[i++];
    return this.digits(left + this.powers[i]);
  }

  dot(one, other, length = one.length) {
    let total = 0;
    for (let i = 0; i < length; i += 1) total = this.field.plus(total, this.field.times(one[i], other[i]));
    return total;
  }

  point(vector) {
    let top = vector.length - 1;
    while (vector[top] === 0) top -= 1;
    const scale = this.field.inverse(vector[top]);
    let number = 0n;
    for (let i = 0; i < top; i += 1) number += this.powers[i] * BigInt(1 + this.field.times(scale, vector[i]));
    return number;
  }

  /** The codes on the hyperplane of a value, and those off it. */
  codesOf(value) {
    let found = this.lists.get(value);
    if (!found) {
      this.vectors ??= Array.from({ length: Number(this.outputs) }, (_, code) => this.vector(BigInt(code)));
      found = [[], []];
      const own = this.vector(BigInt(value));
      this.vectors.forEach((vector, code) => found[this.dot(own, vector) ? 1 : 0].push(BigInt(code)));
      this.lists.set(value, found);
    }
    return found;
  }

  code(value, words) {
    const off = words.next() >= this.threshold;
    if (this.listed) return this.codesOf(value)[off ? 1 : 0][Number(either(this.on, this.off, off, words))];
    const own = this.vector(BigInt(value));
    const free = either(this.off - 1n, this.off, off, words) + (off ? 0n : 1n);
    const top = own.length - 1 - [...own].reverse().findIndex(Boolean);
    const low = this.digits(free % this.powers[top]);
    const high = this.digits(free / this.powers[top]);
    const solved = this.field.minus(off ? 1 : 0, this.dot(own, low, top));
    return this.point([...low.slice(0, top), solved, ...high.slice(0, own.length - top - 1)]);
  }

  uniform(words) {
    return below(this.outputs, words);
  }

  supports(value, code) {
    this.vectors ??= Array.from({ length: Number(this.outputs) }, (_, point) => this.vector(BigInt(point)));
    return this.dot(this.vectors[value], this.vectors[code]) === 0;
  }
}

/** Values, and codes of a window, at most. */
const LARGEST_WINDOW = 1024;

export class Window extends OneCoin {
  constructor(own) {
    super(own);
    requires(this.k >= 2 && this.k <= LARGEST_WINDOW, `windows must be over 2 to ${LARGEST_WINDOW} values`, String(this.k));
    this.window = BigInt(whole(own.window, 1, LARGEST_WINDOW, "a window"));
    this.rest = BigInt(this.k - 1);
    const likely = this.rest * this.threshold >= this.window * (WORD - this.threshold);
    requires(likely, "the codes of a value must not be less likely than the others", "another threshold");
    this.outputs = this.rest + this.window;
    // In how many the chance of a code rises or falls from value to value: with so wide windows each has an end's values.
    this.pieces = this.window < this.rest ? 2n : 1n;
    this.sides(this.window, this.rest);
  }

  code(value, words) {
    const outside = words.next() >= this.threshold;
    const found = either(this.window, this.rest, outside, words);
    const own = BigInt(value);
    if (!outside) return own + found;
    return found < own ? found : found + this.window;
  }
}

/** Windows over the bins of a number that may be missing: the last value says that there is none, and the last code too. */
export class OptionalWindow {
  constructor({ k, present, absent, ...own }) {
    this.k = whole(k, 3, LARGEST_WINDOW + 1, "how many values a mechanism has");
    this.inner = new Window({ ...own, k: k - 1 });
    this.present = chance(present);
    this.absent = chance(absent);
    requires(this.absent >= this.present, "whoever has no number must not say so more rarely than others");
    this.outputs = this.inner.outputs + 1n;
  }

  code(value, words) {
    // All ways are gone by everybody, so that how many words are drawn tells nothing.
    const none = value === this.inner.k;
    const missing = words.next() < (none ? this.absent : this.present);
    const amongAll = below(this.inner.outputs, words);
    const own = this.inner.code(none ? 0 : value, words);
    if (missing) return this.inner.outputs;
    return none ? amongAll : own;
  }

  /** The weights that stand beside each other on a code of the windows, and those on the last one. */
  get beside() {
    const { window, rest, outputs, levels: [[heads], [tails]] } = this.inner;
    const own = [rest * heads, window * tails].map((weight) => weight * (WORD - this.present) * outputs);
    return [[...own, (WORD - this.absent) * WORD * window * rest], [this.present, this.absent]];
  }
}

export class Binary {
  outputs = 2n;

  constructor(own) {
    this.heads = [integer(own.first), integer(own.second)];
    requires(this.heads[1] <= this.heads[0], "two weights must satisfy 0 <= second <= first <= 2^64");
    this.rows = this.heads.map((heads) => [heads, WORD - heads]);
    this.k = 2;
  }

  code(value, words) {
    const word = words.next();
    words.next();
    return word >= this.heads[value] ? 1n : 0n;
  }
}

/** Weights of a table at most. */
const LARGEST_TABLE = 2 ** 20;

export class Table {
  constructor(own) {
    this.rows = listOf(own.weights, (row) => listOf(row, integer, "a row of a channel"), "the rows of a channel");
    const width = this.rows[0]?.length ?? 0;
    requires(width > 0 && this.rows.every((row) => row.length === width), "a channel must have rows of one length");
    requires(this.rows.length * width <= LARGEST_TABLE, `a channel must have at most ${LARGEST_TABLE} weights`, "more");
    const sums = this.rows.map((row) => row.reduce((a, b) => a + b, 0n));
    [this.total] = sums;
    const alike = this.total >= 1n && this.total <= WORD && sums.every((sum) => sum === this.total);
    requires(alike, "all rows of a channel must have one sum, 1 to 2^64");
    this.k = this.rows.length;
    this.outputs = BigInt(width);
  }

  code(value, words) {
    const choice = below(this.total, words);
    words.next();
    return BigInt(pick(this.rows[value], choice));
  }
}

/** Values, and codes, of a table for numbers at most. */
const LARGEST_LINEAR = 64;

/** A table whose mean code grows by equal steps. */
export class Linear extends Table {
  constructor(own) {
    super(own);
    const few = this.k >= 2 && this.k <= LARGEST_LINEAR && this.outputs <= LARGEST_LINEAR;
    requires(few, `a linear table must have 2 to ${LARGEST_LINEAR} values and at most as many codes`);
    const means = this.rows.map((row) => row.reduce((all, weight, code) => all + weight * BigInt(code), 0n));
    const step = means[1] - means[0];
    const equal = means.slice(1).every((mean, value) => mean - means[value] === step);
    requires(step > 0n && equal, "the mean code of a linear table must grow by equal steps above 0", "other steps");
  }
}

/** Bits of a pattern at most. */
const LARGEST_PATTERN = 12;

export class Flips {
  constructor(own) {
    this.table = listOf(own.table, integer, "a table of flips");
    this.k = this.table.length;
    const sized = this.k >= 2 && this.k <= 2 ** LARGEST_PATTERN && Number.isInteger(Math.log2(this.k));
    const chances = this.table.every((weight) => weight >= 1n) && this.table.reduce((a, b) => a + b, 0n) === WORD;
    requires(sized && chances, `a table of flips must have 2^m whole weights >= 1 with sum 2^64, m from 1 to ${LARGEST_PATTERN}`);
    this.outputs = BigInt(this.k);
  }

  code(value, words) {
    return BigInt(value ^ pick(this.table, words.next()));
  }
}
