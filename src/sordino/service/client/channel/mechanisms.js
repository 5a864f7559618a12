// The mechanisms of histograms and numbers that stand alone, as docs/plan-format.md has them; see combined.js for
// those that are made of others. Each has `outputs`, how many codes there are, and `code(value, words)`; where all its
// weights are of two sizes, `levels` has both, as [weight, codes of that weight]: the chance of one code is weight /
// (2^64 codes). The codes of the first size support a value; `both` is how many support two given values. Values are
// numbers, codes are BigInts.

import { Field, isPrime } from "./field.js";
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

class OneCoin {
  constructor(own) {
    if (!Number.isSafeInteger(own.k) || own.k < 1) throw new RangeError("a mechanism must have one value or more");
    this.k = own.k;
    this.threshold = BigInt(own.threshold);
  }

  /** Weights and codes of the two sides; one side alone is not told from the other. */
  sides(first, second) {
    this.levels = [[this.threshold, first], [WORD - this.threshold, second]];
  }
}

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

export class Projective extends OneCoin {
  constructor(own) {
    super(own);
    this.field = new Field(own.field);
    const q = BigInt(own.field);
    const points = (t) => (q ** t - 1n) / (q - 1n);
    let t = 2n;
    while (points(t) < BigInt(this.k)) t += 1n;
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

/** Pascal's triangle up to 64. */
const COMB = [[1n]];
for (let n = 1; n <= 64; n += 1) {
  COMB.push(Array.from({ length: n + 1 }, (_, i) => (COMB[n - 1][i - 1] ?? 0n) + (COMB[n - 1][i] ?? 0n)));
}
const comb = (n, members) => COMB[n]?.[members] ?? 0n;

/** The mask of a rank among those with so many of n bits, in ascending order. */
function subset(rank, n, members) {
  let [mask, left, more] = [0n, rank, members];
  for (let element = n - 1; element >= 0; element -= 1) {
    const without = comb(element, more);
    if (left >= without) {
      mask |= 1n << BigInt(element);
      left -= without;
      more -= 1;
    }
  }
  return mask;
}

export class Subset extends OneCoin {
  constructor(own) {
    super(own);
    const whole = Number.isInteger(own.size) && own.size >= 1 && own.size <= this.k;
    if (this.k > 64 || !whole) throw new RangeError("subsets must be of 64 values at most, and hold some of them");
    this.size = own.size;
    this.outputs = 1n << BigInt(this.k);
    this.sides(comb(this.k - 1, this.size - 1), comb(this.k - 1, this.size));
  }

  code(value, words) {
    const without = words.next() >= this.threshold;
    const rank = either(this.levels[0][1], this.levels[1][1], without, words);
    const others = subset(rank, this.k - 1, this.size - (without ? 0 : 1));
    const place = BigInt(value);
    const low = others & ((1n << place) - 1n);
    return low | ((others ^ low) << 1n) | ((without ? 0n : 1n) << place);
  }

  uniform(words) {
    return subset(below(comb(this.k, this.size), words), this.k, this.size);
  }

  get both() {
    return comb(this.k - 2, this.size - 2);
  }
}

/** Sets of a cyclic design at most. */
const LARGEST_CODES = 2 ** 20;

export class Cyclic extends OneCoin {
  constructor(own) {
    super(own);
    const { order, prime: p, size } = own;
    if (!isPrime(p) || p < this.k) throw new RangeError("a cyclic design must have a prime number of points, one for each value");
    if (!Number.isInteger(order) || order < 1 || (p - 1) % order || !Number.isInteger(size) || size < 1 || size >= p || size % order > 1) {
      throw new RangeError("a cyclic design must have a subgroup and sets that are made of it");
    }
    this.p = p;
    const families = (p - 1) / order;
    if (families * p > LARGEST_CODES) throw new RangeError("a cyclic design must have a million sets at most");
    this.outputs = BigInt(families) * BigInt(p);
    const powersOf = (g) => {
      const found = [1];
      while (found.length < p - 1) found.push((found.at(-1) * g) % p);
      return found;
    };
    let g = 1;
    while (new Set(powersOf(g)).size < p - 1) g += 1;
    const powers = powersOf(g);
    const base = new Set(powers.filter((_, i) => i % families < Math.floor(size / order)));
    if (size % order) base.add(0);
    const all = Array.from({ length: p }, (_, d) => d);
    this.multipliers = powers.slice(0, families);
    this.elements = [all.filter((d) => base.has(d)), all.filter((d) => !base.has(d))];
    this.base = base;
    this.inverses = this.multipliers.map((_, family) => powers[(p - 1 - family) % (p - 1)]);
    this.sides(...this.elements.map((side) => BigInt(families * side.length)));
  }

  code(value, words) {
    const without = words.next() >= this.threshold;
    const side = this.elements[without ? 1 : 0];
    const choice = Number(either(this.levels[0][1], this.levels[1][1], without, words));
    const family = Math.floor(choice / side.length);
    const shift = (value - ((side[choice % side.length] * this.multipliers[family]) % this.p) + this.p) % this.p;
    return BigInt(family) * BigInt(this.p) + BigInt(shift);
  }

  uniform(words) {
    return below(this.outputs, words);
  }

  get both() {
    return (this.levels[0][1] * BigInt(this.elements[0].length - 1)) / BigInt(this.p - 1);
  }

  /** A value is a code's shift and an element of the base set times the family's multiplier. */
  supports(value, code) {
    const apart = (value - (code % this.p) + this.p) % this.p;
    return this.base.has((apart * this.inverses[Math.floor(code / this.p)]) % this.p);
  }
}

export class Window extends OneCoin {
  constructor(own) {
    super(own);
    this.window = BigInt(own.window);
    this.rest = BigInt(this.k - 1);
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
    this.inner = new Window({ ...own, k: k - 1 });
    this.k = k;
    this.present = BigInt(present);
    this.absent = BigInt(absent);
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
    this.heads = [BigInt(own.first), BigInt(own.second)];
    this.rows = this.heads.map((heads) => [heads, WORD - heads]);
    this.k = 2;
  }

  code(value, words) {
    const word = words.next();
    words.next();
    return word >= this.heads[value] ? 1n : 0n;
  }
}

export class Table {
  constructor(own) {
    this.rows = own.weights.map((row) => row.map(BigInt));
    const [total] = this.sums = this.rows.map((row) => row.reduce((a, b) => a + b, 0n));
    this.total = total;
    this.k = this.rows.length;
    this.outputs = BigInt(this.rows[0].length);
  }

  code(value, words) {
    const choice = below(this.total, words);
    words.next();
    return BigInt(pick(this.rows[value], choice));
  }
}

export class Flips {
  constructor(own) {
    this.table = own.table.map(BigInt);
    this.k = this.table.length;
    this.outputs = BigInt(this.k);
  }

  code(value, words) {
    return BigInt(value ^ pick(this.table, words.next()));
  }

  /** The weight of each code, of every value alike but for their order. */
  get rows() {
    return this.table.map((_, value) => this.table.map((__, code) => this.table[value ^ code]));
  }
}
