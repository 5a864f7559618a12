// A mechanism, whatever it is called: an interpreter of its draw, as docs/plan-format.md has it. `k` values, `outputs` codes,
// `code(value, words)`. What a draw is made of can be looked at: `set` and `threshold` where a coin chooses a side; `parts` of
// blocks; `axes` of digits; `levelled`; `hidden` among the codes of `inner`; the `table` of flips. Values are numbers, codes BigInts.

import { codes as fitting, integer, listOf, requires, whole } from "./entries.js";
import { ceil, minus } from "./fraction.js";
import { codeSet } from "./sets.js";
import { WORD, below, either, pick, sameWords } from "./words.js";

const DIGITS = /^\d/;

/** Values, and numbers of a list, at most; values that are numbers of sets, of which none is listed; lists within each other. */
const MOST_VALUES = 2 ** 22;
const MOST_SETS = 2 ** 53;
const DEEPEST = 16;

/** What is worked out of two numbers. */
export const ARITHMETIC = {
  "+": (a, b) => a + b,
  "-": (a, b) => (a > b ? a - b : 0n),
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "^": (a, b) => a ^ b,
  "<": (a, b) => (a < b ? 1n : 0n),
};

const NUMBER = "what a draw names must be a number of its record";

/** A number of a record, or of a draw. */
function numberOf(entry) {
  if (typeof entry === "number") return BigInt(whole(entry, 0, 2 ** 53, "a number of a draw"));
  return integer(entry);
}

/** Whether an operation has so many arguments. */
const requireCount = (found, count) => requires(found.length === count, "an operation must have its arguments, and no others");

export class Mechanism {
  constructor(own, depth = 0) {
    requires(typeof own === "object" && own !== null && depth < 3, "a mechanism must be a record, within few others", "another");
    /** As many as its draw has; operations of a draw note it. */
    this.known = /** @type {bigint | undefined} */ (undefined);
    this.own = own;
    this.depth = depth;
    this.k = whole(own.k, 1, isOfSets(own.draw) && depth === 0 ? MOST_SETS : MOST_VALUES, "how many values a mechanism has");
    this.outputs = fitting(integer(own.codes));
    requires(this.outputs >= 1n, "a mechanism must have codes", "none");
    this.draw = own.draw;
    const [operation] = Array.isArray(own.draw) ? own.draw : [];
    if (Object.hasOwn(WHOLE, operation)) {
      requires(typeof operation === "string", "an operation must be one that this client knows", "another");
      this.run = WHOLE[operation](this, ...own.draw.slice(1));
      const [known, what] = [this.known, "codes must be as many as a draw has"];
      requires(known === this.outputs, what, String(known));
    } else {
      this.run = this.number(own.draw, "v");
      if (isFlips(own.draw)) this.#setFlips(own.draw[2][1]);
    }
  }

  code(value, words) {
    const found = this.run(BigInt(value), words);
    if (found >= this.outputs) throw new RangeError("a draw must give one of its codes");
    return found;
  }

  /** Other mechanisms, which the record holds. */
  inners(name) {
    requires(typeof name === "string" && Object.hasOwn(this.own, name), "a draw's parts must be of its record", "others");
    const found = this.own[name];
    return listOf(Array.isArray(found) ? found : [found], (own) => new Mechanism(own, this.depth + 1), "the parts of a mechanism");
  }

  /** A number that does not depend on the value. */
  constant(found) {
    if (typeof found === "string" && !DIGITS.test(found)) {
      requires(Object.hasOwn(this.own, found) && !Array.isArray(this.own[found]), NUMBER, "another name");
      return numberOf(this.own[found]);
    }
    return numberOf(found);
  }

  /** A list that does not depend on the value, of numbers or of such lists. */
  list(found) {
    if (typeof found === "string") {
      requires(Object.hasOwn(this.own, found) && Array.isArray(this.own[found]), "what a draw names must be a list of its record", "another name");
      return this.own[found].map((entry) => (Array.isArray(entry) ? entry.map(numberOf) : numberOf(entry)));
    }
    requires(Array.isArray(found), "a list must be given", "something else");
    const [operation, ...given] = found;
    if (operation === "list") return given.map((entry) => this.constant(entry));
    requires(operation === "each", "a list must be given", "another operation");
    requireCount(given, 2);
    const formula = this.number(given[1], "i");
    return Array.from({ length: whole(Number(this.constant(given[0])), 1, MOST_VALUES, "how long a list is") }, (_, i) => formula(BigInt(i)));
  }

  /** What works out a number of `name`, by its words; in a list there are none. */
  number(found, name, depth = 0) {
    requires(depth < DEEPEST, `a draw must have at most ${DEEPEST} operations within each other`, "more");
    if (found === name) return (given) => given;
    if (!Array.isArray(found)) {
      const constant = this.constant(found);
      return () => constant;
    }
    const [operation, ...given] = found;
    const next = (own) => this.number(own, name, depth + 1);
    if (typeof operation === "string" && Object.hasOwn(ARITHMETIC, operation)) {
      requireCount(given, 2);
      const [join, one, other] = [ARITHMETIC[operation], ...given.map(next)];
      return (value, words) => join(one(value, words), other(value, words));
    }
    if (operation === "at") {
      requireCount(given, 2);
      const [numbers, place] = [this.list(given[0]), next(given[1])];
      requires(numbers.every((one) => typeof one === "bigint"), "a list must hold numbers here", "lists");
      return (value, words) => entryAt(numbers, place(value, words));
    }
    requires(typeof operation === "string" && Object.hasOwn(DRAWN, operation) && (name === "v" || operation === "if"), "an operation must be one that this client knows", "another");
    return DRAWN[operation](this, next, ...given);
  }

  /** What works out a list by the value: one list, or a row of several, or the weights of codes along the steps of a tree. */
  weights(found, next) {
    const [operation, ...given] = Array.isArray(found) ? found : [];
    if (operation === "at") {
      requireCount(given, 2);
      const [rows, place] = [this.list(given[0]), next(given[1])];
      requires(rows.length >= 1 && rows.every(Array.isArray), "rows of weights must be lists", "numbers");
      const [total, ...others] = rows.map(sum);
      // Unlike sums would be seen in how many words are rejected.
      const alike = total >= 1n && total <= WORD && others.every((one) => one === total) && rows.every(({ length }) => length === rows[0].length);
      requires(alike, "all rows of weights must have one length, and one sum, 1 to 2^64");
      return (value) => entryAt(rows, place(value));
    }
    if (operation !== "outward") {
      const numbers = this.list(found);
      requires(sum(numbers) >= 1n && sum(numbers) <= WORD, "weights must have a sum, 1 to 2^64");
      return () => numbers;
    }
    requireCount(given, 4);
    const [tree, place] = [new Outward(...given.slice(0, 3).map((own) => this.list(own))), next(given[3])];
    return (value) => entryAt(tree.rows, place(value));
  }

  /** The set of a draw, its numbers, and what works out the value that it is of. */
  setOf(found, next) {
    requires(Array.isArray(found), "codes must be of a set", "something else");
    const [name, value, ...given] = found;
    const lists = name === "translates" ? given.slice(1).map((own) => this.list(own)) : [];
    const numbers = (lists.length ? given.slice(0, 1) : given).map((own) => this.constant(own));
    requireCount(given, { meeting: 4, points: 3, translates: 3 }[name] ?? 2);
    return [codeSet(name, [...numbers, ...lists], value === "v" ? this.k : 1), next(value)];
  }

  #setFlips(weights) {
    const found = this.list(weights);
    const fits = found.length === this.k && this.outputs === BigInt(this.k) && Number.isInteger(Math.log2(this.k));
    if (fits && sum(found) === WORD) this.table = found;
  }
}

/** Whether values are the numbers of sets of items. */
const isOfSets = (draw) => Array.isArray(draw) && draw[0] === "sides" && Array.isArray(draw[2]) && draw[2][0] === "meeting" && draw[2][1] === "v";

const sum = (list) => list.reduce((a, b) => a + b, 0n);

const isFlips = (draw) => Array.isArray(draw) && draw[0] === "^" && draw[1] === "v" && Array.isArray(draw[2]) && draw[2][0] === "pick" && !Array.isArray(draw[2][1]);

function entryAt(list, place) {
  if (place >= BigInt(list.length)) throw new RangeError("a place must be one of a list");
  return list[Number(place)];
}

/** Operations that draw words, or have more than two arguments: by the mechanism, what works out an argument, and these. */
const DRAWN = {
  if(own, next, ...given) {
    requireCount(given, 3);
    const [condition, one, other] = given.map(next);
    return (value, words) => {
      // All are worked out, so that how many words are drawn tells nothing.
      const [holds, yes, no] = [condition, one, other].map((each) => each(value, words));
      return holds ? yes : no;
    };
  },
  drop: () => (_, words) => words.next() * 0n,
  coin(own, next, ...given) {
    requireCount(given, 1);
    const threshold = next(given[0]);
    return (value, words) => (words.next() < threshold(value) ? 1n : 0n);
  },
  below(own, next, ...given) {
    requireCount(given, 1);
    const bound = own.constant(given[0]);
    requires(bound >= 1n, "a choice must be below a number above 0", "0");
    return (_, words) => below(bound, words);
  },
  pick(own, next, ...given) {
    requireCount(given, 1);
    const weights = own.weights(given[0], next);
    return (value, words) => {
      const list = weights(value);
      return BigInt(pick(list, below(sum(list), words)));
    };
  },
  sides(own, next, ...given) {
    requireCount(given, 2);
    const threshold = own.constant(given[0]);
    const [set, value] = own.setOf(given[1], next);
    return (found, words) => sideOf(set, threshold, Number(value(found)), words);
  },
};

function sideOf(set, threshold, value, words) {
  const other = words.next() >= threshold && set.off > 0n;
  const [on, off] = set.bounds;
  return set.code(value, either(on, off || 1n, other, words), other);
}

/** Operations that are a whole draw, by the mechanism and their arguments: what a page looks at is told to the mechanism. */
const WHOLE = {
  sides(own, ...given) {
    requireCount(given, 2);
    const [set] = own.setOf(given[1], () => null);
    if (given[1][1] !== "v") {
      own.known = own.outputs;
      return own.number(own.draw, "v");
    }
    own.set = set;
    own.known = set.codes;
    own.threshold = own.constant(given[0]);
    requires(own.threshold > 0n && own.threshold < WORD, "a coin's threshold must lie in 1..2^64-1", "another");
    // Weights and codes of the two sides; one side alone is not told from the other.
    own.levels = set.off ? [[own.threshold, set.on], [WORD - own.threshold, set.off]] : [[WORD, set.on], [0n, 0n]];
    return (value, words) => sideOf(set, own.threshold, Number(value), words);
  },
  digits(own, ...given) {
    requireCount(given, 1);
    own.axes = own.inners(given[0]);
    requires(own.axes.reduce((all, { k }) => all * k, 1) === own.k, "digits must be those of the values");
    own.known = own.axes.reduce((all, { outputs }) => all * outputs, 1n);
    own.digits = (value) => {
      let left = value;
      const found = [...own.axes].reverse().map(({ k }) => {
        const digit = left % k;
        left = Math.floor(left / k);
        return digit;
      });
      return found.reverse();
    };
    return (value, words) => {
      const digits = own.digits(Number(value));
      return own.axes.reduce((code, axis, i) => code * axis.outputs + axis.code(digits[i], words), 0n);
    };
  },
  levels(own, ...given) {
    requireCount(given, 2);
    own.fan = whole(Number(own.constant(given[0])), 2, 64, "how many nodes a node has");
    own.levelled = own.inners(given[1]);
    const fits = own.levelled.every(({ k }, level) => k === Math.ceil(own.k / own.fan ** level));
    requires(own.levelled.length >= 1 && fits, "a mechanism must be there for each level, of its nodes");
    own.known = own.levelled.reduce((all, { outputs }) => all + outputs, 0n);
    return (value, words) => {
      const level = Number(below(BigInt(own.levelled.length), words));
      const first = own.levelled.slice(0, level).reduce((all, { outputs }) => all + outputs, 0n);
      return first + own.levelled[level].code(Math.floor(Number(value) / own.fan ** level), words);
    };
  },
  blocks(own, ...given) {
    requireCount(given, 2);
    const of = own.list(given[0]).map(Number);
    requires(of.length === own.k, "each value must be in a block");
    const members = new Map();
    of.forEach((block, value) => (members.has(block) ? members.get(block).push(value) : members.set(block, [value])));
    const sizes = [...new Set([...members.values()].map((values) => values.length))].sort((a, b) => a - b);
    const made = own.inners(given[1]);
    const each = made.length === sizes.length && made.every(({ k }, place) => k === sizes[place]);
    requires(each, "there must be one inner mechanism for each block size, the smallest first");
    const inner = new Map(made.map((one) => [one.k, one]));
    [own.parts, own.place, own.known] = [[], [], 0n];
    for (const values of members.values()) {
      const part = { inner: inner.get(values.length), first: own.known, values };
      values.forEach((value, place) => (own.place[value] = [part, place]));
      own.known += part.inner.outputs;
      own.parts.push(part);
    }
    return (value, words) => {
      const [part, place] = own.place[Number(value)];
      return part.first + part.inner.code(place, words);
    };
  },
  hide(own, ...given) {
    requireCount(given, 3);
    own.sensitive = own.list(given[0]).map(Number);
    const ascends = own.sensitive.every((value, i) => value < own.k && (i === 0 || own.sensitive[i - 1] < value));
    requires(ascends && own.sensitive.length < own.k, "values that others hide among must be some of all, ascending");
    const inner = own.inners(given[1]);
    requires(inner.length === 1 && inner[0].set && inner[0].k === own.sensitive.length, "values must hide among codes of a set, of those listed");
    [own.inner] = inner;
    own.hidden = own.constant(given[2]);
    requires(own.hidden <= WORD, "a chance must be one", "more");
    own.place = new Map(own.sensitive.map((value, place) => [value, place]));
    own.others = new Map();
    for (let value = 0; value < own.k; value += 1) if (!own.place.has(value)) own.others.set(value, BigInt(own.others.size));
    own.known = own.inner.outputs + BigInt(own.others.size);
    return (given_, words) => {
      // Both ways are gone by the same words, so that how many are drawn tells nothing.
      const [value, reader] = [Number(given_), sameWords(words)];
      const code = own.inner.code(own.place.get(value) ?? 0, reader());
      const other = reader();
      const told = other.next() >= own.hidden;
      const behind = own.inner.set.uniform(other);
      if (own.place.has(value)) return code;
      return told ? own.inner.outputs + own.others.get(value) : behind;
    };
  },
};

/** Values of a tree at most. */
const LARGEST_TREE = 10_000;

/** Weights of codes that fall off along the steps of a tree: the row of each value. */
class Outward {
  constructor(above, kinds, factors) {
    const k = BigInt(above.length);
    requires(above.length >= 2 && above.length <= LARGEST_TREE && kinds.length === above.length, `a tree must have 2 to ${LARGEST_TREE} values`, "others");
    const known = above.every((one) => one < k) && kinds.every((one) => one < BigInt(factors.length));
    requires(known && above.filter((one, value) => one === BigInt(value)).length === 1, "a tree must have one root, and a factor for each step");
    requires(factors.every((one) => one > 0n && one < WORD), "each step of a tree must be given, with a factor in 1..2^64-1", "another");
    /** @type {[number, bigint][][]} */
    this.near = above.map(() => []);
    above.forEach((one, value) => {
      const other = Number(one);
      if (other === value) return;
      const factor = factors[Number(kinds[value])];
      this.near[value].push([other, factor]);
      this.near[other].push([value, factor]);
    });
  }

  /** The weights of a code on all values; on its own value only the start. */
  column(code) {
    let share = /** @type {import("./fraction.js").Fraction} */ ([1n, 1n]);
    for (const [, factor] of this.near[code]) share = minus(share, [factor, WORD + factor]);
    const start = ceil(WORD * share[0], share[1]);
    const weights = new Array(this.near.length).fill(null);
    weights[code] = start < WORD ? start : WORD - 1n;
    const waiting = [code];
    for (const value of waiting) {
      for (const [other, factor] of this.near[value]) {
        if (weights[other] !== null) continue;
        weights[other] = ceil(weights[value] * factor, WORD);
        waiting.push(other);
      }
    }
    requires(waiting.length === this.near.length, "the steps of a tree must lead to all of its values");
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
}
