// Least squares of a target on features from the moments of their products: the normal equations A t = b of the means, and
// the sandwich A^-1 [D V D'] A^-1, where V is the means' covariance and D how b - A t moves with each mean.

import { centred } from "./moments.js";
import { inverse, spectrum } from "./spectrum.js";

/** Standard errors by which the features' variation must exceed 0 in every direction. */
const DISTINCT = 3;

const product = (one, other) => one.reduce((all, amount, i) => all + amount * other[i], 0);
const times = (matrix, vector) => matrix.map((row) => product(row, vector));
const form = (matrix, vector) => product(vector, times(matrix, vector));

/**
 * The intercept, then the slope of each feature, `{estimate, stderr}`, in the units of the numbers: `units` are the middle
 * and half of the range of each, the last of which is explained by all others. Throws RangeError where noise could feign
 * that the features vary.
 */
export function leastSquares(found, units) {
  const target = units.length - 1;
  const features = units.slice(0, target).map((_, i) => i);
  const moments = new Moments(found);
  requireDistinct(moments, features);
  const { names, means } = found;
  const single = (i) => moments.at(i);
  const second = (i, j) => (i === j ? (means[moments.at(i, j)] + 1) / 2 : means[moments.at(i, j)]);
  const firsts = features.map((i) => means[single(i)]);
  const normal = [[1, ...firsts], ...features.map((i) => [firsts[i], ...features.map((j) => second(i, j))])];
  const bread = inverse(normal);
  const solution = times(bread, [means[single(target)], ...features.map((i) => second(i, target))]);
  const moved = normal.map(() => new Array(names.length).fill(0));
  moved[0][single(target)] = 1;
  for (const i of features) {
    moved[0][single(i)] = -solution[i + 1];
    moved[i + 1][moments.at(i, target)] = 1;
    moved[i + 1][single(i)] = -solution[0];
    // A square is told as 2 x^2 - 1.
    for (const j of features) moved[i + 1][moments.at(i, j)] = -(i === j ? 0.5 : 1) * solution[j + 1];
  }
  const turned = bread.map((row) => names.map((_, m) => row.reduce((all, amount, e) => all + amount * moved[e][m], 0)));
  const [middle, half] = units[target];
  const slopes = features.map((i) => half / units[i][1]);
  // The scaled coefficients' rows, each a sum, in the units of the numbers.
  const inUnits = (amounts, intercept) => [
    intercept + half * amounts[0] - features.reduce((all, i) => all + slopes[i] * units[i][0] * amounts[i + 1], 0),
    ...features.map((i) => slopes[i] * amounts[i + 1]),
  ];
  const errors = names.map((_, m) => inUnits(turned.map((row) => row[m]), 0));
  return inUnits(solution, middle).map((estimate, e) => {
    const variance = form(moments.covariance, errors.map((own) => own[e]));
    return { estimate, stderr: Math.sqrt(Math.max(variance, 0)) };
  });
}

/** The means of a question's moments by the places of the numbers. */
class Moments {
  constructor(found) {
    this.found = found;
    this.covariance = found.covariance;
    if (found.covariance.flat().some(Number.isNaN)) throw new RangeError("the tally does not have its moments together");
  }

  /** Where a number, or the product of two, stands. */
  at(...places) {
    const found = this.found.names.indexOf(places.sort((a, b) => a - b).join());
    if (found < 0) throw new RangeError("the reports do not cover a needed statistic");
    return found;
  }

  /** The covariance of two numbers, and how it moves with each mean. */
  centred(i, j) {
    const { means } = this.found;
    const slopes = means.map(() => 0);
    slopes[this.at(i, j)] += i === j ? 0.5 : 1;
    slopes[this.at(i)] -= means[this.at(j)];
    slopes[this.at(j)] -= means[this.at(i)];
    return { ...centred(this.found, Math.min(i, j), Math.max(i, j)), slopes };
  }
}

/** Refuses features that do not vary, each alone and all together, beyond what noise could feign. */
function requireDistinct(moments, features) {
  const between = features.map((i) => features.map((j) => moments.centred(i, j)));
  if (features.some((i) => between[i][i].value <= DISTINCT * between[i][i].stderr)) throw new RangeError("a feature cannot be distinguished from a constant");
  const deviation = features.map((i) => Math.sqrt(between[i][i].value));
  const { values, vectors } = spectrum(between.map((row, i) => row.map(({ value }, j) => value / deviation[i] / deviation[j])));
  const least = values.indexOf(values.reduce((a, b) => Math.min(a, b)));
  const weights = vectors[least].map((amount, i) => amount / deviation[i]);
  const slope = moments.found.means.map((_, m) => product(weights, between.map((row) => row.reduce((all, { slopes }, j) => all + slopes[m] * weights[j], 0))));
  const stderr = Math.sqrt(Math.max(form(moments.covariance, slope), 0));
  if (values[least] <= DISTINCT * stderr) throw new RangeError("the features cannot be distinguished from dependent ones");
}
