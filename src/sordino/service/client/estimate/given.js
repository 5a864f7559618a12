// The mean of a number that may be missing among those who have it, and the share of those who do not: with y the mean
// of the number, a missing one counted as 0, and s the share of people who have it, y / s, and its first-order error.

/** Standard errors of a 95 % interval: where that of s has 0 in it, reports tell nothing of the mean. */
export const REACH = 1.959963984540054;

/** The moments' name of whether a number is given. */
export const given = (place) => String(~place);

/** `mean` of a number from -1 to 1, null where none is told, and the part that is `missing`: each `{estimate, stderr}`. */
export function ofThoseWhoHave({ names, means, covariance }, place) {
  const [number, there] = [String(place), given(place)].map((name) => names.indexOf(name));
  // Whether it is given counts as 1 or -1.
  const share = (1 + means[there]) / 2;
  const [yy, ys, ss] = [covariance[number][number], covariance[number][there] / 2, covariance[there][there] / 4];
  const missing = { estimate: 1 - share, stderr: Math.sqrt(ss) };
  if (share <= 0 || share ** 2 <= REACH ** 2 * ss) return { mean: null, missing };
  const mean = means[number] / share;
  const variance = (yy - 2 * mean * ys + mean ** 2 * ss) / share ** 2;
  return { mean: { estimate: mean, stderr: Math.sqrt(Math.max(variance, 0)) }, missing };
}

/** What ends the name of a moment of those who have all of some numbers; by itself whether somebody has. */
export const complete = (needed) => `complete ${needed.join(" ")}`;

const ENDED = /(?:^|,)(complete [\d ]+)$/;

/** The names of moments among complete cases, where all are of the same ones; else the names as they are. */
export function amongComplete(names) {
  const ends = new Set(names.map((name) => ENDED.exec(name)?.[1]));
  if (ends.size !== 1 || ends.has(undefined)) return names;
  return names.map((name) => name.replace(ENDED, "")).filter((name) => name !== "");
}

/** Standard errors by which the share of complete cases must exceed 0. */
const CERTAIN = 3;

/**
 * The moments among complete cases, `names`, `means` and `covariance` to the first order, and the `share` of these,
 * `{estimate, stderr}`; throws RangeError where reports do not tell whether there are any. Of other moments nothing changes.
 */
export function ofCompleteCases({ names, means, covariance }) {
  const among = amongComplete(names);
  if (among === names) return { found: { names, means, covariance } };
  const own = names.flatMap((name, at) => (name.startsWith("complete") ? [] : [at]));
  const at = names.findIndex((name) => name.startsWith("complete"));
  const [share, stderr] = [(1 + means[at]) / 2, Math.sqrt(covariance[at][at]) / 2];
  if (share <= CERTAIN * stderr) throw new RangeError("the reports do not show that anybody has all the numbers");
  const quotients = own.map((place) => means[place] / share);
  const between = own.map((one, i) => own.map((other, j) => {
    // Whether somebody is a complete case counts as 1 or -1.
    const shared = (quotients[j] * covariance[one][at] + quotients[i] * covariance[at][other]) / 2;
    return (covariance[one][other] - shared + (quotients[i] * quotients[j] * covariance[at][at]) / 4) / share ** 2;
  }));
  return { found: { names: among, means: quotients, covariance: between }, share: { estimate: share, stderr } };
}
