// The weights of all codes on each value that a draw gives, choice by choice, in whole numbers: what of a draw can be listed.

import { ARITHMETIC } from "./mechanism.js";
import { WORD } from "./words.js";

/** What would take a page too long to go through: neither kept nor broken. */
export class UncheckedError extends Error {}

/** Values times codes, and steps of one value, that are gone through at most. */
const MOST = 7_500_000;

const certain = (number) => ({ total: 1n, weights: new Map([[number, 1n]]) });

function added(total, pairs) {
  const weights = new Map();
  let left = MOST;
  for (const [number, weight] of pairs) {
    if ((left -= 1) < 0) throw new UncheckedError("more choices than a page can go through");
    if (weight) weights.set(number, (weights.get(number) ?? 0n) + weight);
  }
  return { total, weights };
}

/** What an operation gives of one value, whose arguments are independent: each is worked out once. */
class Listed {
  constructor(mechanism, value) {
    this.own = mechanism;
    this.value = value;
  }

  of(found) {
    if (found === "v") return certain(BigInt(this.value));
    if (!Array.isArray(found)) return certain(this.own.constant(found));
    const [operation, ...given] = found;
    return Object.hasOwn(Listed.prototype, operation) ? this[operation](...given) : this.joined(operation, ...given);
  }

  /** Of arithmetic, and of places of a list. */
  joined(operation, ...given) {
    if (operation === "at") {
      const { total, weights } = this.of(given[1]);
      const numbers = this.own.list(given[0]);
      return added(total, [...weights].map(([place, weight]) => [numbers[Number(place)], weight]));
    }
    const [one, other] = given.map((own) => this.of(own));
    // As where a second word is dropped.
    if (operation === "+" && other.total === 1n && other.weights.has(0n)) return one;
    const join = ARITHMETIC[operation];
    const pairs = function* pairs() {
      for (const [a, p] of one.weights) for (const [b, q] of other.weights) yield [join(a, b), p * q];
    };
    return added(one.total * other.total, pairs());
  }

  if(condition, one, other) {
    const [holds, yes, no] = [condition, one, other].map((own) => this.of(own));
    const pairs = function* pairs() {
      for (const [number, p] of holds.weights) {
        const [own, scale] = number ? [yes, no.total] : [no, yes.total];
        for (const [code, q] of own.weights) yield [code, p * q * scale];
      }
    };
    // All rows have one total, whatever a condition about the value says.
    return added(holds.total * yes.total * no.total, pairs());
  }

  drop() {
    return certain(0n);
  }

  number(found) {
    const { weights } = this.of(found);
    if (weights.size !== 1) throw new RangeError("a chance must not be drawn");
    return [...weights.keys()][0];
  }

  coin(threshold) {
    const heads = this.number(threshold);
    if (heads > WORD) throw new RangeError("a coin's threshold must be at most 2^64");
    return added(WORD, [[1n, heads], [0n, WORD - heads]]);
  }

  below(bound) {
    const total = this.own.constant(bound);
    const each = function* each() {
      for (let number = 0n; number < total; number += 1n) yield [number, 1n];
    };
    return added(total, each());
  }

  pick(found) {
    const weights = this.own.weights(found, (own) => () => this.number(own))(this.value);
    return added(weights.reduce((a, b) => a + b, 0n), weights.map((weight, place) => [BigInt(place), weight]));
  }

  sides(threshold, found) {
    const heads = this.own.constant(threshold);
    const [set] = this.own.setOf(found, () => null);
    const value = Number(this.number(found[1]));
    const [on, off] = set.bounds;
    const each = function* each() {
      for (let choice = 0n; choice < on; choice += 1n) yield [set.code(value, choice, false), (off ? heads : WORD) * (off || 1n)];
      for (let choice = 0n; choice < off; choice += 1n) yield [set.code(value, choice, true), (WORD - heads) * on];
    };
    return added(WORD * on * (off || 1n), each());
  }
}

/** The rows of weights of a mechanism's codes, of which all have one `total`. */
export function listed(mechanism) {
  if (mechanism.listing) return mechanism.listing;
  const { k, outputs } = mechanism;
  const size = BigInt(k) * outputs;
  if (size > MOST) throw new UncheckedError("more values and codes than a page can go through");
  const width = Number(outputs);
  let total = null;
  const rows = Array.from({ length: k }, (_, value) => {
    const found = new Listed(mechanism, value).of(mechanism.draw);
    if (total !== null && found.total !== total) throw new RangeError("the weights of each value must have one sum");
    total = found.total;
    const row = new Array(width).fill(0n);
    for (const [code, weight] of found.weights) {
      if (code >= outputs) throw new RangeError("a draw must give one of its codes");
      row[Number(code)] += weight;
    }
    return row;
  });
  const areChances = (row) => row.every((weight) => weight >= 0n) && row.reduce((a, b) => a + b, 0n) === total;
  if (!total || !rows.every(areChances)) throw new RangeError("the weights of each value must be chances");
  mechanism.listing = { rows, total };
  return mechanism.listing;
}
