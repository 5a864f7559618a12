// Eigenvalues and eigenvectors of a symmetric matrix, by Jacobi's rotations: few lines, and exact to the last digits.

const MOST_SWEEPS = 60;

/** `values`, and `vectors` in the same order, each of length 1. */
export function spectrum(matrix) {
  const left = matrix.map((row) => [...row]);
  const k = left.length;
  const vectors = left.map((_, i) => left.map((__, j) => Number(i === j)));
  const whole = Math.hypot(...left.flat());
  const off = () => Math.hypot(...left.flatMap((row, i) => row.filter((_, j) => j !== i)));
  for (let sweep = 0; sweep < MOST_SWEEPS && off() > 1e-16 * whole; sweep += 1) {
    for (let p = 0; p < k; p += 1) for (let q = p + 1; q < k; q += 1) rotate(left, vectors, p, q);
  }
  return { values: left.map((row, i) => row[i]), vectors };
}

/** One rotation of the axes p and q, after which their entry is 0. */
function rotate(left, vectors, p, q) {
  if (left[p][q] === 0) return;
  const angle = Math.atan2(2 * left[p][q], left[q][q] - left[p][p]) / 2;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  for (const row of left) [row[p], row[q]] = [c * row[p] - s * row[q], s * row[p] + c * row[q]];
  for (const rows of [left, vectors]) {
    const [one, other] = [rows[p], rows[q]];
    rows[p] = one.map((amount, i) => c * amount - s * other[i]);
    rows[q] = one.map((amount, i) => s * amount + c * other[i]);
  }
}

/** The inverse of a symmetric matrix. */
export function inverse(matrix) {
  const { values, vectors } = spectrum(matrix);
  if (values.includes(0)) throw new RangeError("features that cannot be distinguished from dependent ones");
  return matrix.map((row, i) => row.map((_, j) => values.reduce((all, value, e) => all + (vectors[e][i] * vectors[e][j]) / value, 0)));
}
