// The sections of a long form as pages, one of which is shown at a time, with how far one is.

import { element } from "../dom.js";

/** Questions beyond which sections are pages. */
const MOST = 8;

export class Pages {
  /** The pages of a form; null of one that is short, or has one section. */
  static of(parts, speech) {
    const count = parts.reduce((sum, { fields }) => sum + fields.length, 0);
    return count > MOST && parts.length > 1 ? new Pages(parts, speech) : null;
  }

  /** Each part has its `fields` and the `elements` that are shown; the last one also what sends. */
  constructor(parts, speech) {
    this.fields = parts.map(({ fields }) => fields);
    this.speech = speech;
    this.place = 0;
    this.bar = element("progress", { max: String(parts.length), "aria-labelledby": "page" });
    this.text = element("p", { id: "page", class: "hint", tabindex: "-1" });
    this.sheets = parts.map(({ elements }) => element("div", {}, ...elements));
    this.back = element("button", { type: "button", class: "plain", click: () => this.step(-1) }, speech.say("page_back"));
    this.next = element("button", { type: "submit", class: "next" }, speech.say("page_next"));
    this.elements = [element("div", { class: "pages" }, this.text, this.bar), ...this.sheets, element("div", { class: "steps" }, this.back, this.next)];
    this.show(0);
  }

  get isLast() {
    return this.place === this.sheets.length - 1;
  }

  /** The fields of the page that is shown. */
  get shown() {
    return this.fields[this.place];
  }

  /** Show a page, and go to its beginning. */
  turn(place) {
    this.show(place);
    this.text.scrollIntoView?.({ block: "start" });
    this.text.focus();
  }

  /** Show the page of a field. */
  find(field) {
    this.show(this.fields.findIndex((own) => own.includes(field)));
  }

  /** One page further or back; of a page with nothing to ask one more. */
  step(by) {
    let place = this.place + by;
    while (place > 0 && place < this.sheets.length - 1 && this.fields[place].every((field) => field.element.hidden)) place += by;
    this.turn(place);
  }

  /** Show a page; nothing moves. */
  show(place) {
    this.place = place;
    this.sheets.forEach((sheet, i) => (sheet.hidden = i !== place));
    this.bar.value = place + 1;
    this.text.textContent = this.speech.say("page_of", { page: place + 1, pages: this.sheets.length });
    this.back.hidden = place === 0;
    this.next.hidden = this.isLast;
  }
}
