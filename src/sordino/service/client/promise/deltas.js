// What one report tells of each attribute at most, to whoever believes within the bounds on dependence that a plan states:
// fractions, from the integers of its channels. A person answers one of the types of answers that a question has, drawn
// without looking: several answers of a type are given together, and independent given the record.

import { worst } from "./audit.js";
import { Run } from "../channel/sets.js";
import { amount, compare, minus, plus, times, within } from "../channel/fraction.js";
import { Dependence } from "../plan/dependence.js";
import { about } from "../plan/record.js";
import { WORD } from "../channel/words.js";

/** @type {import("../channel/fraction.js").Fraction} */
const ONE = [1n, 1n];

/** Through something that depends on an attribute within total variation q: 1 + q (ratio - 1). */
const through = (ratio, q) => plus(ONE, times(q, minus(ratio, ONE)));

/** The types of answers of a question: each answer with what it looks at, and how far it changes odds at most. */
function typesOf(part, asked) {
  if (!part.numbers) {
    const names = about(part);
    // Of a category every answer is linear; of a bin, or a combination, none.
    const alone = part.histogram === undefined && part.several === undefined ? null : names;
    const pieces = part.distribution === undefined ? 0n : piecesOf(asked.mechanism);
    return [[{ names, ratio: worst(asked.mechanism), alone, table: part.table && names, pieces }]];
  }
  return asked.queries.map((query) => query.map(({ places, statistic, name, mechanism }) => {
    const names = statistic.places(places).map((place) => part.numbers[place]);
    // Two values of a number have a law that is linear in it; what is stated for products of numbers is for no category.
    const alone = mechanism.k === 2 && !statistic.categories ? names : null;
    const flips = name === "signs" && !alone ? flipsOf(mechanism) : null;
    // Of several categories what is read is of a table of them; of one, which stands first, with the sign of a number.
    const counted = statistic.categories?.(places).length ?? 0;
    // Whether a number is missing is in no such table or sign.
    const whole = !statistic.mayMiss;
    const [table, signed] = [whole && counted === names.length && names, whole && counted === 1 && names.length === 2];
    return { names, ratio: worst(mechanism), alone, flips, table, signed };
  }));
}

/** Whether a set is of one code, the value's own. */
const isOneCode = (set) => set instanceof Run && set.length === 1n && set.k === Number(set.codes);

/** In how many the chance of a code rises or falls from bin to bin, where sets are runs: so wide ones each have an end's values. */
const piecesOf = ({ k, set }) => (set instanceof Run ? (Number(set.length) < k - 1 ? 2n : 1n) : undefined);

/** The weight of each pattern of wrong signs, where a channel is made of such. */
function flipsOf({ k, set, table, threshold }) {
  if (table) return table;
  if (!isOneCode(set)) return null;
  return Array.from({ length: k }, (_, pattern) => (pattern ? WORD - threshold : threshold * BigInt(k - 1)));
}

/** What a type tells of an attribute, within the bounds. */
function told(name, answers, dependence) {
  const touching = answers.filter(({ names }) => names.includes(name));
  const others = answers.filter(({ names }) => !names.includes(name));
  const ratio = (parts) => parts.map((one) => one.ratio).reduce(times, ONE);
  const [first] = answers;
  if (touching.length && answers.length === 1) {
    if (first.alone) return through(first.ratio, dependence.of(name, first.alone));
    if (first.flips) return ofSigns(first, name, dependence);
  }
  return times(ratio(touching), through(ratio(others), dependence.ofOthers(name, others)));
}

/**
 * Of signs with wrong ones drawn from a table: the others' under what all beliefs share, each with the own sign that makes most
 * of it, since of a number that is known by its bin that may go with them; and the extremes under what is left of each belief.
 */
function ofSigns({ names, flips }, name, dependence) {
  const own = 1 << names.indexOf(name);
  const others = names.filter((one) => one !== name);
  const [q, all] = others.length === 1 ? dependence.of(name, others) : dependence.ofRest(name);
  const largest = (list) => list.reduce((a, b) => (a > b ? a : b));
  const smallest = (list) => list.reduce((a, b) => (a < b ? a : b));
  const [most, least] = [q * largest(flips), q * smallest(flips)];
  return flips
    .map((weight, pattern) => [weight, flips[pattern ^ own]])
    .map((pair) => [(all - q) * largest(pair) + most, (all - q) * smallest(pair) + least])
    .reduce((one, other) => (compare(one, other) > 0 ? one : other));
}

/** The attributes of which a question tells more than their deltas, within the bounds that the plan states. */
export function beyondDeltas(plan, part, asked) {
  if (plan.epsilon === undefined) return [];
  const dependence = new Dependence(plan.dependence);
  const types = typesOf(part, asked);
  const kept = (answers, name, delta) =>
    answers.every(({ ratio }) => ratio !== null) && within(told(name, answers, dependence), amount(delta));
  return Object.entries(plan.attributes)
    .filter(([name, { delta }]) => delta !== undefined && !types.every((answers) => kept(answers, name, delta)))
    .map(([name]) => name);
}
