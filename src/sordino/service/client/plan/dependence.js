// The bounds of a plan on how attributes depend on each other: total variations, as fractions; 1 where it states none.

import { compare, fraction } from "../channel/fraction.js";
import { before } from "./canonical.js";

/** @type {import("../channel/fraction.js").Fraction} */
const ONE = [1n, 1n];

const keyOf = (attribute, names) => JSON.stringify([attribute, [...names].sort()]);
const pairOf = (attribute, number) => JSON.stringify([attribute, number]);
const signOf = (attribute, category, number) => JSON.stringify([attribute, category, number]);

export class Dependence {
  constructor({ rest = {}, statistics = [], tables = [], category_signs = [], thresholds = [] } = {}) {
    const bounds = (list, key) => new Map(list.map((one) => [key(one), fraction(one.bound)]));
    this.rest = new Map(Object.entries(rest).map(([name, bound]) => [name, fraction(bound)]));
    this.statistics = bounds(statistics, ({ attribute, statistic }) => keyOf(attribute, statistic));
    this.tables = bounds(tables, ({ attribute, table }) => keyOf(attribute, table));
    this.categorySigns = bounds(category_signs, ({ attribute, category, number }) => signOf(attribute, category, number));
    this.thresholds = bounds(thresholds, ({ attribute, number }) => pairOf(attribute, number));
  }

  /** Whether a plan's words are about its attributes, one bound for each, and none below 1 for what is about one alone. */
  static isWhole({ rest, statistics, tables = [], category_signs = [], thresholds = [], bins = {} }, names) {
    const known = new Set(names);
    const named = [
      ...statistics.flatMap(({ attribute, statistic }) => [attribute, ...statistic]),
      ...tables.flatMap(({ attribute, table }) => [attribute, ...table]),
      ...category_signs.flatMap(({ attribute, category, number }) => [attribute, category, number]),
      ...thresholds.flatMap(({ attribute, number }) => [attribute, number]),
      ...Object.keys(bins),
    ];
    if (!named.every((name) => known.has(name)) || !names.every((name) => Object.hasOwn(rest, name)) || Object.keys(rest).length !== names.length) return false;
    const found = new Dependence({ rest, statistics, tables, category_signs, thresholds });
    const each = [[found.statistics, statistics], [found.tables, tables], [found.categorySigns, category_signs], [found.thresholds, thresholds]];
    const once = each.every(([bounds, stated]) => bounds.size === stated.length);
    const own = [
      ...statistics.filter(({ attribute, statistic }) => statistic.every((name) => name === attribute)),
      ...tables.filter(({ attribute, table }) => table.includes(attribute)),
      ...category_signs.filter(({ attribute, category, number }) => attribute === category || attribute === number),
      ...thresholds.filter(({ attribute, number }) => attribute === number),
    ];
    const ascend = tables.every(({ table }) => table.every((name, i) => i === 0 || before(table[i - 1], name)));
    return once && ascend && own.every(({ bound }) => bound === "1");
  }

  ofRest(name) {
    return this.rest.get(name) ?? ONE;
  }

  #least(stated, name) {
    return compare(stated, this.ofRest(name)) < 0 ? stated : this.ofRest(name);
  }

  /** Of several categories together, none of which is the attribute: never made of bounds for its parts. */
  ofTable(name, table) {
    return this.#least(this.tables.get(keyOf(name, table)) ?? ONE, name);
  }

  /** Of a category together with a number's sign, or of their product, neither of which is the attribute. */
  ofCategorySign(name, category, number) {
    return this.#least(this.categorySigns.get(signOf(name, category, number)) ?? ONE, name);
  }

  /**
   * Of the bins of a number that is not the attribute, by its distribution function: chances of a code that rise or fall in so
   * many pieces from bin to bin differ by no more than so many times what the function does.
   */
  ofThresholds(name, number, pieces) {
    const [numerator, denominator] = this.thresholds.get(pairOf(name, number)) ?? ONE;
    return this.#least([pieces * numerator, denominator], name);
  }

  /** Of what one answer, or several, look at that does not touch the attribute. */
  ofOthers(name, others) {
    if (others.length !== 1) return this.ofRest(name);
    const [{ alone, table, signed, names, pieces }] = others;
    if (signed) return this.ofCategorySign(name, ...names);
    if (pieces) return this.ofThresholds(name, names[0], pieces);
    return alone ? this.of(name, alone) : table ? this.ofTable(name, table) : this.ofRest(name);
  }

  /** Of one number or category, or a product of two numbers; what is about the attribute alone tells it. */
  of(name, statistic) {
    if (statistic.every((one) => one === name)) return ONE;
    const stated = this.statistics.get(keyOf(name, statistic)) ?? ONE;
    return statistic.includes(name) ? stated : this.#least(stated, name);
  }
}
