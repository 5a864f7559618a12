// Mechanisms that are made of others, or follow what is promised about an attribute; `mechanism` makes any of them.

import { codes, integer, listOf, requires, whole } from "./entries.js";
import { amount, ceil, compare, fraction, minus, scaled, times, within } from "./fraction.js";
import { Binary, Flips, Hadamard, Linear, OptionalWindow, Projective, Randomized, Table, Window } from "./mechanisms.js";
import { Cyclic, Subset } from "./subsets.js";
import { WORD, below, pick, sameWords } from "./words.js";

/** How many values an attribute has. */
export function size(attribute) {
  if (attribute.labels) return attribute.labels.length;
  return attribute.numbers ?? attribute.grid.rows * attribute.grid.columns;
}

/** The names of an attribute's categories. */
export const labelsOf = ({ labels, numbers }) => labels ?? Array.from({ length: numbers }, (_, value) => String(value));

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
  requires(found, "a blockwise mechanism needs a promise by blocks", "another");
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
  requires(bounds, "a high-low mechanism needs sensitive values", "none");
  const protectedFrom = (row, value) => row.some((bound, other) => other !== value && bound !== "inf");
  return bounds.flatMap((row, value) => (protectedFrom(row, value) ? [value] : []));
}

/** Values in an order in which each stands next to the next, by where they stand on a line. */
function line(places) {
  const order = places.map((_, value) => value).sort((a, b) => compare(places[a], places[b]));
  const steps = order.slice(1).map((upper, i) => [order[i], upper, minus(places[upper], places[order[i]])]);
  requires(steps.every(([, , length]) => length[0] > 0n), "values on a line must lie apart", "two at one place");
  return steps;
}

/** How far a name of a tree is from the one above it. */
export function stepLength({ lengths = {} }, name) {
  const length = fraction(Object.hasOwn(lengths, name) ? lengths[name] : "1");
  requires(length[0] > 0n, "a length must be above 0", "another");
  return length;
}

/** Values on a line at most. */
const LARGEST_LINE = 2 ** 16;

/** The axes of a metric: how many values each has, and its steps as [value, value, length]. */
export function axes(attribute) {
  const { metric } = attribute.protect;
  // Of a table's attributes each has its own, one after the other.
  if (metric.of) return metric.of.flatMap((own) => axes(own).map((axis) => ({ nats: own.protect.epsilon, ...axis })));
  const k = size(attribute);
  const longest = metric.map ? Math.max(attribute.grid.rows, attribute.grid.columns) : k;
  requires(metric.tree || longest <= LARGEST_LINE, `a line must have at most ${LARGEST_LINE} values`, "more");
  const numbered = (length) => Array.from({ length: length - 1 }, (_, i) => [i, i + 1, [1n, 1n]]);
  if (metric.tree) {
    const places = new Map(labelsOf(attribute).map((name, place) => [name, place]));
    const at = (name) => places.get(name) ?? -1;
    const steps = Object.entries(metric.tree).flatMap(([above, under]) =>
      under.map((name) => [at(above), at(name), stepLength(metric, name)]),
    );
    return [{ k, steps }];
  }
  if (metric.map) {
    const { rows, columns } = attribute.grid;
    return [
      { k: rows, steps: numbered(rows), nats: metric.map.row_step },
      { k: columns, steps: numbered(columns), nats: metric.map.column_step },
    ];
  }
  if (metric.positions) return [{ k, steps: line(metric.positions.map(fraction)) }];
  const per = fraction(metric.per);
  requires(per[0] > 0n, "a distance must be above 0", "another");
  const steps = attribute.labels ? line(attribute.labels.map(fraction)) : numbered(k);
  return [{ k, steps: steps.map(([one, other, length]) => [one, other, times(length, [per[1], per[0]])]) }];
}

/** The loss that each step of an axis may have, in nats. */
export function stepLoss(axis, epsilon, length) {
  return scaled(amount(axis.nats ?? epsilon), length);
}

/** The mechanisms with one coin, which others hold within. */
const WITHIN = ["randomized", "hadamard", "projective", "subset", "cyclic"];

class Blockwise {
  constructor(own, attribute) {
    const of = blocks(attribute);
    const members = new Map();
    of.forEach((block, value) => (members.has(block) ? members.get(block).push(value) : members.set(block, [value])));
    const made = listOf(own.inner, (each) => mechanism(each, null, WITHIN), "the mechanisms of blocks");
    const sizes = [...new Set([...members.values()].map((values) => values.length))].sort((a, b) => a - b);
    const each = made.length === sizes.length && made.every(({ k }, place) => k === sizes[place]);
    requires(each, "there must be one inner mechanism for each block size, the smallest first");
    const inner = new Map(made.map((one) => [one.k, one]));
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
    codes(this.outputs);
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
    this.inner = mechanism(own.inner, null, WITHIN);
    this.hidden = integer(own.hidden);
    this.place = new Map(this.sensitive.map((value, place) => [value, place]));
    this.others = new Map();
    for (let value = 0; value < this.k; value += 1) {
      if (!this.place.has(value)) this.others.set(value, BigInt(this.others.size));
    }
    this.outputs = codes(this.inner.outputs + BigInt(this.others.size));
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

/** Whether all that an axis goes through are values: some names of a tree may be nobody's answer. */
const isOfAnswers = ({ steps }) => steps.every(([one, other]) => one >= 0 && other >= 0);

/** Steps of so many nats or more count as so many. */
const LONGEST = 100n;

/** Values of a tree at most. */
const LARGEST_TREE = 10_000;

class Tree {
  constructor(own, axis, epsilon) {
    this.k = whole(axis.k, 2, LARGEST_TREE, "how many values a tree has");
    requires(isOfAnswers(axis), "a channel of a tree must be about its names, all of which are answers");
    this.outputs = BigInt(axis.k);
    const far = (length) => {
      const loss = stepLoss(axis, epsilon, length) ?? { rational: times(amount(axis.nats ?? epsilon).rational, length), ratio: [1n, 1n] };
      return within([1n, 1n], { rational: minus(loss.rational, [LONGEST, 1n]), ratio: loss.ratio });
    };
    const steps = axis.steps.map(([one, other, length]) => [one, other, far(length) ? null : length]);
    const known = new Map(steps.filter(([, , length]) => length).map(([, , length]) => [String(length), length]));
    const distinct = [...known.values()].sort(compare).map(String);
    const count = distinct.length + (steps.some(([, , length]) => !length) ? 1 : 0);
    const factors = listOf(own.factors, integer, "the factors of a tree");
    requires(factors.length === count, "a tree must have a factor for each length of its steps");
    requires(factors.every((one) => one > 0n && one < WORD), "each step of a tree must be told, with a factor in 1..2^64-1", "another");
    const places = new Map(distinct.map((length, place) => [length, place]));
    const factor = (length) => factors[length ? places.get(String(length)) : count - 1];
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

/** What can answer a coordinate. */
const ALONG = ["tree", "randomized", "binary", "table"];

/** Codes of a product at most. */
const LARGEST_PRODUCT = 2n ** 22n;

class Product {
  constructor(own, attribute) {
    requires(attribute.protect.metric, "a product of channels needs a promise by distances", "another");
    const lines = axes(attribute);
    requires(lines.every(isOfAnswers), "a product of channels must be about the names of a tree only where all are answers");
    requires(Array.isArray(own.axes) && own.axes.length === lines.length, "a product must have an axis for each line");
    this.axes = own.axes.map((each, i) => mechanism(each, attribute, ALONG, lines[i]));
    this.sizes = lines.map((axis) => axis.k);
    const fits = this.axes.every(({ k }, i) => k === this.sizes[i]);
    requires(fits, "each channel of a product must be about the values of its axis");
    this.k = this.sizes.reduce((a, b) => a * b, 1);
    this.outputs = this.axes.reduce((all, axis) => all * axis.outputs, 1n);
    requires(this.outputs <= LARGEST_PRODUCT, `a product must have at most ${LARGEST_PRODUCT} codes`, "more");
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

/** The mechanisms with one coin whose tallies count codes. */
const LEVELLED = ["randomized", "hadamard", "projective", "cyclic"];

/** Values, nodes within a node, and codes of a hierarchy at most. */
const [LARGEST_SIZE, LARGEST_FAN, LARGEST_CODES] = [2 ** 10, 64, 2n ** 13n];

/** A node of the tree over the values, at a level that is drawn without looking; level 0 are the values. */
class Hierarchy {
  constructor(own) {
    this.k = whole(own.k, 2, LARGEST_SIZE, "how many values a hierarchy has");
    this.fan = whole(own.fan, 2, LARGEST_FAN, "how many nodes a node has");
    this.levelled = listOf(own.inner, (each) => mechanism(each, null, LEVELLED), "the levels of a hierarchy");
    const sizes = [this.k];
    while (sizes.at(-1) > this.fan) sizes.push(Math.ceil(sizes.at(-1) / this.fan));
    const fits = this.levelled.length === sizes.length && this.levelled.every((each, level) => each.k === sizes[level]);
    requires(fits, "a hierarchy must have a mechanism for each level");
    this.outputs = this.levelled.reduce((all, each) => all + each.outputs, 0n);
    requires(this.outputs <= LARGEST_CODES, `a hierarchy must have at most ${LARGEST_CODES} codes`, "more");
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
  linear: [["weights"], Linear],
  flips: [["table"], Flips],
  blockwise: [["inner"], Blockwise],
  "high-low": [["hidden", "inner"], HighLow],
  product: [["axes"], Product],
  tree: [["factors"], Tree],
};

/** What each kind of question is asked through: shares of values, of bins, of those of numbers that may be missing; numbers. */
export const OF_SHARES = [...WITHIN, "blockwise", "high-low", "binary", "table", "tree", "product"];
export const OF_BINS = ["window", "hierarchy"];
export const OF_BINS_OR_NONE = ["optional-window", "hierarchy"];
export const OF_NUMBERS = ["randomized", "window", "flips", "linear", "table", "projective", "cyclic"];

/** The mechanism of a plan's words, one of some kinds; `attribute` and `axis` where it follows what is promised about one. */
export function mechanism(own, attribute, kinds, axis) {
  requires(typeof own?.name === "string" && kinds.includes(own.name), `a mechanism here must be one of ${kinds.join(", ")}`, "another");
  const [fields, Kind] = MECHANISMS[own.name];
  const found = Object.keys(own).filter((key) => key !== "name").sort();
  requires(found.join() === fields.join(), `the mechanism ${own.name} must have ${fields.join(", ")}, and nothing else`);
  const made = Kind === Tree ? new Tree(own, axis ?? onlyAxis(attribute), attribute.protect.epsilon) : new Kind(own, attribute);
  made.name = own.name;
  return made;
}

function onlyAxis(attribute) {
  requires(attribute.protect.metric, "a channel of a tree needs a promise by distances", "another");
  const lines = axes(attribute);
  requires(lines.length === 1, "a channel of a tree must be about one line, or one tree", "several");
  return lines[0];
}
