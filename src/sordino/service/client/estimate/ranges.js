// The share of the people between two edges of a number's bins: a linear function of the codes, and so are its errors.

/**
 * Of bits about thresholds, codes t and t + k - 1 for each of the k - 1, the same tally with each threshold drawn as often as it is
 * expected to be: how often it was tells nothing of the people, and of one that nobody drew that there is no error.
 */
function expected(counts, { bits, k }) {
  if (!bits) return counts;
  const each = counts.reduce((a, b) => a + b, 0) / (k - 1);
  return counts.map((count, code) => {
    const drawn = count + counts[(code + k - 1) % counts.length];
    return drawn ? (each * count) / drawn : each / 2;
  });
}

/** The unbiased share from each first bin to before each last one, and its standard error: `[first, last]` to `{estimate, stderr}`. */
export function rangesOf(reading, counts, ranges) {
  if (ranges.length === 0) return [];
  const { axes } = reading;
  if (axes?.length !== 1) throw new RangeError("ranges of a channel that is no window");
  const [{ adds }] = axes;
  const n = counts.reduce((a, b) => a + b, 0);
  const known = expected(counts, reading);
  return ranges.map(([first, last]) => {
    const code = counts.map((_, y) => adds.slice(first, last).reduce((all, row) => all + row[y], 0));
    const estimate = counts.reduce((all, count, y) => all + (count / n) * code[y], 0);
    const mean = known.reduce((all, count, y) => all + (count / n) * code[y], 0);
    const variance = known.reduce((all, count, y) => all + (count / n) * (code[y] - mean) ** 2, 0);
    return { estimate, stderr: Math.sqrt(variance / n) };
  });
}
