// Random words, uniform choices and picks, as docs/plan-format.md has them. A word is a BigInt below 2^64.

export const WORD = 1n << 64n;
const HALF = 1n << 32n;

/** Words from the browser's generator for keys; each is used once. */
export class FreshWords {
  #pool = new BigUint64Array(512);
  #left = 0;

  next() {
    if (this.#left === 0) {
      globalThis.crypto.getRandomValues(this.#pool);
      this.#left = this.#pool.length;
    }
    this.#left -= 1;
    const word = this.#pool[this.#left];
    this.#pool[this.#left] = 0n;
    return word;
  }
}

/** Several readers of the same words: each begins at the first, and the longest way tells how many are drawn. */
export function sameWords(words) {
  const seen = [];
  return () => {
    let place = 0;
    return {
      next() {
        if (place === seen.length) seen.push(words.next());
        place += 1;
        return seen[place - 1];
      },
    };
  };
}

/** The choice of a word below a bound, or null where the word is rejected. */
function chosen(word, bound, narrow) {
  if (narrow) {
    const product = (word >> 32n) * bound;
    const rest = product & (HALF - 1n);
    // The remainder is below the bound: it is seldom needed.
    return rest < bound && rest < HALF % bound ? null : product >> 32n;
  }
  const choice = word / (WORD / bound);
  return choice >= bound ? null : choice;
}

/** A uniform whole number below a bound of at most 2^64. */
export function below(bound, words) {
  if (bound === WORD) return words.next();
  const narrow = bound <= HALF;
  for (;;) {
    const choice = chosen(words.next(), bound, narrow);
    if (choice !== null) return choice;
  }
}

/** Below the second bound where `heads` holds, else below the first: both look at every word. */
export function either(first, second, heads, words) {
  if (first === second) return below(first, words);
  const narrow = first <= HALF && second <= HALF;
  let kept = null;
  for (;;) {
    const word = words.next();
    const one = chosen(word, first, narrow);
    const two = chosen(word, second, narrow);
    if (kept === null) kept = heads ? two : one;
    if (one !== null && two !== null) return kept;
  }
}

/** The first place at which the weights up to it, together, are above a number: all are looked at, whatever it is. */
export function pick(weights, number) {
  let total = 0n;
  let place = 0;
  for (const weight of weights) {
    total += weight;
    place += Number(number >= total);
  }
  if (place === weights.length) throw new RangeError("a number must be below the sum of the weights");
  return place;
}
