// The columns of a regression: numbers, and for each category but the base one whether somebody is in it, from 0 to 1. With s
// = 1 inside a category and -1 outside, the product of two categories of one attribute is -1 - s - s', and the square of one 1.

import { labelsOf } from "../channel/promised.js";
import { indicator } from "./moments.js";

/** The middle and half of the range of a number. */
export const unitOf = ({ low, high }) => [(low + high) / 2, (high - low) / 2];

function columnsOfAttribute(name, attribute, place, base) {
  if (attribute.number) return [{ place, name: place, label: name, unit: unitOf(attribute.number) }];
  return labelsOf(attribute)
    .map((own, v) => ({ place, name: indicator(place, v), label: `${name}: ${own} against ${base}`, unit: [0.5, 0.5], own }))
    .filter(({ own }) => own !== base);
}

/** What a moment of one column or of two is: a number, and moments of the record with their factors. */
function asSum(one, other) {
  if (other === undefined) return [0, [[String(one.name), 1]]];
  if (one.own === undefined || one.place !== other.place) {
    return [0, [[[one.name, other.name].sort((a, b) => a - b).join(), 1]]];
  }
  // A square is told as 2 s^2 - 1.
  return one === other ? [1, []] : [-1, [[String(one.name), -1], [String(other.name), -1]]];
}

/** The columns, the places of one or two of them whose moment is needed, and these moments as sums. */
function momentsOfColumns({ numbers, base = {} }, attributes) {
  const columns = numbers.flatMap((name, place) => columnsOfAttribute(name, attributes[place], place, base[name]));
  const target = columns.length - 1;
  const names = columns.map((_, i) => [i]);
  columns.forEach((_, i) => columns.slice(i).forEach((__, j) => (i < target ? names.push([i, i + j]) : null)));
  return { columns, names, sums: names.map(([i, j]) => asSum(columns[i], columns[j])) };
}

/** The names of the record's moments that a regression needs. */
export const neededMoments = (part, attributes) => momentsOfColumns(part, attributes).sums.flatMap(([, parts]) => parts.map(([name]) => name));

/** The labels of the features' columns, the units of all columns, and the moments of these: `names`, `means`, `covariance`. */
export function columnsOf(part, attributes, found) {
  const { columns, names, sums: told } = momentsOfColumns(part, attributes);
  const sums = told.map(([constant, parts]) => [constant, parts.map(([name, factor]) => [placeOf(found, name), factor])]);
  const means = sums.map(([constant, parts]) => parts.reduce((all, [at, factor]) => all + factor * found.means[at], constant));
  const covariance = sums.map(([, one]) => sums.map(([, other]) => {
    const terms = one.flatMap(([at, factor]) => other.map(([its, second]) => factor * second * found.covariance[at][its]));
    return terms.reduce((a, b) => a + b, 0);
  }));
  const labels = columns.slice(0, -1).map(({ label }) => label);
  return { labels, units: columns.map(({ unit }) => unit), found: { names: names.map((name) => name.join()), means, covariance } };
}

function placeOf({ names }, name) {
  const at = names.indexOf(name);
  if (at < 0) throw new RangeError("the reports do not cover a needed statistic");
  return at;
}
