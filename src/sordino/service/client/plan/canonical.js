// JSON in the form that plans have, and nothing that another reader could take differently, as a key twice.

/** What is wrong with a plan: a rule, what was found, and a next step. */
export class PlanError extends Error {
  /**
   * @param {string} rule
   * @param {string} found
   * @param {string} [step]
   */
  constructor(rule, found, step = "Get the original from whoever asks you, and answer no other.") {
    super(`${rule}; found ${found}. ${step}`);
    this.rule = rule;
    this.found = found;
    this.step = step;
  }
}

const NUMBER = /-?\d+(?:\.\d+)?(?:e-\d+)?(?![\d.eE])/y;
const STRING = /"(?:[^"\\\u0000-\u001f\u007f-\uffff]|\\["\\bfnrt]|\\u[0-9a-f]{4})*"/y;
const NAMES = [["true", true], ["false", false]];

/** Tables and lists within each other at most; plans have less than ten. */
const DEEPEST = 64;

/** No whole number is larger. */
const LARGEST = 2 ** 64;

/** Numbers below this have an exponent, of two digits at least. */
const SMALL = 1e-4;

/** The one spelling of a number: a whole one in all its digits, another by the fewest that give the double; null of what no plan holds. */
function spelling(number) {
  if (Number.isInteger(number)) return Math.abs(number) <= LARGEST ? BigInt(number).toString() : null;
  if (!Number.isFinite(number)) return null;
  return Math.abs(number) < SMALL ? number.toExponential().replace(/e-(\d)$/, "e-0$1") : String(number);
}

/** Half of a pair that stands for one character: no text has it. */
const HALF = /\p{Surrogate}/u;

/** Reads one JSON value: sorted keys but for a hash before them, no spaces, ASCII, each text in its one spelling. */
export class Canonical {
  #at = 0;
  #depth = 0;

  constructor(text) {
    this.text = text;
  }

  whole() {
    const found = this.#value();
    if (this.text.slice(this.#at) !== "\n") this.#refuse();
    return found;
  }

  #refuse() {
    throw new PlanError("a plan must be the canonical bytes of its document", "other bytes for the same document, or a part of it");
  }

  #take(text) {
    if (!this.text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #need(text) {
    if (!this.#take(text)) this.#refuse();
  }

  #match(pattern) {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text);
    if (!found) this.#refuse();
    this.#at += found[0].length;
    return found[0];
  }

  #value() {
    const next = this.text[this.#at];
    if (next === "{" || next === "[") return this.#within(next);
    if (next === '"') return this.#string();
    for (const [name, value] of NAMES) if (this.#take(name)) return value;
    return this.#number();
  }

  #within(next) {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw new PlanError(`a plan must have at most ${DEEPEST} tables and lists within each other`, "more");
    const found = next === "{" ? this.#object() : this.#list();
    this.#depth -= 1;
    return found;
  }

  #number() {
    const text = this.#match(NUMBER);
    const value = Number(text);
    if (spelling(value) !== text) this.#refuse();
    return value;
  }

  #string() {
    const text = this.#match(STRING);
    const value = JSON.parse(text);
    const again = JSON.stringify(value).replace(
      /[\u007f-\uffff]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    if (again !== text || HALF.test(value)) this.#refuse();
    return value;
  }

  #list() {
    const found = [];
    this.#need("[");
    if (this.#take("]")) return found;
    do found.push(this.#value());
    while (this.#take(","));
    this.#need("]");
    return found;
  }

  #object() {
    const found = {};
    let last = null;
    this.#need("{");
    if (this.#take("}")) return found;
    do {
      const key = this.#string();
      if (Object.hasOwn(found, key) || (last !== null && !before(last, key))) this.#refuse();
      this.#need(":");
      // A key of any name is a field like others.
      Object.defineProperty(found, key, { value: this.#value(), enumerable: true });
      // The hash stands first, so that it can be cut out.
      last = this.#depth === 1 && key === "hash" && last === null ? null : key;
    } while (this.#take(","));
    this.#need("}");
    return found;
  }
}

/** Whether a key comes before another, by code points. */
export function before(one, other) {
  const [a, b] = [[...one], [...other]];
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    if (a[i] !== b[i]) return a[i].codePointAt(0) < b[i].codePointAt(0);
  }
  return a.length < b.length;
}
