// Exact fractions of BigInts, as [numerator, denominator] with a denominator above 0, and amounts of loss in nats.

import { RuleError, requires } from "./entries.js";

/** @typedef {[bigint, bigint]} Fraction */
/** @typedef {{rational: Fraction, ratio: Fraction}} Amount r + ln q */

/** Characters of a number at most: of more no sum is worked out. */
const LONGEST = 1000;

/** Digits of a numerator or a denominator at most, as in the package. */
const TOO_LARGE = 10n ** 401n;

/** @returns {Fraction} */
export function fraction(text) {
  const parts = text.length <= LONGEST && /^(-?)(\d+)(?:\/(\d+)|\.(\d+))?$/.exec(text);
  requires(parts && /[^0]/.test(parts[3] ?? "1"), "a number must be digits, perhaps with a divisor, and not too many", "another");
  const [, sign, whole, divisor, decimals = ""] = parts;
  const denominator = divisor ? BigInt(divisor) : 10n ** BigInt(decimals.length);
  const numerator = BigInt(whole + decimals);
  return short(reduced([sign ? -numerator : numerator, denominator]));
}

/**
 * @param {Fraction} given
 * @returns {Fraction}
 */
function short([a, b]) {
  requires(a < TOO_LARGE && -a < TOO_LARGE && b < TOO_LARGE, "a number must have at most 401 digits", "more");
  return [a, b];
}

/**
 * @param {bigint} a
 * @param {bigint} b
 */
export function gcd(a, b) {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y) [x, y] = [y, x % y];
  return x;
}

/**
 * @param {Fraction} given
 * @returns {Fraction}
 */
function reduced([a, b]) {
  const common = gcd(a, b) || 1n;
  return [a / common, b / common];
}

/** @type {(one: Fraction, other: Fraction) => Fraction} */
export const plus = ([a, b], [c, d]) => reduced([a * d + c * b, b * d]);
/** @type {(one: Fraction, other: Fraction) => Fraction} */
export const minus = ([a, b], [c, d]) => reduced([a * d - c * b, b * d]);
/** @type {(one: Fraction, other: Fraction) => Fraction} */
export const times = ([a, b], [c, d]) => reduced([a * c, b * d]);
/** @type {(one: Fraction, other: Fraction) => number} */
export const compare = ([a, b], [c, d]) => (a * d < c * b ? -1 : Number(a * d > c * b));

/**
 * The quotient rounded up; the divisor is above 0.
 * @param {bigint} a
 * @param {bigint} b
 */
export const ceil = (a, b) => -(-a / b) + (a > 0n && a % b !== 0n ? 1n : 0n);

/**
 * No loss.
 * @type {Amount}
 */
export const NOTHING = { rational: [0n, 1n], ratio: [1n, 1n] };

/**
 * An amount r + ln q.
 * @param {string} text
 */
export function amount(text) {
  /** @type {Amount} */
  const found = { rational: [0n, 1n], ratio: [1n, 1n] };
  for (const term of text.split(" + ")) {
    if (term.startsWith("ln ")) found.ratio = times(found.ratio, fraction(term.slice(3)));
    else found.rational = plus(found.rational, fraction(term));
    requires(found.ratio[0] > 0n, "a logarithm must be of a number above 0", "another");
    short(found.ratio);
    short(found.rational);
  }
  return found;
}

/** What a job gives, or null where it breaks a rule. */
function unless(job) {
  try {
    return job();
  } catch (error) {
    if (error instanceof RuleError) return null;
    throw error;
  }
}

/** Whether a text is an amount in the one spelling that a plan has for it. */
export function isAmount(text) {
  const found = typeof text === "string" ? unless(() => amount(text)) : null;
  return found !== null && written(found) === text;
}

/** Whether a text is a number without a logarithm, in its one spelling. */
export const isRational = (text) => isAmount(text) && !text.includes("ln");

/** More protects nothing: a coin of 64 bits has odds of at most 2^64. */
/** @type {Amount} */
const LARGEST_EPSILON = { rational: [100n, 1n], ratio: [1n, 1n] };

/** Whether a text is an amount that can be promised: from 0 to 100 nats. */
export function isEpsilon(text) {
  if (!isAmount(text)) return false;
  const found = amount(text);
  return within([1n, 1n], found) && atMost(found, LARGEST_EPSILON);
}

/** Bits of a logarithm's argument at most: its digits are all written out. */
const MOST_BITS = 1n << 20n;

/**
 * An amount times a length, a fraction that is not below 0; of a logarithm only a whole number of times, else null. So far
 * beyond what counts that its digits need not be written it is the most that does.
 * @param {Amount} amount
 * @param {Fraction} length
 * @returns {Amount | null}
 */
export function scaled({ rational, ratio }, length) {
  const [a, b] = length;
  if (ratio[0] !== ratio[1] && b !== 1n) return null;
  if (about({ rational, ratio }) * approximate(length) > 2 * about(LARGEST_EPSILON)) return LARGEST_EPSILON;
  if (ratio[0] === ratio[1]) return { rational: short(times(rational, length)), ratio: [1n, 1n] };
  const bits = BigInt(4 * (ratio[0].toString(16).length + ratio[1].toString(16).length));
  requires(a * bits <= MOST_BITS, "a logarithm must be taken only so often that its digits can be written", "more often");
  return { rational: short(times(rational, length)), ratio: short([ratio[0] ** a, ratio[1] ** a]) };
}

export const sum = (one, other) => ({
  rational: plus(one.rational, other.rational),
  ratio: times(one.ratio, other.ratio),
});

/** An amount as a plan writes it. */
export function written({ rational, ratio }) {
  const text = ([a, b]) => (b === 1n ? String(a) : `${a}/${b}`);
  if (ratio[0] === ratio[1]) return text(rational);
  return rational[0] === 0n ? `ln ${text(ratio)}` : `${text(rational)} + ln ${text(ratio)}`;
}

/** @type {(given: Fraction) => number} A fraction as a double, of however many digits. */
const approximate = ([a, b]) => Number((a << 64n) / b) / 2 ** 64;

/**
 * The logarithm of a whole number, of however many digits.
 * @param {bigint} number
 */
function logarithm(number) {
  const beyond = Math.max(0, 4 * (number.toString(16).length - 16));
  return Math.log(Number(number >> BigInt(beyond))) + beyond * Math.LN2;
}

/** @type {(amount: Amount) => number} */
const about = ({ rational, ratio: [c, d] }) => approximate(rational) + logarithm(c) - logarithm(d);

/**
 * Whether an amount is at most another one, exactly; doubles decide where they can.
 * @param {Amount} one
 * @param {Amount} other
 */
export function atMost(one, other) {
  const apart = about(other) - about(one);
  if (Math.abs(apart) > 1e-9 * (1 + Math.abs(about(one)))) return apart > 0;
  const [[a, b], [c, d]] = [one.ratio, other.ratio];
  return within([1n, 1n], { rational: minus(other.rational, one.rational), ratio: reduced([c * b, d * a]) });
}

/**
 * Integers around e^r 2^bits, for a fraction r >= 0: the power series, cut where its rest is below one unit.
 * @param {Fraction} r
 * @param {number} bits
 */
function exponential([a, b], bits) {
  // e^r = (e^(r / 2^h))^(2^h) with r / 2^h below 1; what rounding loses is counted in units of the last place.
  let halvings = 0n;
  while (a >= b << halvings) halvings += 1n;
  const guard = BigInt(bits) + 2n * halvings + 64n;
  const one = 1n << guard;
  const divisor = b << halvings;
  let term = one;
  let low = one;
  let steps = 0n;
  for (let n = 1n; term > 0n; n += 1n) {
    term = (term * a) / (divisor * n);
    low += term;
    steps += 1n;
  }
  // Each term is cut, by less than two units; all later ones together are below one more for each.
  let high = low + 4n * steps + 4n;
  for (let n = 0n; n < halvings; n += 1n) {
    low = (low * low) >> guard;
    high = ((high * high) >> guard) + 1n;
  }
  const shift = guard - BigInt(bits);
  return [low >> shift, (high >> shift) + 1n];
}

/**
 * Whether a fraction >= 0 is at most e^amount, exactly: e^r is irrational unless r = 0, so that narrowing decides.
 * @param {Fraction} fraction
 * @param {Amount} amount
 */
export function within([a, b], { rational, ratio }) {
  // a / b <= q e^r, as a q' / (b q'') <= e^r.
  let [top, bottom] = [a * ratio[1], b * ratio[0]];
  let r = rational;
  if (r[0] === 0n) return top <= bottom;
  const negative = r[0] < 0n;
  if (negative) {
    [top, bottom] = [bottom, top];
    r = [-r[0], r[1]];
  }
  if (bottom === 0n) return negative;
  // e^r is above 2^r: a long amount needs no digits.
  if (r[0] / r[1] >= BigInt(top.toString(16).length * 4)) return !negative;
  for (let bits = 128; ; bits *= 2) {
    const [low, high] = exponential(r, bits);
    const side = top << BigInt(bits);
    if (side <= low * bottom) return !negative;
    if (side >= high * bottom) return negative;
  }
}

/** Numbers from here on have an exponent. */
const LARGE = 6;

/** A fraction above 0 as a short decimal, never below it, as the package writes factors: hundredths, of large and small ones three digits. */
export function upward([a, b]) {
  const digits = (a / b).toString().length;
  let places = digits > LARGE ? 3 - digits : 2;
  while (a < b && a * 10n ** BigInt(places) < b * 100n) places += 1;
  const scaled = (places < 0 ? ceil(a, b * 10n ** BigInt(-places)) : ceil(a * 10n ** BigInt(places), b)).toString();
  const exponent = scaled.length - 1 - places;
  if (exponent >= LARGE) return `${pointed(scaled, scaled.length - 1)} x 10^${exponent}`;
  return pointed(scaled.padStart(places + 1, "0"), places);
}

/** Digits with a point before the last of them, and no zeros at their end. */
const pointed = (digits, places) => `${digits.slice(0, digits.length - places)}.${digits.slice(digits.length - places)}`.replace(/\.?0+$/, "");

/**
 * e^amount, rounded up to a fraction, exact without a rational part; null of an amount that protects nothing.
 * @param {Amount} told
 */
export function factor(told) {
  if (!atMost(told, LARGEST_EPSILON)) return null;
  const { rational: [a, b], ratio } = told;
  if (a === 0n) return ratio;
  const [low, high] = exponential([a < 0n ? -a : a, b], 128);
  return times(a < 0n ? [1n << 128n, low] : [high, 1n << 128n], ratio);
}
