// JSON in its one canonical form, and nothing that another reader could take differently: a key twice, 1.0 for 1.

import { PlanError } from "./plan_error.js";

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f\u007f-\uffff]|\\["\\bfnrt]|\\u[0-9a-f]{4})*"/y;
const NAMES = [["true", true], ["false", false]];

/** Tables and lists within each other at most; plans have less than ten. */
const DEEPEST = 64;

/** Half of a pair that stands for one character: no text has it. */
const HALF = /\p{Surrogate}/u;

/** Reads one JSON value in canonical form: sorted keys, no spaces, ASCII, each value in its one spelling. */
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
    throw new PlanError("a plan must be the canonical bytes of its document", "another spelling, or a part");
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
    const text = this.#match(NUMBER);
    if (spelled(Number(text)) !== text) this.#refuse();
    return Number(text);
  }

  #within(next) {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw new PlanError(`a plan must have at most ${DEEPEST} tables and lists within each other`, "more");
    const found = next === "{" ? this.#object() : this.#list();
    this.#depth -= 1;
    return found;
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
      if (last !== null && !before(last, key)) this.#refuse();
      this.#need(":");
      // A key of any name is a field like others.
      Object.defineProperty(found, key, { value: this.#value(), enumerable: true });
      last = key;
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

/** The canonical spelling of a number: whole numbers in digits; else the shortest digits that give the double. */
function spelled(number) {
  if (Number.isInteger(number)) return Object.is(number, -0) ? "0" : BigInt(number).toString();
  const [digits, power] = number.toExponential().split("e");
  if (power >= -4) return String(number);
  const places = String(Math.abs(power)).padStart(2, "0");
  return `${digits}e-${places}`;
}
