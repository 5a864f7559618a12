// The draw of a report: a question, where numbers are asked a query, its statistic, its mechanism.

import { cellOf, cells } from "./cells.js";
import { mechanism, size } from "../channel/combined.js";
import { gcd } from "../channel/fraction.js";
import { asked, bin, scaled, values } from "./record.js";
import { WORD, below, pick } from "../channel/words.js";

/** 1 for +1 and 0 for -1; wrong with the chance that makes its mean the number. */
function sign(number, words) {
  const amount = BigInt(Math.trunc(Math.abs(number) * 2 ** 63));
  const word = words.next();
  const wrong = word >= 1n << 63n && word < WORD - amount;
  return wrong !== number >= 0 ? 1 : 0;
}

function point(numbers, [place, points], words) {
  return points === 2 ? sign(numbers[place], words) : onGrid(numbers, [place, points], words);
}

function onGrid(numbers, [place, points], words) {
  const above = (numbers[place] + 1) * ((points - 1) / 2);
  const lower = Math.min(Math.floor(above), points - 1);
  const rest = Math.min(Math.max(above - lower, 0), 1 - 2 ** -53);
  const threshold = BigInt(Math.trunc(rest * 2 ** 64));
  return Math.min(lower + (words.next() < threshold ? 1 : 0), points - 1);
}

/** A point of the grid, or the value after them where there is no number: by one word in both cases. */
function optional(numbers, [place, points], words) {
  const missing = Number.isNaN(numbers[place]);
  const found = onGrid(missing ? { [place]: 0 } : numbers, [place, points], words);
  return missing ? points : found;
}

/** A category and the sign of a number, as one value. */
function categorySign(numbers, [place, , number], words) {
  return 2 * numbers[place] + sign(numbers[number], words);
}

/** The product of a category of two, 1 or -1, with a number or another such category, as a sign. */
function binaryProduct(numbers, [first, second, categories], words) {
  const own = 2 * numbers[first] - 1;
  return sign(own * (categories === 2 ? 2 * numbers[second] - 1 : numbers[second]), words);
}

const twoCategories = (numbers, [first, , second, others]) => numbers[first] * others + numbers[second];

function ofTwo(numbers, [first, second], words) {
  const moment = numbers[first] * numbers[second];
  return sign(first === second ? 2 * moment - 1 : moment, words);
}

function signs(numbers, places, words) {
  return places.reduce((value, place, bit) => value | (sign(numbers[place], words) << bit), 0);
}

const MOST_POINTS = 128;
const MOST_SIGNS = 12;
const MOST_CATEGORIES = 64;
const isFew = (k) => k >= 2 && k <= MOST_CATEGORIES;
const areDifferent = (places) => new Set(places).size === places.length;

/**
 * Each statistic: how many values it has, which of its numbers are places, what else it needs of them; and at which places
 * it reads a category, with how many there are.
 */
export const STATISTICS = {
  number: { read: point, size: ([, points]) => points, places: (given) => given.slice(0, 1), fits: ({ length, 1: points }) => length === 2 && points >= 2 && points <= MOST_POINTS },
  product: { read: ofTwo, size: () => 2, places: (given) => given, fits: ({ length, 0: first, 1: second }) => length === 2 && first <= second },
  signs: { read: signs, size: (places) => 2 ** places.length, places: (given) => given, fits: (places) => places.length >= 1 && places.length <= MOST_SIGNS && areDifferent(places) },
  optional: { read: optional, size: ([, points]) => points + 1, places: (given) => given.slice(0, 1), fits: ({ length, 1: points }) => length === 2 && points >= 2 && points < MOST_POINTS },
  "category-sign": {
    read: categorySign,
    size: ([, k]) => 2 * k,
    places: ([place, , number]) => [place, number],
    categories: ([place, k]) => [[place, k]],
    fits: ({ length, 0: place, 1: k, 2: number }) => length === 3 && isFew(k) && place !== number,
  },
  "two-categories": {
    read: twoCategories,
    size: ([, k, , others]) => k * others,
    places: ([first, , second]) => [first, second],
    categories: ([first, k, second, others]) => [[first, k], [second, others]],
    fits: ({ length, 0: first, 1: k, 2: second, 3: others }) => length === 4 && isFew(k) && isFew(others) && first !== second,
  },
  "binary-product": {
    read: binaryProduct,
    size: () => 2,
    places: ([first, second]) => [first, second],
    categories: ([first, second, categories]) => [first, second].slice(0, categories).map((place) => [place, 2]),
    fits: ({ length, 0: first, 1: second, 2: categories }) => length === 3 && (categories === 1 || categories === 2) && first !== second,
  },
};

/** The name of a value; of a map's cell its centre, degrees north, then east. */
function labelOf({ labels, grid }, value) {
  if (grid) {
    const { south, north, west, east, rows, columns } = grid;
    const latitude = south + ((Math.floor(value / columns) + 0.5) * (north - south)) / rows;
    const longitude = west + (((value % columns) + 0.5) * (east - west)) / columns;
    return [latitude, longitude].map((degrees) => String(Number(degrees.toPrecision(6)))).join(", ");
  }
  return labels?.[value] ?? String(value);
}

class Histogram {
  constructor(plan, part) {
    this.name = part.histogram;
    this.attribute = plan.attributes[part.histogram];
    this.mechanism = mechanism(part.mechanism, this.attribute);
    this.mechanisms = [this.mechanism];
    this.outputs = this.mechanism.outputs;
  }

  answer(found, words) {
    return this.mechanism.code(found.get(this.name), words);
  }

  label(value) {
    return labelOf(this.attribute, value);
  }
}

/** Of a combination of values, which are the values of one attribute here. */
class Cells {
  constructor(plan, part) {
    this.names = part.table;
    this.attributes = part.table.map((name) => plan.attributes[name]);
    this.attribute = cells(this.attributes, part.epsilon);
    this.mechanism = mechanism(part.mechanism, this.attribute);
    this.mechanisms = [this.mechanism];
    this.outputs = this.mechanism.outputs;
  }

  /** A value of each attribute. */
  label(cell) {
    let left = cell;
    const values = this.attributes.map(size).reverse().map((k) => {
      const value = left % k;
      left = Math.floor(left / k);
      return value;
    });
    return values.reverse().map((value, i) => labelOf(this.attributes[i], value)).join(", ");
  }

  answer(found, words) {
    return this.mechanism.code(cellOf(this.attributes, this.names.map((name) => found.get(name))), words);
  }
}

class Distribution {
  constructor(plan, part) {
    this.part = part;
    const { number, missing } = plan.attributes[part.distribution];
    this.ends = number;
    this.mayMiss = missing !== undefined;
    this.mechanism = mechanism(part.mechanism);
    this.mechanisms = [this.mechanism];
    this.outputs = this.mechanism.outputs;
    this.bins = part.edges ? part.edges.length - 1 : part.bins;
    if (this.bins + Number(this.mayMiss) !== this.mechanism.k) throw new RangeError("a mechanism must have its bins' values, and none where that may be");
    const fitting = this.mayMiss ? ["optional-window"] : ["window", "hierarchy"];
    if (!fitting.includes(this.mechanism.name)) throw new RangeError("a distribution must be asked by one of its mechanisms");
  }

  /** Where the bins begin, and where the last one ends. */
  get edges() {
    const { part: { edges, bins }, ends: { low, high } } = this;
    return edges ?? Array.from({ length: bins + 1 }, (_, i) => (i === bins ? high : i * ((high - low) / bins) + low));
  }

  /** Where a bin begins and ends. */
  label(value) {
    const [from, to] = this.edges.slice(value, value + 2);
    return `${from} to ${to}`;
  }

  answer(found, words) {
    const number = found.get(this.part.distribution);
    return this.mechanism.code(Number.isNaN(number) ? this.bins : bin(number, this.ends, this.part), words);
  }
}

class Numbers {
  constructor(plan, part) {
    const { statistics, mechanisms, through, weights } = part.queries;
    this.names = part.numbers;
    this.attributes = part.numbers.map((name) => plan.attributes[name]);
    this.ends = this.attributes.map(({ number }) => number);
    this.categories = this.attributes.map((own) => (own.number ? undefined : size(own)));
    this.mayMiss = this.attributes.map(({ number, missing }) => number !== undefined && missing !== undefined);
    this.mechanisms = mechanisms.map((own) => mechanism(own));
    if (through.length !== statistics.length || weights.length !== statistics.length) {
      throw new RangeError("each query must have a statistic, a mechanism and a weight");
    }
    const list = (one) => (Array.isArray(one) ? one : [one]);
    this.queries = statistics.map((calls, i) => {
      const several = Array.isArray(calls[0]) ? calls : [calls];
      const places = list(through[i]);
      if (several.length !== places.length) throw new RangeError("each statistic must go through one mechanism");
      return several.map(([name, ...places_], j) => this.#asked(name, places_, this.mechanisms[places[j]]));
    });
    this.choice = new Choice(weights);
    this.sizes = this.queries.map((query) => query.reduce((all, one) => all * one.mechanism.outputs, 1n));
    this.outputs = this.sizes.reduce((a, b) => a + b, 0n);
  }

  #asked(name, places, through) {
    const statistic = Object.hasOwn(STATISTICS, name) ? STATISTICS[name] : null;
    if (!statistic) throw new RangeError("a statistic must be one that this client knows");
    const known = places.every((one) => Number.isInteger(one) && one >= 0) && statistic.fits(places);
    if (!known || statistic.places(places).some((place) => place >= this.names.length)) {
      throw new RangeError("a statistic must be about numbers that are asked");
    }
    if (!through || statistic.size(places) !== through.k) throw new RangeError("a mechanism must have its statistic's values");
    const counted = new Map(statistic.categories?.(places));
    if (statistic.places(places).some((place) => this.categories[place] !== counted.get(place))) {
      throw new RangeError("categories must be read as such, and numbers as numbers");
    }
    const mayMiss = statistic.places(places).some((place) => this.mayMiss[place]);
    if (mayMiss !== (name === "optional")) throw new RangeError("a number must be read as one that may be missing where it may, and only there");
    return { name, statistic, places, mechanism: through };
  }

  answer(found, words) {
    const numbers = this.names.map((name, i) => (this.ends[i] ? scaled(found.get(name), this.ends[i].low, this.ends[i].high) : found.get(name)));
    const chosen = this.choice.draw(words);
    const first = this.sizes.slice(0, chosen).reduce((a, b) => a + b, 0n);
    return this.queries[chosen].reduce((code, { statistic, places, mechanism: through }) => {
      const value = statistic.read(numbers, places, words);
      return code * through.outputs + through.code(value, words);
    }, 0n) + first;
  }
}

/** A choice by whole weights; with one of them no word is drawn. */
class Choice {
  constructor(weights) {
    const all = weights.map(BigInt);
    const common = all.reduce(gcd);
    this.weights = all.map((weight) => weight / common);
    this.total = this.weights.reduce((a, b) => a + b, 0n);
  }

  draw(words) {
    return this.weights.length > 1 ? pick(this.weights, below(this.total, words)) : 0;
  }
}

/** Each kind of question, by the word for what it asks. */
const KINDS = { histogram: Histogram, table: Cells, distribution: Distribution, numbers: Numbers };

/** A plan made ready to draw from. */
export class Questions {
  constructor(plan) {
    this.plan = plan;
    this.names = asked(plan);
    this.asked = plan.queries.map((part) => new KINDS[Object.keys(KINDS).find((word) => Object.hasOwn(part, word))](plan, part));
    this.choice = new Choice(plan.queries.map((part) => part.weight));
    this.firsts = [];
    this.outputs = 0n;
    for (const question of this.asked) {
      this.firsts.push(this.outputs);
      this.outputs += question.outputs;
    }
  }

  /** The question that was drawn, and the report's code; throws AnswerError before a word is drawn. */
  draw(record, words) {
    const found = values(this.plan, record, this.names);
    const question = this.choice.draw(words);
    return { question, code: this.firsts[question] + this.asked[question].answer(found, words) };
  }

  /** Bytes of a code in a packed upload. */
  get codeBytes() {
    return Math.max(1, Math.ceil((this.outputs - 1n).toString(2).length / 8));
  }
}
