// Mechanisms that are made of others, or follow what is promised about an attribute; `mechanism` makes any of them.

import { amount, ceil, compare, fraction, minus, multiple, plus, times, within } from "./fraction.js";
import { Binary, Cyclic, Flips, Hadamard, OptionalWindow, Projective, Randomized, Subset, Table, Window } from "./mechanisms.js";
import { WORD, below, pick, sameWords } from "./words.js";

/** How many values an attribute has. */
export function size(attribute) {
  if (attribute.labels) return attribute.labels.length;
  return attribute.numbers ?? attribute.grid.rows * attribute.grid.columns;
}

/** The block of each value. */
export function blocks(attribute) {
  const k = size(attribute);
  const { bounds, blocks: found } = attribute.protect;
  const values = Array.from({ length: k }, (_, value) => value);
  if (bounds) {
    const block = [...values];
    for (const one of values) {
      for (const other of values) {
        if (bounds[one][other] === "inf" || block[one] === block[other]) continue;
        const from = block[other];
        block.forEach((own, value) => own === from && (block[value] = block[one]));
      }
    }
    return block;
  }
  if (found.of) return found.of;
  if (found.run) return values.map((value) => Math.floor(value / found.run));
  const [height, width] = found.tiles;
  const { columns } = attribute.grid;
  const across = Math.ceil(columns / width);
  return values.map((v) => Math.floor(Math.floor(v / columns) / height) * across + Math.floor((v % columns) / width));
}

/** The values that are sensitive, ascending. */
export function sensitive(attribute) {
  const { sensitive: named, bounds } = attribute.protect;
  if (named) return [...named].sort((a, b) => a - b);
  const protectedFrom = (row, value) => row.some((bound, other) => other !== value && bound !== "inf");
  return bounds.flatMap((row, value) => (protectedFrom(row, value) ? [value] : []));
}

/** Values in an order in which each stands next to the next, by where they stand on a line. */
function line(places) {
  const order = places.map((_, value) => value).sort((a, b) => compare(places[a], places[b]));
  return order.slice(1).map((upper, i) => [order[i], upper, minus(places[upper], places[order[i]])]);
}

/** How far a name of a tree is from the one above it. */
export function stepLength({ lengths = {} }, name) {
  const length = fraction(Object.hasOwn(lengths, name) ? lengths[name] : "1");
  if (length[0] <= 0n) throw new SyntaxError("a length must be above 0");
  return length;
}

/** The axes of a metric: how many values each has, and its steps as [value, value, length]. */
export function axes(attribute) {
  const { metric } = attribute.protect;
  // Of a table's attributes each has its own, one after the other.
  if (metric.of) return metric.of.flatMap((own) => axes(own).map((axis) => ({ nats: own.protect.epsilon, ...axis })));
  const k = size(attribute);
  const numbered = (length) => Array.from({ length }, (_, i) => [BigInt(i), 1n]);
  if (metric.tree) {
    const at = (name) => attribute.labels.indexOf(name);
    const steps = Object.entries(metric.tree).flatMap(([above, under]) =>
      under.map((name) => [at(above), at(name), stepLength(metric, name)]),
    );
    return [{ k, steps }];
  }
  if (metric.map) {
    const { rows, columns } = attribute.grid;
    return [
      { k: rows, steps: line(numbered(rows)), nats: metric.map.row_step },
      { k: columns, steps: line(numbered(columns)), nats: metric.map.column_step },
    ];
  }
  if (metric.positions) return [{ k, steps: line(metric.positions.map(fraction)) }];
  const per = fraction(metric.per);
  if (per[0] <= 0n) throw new SyntaxError("a distance must be above 0");
  const steps = line(attribute.labels ? attribute.labels.map(fraction) : numbered(k));
  return [{ k, steps: steps.map(([one, other, length]) => [one, other, times(length, [per[1], per[0]])]) }];
}

/** The loss that each step of an axis may have, in nats. */
export function stepLoss(axis, epsilon, length) {
  return multiple(amount(axis.nats ?? epsilon), length);
}

class Blockwise {
  constructor(own, attribute) {
    const of = blocks(attribute);
    const members = new Map();
    of.forEach((block, value) => members.set(block, [...(members.get(block) ?? []), value]));
    const inner = new Map(own.inner.map((each) => [each.k, mechanism(each)]));
    this.k = of.length;
    this.parts = [];
    this.place = [];
    this.outputs = 0n;
    for (const values of members.values()) {
      const part = { inner: inner.get(values.length), first: this.outputs, values };
      values.forEach((value, place) => (this.place[value] = [part, place]));
      this.outputs += part.inner.outputs;
      this.parts.push(part);
    }
  }

  code(value, words) {
    const [part, place] = this.place[value];
    return part.first + part.inner.code(place, words);
  }
}

class HighLow {
  constructor(own, attribute) {
    this.k = size(attribute);
    this.sensitive = sensitive(attribute);
    this.inner = mechanism(own.inner);
    this.hidden = BigInt(own.hidden);
    this.place = new Map(this.sensitive.map((value, place) => [value, place]));
    this.others = new Map();
    for (let value = 0; value < this.k; value += 1) {
      if (!this.place.has(value)) this.others.set(value, BigInt(this.others.size));
    }
    this.outputs = this.inner.outputs + BigInt(this.others.size);
  }

  code(value, words) {
    // Both ways are gone by the same words, so that how many are drawn tells nothing.
    const reader = sameWords(words);
    const own = this.inner.code(this.place.get(value) ?? 0, reader());
    const other = reader();
    const told = other.next() >= this.hidden;
    const behind = this.inner.uniform(other);
    if (this.place.has(value)) return own;
    return told ? this.inner.outputs + this.others.get(value) : behind;
  }
}

/** Steps of more nats count as so many. */
const LONGEST = 100n;

class Tree {
  constructor(own, axis, epsilon) {
    this.k = axis.k;
    this.outputs = BigInt(axis.k);
    const far = (length) => {
      const loss = stepLoss(axis, epsilon, length) ?? { rational: times(amount(axis.nats ?? epsilon).rational, length), ratio: [1n, 1n] };
      return !within([1n, 1n], { rational: minus([LONGEST, 1n], loss.rational), ratio: [loss.ratio[1], loss.ratio[0]] });
    };
    const steps = axis.steps.map(([one, other, length]) => [one, other, far(length) ? null : length]);
    const distinct = [];
    for (const [, , length] of steps) {
      if (length && !distinct.some((known) => compare(known, length) === 0)) distinct.push(length);
    }
    distinct.sort(compare);
    const count = distinct.length + (steps.some(([, , length]) => !length) ? 1 : 0);
    if (own.factors.length !== count) throw new RangeError("a tree must have a factor for each length of its steps");
    const factor = (length) => BigInt(own.factors[length ? distinct.findIndex((d) => compare(d, length) === 0) : count - 1]);
    this.near = Array.from({ length: axis.k }, () => []);
    for (const [one, other, length] of steps) {
      this.near[one].push([other, factor(length)]);
      this.near[other].push([one, factor(length)]);
    }
  }

  /** The weights of a code on all values; on its own value only the start. */
  column(code) {
    let share = [1n, 1n];
    for (const [, factor] of this.near[code]) share = minus(share, [factor, WORD + factor]);
    const start = ceil(WORD * share[0], share[1]);
    const weights = new Array(this.k).fill(null);
    weights[code] = start < WORD ? start : WORD - 1n;
    const waiting = [code];
    for (const value of waiting) {
      for (const [other, factor] of this.near[value]) {
        if (weights[other] !== null) continue;
        weights[other] = ceil(weights[value] * factor, WORD);
        waiting.push(other);
      }
    }
    return weights;
  }

  /** The weight of each code on each value. */
  get rows() {
    if (!this.made) {
      const columns = this.near.map((_, code) => this.column(code));
      this.made = columns.map((_, value) => columns.map((column) => column[value]));
      this.made.forEach((row, value) => {
        const others = row.reduce((total, weight, code) => (code === value ? total : total + weight), 0n);
        row[value] = WORD - others;
      });
    }
    return this.made;
  }

  code(value, words) {
    const word = words.next();
    words.next();
    return BigInt(pick(this.rows[value], word));
  }
}

class Product {
  constructor(own, attribute) {
    const lines = axes(attribute);
    if (own.axes.length !== lines.length) throw new RangeError("a product must have an axis for each line");
    this.axes = own.axes.map((each, i) => axisMechanism(each, lines[i], attribute));
    this.sizes = lines.map((axis) => axis.k);
    this.k = this.sizes.reduce((a, b) => a * b, 1);
    this.outputs = this.axes.reduce((all, axis) => all * axis.outputs, 1n);
  }

  /** A value's digit of each axis. */
  digits(value) {
    let left = value;
    const found = [...this.sizes].reverse().map((k) => {
      const digit = left % k;
      left = Math.floor(left / k);
      return digit;
    });
    return found.reverse();
  }

  code(value, words) {
    const digits = this.digits(value);
    return this.axes.reduce((code, axis, i) => code * axis.outputs + axis.code(digits[i], words), 0n);
  }
}

function axisMechanism(own, axis, attribute) {
  return own.name === "tree" ? new Tree(own, axis, attribute.protect.epsilon) : mechanism(own, attribute);
}

/** The mechanisms with one coin, whose tallies count codes. */
const WITHIN = ["randomized", "hadamard", "projective", "cyclic"];

/** A node of the tree over the values, at a level that is drawn without looking; level 0 are the values. */
class Hierarchy {
  constructor(own) {
    const { fan, k } = own;
    if (!Number.isSafeInteger(k) || k < 2 || !Number.isSafeInteger(fan) || fan < 2) throw new RangeError("a hierarchy must have values, and nodes within nodes");
    this.k = k;
    this.fan = fan;
    this.levelled = own.inner.map((each) => mechanism(each));
    const sizes = [k];
    while (sizes.at(-1) > fan) sizes.push(Math.ceil(sizes.at(-1) / fan));
    const fits = this.levelled.length === sizes.length && this.levelled.every((each, level) => each.k === sizes[level] && WITHIN.includes(each.name));
    if (!fits) throw new RangeError("a hierarchy must have a mechanism for each level");
    this.outputs = this.levelled.reduce((all, each) => all + each.outputs, 0n);
  }

  code(value, words) {
    const level = Number(below(BigInt(this.levelled.length), words));
    const before = this.levelled.slice(0, level).reduce((all, each) => all + each.outputs, 0n);
    return before + this.levelled[level].code(Math.floor(value / this.fan ** level), words);
  }
}

/** The fields of each mechanism beside its name, and how it is made. */
const MECHANISMS = {
  randomized: [["k", "threshold"], Randomized],
  hadamard: [["k", "threshold"], Hadamard],
  projective: [["field", "k", "threshold"], Projective],
  subset: [["k", "size", "threshold"], Subset],
  cyclic: [["k", "order", "prime", "size", "threshold"], Cyclic],
  window: [["k", "threshold", "window"], Window],
  hierarchy: [["fan", "inner", "k"], Hierarchy],
  "optional-window": [["absent", "k", "present", "threshold", "window"], OptionalWindow],
  binary: [["first", "second"], Binary],
  table: [["weights"], Table],
  linear: [["weights"], Table],
  flips: [["table"], Flips],
  blockwise: [["inner"], Blockwise],
  "high-low": [["hidden", "inner"], HighLow],
  product: [["axes"], Product],
  tree: [["factors"], null],
};

/** The mechanism of a plan's words; `attribute` where it follows what is promised about one. */
export function mechanism(own, attribute = null) {
  const [fields, Kind] = Object.hasOwn(MECHANISMS, own.name) ? MECHANISMS[own.name] : [];
  if (!fields) throw new RangeError("a mechanism must be one that this client knows");
  const found = Object.keys(own).filter((key) => key !== "name").sort();
  if (found.join() !== fields.join()) throw new RangeError("a mechanism must have its fields, and no others");
  const made = Kind ? new Kind(own, attribute) : axisMechanism(own, axes(attribute)[0], attribute);
  made.name = own.name;
  return made;
}
