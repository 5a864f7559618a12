// What the tally of a mechanism says of each value: what a report adds to each share, its square, and what both are at
// least, whoever answers. A tally has a counter for each code; of subsets one for each value, of sets that meet one for each item, and
// one for all.

import { chances, contributions } from "./dense.js";
import { Masks, Meeting, Run } from "../channel/sets.js";
import { WORD } from "../channel/words.js";

/** Pairs of values and codes that are gone through at most. */
const MOST = 1 << 24;

const fraction = (a, b) => Number((a << 64n) / b) / 2 ** 64;
const added = (list) => list.reduce((all, one) => all + one, 0);
const filled = (k, value) => new Array(k).fill(value);

/**
 * How a mechanism's tally is read: `counters`; `total(counts)`; `decode(counts)`, the sum of what reports add to each share, and
 * `decodeSquares`; `own` and `least`, the mean of these squares where a person has the value, and where not at least;
 * `block` of each value, and `excess` of each counter: what a report adds to all shares of its block beyond 1, over their number.
 */
export function readingOf(mechanism, isOfBins = false) {
  // Ranges of bins are read off the matrix.
  if (isOfBins) return new OfMatrix(mechanism);
  if (mechanism.parts) return new OfBlocks(mechanism);
  if (mechanism.inner) return new OfHidden(mechanism);
  if (mechanism.set instanceof Meeting) return new OfItems(mechanism);
  if (mechanism.set && mechanism.set.both !== null) return new OfCoin(mechanism);
  return new OfMatrix(mechanism);
}

/** The chance that a code supports its value, and that it supports another's. */
function coin({ k, levels: [[first, on], [second, off]], set: { both } }) {
  if (k === 1) return filled(1, [1, 0]);
  const hit = fraction(first, WORD);
  const miss = fraction(first * both, WORD * on) + (off ? fraction(second * (on - both), WORD * off) : 0);
  return filled(k, [hit, miss]);
}

/** Reports that support a value add `on`, others of its group `off`, all others `outside`. */
class Supported {
  /** @type {number[]} */
  on;

  /** @type {number[]} */
  off;

  /** @type {number[]} */
  outside;

  /** @type {number[]} */
  least;

  /** @type {number[]} */
  block;

  decode(counts) {
    return this.#mean(counts, (amount) => amount);
  }

  decodeSquares(counts) {
    return this.#mean(counts, (amount) => amount * amount);
  }

  #mean(counts, of) {
    // How reports are counted, those that extend it say.
    const reading = /** @type {any} */ (this);
    const { support, group } = reading.support(counts);
    const total = reading.total(counts);
    return this.on.map((on, x) => of(on) * support[x] + of(this.off[x]) * (group[x] - support[x]) + of(this.outside[x]) * (total - group[x]));
  }
}

class OfCoin extends Supported {
  constructor(mechanism) {
    super();
    this.set = mechanism.set;
    const { k } = mechanism;
    const odds = coin(mechanism);
    this.k = k;
    this.masks = mechanism.set instanceof Masks;
    this.counters = this.masks ? k + 1 : Number(mechanism.outputs);
    if (this.counters > MOST || (!this.masks && k * this.counters > MOST)) throw new RangeError("the channel is too large for this page");
    if (odds.some(([hit, miss]) => hit <= miss)) throw new RangeError("reports do not depend on the values");
    this.odds = odds;
    this.on = odds.map(([hit, miss]) => (1 - miss) / (hit - miss));
    this.off = odds.map(([hit, miss]) => -miss / (hit - miss));
    this.outside = filled(k, 0);
    this.alone = k === 1 || mechanism.levels[1][1] === 0n;
    const against = (x) => (this.alone ? 0 : this.off[x]);
    const square = (chance, x) => chance * this.on[x] ** 2 + (1 - chance) * against(x) ** 2;
    this.own = odds.map(([hit], x) => square(hit, x));
    this.least = odds.map(([, miss], x) => square(miss, x));
    this.block = filled(k, 0);
  }

  total(counts) {
    return this.masks ? counts[this.k] : added(counts);
  }

  support(counts) {
    const group = filled(this.k, this.total(counts));
    if (this.masks) return { support: counts.slice(0, this.k), group };
    const sent = counts.flatMap((count, code) => (count === 0 ? [] : [[code, count]]));
    const own = (value) => sent.reduce((all, [code, count]) => (this.set.holds(value, code) ? all + count : all), 0);
    return { support: group.map((_, value) => own(value)), group };
  }

  /** How many values each counter's codes support. */
  get supported() {
    if (this.masks) throw new RangeError("the tally counts subsets, not codes");
    const held = (code) => this.on.reduce((all, _, value) => all + Number(this.set.holds(value, code)), 0);
    return Array.from({ length: this.counters }, (_, code) => held(code));
  }

  get excess() {
    // Of two odds, and of sets of one size, all that a report adds is 1.
    if (this.masks || this.odds.length < 2) return filled(this.counters, 0);
    return this.supported.map((n) => ((this.on[0] - this.off[0]) * n + this.k * this.off[0] - 1) / this.k);
  }
}

/** Of codes that are sets of items each counts for each of its items: the share of people who have an item. */
class OfItems extends Supported {
  constructor({ set, levels: [[first], [second]] }) {
    super();
    const { items, chosen, size, sharing, least, on, off } = set;
    if (items > MOST) throw new RangeError("the channel is too large for this page");
    this.k = items;
    this.counters = items + 1;
    // Of all codes on either side, how often they hold an item that the value has, and one that it lacks.
    const held = (some, from, of) => some.reduce((all, codes, j) => all + codes * BigInt(of(from + j)), 0n);
    const chance = (of, among) => fraction(first * held(sharing.slice(least), least, of) * off + second * held(sharing.slice(0, least), 0, of) * on, WORD * on * off * BigInt(among));
    const [hit, miss] = [chance((j) => j, chosen), chance((j) => size - j, items - chosen)];
    if (hit <= miss) throw new RangeError("reports do not depend on the values");
    const [adds, lacks] = [(1 - miss) / (hit - miss), -miss / (hit - miss)];
    const square = (part) => part * adds ** 2 + (1 - part) * lacks ** 2;
    this.on = filled(items, adds);
    this.off = filled(items, lacks);
    this.outside = filled(items, 0);
    this.own = filled(items, square(hit));
    this.least = filled(items, square(miss));
    this.block = filled(items, 0);
  }

  total(counts) {
    return counts[this.k];
  }

  support(counts) {
    return { support: counts.slice(0, this.k), group: filled(this.k, this.total(counts)) };
  }
}

class OfBlocks extends Supported {
  constructor({ k, parts }) {
    super();
    this.k = k;
    this.parts = [];
    this.counters = 0;
    for (const name of ["on", "off", "outside", "own", "least", "block"]) this[name] = new Array(k);
    const known = new Map();
    for (const [block, { inner, values }] of parts.entries()) {
      if (!known.has(inner)) known.set(inner, readingOf(inner));
      const reading = known.get(inner);
      this.parts.push({ reading, values, first: this.counters });
      this.counters += reading.counters;
      values.forEach((value, place) => {
        for (const name of ["on", "off", "outside", "own"]) this[name][value] = reading[name][place];
        // Whoever is in another block adds nothing to it.
        this.least[value] = parts.length > 1 ? 0 : reading.least[place];
        this.block[value] = block;
      });
    }
  }

  #each(counts, take) {
    return this.parts.map(({ reading, values, first }) => take(reading, counts.slice(first, first + reading.counters), values));
  }

  total(counts) {
    return added(this.#each(counts, (reading, own) => reading.total(own)));
  }

  support(counts) {
    const found = { support: new Array(this.k), group: new Array(this.k) };
    this.#each(counts, (reading, own, values) => {
      const { support, group } = reading.support(own);
      values.forEach((value, place) => Object.assign(found.support, { [value]: support[place] }) && (found.group[value] = group[place]));
    });
    return found;
  }

  get excess() {
    return this.parts.flatMap(({ reading }) => reading.excess);
  }
}

class OfHidden extends Supported {
  constructor({ k, inner, hidden: weight, sensitive, others }) {
    super();
    this.k = k;
    this.sensitive = sensitive;
    this.others = [...others.keys()];
    this.inner = readingOf(inner);
    this.counters = this.inner.counters + this.others.length;
    const hidden = fraction(weight, WORD);
    if (weight === WORD) throw new RangeError("some values are never reported");
    const [on, off] = inner.levels.map(([, codes]) => codes);
    const uniform = fraction(on, on + off);
    const [hit, miss] = this.inner.odds[0];
    const one = sensitive.length === 1;
    const [gap, slope, shift] = [hit - miss, (miss - hidden * uniform) / (1 - hidden), (hidden * (uniform - miss)) / (1 - hidden)];
    const away = -hidden / (1 - hidden);
    const [own, rest, outside] = one ? [1, away, away] : [(1 - slope - shift) / gap, (-slope - shift) / gap, -shift / gap];
    const told = 1 / (1 - hidden);
    const high = new Set(sensitive);
    const each = (mine, other) => Array.from({ length: k }, (_, x) => (high.has(x) ? mine : other));
    [this.on, this.off, this.outside] = [each(own, told), each(rest, 0), each(outside, 0)];
    this.block = filled(k, 0);
    const alone = off === 0n;
    const against = alone ? outside : rest;
    // Its own chance, and another sensitive value's, by the means 1 and 0.
    const [mine, another] = [(1 - against) / (own - against), -against / (own - against)].map((chance) => chance * own ** 2 + (1 - chance) * against ** 2);
    const supporting = -(hidden * rest + (1 - hidden) * outside) / (own - rest);
    const behind = supporting * own ** 2 + (hidden - supporting) * rest ** 2 + (1 - hidden) * outside ** 2;
    this.own = each(mine, told);
    this.least = each(alone ? another : Math.min(another, behind), 0);
  }

  total(counts) {
    return this.inner.total(counts.slice(0, this.inner.counters)) + added(counts.slice(this.inner.counters));
  }

  support(counts) {
    const found = { support: new Array(this.k), group: new Array(this.k) };
    const inner = this.inner.support(counts.slice(0, this.inner.counters));
    this.sensitive.forEach((value, place) => {
      found.support[value] = inner.support[place];
      found.group[value] = inner.group[place];
    });
    this.others.forEach((value, place) => {
      found.support[value] = found.group[value] = counts[this.inner.counters + place];
    });
    return found;
  }

  get excess() {
    const [on, off, outside] = [this.on, this.off, this.outside].map((amounts) => amounts[this.sensitive[0]]);
    const size = this.sensitive.length;
    const hidden = this.inner.supported.map((n) => (on - off) * n + size * off);
    const told = this.others.map((value) => this.on[value] + size * outside);
    return [...hidden, ...told].map((amount) => (amount - 1) / this.k);
  }
}

/** A channel of few values and codes, or several of which each answers a digit of the value. */
class OfMatrix {
  constructor(mechanism) {
    const axes = (mechanism.axes ?? [mechanism]).map((one) => {
      const rows = chances(one);
      const adds = contributions(rows);
      const squares = adds.map((row) => row.map((amount) => amount * amount));
      // The mean square of what a person with each value adds to each share.
      const means = adds.map((_, x) => rows.map((row) => row.reduce((all, chance, code) => all + chance * squares[x][code], 0)));
      const others = (x) => means[x].filter((_, other) => other !== x).reduce((a, b) => Math.min(a, b), Infinity);
      return { adds, rows, squares, own: means.map((row, x) => row[x]), least: means.map((_, x) => others(x)), codes: rows[0].length };
    });
    this.axes = axes;
    this.k = mechanism.k;
    // Where each code is a bit about a threshold, the chance that it is true.
    const { k, set, threshold } = mechanism;
    if (set instanceof Run && set.off === BigInt(k - 1) && set.length === set.off) this.truth = fraction(threshold, WORD);
    this.counters = axes.reduce((all, { codes }) => all * codes, 1);
    this.block = filled(this.k, 0);
    this.excess = filled(this.counters, 0);
    const [own, least] = axes.reduce(crossed, [[1], [Infinity]]);
    this.own = own;
    this.least = least;
  }

  total(counts) {
    return added(counts);
  }

  decode(counts) {
    return this.#along(counts, "adds");
  }

  decodeSquares(counts) {
    return this.#along(counts, "squares");
  }

  /** Axis after axis, the first of which runs slowest: codes become values. */
  #along(counts, name) {
    let found = counts;
    let before = 1;
    for (const axis of this.axes) {
      const after = found.length / before / axis.codes;
      const k = axis[name].length;
      const next = filled(before * k * after, 0);
      for (let b = 0; b < before; b += 1) {
        for (let a = 0; a < after; a += 1) {
          for (let x = 0; x < k; x += 1) {
            let sum = 0;
            for (let code = 0; code < axis.codes; code += 1) sum += axis[name][x][code] * found[(b * axis.codes + code) * after + a];
            next[(b * k + x) * after + a] = sum;
          }
        }
      }
      found = next;
      before *= k;
    }
    return found;
  }
}

/** Another value differs along some axes. */
function crossed([own, least], axis) {
  const pairs = (one, other) => one.flatMap((a) => other.map((b) => (a === Infinity || b === Infinity ? Infinity : a * b)));
  const lows = [pairs(own, axis.least), pairs(least, axis.own), pairs(least, axis.least)];
  return [pairs(own, axis.own), lows[0].map((_, i) => Math.min(...lows.map((low) => low[i])))];
}

/** How many counters the tally of a question has. */
export function countersOf({ queries, mechanism, times = 1 }) {
  if (!queries) return times * counters(mechanism);
  return queries.flat().reduce((all, part) => all + counters(part.mechanism), 0);
}

function counters({ k, parts, set, inner, others, outputs }) {
  if (parts) return parts.reduce((all, part) => all + counters(part.inner), 0);
  if (inner) return counters(inner) + others.size;
  if (set instanceof Meeting) return set.items + 1;
  return set instanceof Masks ? k + 1 : Number(outputs);
}

/** The unbiased share of each value, and its standard error, by how a tally is read; `shifted` to the known share of each block. */
export function sharesOf(reading, counts, shifted) {
  const n = reading.total(counts);
  if (n === 0) throw new RangeError("nobody answered it");
  const each = counts.map((count) => count / n);
  const mean = reading.decode(each);
  const plain = reading.decodeSquares(each).map((square, x) => Math.max(square - mean[x] ** 2, 0));
  const [value, variance] = shifted ? atBlocks(reading, each, mean) : [mean, plain];
  const stderr = variance.map((own, x) => {
    if (reading.k === 1) return 0;
    // Whatever the people are, a share has at least this variance: the tally shows less where all reports are alike.
    const p = Math.min(Math.max(mean[x], 1 / (n + 1)), n / (n + 1));
    const lacking = p * reading.own[x] + (1 - p) * reading.least[x] - p * p - plain[x];
    return Math.sqrt((own + Math.max(lacking, 0)) / n);
  });
  return { n, value, stderr };
}

/** Estimates of each block moved alike, so that they add up to the share of the block, which the codes tell; and variances. */
function atBlocks(reading, each, mean) {
  const { block, excess } = reading;
  const sums = (amounts) => {
    const found = [];
    amounts.forEach((amount, x) => (found[block[x]] = (found[block[x]] ?? 0) + amount));
    return found;
  };
  const sizes = sums(block.map(() => 1));
  const shares = (counts) => blockTotals(reading, counts);
  const known = shares(each);
  const found = sums(mean);
  const value = mean.map((own, x) => own - (found[block[x]] - known[block[x]]) / sizes[block[x]]);
  const crossedBy = reading.decode(each.map((count, i) => count * excess[i]));
  const squared = shares(each.map((count, i) => count * excess[i] ** 2));
  const moment = reading.decodeSquares(each).map((own, x) => own - 2 * crossedBy[x] + squared[block[x]]);
  return [value, moment.map((own, x) => Math.max(own - value[x] ** 2, 0))];
}

/** The sum of the counters of each block. */
function blockTotals(reading, counts) {
  if (!reading.parts) return [reading.total(counts)];
  return reading.parts.map((part) => part.reading.total(counts.slice(part.first, part.first + part.reading.counters)));
}
