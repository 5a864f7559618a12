// The share of the people between two edges of a number's bins: a linear function of the codes, and so are its errors.

/** The unbiased share from each first bin to before each last one, and its standard error: `[first, last]` to `{estimate, stderr}`. */
export function rangesOf({ axes }, counts, ranges) {
  if (ranges.length === 0) return [];
  if (axes?.length !== 1) throw new RangeError("ranges of a channel that is no window");
  const [{ adds }] = axes;
  const n = counts.reduce((a, b) => a + b, 0);
  return ranges.map(([first, last]) => {
    const code = counts.map((_, y) => adds.slice(first, last).reduce((all, row) => all + row[y], 0));
    const estimate = counts.reduce((all, count, y) => all + (count / n) * code[y], 0);
    const variance = counts.reduce((all, count, y) => all + (count / n) * (code[y] - estimate) ** 2, 0);
    return { estimate, stderr: Math.sqrt(variance / n) };
  });
}
