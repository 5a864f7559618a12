// Means and covariances of numbers from the tally of the queries about them. Each query's code counts, on average, as each
// moment that its statistic tells; with M the largest mean square of that, a query weighs as many reports as it has over M.

import { chances, contributions, transform } from "./dense.js";
import { complete, given } from "./given.js";
import { listed } from "../channel/law.js";
import { Run } from "../channel/sets.js";
import { completeCases } from "../plan/statistics.js";

const product = (one, other) => one.reduce((all, amount, i) => all + amount * other[i], 0);

/** The name of whether an attribute of categories has one of them, 1 or -1, among the places of numbers. */
export const indicator = (place, category) => (category + 1) * 2 ** 20 + place;

const inside = (place, count, categories) => Array.from({ length: count }, (_, v) => [indicator(place, v), categories.map((own) => (own === v ? 1 : -1))]);
const both = (one, other) => one.map((amount, value) => amount * other[value]);

/** Of a category and the sign of a number: each category, the number, and their products. */
function toldOfSign([place, k, number]) {
  const values = Array.from({ length: 2 * k }, (_, value) => value);
  const signs = values.map((value) => (value % 2 ? 1 : -1));
  const own = inside(place, k, values.map((value) => Math.floor(value / 2)));
  return [...own.map(([name, grid]) => [[name], grid]), [[number], signs], ...own.map(([name, grid]) => [[number, name], both(signs, grid)])];
}

/** Of two categories: each one, and the products of each two. */
function toldOfTwo([first, k, second, others]) {
  const values = Array.from({ length: k * others }, (_, value) => value);
  const own = inside(first, k, values.map((value) => Math.floor(value / others)));
  const other = inside(second, others, values.map((value) => value % others));
  const products = own.flatMap(([name, grid]) => other.map(([its, second_]) => [[name, its].sort((a, b) => a - b), both(grid, second_)]));
  return [...[...own, ...other].map(([name, grid]) => [[name], grid]), ...products];
}

/** Of the product with a category of two: that with each category's indicator, and with each of another one's. */
function toldOfProduct([first, second, categories]) {
  const sides = (place) => [[indicator(place, 0), -1], [indicator(place, 1), 1]];
  const others = categories === 2 ? sides(second) : [[second, 1]];
  return sides(first).flatMap(([one, sign]) => others.map(([other, its]) => [[one, other].sort((a, b) => a - b), [-sign * its, sign * its]]));
}

/** Of complete cases the moments of their statistic, 0 of anybody else; and whether somebody is one. */
function toldOfComplete({ needed, own }) {
  const moments = told(own);
  const values = moments[0][1].map(() => 1);
  return [...moments.map(([name, grid]) => [[...name, complete(needed)], [...grid, 0]]), [[complete(needed)], [...values, -1]]];
}

/** What each value that is read counts as, by the moment that it tells. */
export function told({ name, places }) {
  const cases = completeCases({ name, places });
  if (cases) return toldOfComplete(cases);
  const [place, points] = places;
  const grid = () => Array.from({ length: points }, (_, i) => -1 + (2 * i) / (points - 1));
  if (name === "category-sign") return toldOfSign(places);
  if (name === "binary-product") return toldOfProduct(places);
  if (name === "two-categories") return toldOfTwo(places);
  if (name === "product") return [[places, [-1, 1]]];
  if (name === "number") return [[[place], grid()]];
  // The last value says that there is no number, which counts as 0.
  if (name === "optional") return [[[place], [...grid(), 0]], [[given(place)], [...new Array(points).fill(1), -1]]];
  const patterns = Array.from({ length: 2 ** places.length }, (_, pattern) => pattern);
  return places.map((place, bit) => [[place], patterns.map((pattern) => ((pattern >> bit) & 1 ? 1 : -1))]);
}

/** What each code adds to each value's share, of mechanisms that were gone through. */
const known = new WeakMap();

/** What each code counts as, so that its mean is what the value counts as. */
function counting(mechanism, grid) {
  if (mechanism.table) return ofFlips(mechanism, grid);
  const rows = chances(mechanism);
  const middle = (grid[0] + grid.at(-1)) / 2;
  const even = grid.every((amount, i) => Math.abs(amount - grid[0] - i * (grid[1] - grid[0])) < 1e-9);
  const sums = rows.map((row) => row.reduce((all, chance, code) => all + chance * code, 0));
  const step = (sums.at(-1) - sums[0]) / (sums.length - 1);
  if (even && growsEvenly(mechanism)) {
    // The mean code grows by equal steps from value to value.
    if (!(step > 0)) throw new RangeError("reports do not depend on the numbers");
    return { rows, code: rows[0].map((_, code) => middle + ((code - (sums[0] + sums.at(-1)) / 2) * (grid[1] - grid[0])) / step) };
  }
  if (!known.has(mechanism)) known.set(mechanism, contributions(rows));
  const adds = known.get(mechanism);
  return { rows, code: rows[0].map((_, code) => product(grid, adds.map((row) => row[code]))) };
}

/** Whether the mean code grows by equal steps: of runs always, of rows of weights exactly. */
function growsEvenly(mechanism) {
  if (mechanism.set) return mechanism.set instanceof Run;
  const means = listed(mechanism).rows.map((row) => row.reduce((all, weight, code) => all + weight * BigInt(code), 0n));
  return means.every((mean, value) => value === 0 || mean - means[value - 1] === means[1] - means[0]);
}

/** Bits that are flipped by a table: signs of several bits shrink, each by a factor of its own. */
function ofFlips({ table, k }, grid) {
  const shrunk = transform(table.map((weight) => Number(weight) / 2 ** 64));
  const wanted = transform(grid).map((amount) => amount / k);
  const most = wanted.reduce((all, amount) => Math.max(all, Math.abs(amount)), 0);
  const grown = wanted.map((amount, i) => {
    if (Math.abs(amount) < 1e-9 * most) return 0;
    if (Math.abs(shrunk[i]) < 1e-9) throw new RangeError("bits are flipped half of the time");
    return amount / shrunk[i];
  });
  const chance = table.map((weight) => Number(weight) / 2 ** 64);
  return { rows: table.map((_, value) => table.map((__, code) => chance[value ^ code])), code: transform(grown) };
}

/** The mean of each moment that is told, on numbers from -1 to 1, and the covariances of these means, from a question's tally. */
export function momentsOf(question, counts) {
  const moments = new Map();
  const together = new Set();
  let first = 0;
  for (const query of question.queries) {
    const names = [];
    for (const part of query) {
      const size = Number(part.mechanism.outputs);
      const own = counts.slice(first, first + size);
      for (const [places, grid] of told(part)) {
        const { rows, code } = counting(part.mechanism, grid);
        const squares = rows.map((row) => row.reduce((all, chance, y) => all + chance * code[y] ** 2, 0));
        const largest = squares.reduce((a, b) => Math.max(a, b));
        const least = Math.max(squares.map((square, x) => square - grid[x] ** 2).reduce((a, b) => Math.min(a, b)), 0);
        const name = places.join();
        if (!moments.has(name)) moments.set(name, []);
        moments.get(name).push({ first, own, code, largest, least });
        names.push([part, name]);
      }
      first += size;
    }
    for (const [one, name] of names) for (const [other, second] of names) if (one !== other) together.add(`${name} ${second}`);
  }
  return { names: [...moments.keys()], ...estimated([...moments.values()], together, [...moments.keys()]) };
}

const sumOf = (tellings, of) => tellings.reduce((all, telling) => all + telling.own.reduce((sum, count, y) => sum + (count ? count * of(telling, y) : 0), 0), 0);

function estimated(moments, together, names) {
  const drawn = moments.map((tellings) => sumOf(tellings, ({ largest }) => 1 / largest));
  if (drawn.some((weight) => weight === 0)) throw new RangeError("nobody answered about one of its moments");
  const means = moments.map((tellings, m) => sumOf(tellings, ({ code, largest }, y) => code[y] / largest) / drawn[m]);
  const answers = moments.map((tellings) => Math.max(sumOf(tellings, () => 1), 2));
  // What a report is off what the means let expect.
  const residual = (telling, m, y) => (telling.code[y] - Math.min(Math.max(means[m], -1), 1)) / telling.largest;
  const correction = answers.map((n) => Math.sqrt(n / (n - 1)));
  const covariance = moments.map((one, a) => moments.map((other, b) => {
    if (together.has(`${names[a]} ${names[b]}`)) return NaN;
    let spread = sumOf(one, (telling, y) => {
      const same = a === b ? telling : other.find(({ first }) => first === telling.first);
      return same ? residual(telling, a, y) * residual(same, b, y) : 0;
    });
    if (a === b) spread = Math.max(spread, sumOf(one, ({ least, largest }) => least / largest ** 2));
    return (spread / drawn[a] / drawn[b]) * correction[a] * correction[b];
  }));
  return { means, covariance };
}

/** The covariance of two numbers, from -1 to 1, and its standard error; null where the tally does not tell it. */
export function centred({ names, means, covariance }, i, j) {
  const at = [[Math.min(i, j), Math.max(i, j)], [i], [j]].map((places) => names.indexOf(places.join()));
  if (at.includes(-1)) return null;
  const [second, left, right] = at;
  // A square is told as 2 x^2 - 1.
  const slope = i === j ? 0.5 : 1;
  const moment = i === j ? (means[second] + 1) / 2 : means[second];
  const value = moment - means[left] * means[right] + covariance[left][right];
  const slopes = [slope, -means[right], -means[left]];
  const variance = at.reduce((all, one, s) => all + at.reduce((sum, other, t) => sum + slopes[s] * slopes[t] * covariance[one][other], 0), 0);
  return Number.isNaN(variance) ? null : { value, stderr: Math.sqrt(Math.max(variance, 0)) };
}
