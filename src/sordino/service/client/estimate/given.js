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
