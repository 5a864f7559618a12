// <sordino-form plan="URL" signed-by="KEY">: the form of a plan on anybody's page. It has its own styles and none of the page's; the
// page hears of what was sent, and of no answer. The collector's page trusts the collector's modules, this element whoever
// serves it.

import en from "./catalogue/en.js";
import { CATALOGUES } from "./catalogue/speech.js";
import { element, planAddress } from "./dom.js";
import { AnswerForm } from "./form/answer_form.js";
import { invitationOf } from "./outbox.js";
import { periodOf } from "./series/turn.js";
import { keyOf } from "./signature.js";
import STYLE from "./style.js";

// What is said where no other language can be loaded.
CATALOGUES.en = en;

/** The heading of a form stands below that of its page. */
const LEVEL = 2;

/** Events: `sordino-sent` and `sordino-taken-back`, with `detail.plan`, the plan's hash; both bubble. */
export class SordinoForm extends HTMLElement {
  static observedAttributes = ["plan", "signed-by"];

  /** @type {AnswerForm | null} */
  #form = null;

  /** A language that was chosen here. */
  #language = "";

  /** The attribute `plan`. */
  get plan() {
    return this.getAttribute("plan") ?? "";
  }

  set plan(address) {
    this.setAttribute("plan", address);
  }

  /** The attribute `signed-by`; empty without one. */
  get signedBy() {
    return this.getAttribute("signed-by") ?? "";
  }

  set signedBy(key) {
    if (key) this.setAttribute("signed-by", key);
    else this.removeAttribute("signed-by");
  }

  connectedCallback() {
    // Who is moved within a page keeps what was answered.
    if (this.#form === null) this.#start();
  }

  disconnectedCallback() {
    queueMicrotask(() => this.isConnected || this.#stop());
  }

  attributeChangedCallback(name, before, after) {
    if (this.#form === null || before === after) return;
    this.#stop();
    this.#start();
  }

  #stop() {
    this.#form?.stop();
    this.#form = null;
  }

  #start() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    const [head, status, place] = [element("header"), element("p", { id: "status", role: "status", tabindex: "-1" }), element("div")];
    const whole = element("div", { class: "whole" }, head, status, place);
    root.replaceChildren(whole);
    const { hash } = globalThis.location;
    this.#form = new AnswerForm({ head, status, place }, {
      address: () => planAddress(this.getAttribute("plan") ?? ""),
      key: this.getAttribute("signed-by") ?? keyOf(hash),
      invitation: invitationOf(hash),
      period: periodOf(hash),
      checkPage: (address) => `${address}/verify`,
      level: LEVEL,
      /** That of the page, unless another was chosen; then what the browser says. */
      wanted: () => [this.#language, this.closest("[lang]")?.getAttribute("lang"), ...globalThis.navigator.languages].filter(Boolean),
      show: (speech) => Object.assign(whole, speech.isWhole ? { lang: speech.language, dir: speech.direction } : { lang: speech.own, dir: "ltr" }),
      keep: (language) => (this.#language = language),
      note: (event, plan) => this.dispatchEvent(new CustomEvent(`sordino-${event}`, { bubbles: true, composed: true, detail: { plan } })),
    });
    this.#form.start();
  }
}

if (!customElements.get("sordino-form")) customElements.define("sordino-form", SordinoForm);
