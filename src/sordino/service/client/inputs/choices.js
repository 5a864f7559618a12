// One answer of several: radio buttons, all of them seen at once.

import { element, surveyText } from "../dom.js";

/** A choice is `{label, value, isOwn}`: what is read, what a record holds, and whether the survey has the words. */
export class Radios {
  constructor(id, choices, described, speech) {
    this.choices = choices;
    this.inputs = choices.map((_, place) => element("input", { type: "radio", name: id, value: String(place), autocomplete: "off", "aria-describedby": described }));
    this.inputs[0].id = id;
    this.parts = choices.map(({ label, isOwn }, place) => element("label", { class: "choice" }, this.inputs[place], isOwn ? surveyText(speech, label) : element("span", {}, label)));
  }

  /** What a record holds of the answer; undefined for none. */
  get answer() {
    return this.choices[this.inputs.findIndex((input) => input.checked)]?.value;
  }

  /** The place of what is chosen, so that it can be chosen again in another language. */
  get state() {
    return this.inputs.findIndex((input) => input.checked);
  }

  set state(place) {
    this.inputs.forEach((input, i) => (input.checked = i === place));
  }

  /** What an empty answer needs. */
  need = "need_choice";
}
