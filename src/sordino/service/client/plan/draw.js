// The draw of a report: a question, where numbers are asked a query, its statistic, its mechanism.

import { cellOf, cells, joinNames, labelOf } from "./cells.js";
import { appliesTo, combinationOf, combinationsOf, countCombinations, countItems, countSets, itemsOfMarks, marksOf, setOf, withConditions } from "./choices.js";
import { codes, listOf, requires } from "../channel/entries.js";
import { gcd } from "../channel/fraction.js";
import { Mechanism } from "../channel/mechanism.js";
import { size } from "../channel/promised.js";
import { Meeting } from "../channel/sets.js";
import { neededMoments } from "../estimate/columns.js";
import { amongComplete } from "../estimate/given.js";
import { told } from "../estimate/moments.js";
import { cellBytes, fitsBeside, publicCell } from "./public.js";
import { about, asked, bin, edgesOf, scaled, values } from "./record.js";
import { STATISTICS } from "./statistics.js";
import { below, pick } from "../channel/words.js";

/** The mechanism of shares, over so many values as there are. */
function ofShares(own, attribute) {
  const found = new Mechanism(own);
  requires(found.k === size(attribute), `the mechanism must be about ${size(attribute)} values`, String(found.k));
  return found;
}

/** Expected shares are of the values that are read, in as many tables as are read, and add up to a whole. */
function requireExpected(tables, sizes) {
  if (tables === undefined) return;
  requires(tables.length === sizes.length, `${sizes.length} tables of shares must be expected`, String(tables.length));
  tables.forEach(({ parts, values }, i) => {
    const k = sizes[i];
    const inside = values === undefined ? parts.length === k : values.at(-1) < k;
    requires(inside, `expected shares must be of ${k} values`, "of others");
    const whole = parts.length < k || parts.reduce((sum, part) => sum + part, 0) === 1e9;
    requires(whole, "expected shares of all values must add up to 10^9", "less");
  });
}

class Histogram {
  constructor(plan, part) {
    this.name = part.histogram;
    this.attribute = plan.attributes[part.histogram];
    this.mechanism = ofShares(part.mechanism, this.attribute);
    requireExpected(part.expected && [part.expected], [this.mechanism.k]);
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
    this.mechanism = ofShares(part.mechanism, this.attribute);
    requireExpected(part.expected && [part.expected], [this.mechanism.k]);
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
    return joinNames(values.reverse().map((value, i) => labelOf(this.attributes[i], value)));
  }

  answer(found, words) {
    return this.mechanism.code(cellOf(this.attributes, this.names.map((name) => found.get(name))), words);
  }
}

/** Whether codes are sets of the items that there are, and values those of as many as may apply. */
function hasItems(mechanism, attribute) {
  const { set } = mechanism;
  return set instanceof Meeting && set.items === countItems(attribute) && set.chosen === attribute.several;
}

/** Of categories of which several apply: their combination, sets that meet theirs, or one mark that is drawn, publicly. */
class Several {
  constructor(plan, part) {
    this.name = part.several;
    this.choices = plan.attributes[part.several];
    this.marks = marksOf(this.choices);
    this.byCategory = part.way === "category";
    this.byMeeting = part.way === "meeting";
    const { protect } = this.choices;
    const values = { category: () => ({ labels: ["no", "yes"] }), combination: () => ({ numbers: countCombinations(this.choices) }), meeting: () => ({ numbers: countSets(this.choices) }) };
    this.attribute = { ...values[part.way](), protect };
    this.mechanism = ofShares(part.mechanism, this.attribute);
    const items = `${countItems(this.choices)} items, ${this.choices.several} of which each person has`;
    if (this.byMeeting) requires(hasItems(this.mechanism, this.choices), `sets must be of ${items}`);
    this.mechanisms = [this.mechanism];
    this.times = this.byCategory ? this.marks.length : 1;
    this.choice = new Choice(new Array(this.times).fill(1));
    requireExpected(part.expected && [part.expected], [this.byMeeting ? 2 * this.marks.length : this.times * this.mechanism.k]);
    this.outputs = codes(this.mechanism.outputs * BigInt(this.times));
  }

  /** The item of each mark, where codes are sets of items. */
  get items() {
    return itemsOfMarks(this.choices);
  }

  /** Which marks each value of the mechanism has. */
  get members() {
    return combinationsOf(this.choices).map((value) => appliesTo(this.choices, value));
  }

  label(mark) {
    return this.marks[mark];
  }

  answer(found, words) {
    const value = found.get(this.name);
    if (!this.byCategory) return this.mechanism.code((this.byMeeting ? setOf : combinationOf)(this.choices, value), words);
    const mark = this.choice.draw(words);
    const sign = appliesTo(this.choices, value)[mark] ? 1 : -1;
    const read = STATISTICS.number.read([sign], [0, 2], words);
    return this.mechanism.outputs * BigInt(mark) + this.mechanism.code(read, words);
  }
}

class Distribution {
  constructor(plan, part) {
    this.part = part;
    const { number, missing } = plan.attributes[part.distribution];
    this.mayMiss = missing !== undefined;
    this.mechanism = new Mechanism(part.mechanism);
    this.mechanisms = [this.mechanism];
    this.outputs = this.mechanism.outputs;
    this.edges = edgesOf(part, number);
    this.bins = this.edges.length - 1;
    const values = this.bins + Number(this.mayMiss);
    requires(values === this.mechanism.k, "a mechanism must have its bins' values, and none where that may be", String(this.mechanism.k));
    requireExpected(part.expected && [part.expected], [values]);
  }

  /** Where a bin begins and ends. */
  label(value) {
    const [from, to] = this.edges.slice(value, value + 2);
    return `${from} to ${to}`;
  }

  answer(found, words) {
    const number = found.get(this.part.distribution);
    return this.mechanism.code(Number.isNaN(number) ? this.bins : bin(number, this.edges), words);
  }
}

/** Of the side of a threshold on which a number lies; what equals it lies above. */
class Above {
  constructor(plan, part) {
    this.part = part;
    this.mechanism = new Mechanism(part.mechanism);
    this.mechanisms = [this.mechanism];
    this.outputs = this.mechanism.outputs;
    requires(this.mechanism.k === 2, "a mechanism must have a threshold's two sides", String(this.mechanism.k));
    requireExpected(part.expected && [part.expected], [2]);
  }

  label(side) {
    const { threshold } = this.part;
    return side ? `${threshold} and above` : `below ${threshold}`;
  }

  answer(found, words) {
    return this.mechanism.code(Number(found.get(this.part.above) >= this.part.threshold), words);
  }
}

/** Of one question: mechanisms, and their codes together. */
const [MOST_MECHANISMS, MOST_CODES] = [2 ** 12, 2n ** 18n];

function requireFew(mechanisms) {
  requires(mechanisms.reduce((all, { outputs }) => all + outputs, 0n) <= MOST_CODES, `a question's mechanisms must have at most ${MOST_CODES} codes together`, "more");
}

/** Queries have one spelling: each mechanism stands once, in the order in which they are gone through, and one alone in no list. */
function requireSpelling({ mechanisms, statistics, through }) {
  const order = [...new Set(through.flat())];
  const once = new Set(mechanisms.map((own) => JSON.stringify(own))).size === mechanisms.length;
  const alone = [...statistics.map((calls) => Array.isArray(calls[0]) && calls), ...through.map((at) => Array.isArray(at) && at)];
  const plain = alone.every((list) => !list || list.length > 1);
  const whole = once && plain && order.length === mechanisms.length && order.every((place, i) => place === i);
  requires(whole, "queries must be as they were frozen", "a different spelling");
}

class Numbers {
  constructor(plan, part) {
    const { statistics, mechanisms, through, weights } = part.queries;
    this.names = part.numbers;
    this.attributes = part.numbers.map((name) => plan.attributes[name]);
    this.ends = this.attributes.map(({ number }) => number);
    this.categories = this.attributes.map((own) => (own.number ? undefined : size(own)));
    this.mayMiss = this.attributes.map(({ number, missing }) => number !== undefined && missing !== undefined);
    requires(mechanisms.length <= MOST_MECHANISMS, `a question must go through at most ${MOST_MECHANISMS} mechanisms`, "more");
    this.mechanisms = listOf(mechanisms, (own) => new Mechanism(own), "mechanisms");
    requireFew(this.mechanisms);
    const fits = through.length === statistics.length && weights.length === statistics.length;
    requires(fits, "each query must have a statistic, a mechanism and a weight");
    this.queries = statistics.map((calls, i) => this.#together(calls, through[i]));
    requireSpelling(part.queries);
    this.#requireMoments(part);
    requireExpected(part.expected, this.#sizesRead());
    this.choice = new Choice(weights);
    this.sizes = this.queries.map((query) => codes(query.reduce((all, one) => all * one.mechanism.outputs, 1n)));
    this.outputs = codes(this.sizes.reduce((a, b) => a + b, 0n));
  }

  /** What is answered together: about different numbers. */
  #together(calls, through) {
    const several = Array.isArray(calls[0]) ? calls : [calls];
    const at = Array.isArray(through) ? through : [through];
    requires(several.length === at.length, "each statistic must go through one mechanism");
    const query = several.map((call, i) => {
      requires(Array.isArray(call), "a statistic must be a list of its name and its places");
      return this.#asked(call[0], call.slice(1), this.mechanisms[at[i]]);
    });
    const places = query.flatMap(({ statistic, places: own }) => statistic.places(own));
    requires(query.length === 1 || new Set(places).size === places.length, "queries that are answered together must read different numbers", "one of them twice");
    return query;
  }

  #asked(name, places, through) {
    requires(typeof name === "string" && Object.hasOwn(STATISTICS, name), "a statistic must be one that this client knows", "another");
    const statistic = STATISTICS[name];
    const known = places.every((one) => Number.isInteger(one) && one >= 0) && statistic.fits(places);
    const inside = known && statistic.places(places).every((place) => place < this.names.length);
    requires(inside, "a statistic must be about numbers that are asked");
    requires(through && statistic.size(places) === through.k, "a mechanism must have its statistic's values");
    const counted = new Map(statistic.categories?.(places));
    const alike = statistic.places(places).every((place) => this.categories[place] === counted.get(place));
    requires(alike, "categories must be read as such, and numbers as numbers");
    const mayMiss = new Set(statistic.mayMiss?.(places));
    const asSuch = statistic.places(places).every((place) => this.mayMiss[place] === mayMiss.has(place));
    requires(asSuch, "a number must be read as one that may be missing where it may, and only there");
    return { name, statistic, places, mechanism: through };
  }

  /** How many values each statistic has, each once and in their order; signs that are read together one by one. */
  #sizesRead() {
    const read = this.queries.flat().flatMap(({ name, statistic, places }) =>
      name === "signs" ? places.map((place) => [`number,${place},2`, 2]) : [[[name, ...places].join(), statistic.size(places)]],
    );
    return [...new Map(read).values()];
  }

  /** Whether the queries tell all that is asked. */
  #requireMoments({ asked: what, base }) {
    const names = this.queries.flat().flatMap((one) => told(one).map(([places]) => places.join()));
    const known = new Set(what === "mean" ? names : amongComplete(names));
    const all = this.names.map((_, i) => i);
    const pairs = all.flatMap((i) => all.slice(i).map((j) => [i, j]));
    const each = [...all.map((i) => [i]), ...(what === "covariance" ? pairs : [])].map((places) => places.join());
    const needed = what === "regression" ? neededMoments({ numbers: this.names, base }, this.attributes) : each;
    const whole = needed.every((name) => known.has(name));
    requires(whole, "the queries must cover every moment that is needed", "some of them");
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

const MOST_WEIGHT = 2n ** 32n;

/** A choice by whole weights; with one of them no word is drawn. */
class Choice {
  constructor(weights) {
    const all = weights.map(BigInt);
    requires(all.reduce((a, b) => a + b, 0n) <= MOST_WEIGHT, `weights must be at most ${MOST_WEIGHT} together`, "more");
    const common = all.reduce(gcd);
    this.weights = all.map((weight) => weight / common);
    this.total = this.weights.reduce((a, b) => a + b, 0n);
  }

  draw(words) {
    return this.weights.length > 1 ? pick(this.weights, below(this.total, words)) : 0;
  }
}

/** Each kind of question, by the word for what it asks. */
const KINDS = { histogram: Histogram, table: Cells, distribution: Distribution, above: Above, several: Several, numbers: Numbers };

/** Whether no mechanism takes sets of items where a question has none. */
const asksSets = ({ mechanisms, byMeeting }) => byMeeting || !mechanisms.some(({ set }) => set instanceof Meeting);

/** A plan made ready to draw from. */
export class Questions {
  /** @param {import("../index.js").Plan} plan */
  constructor(plan) {
    this.plan = plan;
    this.names = asked(plan);
    this.asked = plan.queries.map((part) => new KINDS[Object.keys(KINDS).find((word) => Object.hasOwn(part, word))](plan, part));
    requires(this.asked.every(asksSets), "sets that meet another one must be those of categories of which several apply");
    this.choice = new Choice(plan.queries.map((part) => part.weight));
    this.firsts = [];
    this.outputs = 0n;
    for (const question of this.asked) {
      this.firsts.push(this.outputs);
      this.outputs += question.outputs;
    }
    codes(this.outputs);
    requires(fitsBeside(plan, this.outputs), "a code and its public values must fit into 64 bits", "more");
  }

  /**
   * The question that was drawn, the report's code, and its public cell; throws AnswerError before a word is drawn.
   * @param {Record<string, any>} record a value of each attribute that is asked, as docs/plan-format.md has it
   * @param {{next(): bigint}} words `FreshWords`, but in tests
   * @returns {{question: number, code: bigint, cell: bigint}}
   */
  draw(record, words) {
    const found = values(this.plan, record, this.names);
    const cell = publicCell(this.plan, record);
    const question = this.choice.draw(words);
    return { question, code: this.#code(question, found, words), cell };
  }

  /**
   * The question of one person by the plan's weights, where it is drawn before anything is asked; keep it: another draw is another person's.
   * @param {{next(): bigint}} words
   */
  drawQuestion(words) {
    return this.choice.draw(words);
  }

  /** The attributes that one question is about, each after those that decide whether it is asked. */
  namesOf(question) {
    return withConditions(about(this.plan.queries[question]), this.plan.attributes);
  }

  /**
   * The report about a question that was drawn before; throws AnswerError before a word is drawn.
   * @param {number} question
   * @param {Record<string, any>} record a value of each attribute that it is about, and of those that decide whether it is asked
   * @param {{next(): bigint}} words
   * @returns {{question: number, code: bigint, cell: bigint}}
   */
  drawAbout(question, record, words) {
    const found = values(this.plan, record, this.namesOf(question));
    const cell = publicCell(this.plan, record);
    return { question, code: this.#code(question, found, words), cell };
  }

  #code(question, found, words) {
    return this.firsts[question] + this.asked[question].answer(found, words);
  }

  /** Bytes of a code in a packed upload. */
  get codeBytes() {
    return Math.max(1, Math.ceil((this.outputs - 1n).toString(2).length / 8));
  }

  /** Bytes of a public cell there. */
  get cellBytes() {
    return cellBytes(this.plan);
  }
}
