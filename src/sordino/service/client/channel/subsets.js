// The mechanisms whose codes are sets of values: all sets of one size, or those of a cyclic design.

import { requires, whole } from "./entries.js";
import { isPrime } from "./field.js";
import { OneCoin } from "./one_coin.js";
import { below, either } from "./words.js";

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
    requires(this.k >= 2 && this.k <= 64, "subsets must be of 2 to 64 values, a bit each", String(this.k));
    this.size = whole(own.size, 1, this.k - 1, "how many values a subset holds");
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

/** Sets of a cyclic design at most, and points in all of them. */
const LARGEST_CODES = 2 ** 20;
const LARGEST_WORK = 2 ** 25;

export class Cyclic extends OneCoin {
  constructor(own) {
    super(own);
    const { order, prime: p, size } = own;
    requires(isPrime(p) && p >= this.k, "a cyclic design must have a prime number of points, one for each value");
    const fits = Number.isInteger(order) && order >= 1 && (p - 1) % order === 0 && Number.isInteger(size) && size >= 1 && size < p && size % order <= 1;
    requires(fits, "a cyclic design must have a subgroup and sets that are made of it");
    this.p = p;
    const families = (p - 1) / order;
    requires(families * p <= LARGEST_CODES && families * p * size <= LARGEST_WORK, "a cyclic design must have a million sets at most, and few points in all of them", "more");
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
