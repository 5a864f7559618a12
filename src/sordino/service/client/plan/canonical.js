// JSON in the form that plans have, and nothing that another reader could take differently, as a key twice.

import { PlanError } from "./plan_error.js";

/** Whole numbers in digits alone; of others any digits that give the double. */
const NUMBER = /(?!-0(?![.]))-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?(?:e-\d+)?(?![\d.e])/y;
const STRING = /"(?:[^"\\\u0000-\u001f\u007f-\uffff]|\\["\\bfnrt]|\\u[0-9a-f]{4})*"/y;
const NAMES = [["true", true], ["false", false]];

/** Tables and lists within each other at most; plans have less than ten. */
const DEEPEST = 64;

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
    return Number(this.#match(NUMBER));
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
