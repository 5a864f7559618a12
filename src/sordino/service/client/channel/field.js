// Finite fields: modulo a prime, or of polynomials over two elements, written as bits.

import { requires } from "./entries.js";

/** The bits of an element: polynomials multiply without carries. */
function product(a, b) {
  let found = 0n;
  for (let bit = 0n; b >> bit; bit += 1n) if ((b >> bit) & 1n) found ^= a << bit;
  return found;
}

const bits = (a) => a.toString(2).length;

function remainder(a, b) {
  let left = a;
  while (left && bits(left) >= bits(b)) left ^= b << BigInt(bits(left) - bits(b));
  return left;
}

/** The least irreducible polynomial whose leading bit is q. */
function irreducible(q) {
  for (let modulus = q; ; modulus += 1n) {
    let found = true;
    for (let divisor = 2n; found && divisor * divisor <= modulus << 2n; divisor += 1n) {
      found = remainder(modulus, divisor) !== 0n;
    }
    if (found) return modulus;
  }
}

/** Products are looked up in fields of so many elements at most. */
const SMALL = 256;

const LARGEST = 2 ** 20;
const LARGEST_BINARY = 128;

/** Whether a number is a prime up to the largest here. */
export function isPrime(p) {
  if (!Number.isInteger(p) || p < 2 || p > LARGEST) return false;
  for (let divisor = 2; divisor * divisor <= p; divisor += 1) if (p % divisor === 0) return false;
  return true;
}

/** Whether a field here has so many elements. */
const isOrder = (q) => isPrime(q) || (Number.isInteger(q) && q > 2 && q <= LARGEST_BINARY && Number.isInteger(Math.log2(q)));

export class Field {
  constructor(q) {
    requires(isOrder(q), `a field's order must be a prime up to ${LARGEST}, or a power of two up to ${LARGEST_BINARY}`, "another");
    this.q = q;
    this.binary = Number.isInteger(Math.log2(q));
    if (this.binary) this.modulus = irreducible(BigInt(q));
    if (q <= SMALL) this.table = Array.from({ length: q * q }, (_, i) => this.#multiplied(Math.floor(i / q), i % q));
  }

  #multiplied(a, b) {
    if (this.binary) return Number(remainder(product(BigInt(a), BigInt(b)), this.modulus));
    return Number((BigInt(a) * BigInt(b)) % BigInt(this.q));
  }

  plus(a, b) {
    return this.binary ? a ^ b : (a + b) % this.q;
  }

  minus(a, b) {
    return this.binary ? a ^ b : (a - b + this.q) % this.q;
  }

  times(a, b) {
    return this.table ? this.table[a * this.q + b] : this.#multiplied(a, b);
  }

  inverse(a) {
    // a^(q - 2), since a^(q - 1) = 1.
    let [found, power] = [1, a];
    for (let left = this.q - 2; left > 0; left = Math.floor(left / 2)) {
      if (left % 2) found = this.times(found, power);
      power = this.times(power, power);
    }
    return found;
  }
}
