// A field for each attribute that is asked: its question, how it is answered, and what is wrong in words beside it.

import { ENGLISH } from "./catalogue/speech.js";
import { element, surveyText } from "./dom.js";
import { size } from "./channel/promised.js";
import { Checkboxes } from "./inputs/checkboxes.js";
import { Combobox } from "./inputs/combobox.js";
import { DateInput } from "./inputs/date.js";
import { Radios } from "./inputs/choices.js";
import { Slider } from "./inputs/slider.js";
import { Place } from "./inputs/place.js";
import { Written, declineBox } from "./inputs/written.js";
import { AnswerError, value } from "./plan/record.js";

/** Choices up to which all are shown at once; of more a list is searched. */
const FEW = 12;

/** The values of an attribute to choose from, as people know them; the one that stands for no answer comes last. */
function choicesOf(name, { labels, numbers, missing, not_asked: unasked }, speech) {
  const values = labels ?? Array.from({ length: numbers }, (_, number) => number);
  const known = (own) => ({ label: speech.label(name, own) ?? String(own), value: own, isOwn: true });
  const choices = values.filter((own) => own !== missing && own !== unasked).map(known);
  if (missing === undefined) return choices;
  const declines = speech.label(name, missing) === undefined;
  const label = speech.say("decline", { value: speech.quoted(missing) });
  return [...choices, declines ? { label, value: missing, isOwn: false } : known(missing)];
}

/** The ways of answering, the first that fits an attribute: each makes what stands in the field. */
/** @type {[(attribute: any, wording: any) => boolean, (field: any) => any][]} */
const WAYS = [
  [({ several }) => several !== undefined, severalInput],
  [({ labels, numbers }, wording) => labels || (numbers !== undefined && wording.labels), choiceInput],
  [({ grid }) => grid, ({ id, attribute, error, speech }) => new Place(id, attribute.grid, error.id, speech)],
  [({ number }, { input }) => number && input === "slider", sliderInput],
  [({ number }, { input }) => number && input === "date", ({ id, attribute, error, speech }) => new DateInput(id, attribute.number, error.id, speech)],
  [() => true, numberInput],
];

function severalInput({ id, name, attribute: { labels, several, none }, error, speech }) {
  const known = (own) => ({ label: speech.label(name, own) ?? own, value: own, isOwn: true });
  const hint = several < labels.length ? speech.say("hint_several", { count: several }) : speech.say("hint_all");
  return new Checkboxes(id, labels.map(known), known(none), several, hint, error.id, speech);
}

function choiceInput({ id, name, attribute, error, speech }) {
  const choices = choicesOf(name, attribute, speech);
  return new (choices.length <= FEW ? Radios : Combobox)(id, choices, error.id, speech);
}

function sliderInput({ id, name, attribute: { number }, wording, error, speech }) {
  return new Slider(id, number, wording.step, speech.text(speech.wording(name).unit), error.id, speech);
}

function numberInput({ id, attribute, wording, error, speech }) {
  const { number } = attribute;
  const unit = speech.text(wording.unit);
  const hint = number
    ? speech.say(unit ? "hint_number_unit" : "hint_number", { low: number.low, high: number.high, unit })
    : speech.say("hint_whole", { high: size(attribute) - 1 });
  const whole = number?.clip ? speech.say("hint_clip", { hint }) : hint;
  return new Written([{ id, label: speech.say("your_answer"), hint: whole }], error.id, number !== undefined && number.low < 0);
}

/** The field of one attribute: its element, `answer`, and `check`, which says what is wrong. */
export class Field {
  constructor(name, attribute, place, speech = ENGLISH) {
    this.name = name;
    this.attribute = attribute;
    this.speech = speech;
    this.id = `field-${place}`;
    this.wording = speech.wording(name);
    this.error = element("span", { class: "error", id: `${this.id}-error` });
    this.way = WAYS.find(([fits]) => fits(attribute, this.wording))[1](this);
    const [box, none] = this.#decline();
    this.none = none;
    this.inputs = [...this.way.inputs, ...(none ? [none] : [])];
    const help = speech.text(this.wording.help);
    this.element = element(
      "fieldset",
      { "aria-describedby": help === undefined ? null : `${this.id}-help` },
      element("legend", {}, surveyText(speech, this.title)),
      help === undefined ? null : surveyText(speech, help, "p", { class: "hint", id: `${this.id}-help` }),
      attribute.isPublic ? element("p", { class: "hint" }, speech.say("field_in_clear")) : null,
      ...this.way.parts,
      box,
      this.error,
    );
    for (const input of this.inputs) input.addEventListener("change", () => this.#mend());
  }

  /** The question, or the name of what is asked. */
  get title() {
    return this.speech.attribute(this.name);
  }

  /** Of a number that may be missing a box to tick in its place; it and what is written take each other's place. */
  #decline() {
    const { attribute, speech } = this;
    if (!attribute.number || attribute.missing === undefined) return [null, null];
    const own = speech.missing(this.name);
    const [label, input] = declineBox(this.id, own ?? speech.say("decline_number"), own !== undefined, this.error.id, speech);
    input.addEventListener("change", () => input.checked && this.way.clear());
    for (const other of this.way.inputs) other.addEventListener("input", () => (input.checked = false));
    return [label, input];
  }

  /** The answer as a record has it; undefined for none, null for a number that is missing. */
  get answer() {
    if (this.none?.checked) return null;
    const found = this.way.answer;
    if (!Array.isArray(found) || !this.attribute.grid) return found;
    const [latitude, longitude] = found;
    return { latitude, longitude };
  }

  /** What was chosen and written, to stand in a field of the same attribute in another language. */
  get state() {
    return [this.way.state, this.none?.checked ?? false];
  }

  set state([own, isDeclined]) {
    this.way.state = own;
    if (this.none) this.none.checked = isDeclined;
  }

  /** Whether an answer may be meant a thousand times as large, which is one too. */
  #hasThousands() {
    const { number } = this.attribute;
    const large = this.way.thousands ?? null;
    if (large === null) return false;
    return number ? number.low <= large && large <= number.high : large < size(this.attribute);
  }

  /** What is wrong with the answer, in words; empty if nothing is. */
  get #wrong() {
    const { name, attribute, speech } = this;
    try {
      const { answer } = this;
      if (answer === undefined || (answer === null && !this.none?.checked)) throw new AnswerError(name, attribute.grid ? "need_place" : this.way.need);
      if (this.#hasThousands()) throw new AnswerError(name, "need_one_meaning");
      value(name, attribute, answer);
    } catch (error) {
      if (!(error instanceof AnswerError)) throw error;
      const isDate = error.key === "need_within" && this.way instanceof DateInput;
      const ends = isDate ? { low: speech.date(error.values.low), high: speech.date(error.values.high) } : error.values;
      return speech.say(isDate ? "need_date_within" : error.key, ends);
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

  /** Go to what is wrong. */
  focus() {
    this.inputs[0].focus();
  }
}
