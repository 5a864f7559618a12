// What reports reveal of whether somebody was asked: by a report about an attribute with a condition it is protected as the answer is;
// one about what decides it, or about what else depends on that, keeps its own promise, which may be a weaker one.

import { NOTHING, amount, atMost } from "../channel/fraction.js";
import { largestBound } from "../plan/cells.js";
import { withConditions } from "../plan/choices.js";
import { about } from "../plan/record.js";

/** @typedef {import("../channel/fraction.js").Amount} Amount */

/** By attribute with a condition the others whose reports say something of whether it is asked. */
function revealing(attributes) {
  const names = Object.keys(attributes).filter((name) => attributes[name].only_if !== undefined);
  const deciding = new Map(names.map((name) => [name, withConditions([name], attributes).filter((other) => other !== name)]));
  const because = new Map();
  for (const [name, deciders] of deciding) {
    for (const other of deciders) because.set(other, (because.get(other) ?? new Set([other])).add(name));
  }
  const others = (name) => deciding.get(name).flatMap((other) => [...because.get(other)]).filter((other) => other !== name);
  return new Map(names.map((name) => [name, new Set(others(name))]));
}

/**
 * The largest bound of two answers to a question that differ as those of people do who are asked for `own` or not: in the `others`, and, beside
 * one of these, in `own`. Null without one.
 */
function boundOfAnswers(plan, part, { attribute, attributes = [attribute] }, own, others) {
  const names = about(part);
  const places = names.some((name) => others.has(name)) ? names.flatMap((name, place) => (others.has(name) || name === own ? [place] : [])) : [];
  if (!places.length) return NOTHING;
  if (attribute) return largestBound(attribute, attributes, places);
  if (part.numbers === undefined && part.distribution === undefined) return amount(part.epsilon);
  // Of numbers deltas bound what any report reveals; without them what is promised of all that is read.
  if (plan.epsilon !== undefined) return NOTHING;
  return part.epsilon === undefined ? names.map((name) => amount(plan.attributes[name].protect.epsilon)).reduce((one, other) => (atMost(one, other) ? one : other)) : amount(part.epsilon);
}

const exceeds = (bound, level) => bound === null || !atMost(bound, level);

/**
 * By attribute with a condition, and a promise about its own reports, the questions whose reports reveal more of whether it is asked than
 * its `level`: each with its `place`, and the `bound` of what they reveal, null where they can show it for certain.
 * @param {import("../plan/draw.js").Questions} questions
 * @returns {Map<string, {place: number, bound: Amount | null, level: Amount}[]>}
 */
export function weakerReports({ plan, asked }) {
  const related = [...revealing(plan.attributes)].filter(([name]) => plan.attributes[name].protect?.epsilon);
  const levels = new Map(related.map(([name]) => [name, amount(plan.attributes[name].protect.epsilon)]));
  const all = new Set(related.flatMap(([name, others]) => [name, ...others]));
  const least = [...levels.values()].reduce((one, other) => (atMost(one, other) ? one : other), amount("100"));
  const found = new Map(related.map(([name]) => [name, []]));
  plan.queries.forEach((part, place) => {
    // Of more attributes the bound is no smaller: most questions of a plan are looked at once.
    if (!exceeds(boundOfAnswers(plan, part, asked[place], null, all), least)) return;
    for (const [name, others] of related) {
      const [bound, level] = [boundOfAnswers(plan, part, asked[place], name, others), levels.get(name)];
      if (exceeds(bound, level)) found.get(name).push({ place, bound, level });
    }
  });
  return found;
}
