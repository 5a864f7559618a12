// Answers of which several apply, and what is asked only because of earlier answers. The value of an answer of several is
// the places of its categories, ascending; null of who was not asked.

import { comb, rank } from "../channel/subsets.js";

/** Combinations that are one value of a channel, at most. */
export const MOST_COMBINATIONS = 2 ** 12;

/** What shares are of: each category, that none applies, and that it was not asked. */
export const marksOf = ({ labels, none, not_asked: unasked }) => [...labels, none, ...(unasked === undefined ? [] : [unasked])];

/** How many combinations there are. */
export function countCombinations({ labels, several, not_asked: unasked }) {
  const sizes = Array.from({ length: several + 1 }, (_, size) => comb(labels.length, size));
  return Number(sizes.reduce((all, one) => all + one, 0n)) + Number(unasked !== undefined);
}

/** The number of a combination: by its size, then as subsets are ranked; who was not asked comes last. */
export function combinationOf(attribute, value) {
  if (value === null) return countCombinations(attribute) - 1;
  const { length } = attribute.labels;
  const before = value.reduce((all, _, size) => all + comb(length, size), 0n);
  return Number(before + rank(value));
}

/** Items that sets have which meet others: the labels, as many dummies as labels may apply, one for who was not asked. */
export const countItems = ({ labels, several, not_asked: unasked }) => labels.length + several + Number(unasked !== undefined);

/** How many sets of items there are, each with as many as labels may apply. */
export const countSets = (attribute) => Number(comb(countItems(attribute), attribute.several));

/** The item of each mark: of a label its own, of none the last dummy, which nobody else has, and that of who was not asked. */
export function itemsOfMarks({ labels, several, not_asked: unasked }) {
  const dummies = labels.length + several;
  return [...labels.keys(), dummies - 1, ...(unasked === undefined ? [] : [dummies])];
}

/** The number of a person's set: the labels that apply, then dummies; who was not asked has the last item. */
export function setOf({ labels: { length }, several }, value) {
  const own = value ?? [];
  const dummies = Array.from({ length: several - own.length - Number(value === null) }, (_, i) => length + i);
  return Number(rank([...own, ...dummies, ...(value === null ? [length + several] : [])]));
}

/** All combinations in their order, as values. */
export function combinationsOf(attribute) {
  const { labels, several, not_asked: unasked } = attribute;
  let found = [[]];
  const all = [[]];
  for (let size = 1; size <= several; size += 1) {
    found = found.flatMap((own) => labels.flatMap((_, place) => (own.length && place <= own.at(-1) ? [] : [[...own, place]])));
    all.push(...found);
  }
  if (unasked !== undefined) all.push(null);
  return all.sort((one, other) => combinationOf(attribute, one) - combinationOf(attribute, other));
}

/** Which marks a value has, in their order. */
export function appliesTo(attribute, value) {
  const has = attribute.labels.map((_, place) => value !== null && value.includes(place));
  return marksOf(attribute).map((_, mark) => (mark < has.length ? has[mark] : mark === has.length ? value?.length === 0 : value === null));
}

/** Attributes and all that decide whether they are asked, each after those that decide it. */
export function withConditions(names, attributes, above = []) {
  const found = new Set();
  for (const name of names) {
    if (above.includes(name)) continue;
    const deciding = Object.keys(attributes[name]?.only_if ?? {});
    for (const one of withConditions(deciding, attributes, [...above, name])) found.add(one);
    found.add(name);
  }
  return [...found];
}

/** Whether earlier values say that an attribute is asked. */
export const isAsked = (attribute, attributes, values) =>
  Object.entries(attribute.only_if ?? {}).every(([name, labels]) => labels.includes(attributes[name].labels[values.get(name)]));

/** The value of who is not asked. */
export const unaskedValue = ({ number, several, labels }) => (number ? NaN : several === undefined ? labels.length - 1 : null);
