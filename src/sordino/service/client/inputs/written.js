// Numbers that are written: in digits, with a point or a comma.

import { element, surveyText } from "../dom.js";

/** Digits with one comma before the last three: thousands to some, and a thousandth part of that to others. */
const THOUSANDS = /^[+-]?[1-9]\d{0,2},\d{3}$/;

/** A number as people write it, with a point or a comma; text that is none stays text. */
export function numberOf(text) {
  const found = text.trim().replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(found) ? Number(found) : found;
}

/** The number of a text in which a comma sets off thousands, where it may. */
export const inThousands = (text) => (THOUSANDS.test(text.trim()) ? Number(text.trim().replace(",", "")) : null);

/** A field for a number; `signed` where it may be negative: keyboards of some phones have no minus among the digits. */
export function writtenInput(id, described, signed) {
  return element("input", { type: "text", inputmode: signed ? "text" : "decimal", id, autocomplete: "off", "aria-describedby": described });
}

/** Numbers under labels, each with what it may be: one, or the two of a place. */
export class Written {
  constructor(fields, described, signed) {
    this.inputs = fields.map(({ id }) => writtenInput(id, `${id}-hint ${described}`, signed));
    const labels = fields.map(({ id, label, hint }, i) => element("label", {}, label, element("span", { class: "hint", id: `${id}-hint` }, hint), this.inputs[i]));
    this.parts = fields.length > 1 ? [element("div", { class: "pair" }, ...labels)] : labels;
  }

  /** The number, or a list of them; undefined where nothing is written. */
  get answer() {
    const texts = this.inputs.map((input) => input.value);
    if (texts.every((text) => text.trim() === "")) return undefined;
    const found = texts.map(numberOf);
    return found.length > 1 ? found : found[0];
  }

  /** What is written as if a comma set off thousands; null where it does not. */
  get thousands() {
    return this.inputs.length > 1 ? null : inThousands(this.inputs[0].value);
  }

  get state() {
    return this.inputs.map((input) => input.value);
  }

  set state(texts) {
    this.inputs.forEach((input, i) => (input.value = texts[i]));
  }

  clear() {
    for (const input of this.inputs) input.value = "";
  }

  need = "need_number";
}

/** A box to tick in place of a number. */
export function declineBox(id, label, isOwn, described, speech) {
  const input = element("input", { type: "checkbox", id: `${id}-none`, autocomplete: "off", "aria-describedby": described });
  return [element("label", { class: "choice" }, input, isOwn ? surveyText(speech, label) : element("span", {}, label)), input];
}
