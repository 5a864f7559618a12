// One answer of many: a field in which typing searches a list (the combobox pattern of ARIA 1.2, with a list that is
// filtered). The field keeps the focus; what is active in the list is named by aria-activedescendant.

import { element, surveyText } from "../dom.js";

/** Answers of the list that are shown at once. */
const SHOWN = 100;

/** Texts that people take for one: without case, accents and signs. */
const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

export class Combobox {
  #chosen = null;
  #active = -1;
  #found = [];

  constructor(id, choices, described, speech) {
    this.id = id;
    this.choices = choices;
    this.speech = speech;
    this.folded = choices.map(({ label }) => folded(label));
    this.list = element("ul", { role: "listbox", id: `${id}-list`, class: "options", hidden: true, "aria-label": speech.say("your_answer") });
    this.status = element("span", { class: "unseen", role: "status" });
    this.input = element("input", {
      type: "text",
      id,
      role: "combobox",
      autocomplete: "off",
      spellcheck: "false",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": `${id}-list`,
      "aria-describedby": `${id}-hint ${described}`,
      input: () => this.#search(),
      keydown: (event) => this.#press(event),
      blur: () => this.#leave(),
    });
    this.button = element("button", { type: "button", class: "open", tabindex: "-1", "aria-label": speech.say("open_list"), mousedown: (event) => this.#toggle(event) });
    this.list.addEventListener("mousedown", (event) => this.#pick(event));
    this.inputs = [this.input];
    this.parts = [
      element("label", { for: id }, speech.say("your_answer"), element("span", { class: "hint", id: `${id}-hint` }, speech.say("search"))),
      element("div", { class: "combobox" }, this.input, this.button, this.list),
      this.status,
    ];
  }

  /** What a record holds of the answer: undefined for none, null where something is written that is no choice. */
  get answer() {
    if (this.#chosen !== null) return this.choices[this.#chosen].value;
    return this.input.value.trim() === "" ? undefined : this.#same()?.value ?? null;
  }

  get need() {
    return this.input.value.trim() === "" ? "need_choice" : "need_listed";
  }

  get state() {
    return this.#chosen;
  }

  set state(place) {
    if (place !== null) this.#choose(place);
  }

  /** The only choice of the words that are written, however they are spelled. */
  #same() {
    const text = folded(this.input.value.trim());
    const places = this.folded.flatMap((own, place) => (own === text ? [place] : []));
    return places.length === 1 ? this.choices[places[0]] : undefined;
  }

  #search() {
    this.#chosen = null;
    this.#open(folded(this.input.value.trim()));
  }

  /** Show the answers that a text is in, those that begin with it first; all of them for none. */
  #open(text, active = -1) {
    const found = this.folded.flatMap((own, place) => (own.includes(text) ? [place] : []));
    const first = found.filter((place) => this.folded[place].startsWith(text));
    this.#found = text === "" ? found : [...first, ...found.filter((place) => !first.includes(place))];
    const shown = this.#found.slice(0, SHOWN);
    const rows = shown.map((place) => {
      const { label, isOwn } = this.choices[place];
      return element("li", { role: "option", id: `${this.id}-option-${place}`, "data-place": String(place), "aria-selected": String(place === this.#chosen) }, isOwn ? surveyText(this.speech, label) : label);
    });
    const more = this.#found.length - shown.length;
    const count = this.#found.length;
    this.list.replaceChildren(...rows, ...(more > 0 ? [element("li", { class: "hint", role: "presentation" }, this.speech.say("more_matches", { count: more }))] : []));
    this.status.textContent = count ? this.speech.say("matches", { count }) : this.speech.say("no_match");
    this.list.hidden = count === 0;
    this.input.setAttribute("aria-expanded", String(count > 0));
    this.#activate(count ? active : -1);
  }

  #close() {
    this.list.hidden = true;
    this.status.textContent = "";
    this.input.setAttribute("aria-expanded", "false");
    this.#activate(-1);
  }

  /** Mark one of the shown answers, by its place in the list. */
  #activate(active) {
    this.list.querySelector(".active")?.classList.remove("active");
    this.#active = active;
    const row = active < 0 ? null : this.list.children[active];
    if (!row) {
      this.input.removeAttribute("aria-activedescendant");
      return;
    }
    row.classList.add("active");
    row.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", row.id);
  }

  #press(event) {
    if (event.isComposing || event.ctrlKey || event.metaKey) return;
    const last = Math.min(this.#found.length, SHOWN) - 1;
    const isOpen = !this.list.hidden;
    const moves = {
      ArrowDown: () => (isOpen ? this.#activate(this.#active >= last ? 0 : this.#active + 1) : this.#openAll(event.altKey ? -1 : "first")),
      ArrowUp: () => (isOpen ? this.#activate(this.#active <= 0 ? last : this.#active - 1) : this.#openAll("last")),
      Home: () => isOpen && this.#active >= 0 && this.#activate(0),
      End: () => isOpen && this.#active >= 0 && this.#activate(last),
      Enter: () => isOpen && this.#active >= 0 && this.#choose(this.#found[this.#active]),
      Escape: () => (isOpen ? this.#close() : this.#clear()),
    };
    if (!Object.hasOwn(moves, event.key)) return;
    // Of a closed list Enter sends the form, and the ends are those of the text.
    if (moves[event.key]() !== false) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  #openAll(where) {
    const text = this.#chosen === null ? folded(this.input.value.trim()) : "";
    this.#open(text);
    const last = Math.min(this.#found.length, SHOWN) - 1;
    const own = this.#found.indexOf(this.#chosen);
    if (where === "first") this.#activate(own >= 0 && own <= last ? own : Math.min(0, last));
    else if (where === "last") this.#activate(own >= 0 && own <= last ? own : last);
  }

  #choose(place) {
    const changed = this.#chosen !== place;
    this.#chosen = place;
    this.input.value = this.choices[place].label;
    this.#close();
    if (changed) this.input.dispatchEvent(new Event("change", { bubbles: true }));
  }

  #clear() {
    this.#chosen = null;
    this.input.value = "";
  }

  /** Whoever leaves with the words of a choice has chosen it. */
  #leave() {
    const same = this.#same();
    if (this.#chosen === null && same) this.#chosen = this.choices.indexOf(same);
    this.#close();
  }

  #toggle(event) {
    // The field keeps the focus.
    event.preventDefault();
    this.input.focus();
    if (this.list.hidden) this.#openAll(-1);
    else this.#close();
  }

  #pick(event) {
    event.preventDefault();
    const row = event.target.closest("[data-place]");
    if (row) this.#choose(Number(row.dataset.place));
  }
}
