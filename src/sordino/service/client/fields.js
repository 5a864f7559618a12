// A field for each attribute that is asked: labels, hints, and what is wrong in words beside it.

import { element } from "./dom.js";
import { size } from "./channel/promised.js";
import { Checkboxes } from "./inputs/checkboxes.js";
import { AnswerError, value } from "./plan/record.js";

/** Choices up to which all are shown at once. */
const FEW = 8;

/** Digits with one comma before the last three: thousands to some, and a thousandth part of that to others. */
const THOUSANDS = /^[+-]?[1-9]\d{0,2},\d{3}$/;

/** A number as people write it, with a point or a comma; text that is none stays text. */
function numberOf(text) {
  const found = text.trim().replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(found) ? Number(found) : found;
}

/** The field of one attribute: its element, `read` for the answer, and `check`, which says what is wrong. */
export class Field {
  constructor(name, attribute, place) {
    Object.assign(this, { name, attribute, id: `field-${place}` });
    this.error = element("span", { class: "error", id: `${this.id}-error` });
    this.inputs = this.#made();
    this.element = element("fieldset", {}, element("legend", {}, name), ...this.parts, this.error);
    for (const input of this.inputs) input.addEventListener("change", () => this.#mend());
  }

  #made() {
    const { attribute } = this;
    if (attribute.several !== undefined) return this.#checkboxes();
    if (attribute.labels) return attribute.labels.length <= FEW ? this.#radios() : this.#select();
    if (attribute.grid) {
      const { south, north, west, east } = attribute.grid;
      const pair = [this.#text("Latitude", `degrees, ${south} to ${north}`), this.#text("Longitude", `degrees, ${west} to ${east}`)];
      this.parts = [element("div", { class: "pair" }, ...pair.map(([label]) => label))];
      return pair.map(([, input]) => input);
    }
    const [label, input] = this.#text("Your answer", this.#hint());
    this.parts = [label];
    return [input];
  }

  #hint() {
    const { number, missing } = this.attribute;
    if (!number) return `a whole number from 0 to ${size(this.attribute) - 1}`;
    const ends = `a number from ${number.low} to ${number.high}`;
    const none = missing === undefined ? "" : "; leave it empty if you have none";
    return `${ends}${number.clip ? "; one beyond them counts as the nearer end" : ""}${none}`;
  }

  /** The choices: each label under its own name, and no answer where that may be. */
  get #choices() {
    const { labels, missing, not_asked: unasked } = this.attribute;
    const own = labels.map((label, i) => [label, String(i)]).filter(([label]) => label !== unasked);
    return missing === undefined ? own : [...own, [`No answer (counts as “${missing}”)`, "none"]];
  }

  #checkboxes() {
    const { labels, several, none } = this.attribute;
    const known = (own) => ({ label: own, value: own });
    const hint = several < labels.length ? `Choose up to ${several}.` : "Choose all that apply.";
    this.boxes = new Checkboxes(this.id, labels.map(known), known(none), several, hint, this.error.id);
    this.parts = this.boxes.parts;
    return this.boxes.inputs;
  }

  #radios() {
    const inputs = [];
    this.parts = this.#choices.map(([label, place]) => {
      const input = element("input", { type: "radio", name: this.id, value: place, autocomplete: "off", "aria-describedby": this.error.id });
      inputs.push(input);
      return element("label", { class: "choice" }, input, element("span", {}, label));
    });
    inputs[0].id = this.id;
    return inputs;
  }

  #select() {
    const options = [["Choose", ""], ...this.#choices].map(([label, place]) => element("option", { value: place }, label));
    const input = element("select", { id: this.id, autocomplete: "off", "aria-describedby": this.error.id }, ...options);
    this.parts = [element("label", {}, "Your answer", input)];
    return [input];
  }

  #text(label, hint) {
    const id = label === "Longitude" ? `${this.id}-east` : this.id;
    const described = `${id}-hint ${this.error.id}`;
    const input = element("input", { type: "text", inputmode: "text", id, autocomplete: "off", "aria-describedby": described });
    if (!this.#mayBeNegative()) input.inputMode = "decimal";
    return [element("label", {}, label, element("span", { class: "hint", id: `${id}-hint` }, hint), input), input];
  }

  /** Whether an answer may be meant a thousand times as large, which is one too; degrees are never that large. */
  #hasThousands() {
    const { grid, labels, number } = this.attribute;
    const text = this.inputs[0].value.trim();
    if (grid || labels || !THOUSANDS.test(text)) return false;
    const large = Number(text.replace(",", ""));
    return number ? number.low <= large && large <= number.high : large < size(this.attribute);
  }

  /** Keyboards of some phones have no minus among the digits. */
  #mayBeNegative() {
    const { grid, number } = this.attribute;
    return Boolean(grid) || (number !== undefined && number.low < 0);
  }

  /** The answer as a record has it; undefined for none. */
  get answer() {
    const { attribute, inputs } = this;
    if (this.boxes) return this.boxes.answer;
    if (attribute.labels) {
      const place = inputs.length > 1 || inputs[0].type === "radio" ? inputs.find((input) => input.checked)?.value : inputs[0].value;
      if (place === undefined || place === "") return undefined;
      return place === "none" ? null : attribute.labels[Number(place)];
    }
    const texts = inputs.map((input) => input.value);
    if (texts.every((text) => text.trim() === "")) return attribute.number && attribute.missing !== undefined ? null : undefined;
    if (!attribute.grid) return numberOf(texts[0]);
    const [latitude, longitude] = texts.map(numberOf);
    return { latitude, longitude };
  }

  /** What is wrong with the answer, in words; empty if nothing is. */
  get #wrong() {
    try {
      if (this.answer === undefined) throw new AnswerError(this.name, "an answer is needed", "none", "Give one.");
      if (this.#hasThousands()) throw new AnswerError(this.name, "a number must have one meaning", "a comma that may set off thousands", "Leave it out, or write a point.");
      value(this.name, this.attribute, this.answer);
    } catch (error) {
      if (!(error instanceof AnswerError)) throw error;
      return `${error.rule[0].toUpperCase()}${error.rule.slice(1)}; found ${error.found}. ${error.step}`;
    }
    return "";
  }

  /** Show what is wrong beside the answer, or nothing in a room of some height. */
  #show(said, room = "") {
    this.error.textContent = said;
    this.error.style.minHeight = room;
    for (const input of this.inputs) {
      if (said) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
  }

  /** What is mended is not called wrong any more. Its message keeps its room until the next submission: a button that moves
   * while a mouse is pressed on it is not clicked. */
  #mend() {
    if (this.error.textContent && !this.#wrong) this.#show("", `${this.error.getBoundingClientRect().height}px`);
  }

  /** Whether the answer is right; what is wrong stands beside it. What is hidden is not asked. */
  check() {
    if (this.element.hidden) return true;
    const said = this.#wrong;
    this.#show(said);
    return said === "";
  }
}
