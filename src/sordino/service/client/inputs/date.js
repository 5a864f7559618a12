// A date, as the browser has it given: in days since 1970-01-01.

import { element } from "../dom.js";

const DAY = 86_400_000;

/** A date as the browser writes it: four digits of the year at least. */
const written = (days) => new Date(days * DAY).toISOString().slice(0, 10);

export class DateInput {
  constructor(id, { low, high }, described, speech) {
    this.input = element("input", { type: "date", id, min: written(low), max: written(high), autocomplete: "off", "aria-describedby": `${id}-hint ${described}` });
    this.inputs = [this.input];
    const hint = speech.say("hint_date", { low: speech.date(low), high: speech.date(high) });
    this.parts = [element("label", {}, speech.say("your_answer"), element("span", { class: "hint", id: `${id}-hint` }, hint), this.input)];
  }

  /** Days since 1970-01-01; undefined for none, and for one that is not whole. */
  get answer() {
    const found = /^\d{4}-\d{2}-\d{2}$/.test(this.input.value) ? Date.parse(`${this.input.value}T00:00:00Z`) / DAY : NaN;
    return Number.isInteger(found) ? found : undefined;
  }

  thousands = null;

  get state() {
    return this.input.value;
  }

  set state(text) {
    this.input.value = text;
  }

  clear() {
    this.input.value = "";
  }

  need = "need_date";
}
