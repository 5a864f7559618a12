// The form of a plan: its fields, what a report about them can reveal, and one button. Nothing leaves before it is pressed,
// and then one report that was kept first. It knows no page: where it stands is its site's.

import { Speech, chosen, load, offered } from "../catalogue/speech.js";
import { FreshWords } from "../channel/words.js";
import { open } from "../checked_plan.js";
import { PageError, element, fetchPlan, surveyText, words } from "../dom.js";
import { drawnFirst, unlessInClear } from "../explain.js";
import { Field } from "../fields.js";
import { followConditions } from "../inputs/conditions.js";
import { PlanError } from "../plan/canonical.js";
import { asked } from "../plan/record.js";
import { Outbox, needsInvitation, pack } from "../outbox.js";
import { PERIOD, askedColumns } from "../series/series.js";
import { Turn } from "../series/turn.js";
import { fetchSignature, signedBy } from "../signature.js";
import { Consent, aboutList, languageSwitch } from "./about.js";
import { Draft } from "./draft.js";
import { Pages } from "./pages.js";
import { againPart, forExperts, leftCard, takeBackCard } from "./receipt.js";
import { revealedCard } from "./revealed.js";

/** Seconds until what is kept is sent again by itself: longer each time. */
const AGAIN = [5, 15, 60, 300];

/** Milliseconds until a page that waits for the person's turn looks at the clock again. */
const LOOK = 60_000;

/**
 * Where a form stands: the plan's address (it throws PageError where there is none), a key or null, an invitation or null, the
 * period that it names or null, the page
 * that checks the plan, the level of the first heading, the language until the plan is known, where there is one, and those that are
 * wanted, the best first; what the page asked for before this, and whether invitations are needed, where it knows; and what it does when a
 * language is spoken, when one was chosen, and when a report was sent or taken back.
 * @typedef {object} Site
 * @property {() => string} address
 * @property {string | null} key
 * @property {string | null} invitation
 * @property {string | null} period
 * @property {(address: string) => string} checkPage
 * @property {number} level
 * @property {string} [first]
 * @property {() => string[]} wanted
 * @property {{plan?: Promise<Response | null>, signature?: Promise<Response | null>}} [early]
 * @property {boolean} [isByInvitation]
 * @property {() => Storage} [drafts] where answers may be kept until they are sent
 * @property {(speech: Speech, title?: string) => void} show
 * @property {(language: string) => void} keep
 * @property {(event: "sent" | "taken-back", hash: string) => void} note
 */

export class AnswerForm {
  /**
   * @param {{head: HTMLElement, status: HTMLElement, place: HTMLElement}} slots the elements that it fills
   * @param {Site} site
   */
  constructor({ head, status, place }, site) {
    this.head = head;
    this.status = status;
    this.place = place;
    this.site = site;
    this.speech = new Speech(site.first ?? chosen(offered({}), site.wanted()));
    this.tries = 0;
    this.isEarlier = false;
    this.isStopped = false;
    /** @type {Turn | null | undefined} */
    this.turn = undefined;
    /** @type {number | null | undefined} */
    this.question = undefined;
  }

  /** Fetch the plan, and ask, or go on with what was drawn before. */
  async start() {
    this.online = () => this.#goOn();
    globalThis.addEventListener("online", this.online);
    try {
      await load(this.speech.language).catch(() => {});
      this.site.show(this.speech);
      this.#say(this.speech.say("fetching"));
      if (!globalThis.isSecureContext) throw new PageError("problem_insecure");
      const { key, invitation, early = {} } = this.site;
      const address = this.site.address();
      const { hash, text } = await fetchPlan(address, early.plan);
      const found = await open(text, hash);
      this.plan = found.plan;
      this.questions = found.questions;
      this.verdicts = found.verdicts;
      this.signed = await signedBy(text, key, await fetchSignature(address, early.signature));
      this.outbox = new Outbox(hash, address, invitation);
      const language = chosen(offered(this.plan), this.site.wanted());
      // A survey without words has nothing that another language could be shown beside.
      this.languages = this.plan.words ? offered(this.plan) : [language];
      await load(language);
      if (this.isStopped) return;
      this.#speak(language);
      const kept = await this.outbox.kept();
      this.draft = Draft.of(this.plan, this.site.drafts, invitation);
      if (kept !== null) this.draft?.erase();
      const host = this.outbox.otherHost(kept);
      const mayBeSent = kept === null || kept.state === "kept";
      const isUninvited = host === null && mayBeSent && invitation === null && (this.site.isByInvitation ?? (await needsInvitation(address)));
      if (this.isStopped) return;
      if (host !== null) this.#refuse("problem_elsewhere", { host });
      else if (isUninvited) this.#refuse("problem_uninvited");
      else if (kept === null) await this.#ask();
      else if (kept.state === "acknowledged" || kept.state === "withdrawn") this.#conclude(kept);
      else await this.#goOn();
    } catch (error) {
      this.#sayWrong(error);
    }
  }

  /** Ask, in the person's own period where the plan has a series. */
  async #ask() {
    const { invitation, period } = this.site;
    this.turn ??= await Turn.own(this.plan, period, invitation !== null);
    if (this.isStopped) return;
    if (this.turn === null || this.turn.when() === "now") {
      this.question ??= await this.#ownQuestion();
      if (this.isStopped) return;
      this.tell = undefined;
      this.#show((fields) => this.draft?.restore(fields));
      return;
    }
    this.#wait();
  }

  /**
   * The person's question where the plan has it drawn first: once for each plan and device, and kept before anything is asked, so
   * that no reload and no other tab with this storage draws another; null where all is asked. Throws StorageError.
   */
  async #ownQuestion() {
    if (this.plan.words?.ask !== "drawn") return null;
    const draw = (found) => found ?? { question: this.questions.drawQuestion(new FreshWords()) };
    return (await this.outbox.shelf.change(`${this.plan.hash} question`, draw)).question;
  }

  /** Say when it is the person's turn, and ask then if the page is still open. */
  #wait() {
    clearTimeout(this.timer);
    this.place.replaceChildren();
    this.fields = undefined;
    this.tell = () => {
      const sentence = this.turn.sentence(this.speech);
      // Whoever listens to the page hears it once.
      if (this.status.textContent !== sentence) this.#say(sentence);
    };
    this.tell();
    if (this.turn.when() === "later") this.timer = setTimeout(() => this.#ask(), LOOK);
  }

  /** Do what the collector could not be asked for before. */
  async #goOn() {
    const state = (await this.outbox?.kept())?.state;
    if (state === "kept") await this.send();
    if (state === "withdrawing") await this.takeBack();
  }

  /** Leave the page: nothing is sent again from here. */
  stop() {
    this.isStopped = true;
    clearTimeout(this.timer);
    globalThis.removeEventListener("online", this.online);
  }

  #say(text, kind = "") {
    this.status.className = kind;
    this.status.textContent = text;
  }

  /** What is wrong with the page itself; a plan's own defects are for experts, in English. */
  #sayWrong(error) {
    const isPlan = error instanceof PlanError;
    const problem = isPlan ? this.speech.say("problem_plan") : words(error, this.speech);
    this.#say(this.speech.say("nothing_sent", { problem }), "wrong");
    this.place.replaceChildren(...(isPlan ? [forExperts(error.message, this.speech)] : []));
  }

  /** Show everything in a language: the title, and who asks. */
  #speak(language) {
    const { words: own } = this.plan;
    const speech = new Speech(language, own);
    this.speech = speech;
    const title = speech.text(own?.title);
    this.site.show(speech, title);
    const heading = `h${this.site.level}`;
    this.head.replaceChildren(
      ...[languageSwitch(this.languages, speech, (other) => this.#switch(other)), title === undefined ? element(heading, {}, speech.say("page_title")) : surveyText(speech, title, heading)].filter(Boolean),
      element("p", { class: "lead" }, unlessInClear("lead", this.plan, speech)),
      ...[drawnFirst(this.plan, speech)].filter(Boolean).map((line) => element("p", {}, line)),
      ...[aboutList(this.plan, speech)].filter(Boolean),
    );
  }

  /** The same page in another language, once its sentences are there: what was answered is answered still. */
  async #switch(language) {
    this.site.keep(language);
    this.wished = language;
    try {
      await load(language);
    } catch {
      this.#say(this.speech.say("problem_unreachable"), "wrong");
      return;
    }
    if (this.isStopped || this.wished !== language) return;
    const states = this.fields?.map((field) => field.state);
    const [agreed, page] = [this.consent?.input.checked, this.pages?.place ?? 0];
    this.#speak(language);
    /** @type {HTMLElement | null} */ (this.head.querySelector("[aria-current]"))?.focus();
    if (!states || !this.button?.isConnected) {
      this.tell?.();
      return;
    }
    this.#show((fields) => fields.forEach((field, i) => (field.state = states[i])));
    if (this.consent) this.consent.input.checked = agreed;
    this.pages?.show(page);
  }

  /** Show the questions, whose fields are filled in first. */
  #show(fill) {
    const { plan, speech, site } = this;
    const names = this.question === null ? asked(plan) : this.questions.namesOf(this.question);
    /** @type {[string, any][]} */
    const inClear = askedColumns(plan).map((column) => [column.name, { ...column, isPublic: true }]);
    const sections = plan.words?.sections ?? [{ attributes: names }];
    const placed = sections.flatMap(({ attributes }) => attributes);
    // A public column that no section has is asked for first.
    const first = inClear.filter(([name]) => !placed.includes(name));
    const known = new Map(inClear);
    for (const name of names) known.set(name, plan.attributes[name]);
    /** @type {[string, any][]} */
    const asking = [...first];
    for (const name of placed) if (known.has(name)) asking.push([name, known.get(name)]);
    this.fields = asking.map(([name, attribute], i) => new Field(name, attribute, i, speech));
    const fields = new Map(this.fields.map((field) => [field.name, field]));
    const follow = followConditions(this.fields);
    fill(this.fields);
    follow();
    this.consent = Consent.of(plan, speech);
    this.button = element("button", { type: "submit", class: "send" }, speech.say("send"));
    const form = element("form", { novalidate: true, autocomplete: "off", submit: (event) => this.#submit(event) });
    if (this.draft !== null) {
      const box = element("input", { type: "checkbox", checked: this.draft.isWanted, change: () => this.draft.want(box.checked, this.fields ?? []) });
      form.append(element("label", { class: "choice" }, box, element("span", { class: "hint" }, speech.say("draft"))));
      const save = () => this.draft.save(this.fields ?? []);
      for (const event of ["change", "input", "click", "keyup"]) form.addEventListener(event, save);
    }
    if (this.turn) form.append(element("p", { class: "turn" }, this.turn.sentence(speech, "now")));
    const checkPage = site.checkPage(this.outbox.address) + (site.key === null ? "" : `#key=${site.key}`);
    const parts = sections.map((section) => this.#section(section, fields)).filter(({ elements }) => elements.length);
    const alone = first.map(([name]) => fields.get(name));
    if (alone.length) parts.unshift({ elements: alone.map((field) => field.element), fields: alone });
    parts.at(-1).elements.push(revealedCard(this, this.signed, checkPage, speech, site.level + 1), ...[this.consent?.element, this.button].filter(Boolean));
    this.pages = Pages.of(parts, speech);
    form.append(...(this.pages?.elements ?? parts.flatMap(({ elements }) => elements)));
    this.place.replaceChildren(form);
    this.#say("");
  }

  #section({ title, text, attributes }, fields) {
    const { speech } = this;
    const own = attributes.filter((name) => fields.has(name)).map((name) => fields.get(name));
    if (!own.length) return { elements: [], fields: own };
    const heading = `h${this.site.level + 1}`;
    const elements = [surveyText(speech, speech.text(title), heading, { class: "section" }), surveyText(speech, speech.text(text), "p"), ...own.map((field) => field.element)];
    return { elements: elements.filter(Boolean), fields: own };
  }

  async #submit(event) {
    event.preventDefault();
    const { speech } = this;
    if (this.turn && this.turn.when() !== "now") {
      this.#wait();
      this.status.focus();
      return;
    }
    const isPart = this.pages !== null && !this.pages.isLast;
    const wrong = (isPart ? this.pages.shown : this.fields).filter((field) => !field.check());
    const agreed = isPart || (this.consent?.check() ?? true);
    if (wrong.length || !agreed) {
      const names = wrong.map((field) => speech.quoted(field.title)).join(", ");
      const problems = [wrong.length ? speech.say("need_changes", { count: wrong.length, names }) : "", agreed ? "" : speech.say("consent_missing")];
      this.#say(speech.say("nothing_sent", { problem: problems.filter(Boolean).join(" ") }), "wrong");
      if (wrong.length) this.pages?.find(wrong[0]);
      (wrong[0] ?? { focus: () => this.consent.input.focus() }).focus();
      return;
    }
    if (isPart) {
      this.#say("");
      this.pages.step(1);
      return;
    }
    this.button.disabled = true;
    const shown = this.fields.filter((field) => !field.element.hidden);
    const record = Object.fromEntries(shown.map((field) => [field.name, field.answer]));
    if (this.turn) record[PERIOD] = this.turn.label;
    let drawn;
    try {
      drawn = await this.outbox.reserve(() => {
        const words = new FreshWords();
        const { code, cell } = this.question === null ? this.questions.draw(record, words) : this.questions.drawAbout(this.question, record, words);
        return pack(code, this.questions.codeBytes, cell, this.questions.cellBytes);
      });
    } catch (error) {
      this.button.disabled = false;
      this.#say(speech.say("nothing_sent", { problem: words(error, speech) }), "wrong");
      this.status.focus();
      return;
    }
    // A browser clears what it likes where the disk is full, unless it was asked not to.
    globalThis.navigator.storage?.persist?.().catch(() => {});
    // The answers are not needed any more.
    this.draft?.erase();
    this.place.replaceChildren();
    this.fields = undefined;
    this.isEarlier = !drawn;
    await this.send();
  }

  /** Send what is kept, now and again until it is acknowledged. */
  send() {
    return this.#exchange("sending", () => this.outbox.send(), (result) => this.#result(result));
  }

  /** Have the collector delete it, now and again until it says so. */
  takeBack() {
    return this.#exchange("taking_back", () => this.outbox.takeBack(), (result) => this.#withdrawal(result));
  }

  /** One exchange with the collector, its outcome in words, and the next one where it may help. */
  async #exchange(label, job, tell) {
    clearTimeout(this.timer);
    this.#say(this.speech.say(label));
    this.place.replaceChildren();
    const result = await job().catch((error) => ({ reason: { key: error.key ?? "problem_unreachable", values: {} } }));
    if (this.isStopped) return;
    this.status.focus();
    if (result.reason?.key === "problem_elsewhere") {
      this.#refuse(result.reason.key, result.reason.values);
      return;
    }
    this.tell = () => tell(result);
    this.tell();
    if (result.wait) this.timer = setTimeout(() => this.#exchange(label, job, tell), 1000 * AGAIN[Math.min(this.tries++, AGAIN.length - 1)]);
    if (result.upload) this.site.note("sent", this.plan.hash);
    if (result.state === "withdrawn") this.site.note("taken-back", this.plan.hash);
  }

  get #takeBackCard() {
    return takeBackCard(() => this.takeBack(), this.speech);
  }

  /** What became of the report. */
  #result(result) {
    const { speech } = this;
    const { done, state, upload, reason, detail } = result;
    const earlier = this.isEarlier ? `${speech.say("earlier")} ` : "";
    if (done && state === "withdrawn") {
      this.#withdrawal(result);
    } else if (done) {
      this.#say(`${earlier}${speech.say(this.outbox.invitation === null ? "arrived" : "arrived_invited")}`, "good");
      this.place.replaceChildren(...(upload ? [leftCard(upload, speech, this.site.level + 1)] : []), this.#takeBackCard);
    } else {
      this.#say(`${earlier}${speech.say("not_arrived", { problem: speech.say(reason.key, reason.values) })}`, "wrong");
      this.place.replaceChildren(...againPart(speech.say("send_again"), () => this.send(), detail, speech), this.#takeBackCard);
    }
  }

  /** What became of it once it was taken back. */
  #withdrawal({ done, reason, detail }) {
    const { speech } = this;
    if (done) {
      this.#say(speech.say("taken_back"), "good");
      this.place.replaceChildren();
    } else {
      this.#say(speech.say("not_taken_back", { problem: speech.say(reason.key, reason.values) }), "wrong");
      this.place.replaceChildren(...againPart(speech.say("try_again"), () => this.takeBack(), detail, speech));
    }
  }

  /** Nothing is asked, as without an invitation, or where the report is for another collector. */
  #refuse(key, values = {}) {
    this.place.replaceChildren();
    this.tell = () => this.#say(this.speech.say(key, values), "wrong");
    this.tell();
  }

  /** What was drawn here, and arrived or was taken back, before this page was opened. */
  #conclude({ state }) {
    this.tell = () => {
      this.#say(state === "withdrawn" ? this.speech.say("taken_back") : this.speech.say("answered"), "good");
      this.place.replaceChildren(...(state === "withdrawn" ? [] : [this.#takeBackCard]));
    };
    this.tell();
  }
}
