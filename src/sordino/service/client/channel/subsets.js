// Subsets of numbered items by their size: how many there are, and the number of each among those of its size, which is the sum of
// C(p1, 1) + C(p2, 2) + ... over its places p1 < p2 < ... Counts and numbers are BigInts, places are numbers.

/** Pascal's triangle up to 64. */
const COMB = [[1n]];
for (let n = 1; n <= 64; n += 1) {
  COMB.push(Array.from({ length: n + 1 }, (_, i) => (COMB[n - 1][i - 1] ?? 0n) + (COMB[n - 1][i] ?? 0n)));
}

/** How many subsets of so many members n items have. */
export function comb(n, members) {
  if (n < COMB.length) return COMB[n]?.[members] ?? 0n;
  let found = members < 0 || members > n ? 0n : 1n;
  const least = Math.min(members, n - members);
  for (let i = 1; i <= least; i += 1) found = (found * BigInt(n - least + i)) / BigInt(i);
  return found;
}

/** The number of a subset, by its ascending places. */
export const rank = (places) => places.reduce((all, place, i) => all + comb(place, i + 1), 0n);

/** The places, ascending, of the subset of a number among those with so many of n items. */
export function ranked(number, n, members) {
  const places = [];
  let left = number;
  for (let place = n - 1; places.length < members; place -= 1) {
    const without = comb(place, members - places.length);
    if (left < without) continue;
    left -= without;
    places.push(place);
  }
  return places.reverse();
}
