// What the mechanisms with one coin have in common: how many values, and the coin's threshold.

import { integer, requires, whole } from "./entries.js";
import { WORD } from "./words.js";

/** A threshold below which some words are, and not all. */
export function chance(entry) {
  const found = integer(entry);
  requires(found > 0n && found < WORD, "a coin's threshold must lie in 1..2^64-1", "another");
  return found;
}

/** Values of a mechanism at most. */
const MOST_VALUES = 2 ** 32;

export class OneCoin {
  constructor(own) {
    this.k = whole(own.k, 1, MOST_VALUES, "how many values a mechanism has");
    this.threshold = chance(own.threshold);
  }

  /** Weights and codes of the two sides; one side alone is not told from the other. */
  sides(first, second) {
    this.levels = [[this.threshold, first], [WORD - this.threshold, second]];
  }
}
