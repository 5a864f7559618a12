// Boxes of categories of which several may be ticked, up to so many; one more says that none of them applies.

import { element, surveyText } from "../dom.js";

/** The boxes: `inputs`, `parts` for the field, the `answer` as a list, undefined where nothing is ticked, and its `state`. */
export class Checkboxes {
  /** `choices` and `none` have a `label` and a `value`; `hint` says how many may be ticked, `error` is the id of what is wrong. */
  constructor(id, choices, none, most, hint, error, speech) {
    this.id = id;
    this.most = most;
    this.choices = choices;
    this.boxes = choices.map((_, place) => this.#box(place === 0 ? id : `${id}-${place}`, error));
    this.none = this.#box(`${id}-none`, error);
    this.inputs = [...this.boxes, this.none];
    const line = ({ label }, input) => element("label", { class: "choice" }, input, surveyText(speech, label));
    this.parts = [
      element("span", { class: "hint", id: `${id}-hint` }, hint),
      ...choices.map((choice, place) => line(choice, this.boxes[place])),
      line(none, this.none),
    ];
  }

  #box(id, error) {
    const input = element("input", { type: "checkbox", id, autocomplete: "off", "aria-describedby": `${this.id}-hint ${error}` });
    input.addEventListener("change", () => this.#follow(input));
    return input;
  }

  /** None of them goes with no other; beyond what may be ticked nothing can be. */
  #follow(changed) {
    if (changed === this.none && changed.checked) for (const box of this.boxes) box.checked = false;
    if (changed !== this.none && changed.checked) this.none.checked = false;
    const isFull = this.boxes.filter((box) => box.checked).length >= this.most;
    for (const box of this.boxes) box.disabled = isFull && !box.checked;
  }

  get answer() {
    if (this.none.checked) return [];
    const ticked = this.choices.filter((_, place) => this.boxes[place].checked).map(({ value }) => value);
    return ticked.length ? ticked : undefined;
  }

  /** What an empty answer needs. */
  need = "need_choice";

  get state() {
    return this.inputs.map((box) => box.checked);
  }

  set state(ticked) {
    this.inputs.forEach((box, place) => (box.checked = ticked[place]));
    this.#follow(this.boxes[0]);
  }
}
