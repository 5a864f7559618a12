// A number on a slider, with its digits beside, which may be written too. Until one of them was moved or written there is no
// answer: where a slider stands first says nothing.

import { element, surveyText } from "../dom.js";
import { inThousands, numberOf, writtenInput } from "./written.js";

const isHalf = (number) => Math.abs(number % 1) === 0.5;

/** The first and the last stop: those of a whole-number scale, whose bins go from half to half, are its numbers. */
function stopsOf({ low, high }, step) {
  const isScale = step === 1 && isHalf(low) && isHalf(high) && high - low > 1;
  return isScale ? { low: low + 0.5, high: high - 0.5 } : { low, high };
}

export class Slider {
  need = "need_slider";

  constructor(id, { low, high }, step, unit, described, speech) {
    this.speech = speech;
    this.unit = unit;
    const stops = stopsOf({ low, high }, step);
    const ends = { min: String(stops.low), max: String(stops.high), step: String(step) };
    const label = speech.say("slider");
    this.slider = element("input", { type: "range", id: `${id}-slider`, ...ends, value: String(stops.low + step * Math.round((stops.high - stops.low) / step / 2)), class: "untouched", autocomplete: "off", "aria-label": label, "aria-valuetext": speech.say("slider_untouched"), "aria-describedby": `${id}-hint ${described}` });
    this.number = writtenInput(id, `${id}-hint ${described}`, stops.low < 0);
    this.number.setAttribute("aria-label", unit ? `${speech.say("slider_number")} (${unit})` : speech.say("slider_number"));
    this.inputs = [this.slider, this.number];
    this.slider.addEventListener("input", () => this.#moved());
    this.number.addEventListener("input", () => this.#written());
    const end = (value) => element("span", {}, speech.number(value));
    this.parts = [
      element("span", { class: "hint", id: `${id}-hint` }, speech.say("slider_hint")),
      element("div", { class: "slider" }, element("div", {}, this.slider, element("div", { class: "ends", "aria-hidden": "true" }, end(stops.low), end(stops.high))), element("span", { class: "number" }, this.number, unit ? surveyText(speech, unit) : null)),
    ];
  }

  #touch(number) {
    this.slider.setAttribute("class", "");
    const text = this.speech.number(number);
    this.slider.setAttribute("aria-valuetext", this.unit ? `${text} ${this.unit}` : text);
  }

  #moved() {
    const number = Number(this.slider.value);
    // Digits as the language writes them, without what sets off thousands.
    this.number.value = new Intl.NumberFormat(this.speech.locale, { useGrouping: false, maximumFractionDigits: 12, numberingSystem: "latn" }).format(number);
    this.#touch(number);
    this.number.dispatchEvent(new Event("change", { bubbles: true }));
  }

  #written() {
    const number = numberOf(this.number.value);
    if (typeof number !== "number") return;
    this.slider.value = String(number);
    this.#touch(number);
  }

  clear() {
    this.number.value = "";
    this.slider.setAttribute("class", "untouched");
    this.slider.setAttribute("aria-valuetext", this.speech.say("slider_untouched"));
  }

  get answer() {
    return this.number.value.trim() === "" ? undefined : numberOf(this.number.value);
  }

  get thousands() {
    return inThousands(this.number.value);
  }

  get state() {
    return this.number.value;
  }

  set state(text) {
    this.number.value = text;
    this.#written();
  }
}
