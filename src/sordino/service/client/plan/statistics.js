// How numbers and categories are read as one value, by words of their own: the rounding of docs/plan-format.md, in doubles.

import { WORD } from "../channel/words.js";

/** 1 for +1 and 0 for -1; wrong with the chance that makes its mean the number. */
function sign(number, words) {
  const amount = BigInt(Math.trunc(Math.abs(number) * 2 ** 63));
  const word = words.next();
  const wrong = word >= 1n << 63n && word < WORD - amount;
  return wrong !== number >= 0 ? 1 : 0;
}

function point(numbers, [place, points], words) {
  return points === 2 ? sign(numbers[place], words) : onGrid(numbers, [place, points], words);
}

function onGrid(numbers, [place, points], words) {
  const above = (numbers[place] + 1) * ((points - 1) / 2);
  const lower = Math.min(Math.floor(above), points - 1);
  const rest = Math.min(Math.max(above - lower, 0), 1 - 2 ** -53);
  const threshold = BigInt(Math.trunc(rest * 2 ** 64));
  return Math.min(lower + (words.next() < threshold ? 1 : 0), points - 1);
}

/** A point of the grid, or the value after them where there is no number: by one word in both cases. */
function optional(numbers, [place, points], words) {
  const missing = Number.isNaN(numbers[place]);
  const found = onGrid(missing ? { [place]: 0 } : numbers, [place, points], words);
  return missing ? points : found;
}

/** A category and the sign of a number, as one value. */
function categorySign(numbers, [place, , number], words) {
  return 2 * numbers[place] + sign(numbers[number], words);
}

/** The product of a category of two, 1 or -1, with a number or another such category, as a sign. */
function binaryProduct(numbers, [first, second, categories], words) {
  const own = 2 * numbers[first] - 1;
  return sign(own * (categories === 2 ? 2 * numbers[second] - 1 : numbers[second]), words);
}

const twoCategories = (numbers, [first, , second, others]) => numbers[first] * others + numbers[second];

function ofTwo(numbers, [first, second], words) {
  const moment = numbers[first] * numbers[second];
  return sign(first === second ? 2 * moment - 1 : moment, words);
}

function signs(numbers, places, words) {
  return places.reduce((value, place, bit) => value | (sign(numbers[place], words) << bit), 0);
}

const MOST_POINTS = 128;
const MOST_SIGNS = 12;
const MOST_CATEGORIES = 64;
const isFew = (k) => k >= 2 && k <= MOST_CATEGORIES;
const areDifferent = (places) => new Set(places).size === places.length;

/**
 * Each statistic: how many values it has, which of its numbers are places, what else it needs of them; at which places
 * it reads a category, with how many there are; and at which a number that may be missing.
 */
const ALONE = {
  number: { read: point, size: ([, points]) => points, places: (given) => given.slice(0, 1), fits: ({ length, 1: points }) => length === 2 && points >= 2 && points <= MOST_POINTS },
  product: { read: ofTwo, size: () => 2, places: (given) => given, fits: ({ length, 0: first, 1: second }) => length === 2 && first <= second },
  signs: { read: signs, size: (places) => 2 ** places.length, places: (given) => given, fits: (places) => places.length >= 1 && places.length <= MOST_SIGNS && areDifferent(places) },
  optional: {
    read: optional,
    size: ([, points]) => points + 1,
    places: (given) => given.slice(0, 1),
    mayMiss: (given) => given.slice(0, 1),
    fits: ({ length, 1: points }) => length === 2 && points >= 2 && points < MOST_POINTS,
  },
  "category-sign": {
    read: categorySign,
    size: ([, k]) => 2 * k,
    places: ([place, , number]) => [place, number],
    categories: ([place, k]) => [[place, k]],
    fits: ({ length, 0: place, 1: k, 2: number }) => length === 3 && isFew(k) && place !== number,
  },
  "two-categories": {
    read: twoCategories,
    size: ([, k, , others]) => k * others,
    places: ([first, , second]) => [first, second],
    categories: ([first, k, second, others]) => [[first, k], [second, others]],
    fits: ({ length, 0: first, 1: k, 2: second, 3: others }) => length === 4 && isFew(k) && isFew(others) && first !== second,
  },
  "binary-product": {
    read: binaryProduct,
    size: () => 2,
    places: ([first, second]) => [first, second],
    categories: ([first, second, categories]) => [first, second].slice(0, categories).map((place) => [place, 2]),
    fits: ({ length, 0: first, 1: second, 2: categories }) => length === 3 && (categories === 1 || categories === 2) && first !== second,
  },
};

const COMPLETE = "complete-";

/** The places of the numbers that complete cases have, and what is left for the statistic of these. */
const parted = ([count, ...rest]) => [rest.slice(0, count), rest.slice(count)];

/** A statistic of complete cases: by the same words its value, or the one after its values where one of some numbers is missing. */
function ofComplete(own) {
  const found = {
    read(numbers, given, words) {
      const [needed, rest] = parted(given);
      const missing = needed.some((place) => Number.isNaN(numbers[place]));
      const value = own.read(missing ? numbers.map((number) => (Number.isNaN(number) ? 0 : number)) : numbers, rest, words);
      return missing ? own.size(rest) : value;
    },
    size: (given) => own.size(parted(given)[1]) + 1,
    places: (given) => [...new Set([...own.places(parted(given)[1]), ...parted(given)[0]])],
    mayMiss: (given) => parted(given)[0],
    fits(given) {
      const [needed, rest] = parted(given);
      const ascend = needed.every((place, i) => i === 0 || needed[i - 1] < place);
      return given[0] >= 1 && needed.length === given[0] && ascend && own.fits(rest);
    },
  };
  return own.categories ? { ...found, categories: (given) => own.categories(parted(given)[1]) } : found;
}

const whole = Object.entries(ALONE).filter(([, { mayMiss }]) => !mayMiss);

export const STATISTICS = { ...ALONE, ...Object.fromEntries(whole.map(([name, own]) => [`${COMPLETE}${name}`, ofComplete(own)])) };

/** Of a statistic of complete cases the places of the numbers that these have, and the statistic; null of any other. */
export function completeCases({ name, places }) {
  if (!name.startsWith(COMPLETE)) return null;
  const [needed, rest] = parted(places);
  return { needed, own: { name: name.slice(COMPLETE.length), places: rest } };
}
