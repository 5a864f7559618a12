// The sets of codes that draws name, one for each value: a coin chooses between a uniform code of the set and one of all
// others. Each has `on` and `off`, how many codes a set has and how many are left; `k`, the values that it can be of; `codes`;
// `both`, how many codes two sets share, where that is the same for each two; `holds(value, code)`; `code(value, choice, off)` of a
// choice below one of the `bounds`; and `uniform(words)`, any code that is sent. Values are numbers, codes are BigInts.

import { requires, whole } from "./entries.js";
import { Field } from "./field.js";
import { comb, rank, ranked } from "./subsets.js";
import { below } from "./words.js";

/** Neighbouring codes, from the value on. */
export class Run {
  /**
   * @param {bigint} codes
   * @param {bigint} length
   */
  constructor(codes, length) {
    this.codes = codes;
    this.length = length;
    requires(length >= 1n && length <= codes, "a run must have codes, and at most all");
    this.k = Number(codes - length) + 1;
    this.on = length;
    this.off = codes - length;
    this.bounds = [this.on, this.off];
    // Of runs of one code each.
    this.both = length === 1n ? 0n : null;
  }

  code(value, choice, off) {
    const own = BigInt(value);
    if (!off) return own + choice;
    return choice < own ? choice : choice + this.length;
  }

  uniform(words) {
    return below(this.codes, words);
  }

  holds(value, code) {
    return code >= value && code < value + Number(this.length);
  }
}

/** The mask of a rank among those with so many of n bits, in ascending order. */
const mask = (number, n, members) => ranked(number, n, members).reduce((found, place) => found | (1n << BigInt(place)), 0n);

/** Masks of n bits, some of them 1: those with the value's bit. */
export class Masks {
  constructor(n, size) {
    this.k = whole(Number(n), 2, 64, "how many bits a mask has");
    this.size = whole(Number(size), 1, this.k - 1, "how many bits of a mask are 1");
    this.codes = 1n << n;
    this.on = comb(this.k - 1, this.size - 1);
    this.off = comb(this.k - 1, this.size);
    this.bounds = [this.on, this.off];
    this.both = comb(this.k - 2, this.size - 2);
  }

  code(value, choice, off) {
    const others = mask(choice, this.k - 1, this.size - (off ? 0 : 1));
    const place = BigInt(value);
    const low = others & ((1n << place) - 1n);
    return low | ((others ^ low) << 1n) | ((off ? 0n : 1n) << place);
  }

  uniform(words) {
    return mask(below(comb(this.k, this.size), words), this.k, this.size);
  }
}

/** Items at most, of which sets are. */
const MOST_ITEMS = 2 ** 14;

/** Sets that a value is the number of one of, at most. */
const MOST_SETS = 2n ** 53n;

const sum = (list) => list.reduce((a, b) => a + b, 0n);

/** Subsets of one size of some items: those that share enough with the subset, of `chosen` items, that the value is the number of. */
export class Meeting {
  constructor(items, chosen, size, least) {
    this.items = whole(Number(items), 2, MOST_ITEMS, "how many items there are");
    this.chosen = whole(Number(chosen), 1, this.items - 1, "how many items a value has");
    this.size = whole(Number(size), 1, this.items - 1, "how many items a code has");
    this.least = whole(Number(least), 1, Math.min(this.chosen, this.size), "how many items a code of the set shares");
    const sets = comb(this.items, this.chosen);
    requires(sets <= MOST_SETS, "the number of a set must fit in 53 bits", "more sets");
    this.k = Number(sets);
    this.codes = comb(this.items, this.size);
    /** How many codes share no item with a value, one, and so on. */
    this.sharing = Array.from({ length: Math.min(this.chosen, this.size) + 1 }, (_, j) => comb(this.chosen, j) * this.#outside(j));
    this.on = sum(this.sharing.slice(this.least));
    this.off = sum(this.sharing.slice(0, this.least));
    requires(this.on > 0n && this.off > 0n, "some codes must share enough items with a set, and some must not");
    this.bounds = [this.on, this.off];
    this.both = null;
  }

  #outside(shared) {
    return comb(this.items - this.chosen, this.size - shared);
  }

  code(value, choice, off) {
    let left = choice;
    let shared = off ? 0 : this.least;
    while (left >= this.sharing[shared]) left -= this.sharing[shared++];
    const own = this.#places(value);
    const inside = ranked(left / this.#outside(shared), this.chosen, shared).map((place) => own[place]);
    // What is left of the items stands in their order: each one before it that is the value's own moves a place up by one.
    const outside = ranked(left % this.#outside(shared), this.items - this.chosen, this.size - shared).map((place) => own.reduce((at, taken) => (taken <= at ? at + 1 : at), place));
    return rank([...inside, ...outside].sort((one, other) => one - other));
  }

  #places(value) {
    return ranked(BigInt(value), this.items, this.chosen);
  }

  uniform(words) {
    return below(this.codes, words);
  }

  /** The places of the items that a code has. */
  members(code) {
    return ranked(BigInt(code), this.items, this.size);
  }

  holds(value, code) {
    const own = new Set(this.#places(value));
    return this.members(code).filter((place) => own.has(place)).length >= this.least;
  }
}

/** Vectors of a space at most, and pairs of values and points where choices are places in a list. */
const LARGEST_SPACE = 1n << 24n;
const LARGEST_LIST = 1n << 18n;

/** Points of a space over a finite field, on the hyperplane of the value's point. */
export class Points {
  constructor(field, dimensions, isListed, k) {
    whole(Number(dimensions), 2, 24, "how many coordinates a point has");
    this.q = field;
    this.field = new Field(Number(field));
    /** Each point's coordinates, where they are needed. */
    this.listed = /** @type {number[][] | undefined} */ (undefined);
    /** @type {(t: bigint) => bigint} */
    const points = (t) => (field ** t - 1n) / (field - 1n);
    requires(field ** dimensions <= LARGEST_SPACE, `a space must have at most ${LARGEST_SPACE} vectors`, "more");
    this.powers = Array.from({ length: Number(dimensions) + 1 }, (_, i) => field ** BigInt(i));
    this.codes = points(dimensions);
    this.k = Number(this.codes);
    this.on = points(dimensions - 1n);
    this.off = field ** (dimensions - 1n);
    this.both = dimensions > 2n ? points(dimensions - 2n) : 0n;
    this.isListed = isListed === 1n;
    requires(!this.isListed || BigInt(k) * this.codes <= LARGEST_LIST, "points must be few where they are listed", "more");
    this.bounds = this.isListed ? [this.on, this.off] : [this.off - 1n, this.off];
    this.lists = new Map();
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

  get vectors() {
    this.listed ??= Array.from({ length: this.k }, (_, point) => this.vector(BigInt(point)));
    return this.listed;
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
  sides(value) {
    if (value >= this.k) throw new RangeError("a value must be one of a space");
    let found = this.lists.get(value);
    if (!found) {
      found = [[], []];
      this.vectors.forEach((vector, code) => found[this.dot(this.vectors[value], vector) ? 1 : 0].push(BigInt(code)));
      this.lists.set(value, found);
    }
    return found;
  }

  code(value, choice, off) {
    if (this.isListed) return this.sides(value)[off ? 1 : 0][Number(choice)];
    const own = this.vector(BigInt(value));
    const free = choice + (off ? 0n : 1n);
    const top = own.length - 1 - [...own].reverse().findIndex(Boolean);
    const low = this.digits(free % this.powers[top]);
    const high = this.digits(free / this.powers[top]);
    const solved = this.field.minus(off ? 1 : 0, this.dot(own, low, top));
    return this.point([...low.slice(0, top), solved, ...high.slice(0, own.length - top - 1)]);
  }

  uniform(words) {
    return below(this.codes, words);
  }

  holds(value, code) {
    return this.dot(this.vectors[value], this.vectors[code]) === 0;
  }
}

/** Translates at most, and points in all of them. */
const LARGEST_CODES = 2 ** 20;
const LARGEST_WORK = 2 ** 25;

/** Translates, modulo p, of the multiples of a base set: those that hold the value. */
export class Translates {
  constructor(modulus, multipliers, base) {
    const p = whole(Number(modulus), 2, LARGEST_CODES, "what translates are modulo of");
    this.p = p;
    this.multipliers = multipliers.map((one) => whole(Number(one), 1, p - 1, "a multiple"));
    this.base = new Set(base.map((one) => whole(Number(one), 0, p - 1, "an element of a base set")));
    const families = multipliers.length;
    requires(this.base.size === base.length && base.length >= 1 && base.length < p, "a base set must have different elements, and not all");
    requires(families >= 1 && families * p <= LARGEST_CODES && families * p * base.length <= LARGEST_WORK, "there must be a million translates at most, and few points in all of them", "more");
    this.inverses = this.multipliers.map((one) => inverse(one, p));
    const all = Array.from({ length: p }, (_, d) => d);
    this.elements = [all.filter((d) => this.base.has(d)), all.filter((d) => !this.base.has(d))];
    this.k = p;
    this.codes = BigInt(families) * modulus;
    const sizes = this.elements.map((side) => BigInt(families * side.length));
    this.on = sizes[0];
    this.off = sizes[1];
    this.bounds = [this.on, this.off];
    this.both = (this.on * BigInt(base.length - 1)) / BigInt(p - 1);
  }

  code(value, choice, off) {
    const side = this.elements[off ? 1 : 0];
    const family = Math.floor(Number(choice) / side.length);
    const shift = (value - ((side[Number(choice) % side.length] * this.multipliers[family]) % this.p) + this.p) % this.p;
    return BigInt(family) * BigInt(this.p) + BigInt(shift);
  }

  uniform(words) {
    return below(this.codes, words);
  }

  holds(value, code) {
    const apart = (value - (code % this.p) + this.p) % this.p;
    return this.base.has((apart * this.inverses[Math.floor(code / this.p)]) % this.p);
  }
}

/** What a number is to be multiplied with for 1, modulo p. */
function inverse(number, p) {
  let [a, b, x, y] = [number, p, 1, 0];
  while (b) [a, b, x, y] = [b, a % b, y, x - Math.floor(a / b) * y];
  requires(a === 1, "a multiple must have an inverse", "none");
  return ((x % p) + p) % p;
}

/** The set of a name, with its numbers and lists of numbers; `k` values are asked. */
export function codeSet(name, numbers, k) {
  const [one, two, three, four] = numbers;
  const made = { run: () => new Run(one, two), masks: () => new Masks(one, two), points: () => new Points(one, two, three, k), translates: () => new Translates(one, two, three), meeting: () => new Meeting(one, two, three, four) };
  requires(Object.hasOwn(made, name), `codes must be of one of ${Object.keys(made).join(", ")}`, "another");
  const found = made[name]();
  requires(k <= found.k, "each value must have a set of codes");
  return found;
}
