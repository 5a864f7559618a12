// The form of a plan: its fields, what a report about them can reveal, and one button. Nothing leaves before it is pressed,
// and then one report that was kept first.

import { Consent, aboutList, languageSwitch } from "./about.js";
import { Speech, chosen, offered } from "./catalogue/speech.js";
import { element, fetchPlan, surveyText, words } from "./dom.js";
import { Field } from "./fields.js";
import { followConditions } from "./inputs/conditions.js";
import { Outbox, invitationOf, needsInvitation, pack } from "./outbox.js";
import { revealedCard } from "./revealed.js";
import { fetchSignature, keyOf, signedBy } from "./signature.js";
import { FreshWords, PlanError, asked, open, publicColumns } from "./index.js";

const status = document.getElementById("status");
const head = document.getElementById("head");
const place = document.getElementById("place");

/** Seconds until what is kept is sent again by itself: longer each time. */
const AGAIN = [5, 15, 60, 300];

/** What a person's browser, or the address, says of languages. */
const wanted = () => [new URLSearchParams(globalThis.location.search).get("lang"), ...globalThis.navigator.languages].filter(Boolean);

let speech = new Speech(chosen(offered({}), wanted()));

function say(text, kind = "") {
  status.className = kind;
  status.textContent = text;
}

/** What is wrong with the page itself; a plan's own defects are for experts, in English. */
function sayWrong(error) {
  const isPlan = error instanceof PlanError;
  say(speech.say("nothing_sent", { problem: isPlan ? speech.say("problem_plan") : words(error, speech) }), "wrong");
  place.replaceChildren(...(isPlan ? [forExperts(error.message)] : []));
}

const forExperts = (text) => element("details", {}, element("summary", {}, speech.say("for_experts")), element("p", { lang: "en", dir: "ltr" }, text));

class Page {
  constructor(found, outbox) {
    Object.assign(this, found, { outbox });
    this.languages = offered(this.plan);
    this.tries = 0;
    this.isEarlier = false;
    this.speak(chosen(this.languages, wanted()));
  }

  /** Show everything in a language: the title, and who asks. */
  speak(language) {
    speech = new Speech(language, this.plan.words);
    const title = speech.text(this.plan.words?.title);
    const html = document.documentElement;
    Object.assign(html, speech.isWhole ? { lang: speech.language, dir: speech.direction } : { lang: speech.own, dir: "ltr" });
    document.title = title ?? speech.say("page_title");
    head.replaceChildren(
      ...[languageSwitch(this.languages, speech, (other) => this.#switch(other)), title === undefined ? element("h1", {}, speech.say("page_title")) : surveyText(speech, title, "h1")].filter(Boolean),
      element("p", { class: "lead" }, speech.say("lead")),
      ...[aboutList(this.plan, speech)].filter(Boolean),
    );
  }

  /** The same page in another language: what was answered is answered still. */
  #switch(language) {
    const address = new URL(globalThis.location.href);
    address.searchParams.set("lang", language);
    globalThis.history.replaceState(null, "", address);
    const states = this.fields?.map((field) => field.state);
    const agreed = this.consent?.input.checked;
    this.speak(language);
    head.querySelector("[aria-current]")?.focus();
    if (!states || !this.button?.isConnected) {
      this.tell?.();
      return;
    }
    this.show();
    this.fields.forEach((field, i) => (field.state = states[i]));
    if (this.consent) this.consent.input.checked = agreed;
  }

  show() {
    const names = asked(this.plan);
    const inClear = publicColumns(this.plan).map((column) => [column.name, { ...column, isPublic: true }]);
    const sections = this.plan.words?.sections ?? [{ attributes: names }];
    const placed = sections.flatMap(({ attributes }) => attributes);
    // A public column that no section has is asked for first.
    const first = inClear.filter(([name]) => !placed.includes(name));
    const known = new Map([...inClear, ...names.map((name) => [name, this.plan.attributes[name]])]);
    const asking = [...first, ...placed.filter((name) => known.has(name)).map((name) => [name, known.get(name)])];
    const fields = new Map(asking.map(([name, attribute], i) => [name, new Field(name, attribute, i, speech)]));
    this.fields = [...fields.values()];
    followConditions(this.fields);
    this.consent = Consent.of(this.plan, speech);
    this.button = element("button", { type: "submit", class: "send" }, speech.say("send"));
    const form = element("form", { novalidate: true, autocomplete: "off", submit: (event) => this.#submit(event) });
    form.append(...first.map(([name]) => fields.get(name).element));
    for (const section of sections) form.append(...this.#section(section, fields));
    form.append(revealedCard(this, this.signed, speech), ...[this.consent?.element, this.button].filter(Boolean));
    place.replaceChildren(form);
    say("");
  }

  #section({ title, text, attributes }, fields) {
    const own = attributes.filter((name) => fields.has(name)).map((name) => fields.get(name).element);
    if (!own.length) return [];
    return [surveyText(speech, speech.text(title), "h2", { class: "section" }), surveyText(speech, speech.text(text), "p"), ...own].filter(Boolean);
  }

  async #submit(event) {
    event.preventDefault();
    const wrong = this.fields.filter((field) => !field.check());
    const agreed = this.consent?.check() ?? true;
    if (wrong.length || !agreed) {
      const names = wrong.map((field) => speech.quoted(field.title)).join(", ");
      const problems = [wrong.length ? speech.say("need_changes", { count: wrong.length, names }) : "", agreed ? "" : speech.say("consent_missing")];
      say(speech.say("nothing_sent", { problem: problems.filter(Boolean).join(" ") }), "wrong");
      (wrong[0] ?? { focus: () => this.consent.input.focus() }).focus();
      return;
    }
    this.button.disabled = true;
    const shown = this.fields.filter((field) => !field.element.hidden);
    const record = Object.fromEntries(shown.map((field) => [field.name, field.answer]));
    let drawn;
    try {
      drawn = await this.outbox.reserve(() => {
        const { code, cell } = this.questions.draw(record, new FreshWords());
        return pack(code, this.questions.codeBytes, cell, this.questions.cellBytes);
      });
    } catch (error) {
      this.button.disabled = false;
      say(speech.say("nothing_sent", { problem: words(error, speech) }), "wrong");
      status.focus();
      return;
    }
    // A browser clears what it likes where the disk is full, unless it was asked not to.
    globalThis.navigator.storage?.persist?.().catch(() => {});
    // The answers are not needed any more.
    place.replaceChildren();
    this.fields = undefined;
    this.isEarlier = !drawn;
    await this.send();
  }

  /** Send what is kept, now and again until it is acknowledged. */
  async send() {
    clearTimeout(this.timer);
    say(speech.say("sending"));
    const result = await this.outbox.send().catch((error) => ({ reason: { key: error.key ?? "problem_unreachable", values: {} } }));
    status.focus();
    this.tell = () => this.#result(result);
    this.tell();
    if (result.wait) this.timer = setTimeout(() => this.send(), 1000 * AGAIN[Math.min(this.tries++, AGAIN.length - 1)]);
  }

  /** What became of the report. */
  #result({ done, upload, reason, detail }) {
    const earlier = this.isEarlier ? `${speech.say("earlier")} ` : "";
    if (done) {
      say(`${earlier}${speech.say(this.outbox.invitation === null ? "arrived" : "arrived_invited")}`, "good");
      place.replaceChildren(...(upload ? [left(upload)] : []));
      return;
    }
    say(`${earlier}${speech.say("not_arrived", { problem: speech.say(reason.key, reason.values) })}`, "wrong");
    const again = element("p", {}, element("button", { type: "button", class: "send", click: () => this.send() }, speech.say("send_again")));
    place.replaceChildren(again, ...(detail ? [forExperts(detail)] : []));
  }

  /** Without an invitation nothing is asked. */
  refuse() {
    this.tell = () => say(speech.say("problem_uninvited"), "wrong");
    this.tell();
  }

  answered() {
    this.tell = () => say(speech.say("answered"), "good");
    this.tell();
  }
}

/** All that left the page. */
function left(upload) {
  return element("section", { class: "card" }, element("h2", {}, speech.say("left")), element("p", {}, element("code", {}, upload)), element("p", { class: "hint" }, speech.say("left_hint")));
}

try {
  document.documentElement.lang = speech.language;
  document.title = speech.say("page_title");
  say(speech.say("fetching"));
  const { hash, text } = await fetchPlan();
  const found = await open(text, hash);
  const [key, invitation] = [keyOf, invitationOf].map((read) => read(globalThis.location.hash));
  const signed = await signedBy(text, key, await fetchSignature());
  const page = new Page({ ...found, key, signed }, new Outbox(hash, "reports", invitation));
  const kept = await page.outbox.kept();
  const isUninvited = kept?.state !== "acknowledged" && invitation === null && (await needsInvitation());
  if (isUninvited) page.refuse();
  else if (kept === null) page.show();
  else if (kept.state === "acknowledged") page.answered();
  else await page.send();
  globalThis.addEventListener("online", async () => (await page.outbox.kept())?.state === "kept" && page.send());
} catch (error) {
  sayWrong(error);
}
