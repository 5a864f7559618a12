// What a survey says of itself, and what a person agrees to.

import { element, surveyText } from "../dom.js";

const LINES = ["by", "purpose", "contact", "reports"];
const DAY = 86_400_000;

/** Who asks, what for, whom to ask, what happens with reports, and until when; null where the survey says none of it. */
export function aboutList(plan, speech) {
  const words = plan.words ?? {};
  const rows = LINES.filter((name) => words[name] !== undefined).map((name) => [name, surveyText(speech, speech.text(words[name]), "dd")]);
  if (words.until !== undefined) rows.push(["until", element("dd", {}, speech.date(Date.parse(`${words.until}T00:00:00Z`) / DAY))]);
  return rows.length ? element("dl", { class: "about" }, ...rows.map(([name, text]) => element("div", {}, element("dt", {}, speech.say(name)), text))) : null;
}

/** A box that must be ticked before anything is drawn: its element and `check`; null where nothing is to be agreed to. */
export class Consent {
  static of(plan, speech) {
    const consent = plan.words?.consent;
    return consent === undefined ? null : new Consent(speech.text(consent), speech);
  }

  constructor(text, speech) {
    this.speech = speech;
    this.error = element("span", { class: "error", id: "consent-error" });
    this.input = element("input", { type: "checkbox", id: "consent", autocomplete: "off", "aria-describedby": "consent-text consent-error", change: () => this.#mend() });
    this.element = element(
      "fieldset",
      { class: "consent" },
      element("legend", {}, speech.say("consent")),
      surveyText(speech, text, "p", { id: "consent-text" }),
      element("label", { class: "choice" }, this.input, element("span", {}, speech.say("agree"))),
      this.error,
    );
  }

  /** A message that is taken back keeps its room, so that nothing moves under a mouse. */
  #mend() {
    if (!this.error.textContent || !this.input.checked) return;
    const height = this.error.getBoundingClientRect().height;
    this.#show("", `${height}px`);
  }

  #show(said, room = "") {
    this.error.textContent = said;
    this.error.style.minHeight = room;
    if (said) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
  }

  check() {
    this.#show(this.input.checked ? "" : this.speech.say("need_consent"));
    return this.input.checked;
  }
}

/** Buttons for the other languages, each in its own words; null where there is one. */
export function languageSwitch(languages, speech, choose) {
  if (languages.length < 2) return null;
  const name = (language) => {
    const own = new Intl.DisplayNames([language], { type: "language" }).of(language);
    return own[0].toLocaleUpperCase(language) + own.slice(1);
  };
  const buttons = languages.map((language) =>
    element("button", { type: "button", lang: language, "aria-current": language === speech.language ? "true" : null, click: () => choose(language) }, name(language)),
  );
  return element("nav", { class: "languages", "aria-label": speech.say("language") }, ...buttons);
}
